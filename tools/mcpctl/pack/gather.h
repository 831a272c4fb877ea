/* SPDX-License-Identifier: MIT */
/* The files that go into a bundle. */
#ifndef CTL_GATHER_H
#define CTL_GATHER_H

#include "bundle/zip.h"

typedef struct ctl_gathered_file {
  char *name; /* in the bundle */
  char *path; /* NULL: it is in memory */
  char *bytes;
  size_t len;
  int is_executable;
} ctl_gathered_file;

/* Everything is owned. */
typedef struct ctl_gathered {
  ctl_gathered_file *files;
  size_t count;
} ctl_gathered;

/* Adds a file, without looking at it. Returns 0, or MCP_ERR_* as in err. */
int ctl_gather_file(ctl_gathered *gathered, const char *name, const char *path,
                    int is_executable, mcp_error *err);

/* Adds a file of bytes, which are taken, also on failure. Returns 0, or
 * MCP_ERR_* as in err. */
int ctl_gather_bytes(ctl_gathered *gathered, const char *name, char *bytes,
                     size_t len, mcp_error *err);

/* Adds the files of a folder and of those in it, except those of ignore.h. A
 * symbolic link goes in as the file to which it leads, which must be in the
 * folder. Returns 0, or MCP_ERR_* as in err. */
int ctl_gather_folder(ctl_gathered *gathered, const char *folder,
                      mcp_error *err);

int ctl_gathered_has(const ctl_gathered *gathered, const char *name);

/* Makes the archive: the manifest first, then the files by their names. A file
 * manifest.json among them is left out if `manifest` is given. Returns 0, or
 * MCP_ERR_* as in err.
 *
 * @param manifest NULL: it is among the files
 * @param bytes    owned: end it with free */
int ctl_gathered_pack(ctl_gathered *gathered, const char *manifest,
                      char **bytes, size_t *len, mcp_error *err);
void ctl_gathered_deinit(ctl_gathered *gathered);

#endif
