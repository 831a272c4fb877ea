/* SPDX-License-Identifier: MIT */
/* Names of files as clients give them, and what they may name.
 *
 * Everything here works on text alone: whatever a client sends becomes a
 * *relative path*, the form that files.h takes. It has no empty component and
 * none that begins with a dot, so there is no way up and no way to hidden files
 * such as .git or .env. "" is the root folder itself. That no component is a
 * symbolic link is checked where the file is opened. */
#ifndef WORKBENCH_PATHS_H
#define WORKBENCH_PATHS_H

enum {
  /* Bytes of a path with its NUL, absolute or relative. */
  PATH_SIZE = 1024,
  /* Bytes of a file's URI with its NUL: each byte of both may become %XX. */
  URI_SIZE = 8 + 6 * PATH_SIZE
};

/* A path as tools take it: from the root folder, or absolute and inside it.
 * `root` is absolute, without a slash at its end. 0, -EPERM (outside or
 * hidden), -ENAMETOOLONG. */
int path_resolve(const char *root, const char *text, char out[PATH_SIZE]);

/* The same for a file: URI with an absolute path. Also -EINVAL: not such a
 * URI. */
int path_from_uri(const char *root, const char *uri, char out[PATH_SIZE]);

/* The URI of a file. */
void path_to_uri(const char *root, const char *relative, char out[URI_SIZE]);

#endif
