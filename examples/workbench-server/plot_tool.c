/* SPDX-License-Identifier: MIT */
/* The tool plot_csv, and the page that shows its result: plot.html, an MCP App.
 * The result has the values for the page, and for the model a text that says
 * what a user sees. A client without apps gets a small chart as text.
 *
 * list_tables is for the page alone, which offers the names in a menu. */
#include "csv.h"
#include "workbench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLOT_URI "ui://workbench/plot"

/* plot.html, which the build puts into the program. */
extern const char plot_html[];

enum {
  MAX_POINTS = 1000, /* a chart is less than a thousand pixels wide */
  MAX_SERIES = 6,    /* more colours look too much alike */
  MAX_BARS = 60,     /* of a chart as text */
  MAX_TABLES = 200
};

/* A table of texts, row after row; the first row has the columns' names. */
typedef struct sheet {
  const char **cells; /* in the file's memory */
  size_t count;
  size_t cap;
  size_t columns;
} sheet;

/* A column of numbers. */
typedef struct series {
  size_t column;
  double low;
  double high;
} series;

typedef struct plot {
  sheet table;
  series series[MAX_SERIES];
  size_t series_count;
  size_t label_column; /* == table.columns: rows have numbers only */
  size_t step;         /* from one row that is shown to the next */
} plot;

/* --- reading ------------------------------------------------------------- */

static size_t row_count(const sheet *table) {
  return table->columns > 0 ? table->count / table->columns - 1 : 0;
}

static const char *cell_at(const sheet *table, size_t row, size_t column) {
  return table->cells[(row + 1) * table->columns + column];
}

static int push_cell(sheet *table, const char *text) {
  if (table->count == table->cap) {
    size_t cap = table->cap > 0 ? 2 * table->cap : 256;
    const char **cells = realloc(table->cells, cap * sizeof *cells);
    if (cells == NULL) {
      return -1;
    }
    table->cells = cells;
    table->cap = cap;
  }
  table->cells[table->count++] = text;
  return 0;
}

/* Returns NULL, or why the table cannot be used. *line says where. */
static const char *read_sheet(sheet *table, csv *reader, size_t *line) {
  size_t width = 0;
  char *text;
  int found;
  for (;;) {
    if (width == 0) {
      *line = reader->line;
    }
    found = csv_next(reader, &text);
    if (found == CSV_END) {
      return row_count(table) > 0 ? NULL : "there are no rows";
    }
    if (found == CSV_BAD) {
      return "a quoted field does not end";
    }
    if (push_cell(table, text) != 0) {
      return "out of memory";
    }
    width++;
    if (found == CSV_LAST && table->columns == 0) {
      table->columns = width;
    }
    if (found == CSV_LAST && width != table->columns) {
      return "more or fewer fields than there are columns";
    }
    width = found == CSV_LAST ? 0 : width;
  }
}

/* --- choosing ------------------------------------------------------------ */

/* Whether a column has numbers and nothing else; empty fields do not count. */
static int read_series(const sheet *table, size_t column, series *out) {
  size_t numbers = 0;
  *out = (series){.column = column};
  for (size_t row = 0; row < row_count(table); row++) {
    const char *text = cell_at(table, row, column);
    double number;
    if (text[0] == '\0') {
      continue;
    }
    if (csv_number(text, &number) != 0) {
      return 0;
    }
    out->low = numbers == 0 || number < out->low ? number : out->low;
    out->high = numbers == 0 || number > out->high ? number : out->high;
    numbers++;
  }
  return numbers > 0;
}

/* Takes the numeric columns, or the one of that name. The first other column
 * labels the rows. */
static void choose_columns(plot *p, const char *wanted) {
  const sheet *table = &p->table;
  p->label_column = table->columns;
  for (size_t i = 0; i < table->columns; i++) {
    series found;
    if (!read_series(table, i, &found)) {
      p->label_column = p->label_column < i ? p->label_column : i;
    } else if (p->series_count < MAX_SERIES &&
               (wanted == NULL || strcmp(wanted, table->cells[i]) == 0)) {
      p->series[p->series_count++] = found;
    }
  }
  p->step = (row_count(table) + MAX_POINTS - 1) / MAX_POINTS;
}

