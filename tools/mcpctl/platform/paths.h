/* SPDX-License-Identifier: MIT */
/* How the system writes paths. */
#ifndef CTL_PLATFORM_PATHS_H
#define CTL_PLATFORM_PATHS_H

#include <stddef.h>

/* All characters that stand between the parts of a path. */
extern const char ctl_path_separators[];

/* The one of them that the system itself writes. */
extern const char ctl_path_native_separator[];

/* What stands between the folders in a list such as PATH. */
extern const char ctl_path_list_separator;

/* How the names of programs end; "" where they have no ending. */
extern const char ctl_program_ending[];

/* Whether the character stands between the parts of a path. */
int ctl_path_is_separator(char character);

/* The bytes of what a path begins with that has no folder above it: "/", or
 * "C:/" on Windows. 0: the path is relative. */
size_t ctl_path_root_len(const char *path);

/* Makes "/" of the system's own separators, in place. Returns `path`. */
char *ctl_path_with_slashes(char *path);

/* Whether a new file or folder may have this name everywhere that the system
 * looks it up: not if the system would take it for a device or a stream. */
int ctl_path_is_plain_name(const char *name);

#endif
