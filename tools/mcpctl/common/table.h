/* SPDX-License-Identifier: MIT */
/* Tables for people: columns aligned, and cut to the terminal's width. */
#ifndef CTL_TABLE_H
#define CTL_TABLE_H

#include <stddef.h>

enum { CTL_TABLE_COLUMNS = 7 };

/* How a column becomes narrower. The first one never does: it has the names
 * that the user types. */
enum {
  CTL_CUT_TEXT,  /* anywhere */
  CTL_CUT_NAMES, /* between names; blanks separate them */
  CTL_CUT_NEVER
};

typedef struct ctl_table {
  size_t columns; /* at most CTL_TABLE_COLUMNS */
  char **cells;   /* owned, row by row; the first row is the heading */
  size_t count;   /* of cells */
  size_t capacity;
  int cuts[CTL_TABLE_COLUMNS]; /* CTL_CUT_* */
  /* On a terminal, wrap the last column instead of cutting it, and put all
   * cells below the first one when they have too little room beside it. */
  int is_wrapped;
  int is_broken; /* a cell was lost: out of memory */
} ctl_table;

/* Starts a table with its headings, NULL at the end. */
void ctl_table_init(ctl_table *table, const char *const *headings);
/* Adds the next cell; rows fill from left to right. Copied; NULL: empty. */
void ctl_table_add(ctl_table *table, const char *cell);
/* Prints the table to standard output, without empty columns, and frees its
 * cells. Returns an exit code. */
int ctl_table_print(ctl_table *table);
/* Frees the table's cells. */
void ctl_table_free(ctl_table *table);

#endif