/* --- replying ------------------------------------------------------------ */

static void put_label(mcp_builder *out, const plot *p, size_t row) {
  char number[24];
  const char *label = number;
  snprintf(number, sizeof number, "%zu", row + 1);
  if (p->label_column < p->table.columns) {
    label = cell_at(&p->table, row, p->label_column);
  }
  mcp_builder_string(out, NULL, label);
}

static void put_value(mcp_builder *out, const plot *p, size_t row,
                      size_t column) {
  double number;
  if (csv_number(cell_at(&p->table, row, column), &number) == 0) {
    mcp_builder_number(out, NULL, number);
  } else {
    mcp_builder_null(out, NULL);
  }
}

static void put_series(mcp_builder *out, const plot *p, const series *s) {
  mcp_builder_object(out, NULL);
  mcp_builder_string(out, "name", p->table.cells[s->column]);
  mcp_builder_array(out, "values");
  for (size_t row = 0; row < row_count(&p->table); row += p->step) {
    put_value(out, p, row, s->column);
  }
  mcp_builder_end(out);
  mcp_builder_end(out);
}

static void put_plot(mcp_builder *out, const plot *p, const char *path) {
  mcp_builder_object(out, NULL);
  mcp_builder_string(out, "path", path);
  mcp_builder_int(out, "rows", (int64_t)row_count(&p->table));
  mcp_builder_array(out, "labels");
  for (size_t row = 0; row < row_count(&p->table); row += p->step) {
    put_label(out, p, row);
  }
  mcp_builder_end(out);
  mcp_builder_array(out, "series");
  for (size_t i = 0; i < p->series_count; i++) {
    put_series(out, p, &p->series[i]);
  }
  mcp_builder_end(out);
  mcp_builder_end(out);
}

/* Draws a column as a row of blocks of eight heights, such as "▁▃█". */
static void draw_bars(const plot *p, const series *s, char *out, size_t size) {
  static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  size_t rows = row_count(&p->table);
  size_t count = rows < MAX_BARS ? rows : MAX_BARS;
  size_t len = 0;
  for (size_t i = 0; i < count && len + 4 < size; i++) {
    const char *text = cell_at(&p->table, i * rows / count, s->column);
    double number;
    const char *bar = " ";
    if (csv_number(text, &number) == 0) {
      double range = s->high - s->low;
      double part = range > 0 ? (number - s->low) / range : 0;
      bar = bars[(size_t)(part * 7 + 0.5)];
    }
    len += (size_t)snprintf(out + len, size - len, "%s", bar);
  }
}

/* What the model reads. It cannot see the page. */
static void add_texts(mcp_call *call, const plot *p, const char *path) {
  char bars[MAX_BARS * 3 + 4] = "";
  int shows_apps = mcp_call_client_shows_apps(call);
  mcp_call_add_textf(call, "%s has %zu rows.%s", path, row_count(&p->table),
                     shows_apps ? " The user sees a chart of them." : "");
  for (size_t i = 0; i < p->series_count; i++) {
    const series *s = &p->series[i];
    if (!shows_apps) {
      draw_bars(p, s, bars, sizeof bars);
    }
    mcp_call_add_textf(call, "%s: %g to %g%s%s", p->table.cells[s->column],
                       s->low, s->high, shows_apps ? "" : "  ", bars);
  }
}

static int reply_plot(mcp_call *call, plot *p) {
  const char *path = mcp_call_string(call, "path");
  const char *wanted;
  if (get_optional(call, "column", &wanted) != 0) {
    return MCP_ERR_INVALID;
  }
  choose_columns(p, wanted);
  if (p->series_count == 0) {
    return mcp_call_reply_failure(call, "there is no numeric column %s",
                                  wanted != NULL ? wanted : "at all");
  }
  mcp_builder *out = mcp_call_structured(call);
  put_plot(out, p, path);
  if (mcp_builder_error(out) != NULL) { /* such as a name that is not UTF-8 */
    return mcp_call_reply_failure(call, "%s", mcp_builder_error(out)->message);
  }
  add_texts(call, p, path);
  return mcp_call_reply(call);
}

