/* SPDX-License-Identifier: MIT */
/* Folders as roots (MCP, Roots). */
#include "connection/roots.h"
#include "common/exit.h"
#include "common/report.h"
#include "platform/files.h"
#include "platform/memory.h"

#include <errno.h>
#include <mcp/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether a path may have the byte without escaping (RFC 3986). */
static int is_plain(char byte) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                              "0123456789-._~/!$&'()*+,;=:@";
  return strchr(plain, byte) != NULL;
}

/* Owned; NULL when out of memory. */
static char *file_uri(const char *path) {
  char *uri = NULL;
  size_t len = 0;
  FILE *out = ctl_memory_open(&uri, &len);
  if (out == NULL) {
    return NULL;
  }
  /* A drive's letter is after a slash of its own: file:///C:/work. */
  fputs(*path == '/' ? "file://" : "file:///", out);
  for (; *path != '\0'; path++) {
    fprintf(out, is_plain(*path) ? "%c" : "%%%02X", (unsigned char)*path);
  }
  if (ctl_memory_close(out, &uri, &len) != 0) {
    free(uri);
    return NULL;
  }
  return uri;
}

static int put_root(mcp_builder *builder, const char *path) {
  char *uri = file_uri(path);
  if (uri == NULL) {
    return MCP_ERR_NOMEM;
  }
  const char *slash = strrchr(path, '/');
  mcp_builder_object(builder, NULL);
  mcp_builder_string(builder, "uri", uri);
  if (slash != NULL && slash[1] != '\0') {
    mcp_builder_string(builder, "name", slash + 1);
  }
  free(uri);
  return mcp_builder_end(builder);
}

static int add_root(mcp_builder *builder, const char *folder) {
  char *path = ctl_path_real(folder);
  if (path == NULL) {
    ctl_report(CTL_USAGE, "--root %s: %s", folder, strerror(errno));
    return MCP_ERR_NOT_FOUND;
  }
  int error = put_root(builder, path);
  free(path);
  if (error != 0) {
    const mcp_error *why = mcp_builder_error(builder);
    ctl_report(CTL_USAGE, "--root %s: %s", folder,
               why != NULL ? why->message : mcp_error_text(error));
  }
  return error;
}

char *ctl_roots_json(const char *const *folders) {
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  mcp_builder_object(builder, NULL);
  int error = mcp_builder_array(builder, "roots");
  for (; error == 0 && *folders != NULL; folders++) {
    error = add_root(builder, *folders);
  }
  mcp_builder_end(builder);
  mcp_builder_end(builder);
  const char *text = error == 0 ? mcp_builder_text(builder, NULL) : NULL;
  char *copy = text != NULL ? strdup(text) : NULL;
  mcp_builder_free(builder);
  return copy;
}
