/* SPDX-License-Identifier: MIT */
/* The run-time search path of our libraries and programs leads to the folder
 * `mcp` beside the libraries. A sanitizer's own dlopen does not know who calls
 * it, and a distribution may have removed the path; so that folder is also
 * tried by name. */
#include "module/module.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* --- where it is --------------------------------------------------------- */

/* Opens FILE in the folder BELOW of PATH's folder. */
static void *open_near(const char *path, const char *below, const char *file) {
  char name[PATH_MAX];
  const char *slash = strrchr(path, '/');
  if (slash == NULL) {
    return NULL;
  }
  int len = snprintf(name, sizeof(name), "%.*s/%s/%s", (int)(slash - path),
                     path, below, file);
  return len > 0 && (size_t)len < sizeof(name)
             ? dlopen(name, RTLD_NOW | RTLD_LOCAL)
             : NULL;
}

/* Searches beside the library that contains this code. */
static void *open_by_library(const char *file) {
  static const char here;
  Dl_info info;
  return dladdr(&here, &info) != 0 && info.dli_fname != NULL
             ? open_near(info.dli_fname, "mcp", file)
             : NULL;
}

/* Searches where an installed program finds its libraries. */
static void *open_by_program(const char *file) {
  char path[PATH_MAX];
  ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
  if (len <= 0) {
    return NULL;
  }
  path[len] = '\0';
  return open_near(path, "../lib/mcp", file);
}

static void *find_module(const char *file, mcp_error *err) {
  void *module = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (module != NULL) {
    return module;
  }
  mcp_error why;
  const char *text = dlerror(); /* until the next call */
  mcp_error_set(&why, MCP_ERR_PLATFORM, "cannot load %s: %s", file,
                text != NULL ? text : "unknown reason");
  module = open_by_library(file);
  module = module != NULL ? module : open_by_program(file);
  if (module == NULL) {
    mcp_error_set(err, why.code, "%s", why.message);
  }
  return module;
}

/* --- what is in it ------------------------------------------------------- */

typedef const mcpi_module_head *(*table_function)(void);

/* ISO C has no conversion from an object pointer to a function pointer. */
static table_function find_function(void *module, const char *name) {
  table_function found = NULL;
  void *symbol = dlsym(module, name);
  _Static_assert(sizeof(found) == sizeof(symbol), "");
  memcpy(&found, &symbol, sizeof(found));
  return found;
}

static int module_is_ours(const mcpi_module_head *table, size_t size) {
  return table != NULL && table->size == size &&
         strcmp(table->version, MCP_VERSION_STRING) == 0;
}

const mcpi_module_head *mcpi_module_open(const char *file, const char *function,
                                         size_t size, mcp_error *err) {
  void *module = find_module(file, err);
  if (module == NULL) {
    return NULL;
  }
  table_function get = find_function(module, function);
  const mcpi_module_head *table = get != NULL ? get() : NULL;
  if (!module_is_ours(table, size)) {
    mcp_error_set(err, MCP_ERR_PLATFORM,
                  "cannot use %s: it does not belong to libmcp %s", file,
                  MCP_VERSION_STRING);
    dlclose(module);
    return NULL;
  }
  return table;
}