static int on_plot_csv(mcp_call *call, void *userdata) {
  file loaded;
  csv reader;
  plot p = {.step = 1};
  size_t line = 1;
  int rc;
  if (load_argument(call, userdata, "path", MAX_FILE, &loaded, &rc) != 0) {
    return rc;
  }
  csv_init(&reader, loaded.bytes, loaded.len);
  const char *why = read_sheet(&p.table, &reader, &line);
  rc = why != NULL ? mcp_call_reply_failure(call, "line %zu: %s", line, why)
                   : reply_plot(call, &p);
  free(p.table.cells);
  file_free(&loaded);
  return rc;
}

/* --- list_tables --------------------------------------------------------- */

static int is_table(const listed *item) {
  const char *type = item->is_folder ? NULL : file_mime_type(item->relative);
  return type != NULL && strcmp(type, "text/csv") == 0;
}

static int on_list_tables(mcp_call *call, void *userdata) {
  workbench *bench = userdata;
  listing list = {0};
  size_t count = 0;
  int rc = listing_load(&list, &bench->root, "", is_cancelled, call);
  if (rc != 0) {
    return mcp_call_reply_failure(call, "%s", file_error(rc));
  }
  mcp_builder *out = mcp_call_structured(call);
  mcp_builder_object(out, NULL);
  mcp_builder_array(out, "paths");
  for (size_t i = 0; i < list.count && count < MAX_TABLES; i++) {
    if (is_table(&list.items[i])) {
      mcp_builder_string(out, NULL, list.items[i].relative);
      count++;
    }
  }
  mcp_builder_end(out);
  mcp_builder_end(out);
  listing_free(&list);
  return mcp_call_reply(call);
}

/* --- registering --------------------------------------------------------- */

static const char series_schema[] = MCP_JSON({
  "type": "object",
  "properties": {
    "name": {"type": "string"},
    "values": {"type": "array", "items": {"type": ["number", "null"]}}
  },
  "required": ["name", "values"]
});

static void add_plot_csv(mcp_server *server, workbench *bench) {
  mcp_server_add_app_tool(
      server,
      &(mcp_tool){
          .size = sizeof(mcp_tool),
          .name = "plot_csv",
          .title = "Plot a table",
          .description = "Shows the numeric columns of a CSV file, or one of "
                         "them, as a chart",
          .input = MCP_OBJECT(
              MCP_STRING("path", "The file, such as temperatures.csv"),
              MCP_STRING("column", "Its name; all numeric ones without it",
                         .optional = 1)),
          .output = MCP_OBJECT(
              MCP_STRING("path", "The file"),
              MCP_INTEGER("rows", "Records, the column names not counted"),
              MCP_ARRAY("labels", "What the points are called",
                        .schema = MCP_SCHEMA_TYPE("string")),
              MCP_ARRAY("series", "The numbers by column, null for a gap",
                        .schema = MCP_SCHEMA_TEXT(series_schema))),
          .hints = MCP_TOOL_READ_ONLY | MCP_TOOL_NOT_OPEN_WORLD,
          .is_blocking = 1,
          .handler = on_plot_csv,
          .userdata = bench},
      PLOT_URI, 0, NULL);
}

static void add_list_tables(mcp_server *server, workbench *bench) {
  mcp_server_add_app_tool(
      server,
      &(mcp_tool){
          .size = sizeof(mcp_tool),
          .name = "list_tables",
          .title = "List the tables",
          .description = "Names the CSV files",
          .output = MCP_OBJECT(MCP_ARRAY("paths", "The files",
                                         .schema = MCP_SCHEMA_TYPE("string"))),
          .hints = MCP_TOOL_READ_ONLY | MCP_TOOL_NOT_OPEN_WORLD,
          .is_blocking = 1,
          .handler = on_list_tables,
          .userdata = bench},
      PLOT_URI, MCP_VISIBLE_TO_APP, NULL);
}

void add_plot_tools(mcp_server *server, workbench *bench) {
  mcp_server_add_app(server,
                     &(mcp_app){.size = sizeof(mcp_app),
                                .uri = PLOT_URI,
                                .name = "plot",
                                .title = "Plot of a table",
                                .html = plot_html,
                                .border = MCP_APP_BORDER},
                     NULL);
  add_plot_csv(server, bench);
  add_list_tables(server, bench);
}
