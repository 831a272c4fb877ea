/* SPDX-License-Identifier: MIT */
/* The one folder that is served, and the files in it.
 *
 * Functions return 0 (or a count), or a negative errno; file_error gives its
 * text. Paths are relative ones (paths.h). Any thread may call the functions:
 * the folder does not change once it is open. */
#ifndef WORKBENCH_FILES_H
#define WORKBENCH_FILES_H

#include "paths.h"
#include <stddef.h>
#include <stdint.h>

typedef struct folder {
  char path[PATH_SIZE]; /* absolute, without a slash at its end; "/" is "" */
  int fd;
} folder;

/* Opens the folder. Returns -ENAMETOOLONG, or why it cannot be opened. */
int folder_open(folder *root, const char *path);
void folder_close(folder *root);

/* Opens a file or folder beneath the root. Follows no symbolic link: returns
 * -ELOOP or -ENOTDIR then. `flags` are those of open(2). */
int folder_open_beneath(const folder *root, const char *relative, int flags);

/* The contents of a file. */
typedef struct file {
  char *bytes; /* with a NUL at the end */
  size_t len;
} file;

/* Reads a regular file. Returns -EFBIG when it is longer than `max` bytes,
 * -EPERM when it is a folder, a device or a pipe. End it with file_free. */
int file_load(const folder *root, const char *relative, size_t max, file *out);
void file_free(file *loaded);

/* Whether it is text: UTF-8 without NUL. */
int file_is_text(const file *loaded);

/* Returns the type by the name's ending; NULL: the ending is not known. */
const char *file_mime_type(const char *relative);

/* Returns the text, for people, of a negative errno of this file or of
 * paths.h. */
const char *file_error(int rc);

/* --- lists --------------------------------------------------------------- */

typedef struct listed {
  char *relative;
  uint64_t size;
  int is_folder;
} listed;

/* Files and folders, sorted by path. Begin with {0}. */
typedef struct listing {
  listed *items;
  size_t count;
  size_t cap;
} listing;

/* Lists everything beneath a folder, to a bounded depth and count. `relative`
 * is the folder, or a file, which is then the only entry. A disk may be slow:
 * the function calls `should_stop` (NULL: never stop) before each entry, and
 * returns -ECANCELED when that returns 1. */
int listing_load(listing *list, const folder *root, const char *relative,
                 int (*should_stop)(void *userdata), void *userdata);
void listing_free(listing *list);

#endif
