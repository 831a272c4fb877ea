/* SPDX-License-Identifier: MIT */
/* Names of files as clients give them, and the files that they may name.
 *
 * Everything here works on text alone: it turns any name that a client sends
 * into a *relative path*, the form that files.h takes. Such a path has no empty
 * component and none that begins with a dot, so it leads neither up nor to
 * hidden files such as .git or .env. "" is the root folder itself. files.h
 * checks, when it opens the file, that no component is a symbolic link. */
#ifndef WORKBENCH_PATHS_H
#define WORKBENCH_PATHS_H

enum {
  /* Bytes of a path with its NUL, absolute or relative. */
  PATH_SIZE = 1024,
  /* Bytes of a file's URI with its NUL: each byte of both may become %XX. */
  URI_SIZE = 8 + 6 * PATH_SIZE
};

/* Reads a path as tools take it: from the root folder, or absolute and inside
 * it. `root` is absolute, without a slash at its end. Returns 0, -EPERM
 * (outside or hidden) or -ENAMETOOLONG. */
int path_resolve(const char *root, const char *text, char out[PATH_SIZE]);

/* Does the same for a file: URI with an absolute path. Also returns -EINVAL for
 * any other URI. */
int path_from_uri(const char *root, const char *uri, char out[PATH_SIZE]);

/* Writes the URI of a file. */
void path_to_uri(const char *root, const char *relative, char out[URI_SIZE]);

#endif
