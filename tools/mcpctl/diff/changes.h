/* SPDX-License-Identifier: MIT */
/* The differences between two listings of a server. */
#ifndef CTL_CHANGES_H
#define CTL_CHANGES_H

#include "common/members.h"

#include <stddef.h>
#include <stdio.h>

/* One difference. The values are borrowed from the listings. */
typedef struct ctl_change {
  int verdict;            /* CTL_COMPATIBLE, CTL_WORDING or CTL_BREAKING */
  const char *kind;       /* "tool"; static */
  const mcp_json *name;   /* of the tool; NULL: the server itself */
  char *path;             /* JSON pointer into the tool's entry; owned */
  char *text;             /* what is different; owned */
  const mcp_json *before; /* NULL: it was not there */
  const mcp_json *after;  /* NULL: it is not there now */
  int shows_values;       /* the text does not have them */
} ctl_change;

/* All zero is an empty list. */
typedef struct ctl_changes {
  ctl_change *items;
  size_t count;
  size_t capacity;
  int is_broken; /* one was lost: out of memory */
  /* What the next differences are of. */
  const char *kind;
  const mcp_json *name;
} ctl_changes;

/* Adds a difference in words of its own. */
void ctl_changes_add(ctl_changes *changes, int verdict, const char *path,
                     ctl_values values, const char *format, ...)
    MCP_PRINTF(5, 6);

/* Adds a difference of a member, with its old and new value in the words:
 * 'argument "a" has minimum 2 instead of 1'.
 *
 * @param subject 'argument "a"', or "the tool"
 * @param member  "minimum"
 * @param more    what the words end with: ", which cannot be judged", or "" */
void ctl_changes_add_member(ctl_changes *changes, int verdict, const char *path,
                            ctl_values values, const char *subject,
                            const char *member, const char *more);

void ctl_changes_deinit(ctl_changes *changes);

/* The worst of them, which is an exit code; CTL_OK: there are none. */
int ctl_changes_worst(const ctl_changes *changes);

/* Prints a line for each, with the old and the new text below it where these
 * are long. */
void ctl_changes_print(FILE *out, const ctl_changes *changes);
/* Prints the last line: how many there are of each verdict. */
void ctl_changes_print_summary(FILE *out, const ctl_changes *changes);
/* Prints an array of objects. Returns an exit code. */
int ctl_changes_print_json(const ctl_changes *changes);

#endif
