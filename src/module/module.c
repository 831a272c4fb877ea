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

/* dlerror's text is valid until the next call. */
static void note_reason(mcp_error *why, const char *file) {
  const char *text = dlerror();
  mcp_error_set(why, MCP_ERR_PLATFORM, "cannot load %s: %s", file,
                text != NULL ? text : "unknown reason");
}

/* Opens FILE in the folder BELOW of PATH's folder. If the file is there, its
 * reason is the one to tell: a library that it needs may be missing. */
static void *open_near(const char *path, const char *below, const char *file,
                       mcp_error *why) {
  char name[PATH_MAX];
  const char *slash = strrchr(path, '/');
  if (slash == NULL) {
    return NULL;
  }
  int len = snprintf(name, sizeof(name), "%.*s/%s/%s", (int)(slash - path),
                     path, below, file);
  if (len <= 0 || (size_t)len >= sizeof(name)) {
    return NULL;
  }
  void *module = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (module == NULL && access(name, F_OK) == 0) {
    note_reason(why, file);
  }
  return module;
}

/* Searches beside the library that contains this code. */
static void *open_by_library(const char *file, mcp_error *why) {
  static const char here;
  Dl_info info;
  return dladdr(&here, &info) != 0 && info.dli_fname != NULL
             ? open_near(info.dli_fname, "mcp", file, why)
             : NULL;
}

/* Searches where an installed program finds its libraries. */
static void *open_by_program(const char *file, mcp_error *why) {
  char path[PATH_MAX];
  ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
  if (len <= 0) {
    return NULL;
  }
  path[len] = '\0';
  return open_near(path, "../lib/mcp", file, why);
}

static void *find_module(const char *file, mcp_error *err) {
  void *module = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (module != NULL) {
    return module;
  }
  mcp_error why;
  note_reason(&why, file);
  module = open_by_library(file, &why);
  module = module != NULL ? module : open_by_program(file, &why);
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
