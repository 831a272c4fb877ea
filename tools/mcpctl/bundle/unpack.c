/* SPDX-License-Identifier: MIT */
#include "bundle/unpack.h"
#include "common/report.h"
#include "platform/files.h"
#include "platform/interrupt.h"
#include "platform/tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ctl_unpack_remove(char *folder) {
  if (folder != NULL && ctl_folder_remove(folder) != 0) {
    ctl_report(0, "cannot remove %s, where the bundle was unpacked: %s", folder,
               strerror(errno));
  }
  free(folder);
}

/* ---- unpacking --------------------------------------------------------- */

static char *make_folder(mcp_error *err) {
  char *above = ctl_folder_temporary();
  char *folder = NULL;
  if (above == NULL || asprintf(&folder, "%s/mcpctl-XXXXXX", above) < 0) {
    mcp_error_set(err, MCP_ERR_IO, "no folder for temporary files: %s",
                  strerror(errno));
    free(above);
    return NULL;
  }
  if (ctl_folder_create_draft(folder) != 0) {
    mcp_error_set(err, MCP_ERR_IO, "cannot make a folder in %s: %s", above,
                  strerror(errno));
    free(folder);
    folder = NULL;
  }
  free(above);
  return folder;
}

static int write_entry(const ctl_tree *tree, const ctl_zip_entry *entry,
                       mcp_error *err) {
  char *bytes = ctl_zip_unpack(entry, err);
  if (bytes == NULL) {
    return err->code;
  }
  int rc = ctl_tree_write(tree, entry->name, bytes, entry->len,
                          entry->is_executable ? 0700 : 0600);
  free(bytes);
  return rc == 0 ? 0
                 : mcp_error_set(err, MCP_ERR_IO, "cannot unpack %.120s: %s",
                                 entry->name, strerror(errno));
}

static int write_all(const char *folder, const ctl_zip *zip, mcp_error *err) {
  char *above = strdup(folder);
  char *slash = above != NULL ? strrchr(above, '/') : NULL;
  ctl_tree tree;
  int rc = 0;
  if (slash == NULL) {
    free(above);
    return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  *slash = '\0';
  if (ctl_tree_open(&tree, *above != '\0' ? above : "/", slash + 1, 1) != 0) {
    rc = mcp_error_set(err, MCP_ERR_IO, "cannot open %s: %s", folder,
                       strerror(errno));
    free(above);
    return rc;
  }
  free(above);
  for (size_t i = 0; rc == 0 && i < zip->count; i++) {
    if (ctl_interrupt_has_come()) {
      rc = mcp_error_set(err, MCP_ERR_CANCELLED, "interrupted");
    } else if (!ctl_zip_is_folder(&zip->entries[i])) {
      rc = write_entry(&tree, &zip->entries[i], err);
    }
  }
  ctl_tree_close(&tree);
  return rc;
}

char *ctl_unpack(const ctl_zip *zip, mcp_error *err) {
  if (ctl_interrupt_catch_ends() != 0) {
    mcp_error_set(err, MCP_ERR_IO, "cannot catch signals: %s", strerror(errno));
    return NULL;
  }
  char *folder = make_folder(err);
  if (folder != NULL && write_all(folder, zip, err) != 0) {
    ctl_unpack_remove(folder);
    return NULL;
  }
  return folder;
}
