/* SPDX-License-Identifier: MIT */
#include "bundle/unpack.h"
#include "common/report.h"
#include "common/tree.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- removing ---------------------------------------------------------- */

static int remove_one(const char *path, const struct stat *state, int type,
                      struct FTW *place) {
  (void)state;
  (void)type;
  (void)place;
  return remove(path);
}

/* A server may have made a folder in which nothing can be removed. */
static int open_folder(const char *path, const struct stat *state, int type,
                       struct FTW *place) {
  (void)place;
  if (type == FTW_D && (state->st_mode & 0700) != 0700) {
    chmod(path, 0700);
  }
  return 0;
}

void ctl_unpack_remove(char *folder) {
  enum { OPEN_FOLDERS = 16 };
  if (folder != NULL &&
      (nftw(folder, open_folder, OPEN_FOLDERS, FTW_PHYS) != 0 ||
       nftw(folder, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS) != 0)) {
    ctl_report(0, "cannot remove %s, where the bundle was unpacked: %s", folder,
               strerror(errno));
  }
  free(folder);
}

/* ---- unpacking --------------------------------------------------------- */

static char *make_folder(mcp_error *err) {
  const char *where = getenv("TMPDIR");
  char *real = realpath(where != NULL && *where != '\0' ? where : "/tmp", NULL);
  char *folder = NULL;
  if (real == NULL || asprintf(&folder, "%s/mcpctl-XXXXXX", real) < 0) {
    mcp_error_set(err, MCP_ERR_IO, "cannot unpack it in %s: %s",
                  where != NULL ? where : "/tmp", strerror(errno));
    free(real);
    return NULL;
  }
  if (mkdtemp(folder) == NULL) {
    mcp_error_set(err, MCP_ERR_IO, "cannot make a folder in %s: %s", real,
                  strerror(errno));
    free(folder);
    folder = NULL;
  }
  free(real);
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
    if (!ctl_zip_is_folder(&zip->entries[i])) {
      rc = write_entry(&tree, &zip->entries[i], err);
    }
  }
  ctl_tree_close(&tree);
  return rc;
}

char *ctl_unpack(const ctl_zip *zip, mcp_error *err) {
  char *folder = make_folder(err);
  if (folder != NULL && write_all(folder, zip, err) != 0) {
    ctl_unpack_remove(folder);
    return NULL;
  }
  return folder;
}
