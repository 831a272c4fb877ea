/* SPDX-License-Identifier: MIT */
/* Files that the user names, and the JSON in them. */
#ifndef CTL_FILE_H
#define CTL_FILE_H

#include <mcp/json.h>

/* Reads a whole file; "-" is standard input. Owned: end it with free. NULL: the
 * file cannot be read, and err says why. */
char *ctl_file_read(const char *path, size_t *len, mcp_error *err);

/* The path as messages name it. */
const char *ctl_file_name(const char *path);

/* The line and column of a byte. Both count from 1; columns count characters.
 */
typedef struct ctl_place {
  size_t line;
  size_t column;
} ctl_place;
ctl_place ctl_file_place(const char *text, size_t len, size_t offset);

/* Parses JSON that the user wrote. A byte order mark is skipped.
 *
 * @param out owned: end it with mcp_doc_free; NULL on failure
 * @param err not NULL; receives "line 2, column 5: why", and the byte's offset
 * @return 0, or the code of mcp_doc_parse's error */
int ctl_file_parse(mcp_doc **out, const char *text, size_t len, mcp_error *err);

#endif
