/* SPDX-License-Identifier: MIT */
/* Writes a file so that nobody sees half of it. */
#ifndef CTL_REPLACE_H
#define CTL_REPLACE_H

#include <stddef.h>

/* What may be done with the file. */
enum {
  CTL_REPLACE_OLD = 1,    /* there may be a file already */
  CTL_REPLACE_PRIVATE = 2 /* only the user may read it: it may hold secrets */
};

/* Writes compact JSON text, indented, into a new file beside `path`, and then
 * gives it that name. A symbolic link stays one.
 *
 * @return 0, or -1 with errno; EEXIST: there is a file already */
int ctl_replace_json(const char *path, const char *text, int flags);

/* The same for any bytes. */
int ctl_replace_bytes(const char *path, const char *bytes, size_t len,
                      int flags);

#endif
