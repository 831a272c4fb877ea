/* SPDX-License-Identifier: MIT */
/* Tables for people. */
#include "common/table.h"
#include "common/exit.h"
#include "common/report.h"
#include "common/term.h"
#include "common/text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* There are GAP blanks between columns. To make the table fit, the columns
 * after the first are cut to LEAST, and if that is not enough, to LAST. A table
 * whose last column is wrapped is not cut: if less than WRAPPED columns are
 * left for the last one, the cells are printed below the first one. */
enum { GAP = 2, LEAST = 8, LAST = 3, WRAPPED = 20 };

static int grow(ctl_table *table) {
  size_t capacity = table->capacity > 0 ? table->capacity * 2 : 64;
  char **cells = realloc(table->cells, capacity * sizeof(*cells));
  if (cells == NULL) {
    return -1;
  }
  table->cells = cells;
  table->capacity = capacity;
  return 0;
}

void ctl_table_init(ctl_table *table, const char *const *headings) {
  *table = (ctl_table){0};
  while (headings[table->columns] != NULL) {
    ctl_table_add(table, headings[table->columns]);
    table->columns++;
  }
}

void ctl_table_add(ctl_table *table, const char *cell) {
  char *copy = strdup(cell != NULL ? cell : "");
  if (copy == NULL || (table->count == table->capacity && grow(table) != 0)) {
    free(copy);
    table->is_broken = 1;
    return;
  }
  table->cells[table->count++] = copy;
}

/* The natural width of each column; 0 for a column with only a heading. */
static void table_measure(const ctl_table *table, size_t *widths) {
  for (size_t column = 0; column < table->columns; column++) {
    size_t widest = 0;
    for (size_t i = column + table->columns; i < table->count;
         i += table->columns) {
      size_t width = ctl_text_width(table->cells[i]);
      widest = width > widest ? width : widest;
    }
    size_t heading = ctl_text_width(table->cells[column]);
    widths[column] = widest > 0 && widest < heading ? heading : widest;
  }
}

static size_t total_of(const size_t *widths, size_t columns) {
  size_t total = 0;
  for (size_t i = 0; i < columns; i++) {
    total += widths[i] > 0 ? widths[i] + GAP : 0;
  }
  return total > 0 ? total - GAP : 0;
}

/* The widest of the columns that may be cut; 0: there is none. */
static size_t find_widest(const ctl_table *table, const size_t *widths) {
  size_t widest = 0;
  for (size_t i = 1; i < table->columns; i++) {
    if (table->cuts[i] != CTL_CUT_NEVER &&
        (widest == 0 || widths[i] >= widths[widest])) {
      widest = i;
    }
  }
  return widest;
}

/* Narrows the widest column again and again until the table fits. */
static void fit(const ctl_table *table, size_t *widths, size_t room,
                size_t least) {
  for (size_t total = total_of(widths, table->columns); total > room; total--) {
    size_t widest = find_widest(table, widths);
    if (widest == 0 || widths[widest] <= least) {
      return;
    }
    widths[widest]--;
  }
}

/* Returns the names that have room, and an ellipsis for the others; owned.
 * NULL: all have room, or there is no memory. */
static char *cut_names(const char *names, size_t width) {
  size_t len = strlen(names);
  char *cut = NULL;
  if (ctl_text_width(names) <= width) {
    return NULL;
  }
  do {
    while (len > 0 && names[len - 1] != ' ') {
      len--;
    }
    while (len > 0 && names[len - 1] == ' ') {
      len--;
    }
    free(cut);
    if (asprintf(&cut, "%.*s%s", (int)len, names, len > 0 ? " …" : "…") < 0) {
      return NULL;
    }
  } while (len > 0 && ctl_text_width(cut) > width);
  return cut;
}

/* Prints a cell. Returns the columns of its line; for a wrapped cell, which is
 * the last of its row, only a number that the caller does not need. */
static size_t print_cell(const char *cell, size_t indent, size_t width,
                         int is_wrapped) {
  if (!is_wrapped) {
    return ctl_text_put_line(stdout, cell, width);
  }
  ctl_text_put_wrapped(stdout, cell, indent, indent + width);
  return width;
}

static void print_row(const ctl_table *table, char *const *cells,
                      const size_t *widths, int is_wrapped) {
  size_t columns = table->columns;
  size_t indent = 0;
  size_t pending = 0; /* blanks to print before the next cell */
  for (size_t i = 0; i < columns; i++) {
    if (widths[i] == 0) {
      continue;
    }
    if (cells[i][0] != '\0') {
      printf("%*s", (int)pending, "");
      pending = 0;
    }
    char *cut =
        table->cuts[i] == CTL_CUT_NAMES ? cut_names(cells[i], widths[i]) : NULL;
    pending += widths[i] + GAP;
    pending -= print_cell(cut != NULL ? cut : cells[i], indent, widths[i],
                          is_wrapped && i == columns - 1);
    free(cut);
    indent += widths[i] + GAP;
  }
  fputc('\n', stdout);
}

static int is_too_wide(const ctl_table *table, const size_t *widths,
                       size_t room) {
  size_t last = widths[table->columns - 1];
  size_t spare = last > WRAPPED ? last - WRAPPED : 0;
  return total_of(widths, table->columns) - spare > room;
}

/* Prints each cell after the first on lines of its own, after its heading. */
static void print_stacked(const ctl_table *table, const size_t *widths,
                          size_t room) {
  size_t label = 0;
  for (size_t i = 1; i < table->columns; i++) {
    size_t width = ctl_text_width(table->cells[i]);
    label = widths[i] > 0 && width > label ? width : label;
  }
  for (size_t i = 0; i < table->count; i++) {
    size_t column = i % table->columns;
    const char *cell = table->cells[i];
    if (i == 0) {
      ctl_term_style(stdout, CTL_BOLD);
      ctl_text_put_line(stdout, cell, SIZE_MAX);
      ctl_term_style(stdout, CTL_PLAIN);
      fputc('\n', stdout);
    } else if (column == 0) {
      ctl_text_put_line(stdout, cell, SIZE_MAX);
      fputc('\n', stdout);
    } else if (i >= table->columns && cell[0] != '\0') {
      printf("%*s%-*s", GAP, "", (int)(label + GAP), table->cells[column]);
      ctl_text_put_wrapped(stdout, cell, label + 2 * GAP, room);
      fputc('\n', stdout);
    }
  }
}

static void print_rows(const ctl_table *table) {
  size_t widths[CTL_TABLE_COLUMNS] = {0};
  size_t room = ctl_term_width(stdout);
  int is_wrapped = table->is_wrapped && room != SIZE_MAX;
  table_measure(table, widths);
  if (is_wrapped && is_too_wide(table, widths, room)) {
    print_stacked(table, widths, room);
    return;
  }
  fit(table, widths, room, LEAST);
  fit(table, widths, room, LAST);
  ctl_term_style(stdout, CTL_BOLD);
  print_row(table, table->cells, widths, 0);
  ctl_term_style(stdout, CTL_PLAIN);
  for (size_t i = table->columns; i < table->count; i += table->columns) {
    print_row(table, table->cells + i, widths, is_wrapped);
  }
}

void ctl_table_free(ctl_table *table) {
  for (size_t i = 0; i < table->count; i++) {
    free(table->cells[i]);
  }
  free(table->cells);
  *table = (ctl_table){0};
}

int ctl_table_print(ctl_table *table) {
  int code = CTL_OK;
  if (table->is_broken) {
    code = ctl_report(CTL_USAGE, "out of memory");
  } else {
    print_rows(table);
  }
  ctl_table_free(table);
  return code;
}
