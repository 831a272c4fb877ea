/* SPDX-License-Identifier: MIT */
/* Writes files into a new folder, and nowhere else: each part of a path is
 * opened by itself, and no part may be a symbolic link. On Windows, no part may
 * be a name that Windows takes for a device or a stream either. */
#ifndef CTL_PLATFORM_TREE_H
#define CTL_PLATFORM_TREE_H

#include <stddef.h>

typedef struct ctl_tree {
  int fd;         /* of the folder; not used on Windows */
  char *path;     /* of the folder, on Windows; owned */
  int overwrites; /* files that are there already */
} ctl_tree;

/* Makes the folder `name` in `dir`. Also makes `dir` and the folders above it
 * that are not there. `name` is one part of a path. With `overwrites` the
 * folder may be there already. Returns 0, or -1 with errno: EEXIST is the
 * folder. */
int ctl_tree_open(ctl_tree *tree, const char *dir, const char *name,
                  int overwrites);
void ctl_tree_close(ctl_tree *tree);

/* Writes a file, and makes its folders. The parts of the path are not empty,
 * "." or "..". `mode` is that of a new file, less the bits of the umask.
 * Returns 0, or -1 with errno. */
int ctl_tree_write(const ctl_tree *tree, const char *path, const void *bytes,
                   size_t len, unsigned mode);

#endif
