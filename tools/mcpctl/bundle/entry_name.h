/* SPDX-License-Identifier: MIT */
/* The names of files in an archive: which are safe to unpack anywhere. */
#ifndef CTL_ENTRY_NAME_H
#define CTL_ENTRY_NAME_H

#include <stddef.h>

/* Bytes of the longest name. */
enum { CTL_ENTRY_NAME_MAX = 1000 };

/* Why a file of this name would land elsewhere, or on another file, on Linux,
 * macOS or Windows. Returns a static text such as "it leads out of the folder";
 * NULL: the name is good. The name of a folder ends with a slash. */
const char *ctl_entry_name_fault(const char *name, size_t len);

/* Compares as a file system does that ignores the case of letters. Only that of
 * ASCII's letters. */
int ctl_entry_name_compare(const char *a, const char *b);

#endif
