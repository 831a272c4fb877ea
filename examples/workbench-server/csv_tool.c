/* SPDX-License-Identifier: MIT */
/* The tool analyze_csv: sum, average or count of a table's numbers. The first
 * record names the columns; a column is numeric when all its fields that are
 * not empty are numbers. */
#include "csv.h"
#include "workbench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 256, MESSAGE_SIZE = 160 };

typedef struct column {
  const char *name;
  double sum;
  double lost;    /* what rounding took from the sum: Kahan's summation */
  size_t count;   /* numbers */
  int is_numeric; /* nothing else so far */
} column;

typedef struct table {
  column columns[MAX_COLUMNS];
  size_t column_count;
  size_t row_count;
  char message[MESSAGE_SIZE]; /* why it could not be read */
} table;

/* --- reading ------------------------------------------------------------- */

static int fail(table *t, const char *what, size_t line) {
  snprintf(t->message, sizeof t->message, "line %zu: %s", line, what);
  return -1;
}

static int read_header(table *t, csv *reader) {
  char *name;
  int found;
  do {
    found = csv_next(reader, &name);
    if (found == CSV_END || found == CSV_BAD) {
      return fail(t, "there is no line of column names", reader->line);
    }
    if (t->column_count == MAX_COLUMNS) {
      return fail(t, "more than 256 columns", reader->line);
    }
    t->columns[t->column_count++] = (column){.name = name, .is_numeric = 1};
  } while (found == CSV_FIELD);
  return 0;
}

static void add_field(column *to, const char *text) {
  double number;
  if (text[0] == '\0') {
    return;
  }
  if (csv_number(text, &number) != 0) {
    to->is_numeric = 0;
    return;
  }
  double term = number - to->lost;
  double sum = to->sum + term;
  to->lost = (sum - to->sum) - term;
  to->sum = sum;
  to->count++;
}

/* Returns 1 when it has read a record, 0 when there is none. */
static int read_record(table *t, csv *reader) {
  size_t line = reader->line;
  char *text;
  size_t i = 0;
  int found;
  do {
    found = csv_next(reader, &text);
    if (found == CSV_END) {
      return 0;
    }
    if (found == CSV_BAD) {
      return fail(t, "a quoted field does not end", line);
    }
    if (i < t->column_count) {
      add_field(&t->columns[i], text);
    }
    i++;
  } while (found == CSV_FIELD);
  if (i != t->column_count) {
    return fail(t, "more or fewer fields than there are columns", line);
  }
  t->row_count++;
  return 1;
}

static int read_table(table *t, file *loaded) {
  csv reader;
  csv_init(&reader, loaded->bytes, loaded->len);
  int rc = read_header(t, &reader);
  while (rc >= 0 && (rc = read_record(t, &reader)) == 1) {
  }
  return rc;
}

/* --- replying ------------------------------------------------------------ */

static double result_of(const column *c, const char *operation) {
  if (strcmp(operation, "count") == 0) {
    return (double)c->count;
  }
  return strcmp(operation, "sum") == 0 ? c->sum : c->sum / (double)c->count;
}

static int is_wanted(const column *c, const char *name) {
  return c->is_numeric && c->count > 0 &&
         (name == NULL || strcmp(name, c->name) == 0);
}

/* Returns the number of columns in the result. */
static size_t put_columns(mcp_builder *out, const table *t, const char *name,
                          const char *operation) {
  size_t count = 0;
  mcp_builder_object(out, "columns");
  for (size_t i = 0; i < t->column_count; i++) {
    const column *c = &t->columns[i];
    if (is_wanted(c, name)) {
      mcp_builder_number(out, c->name, result_of(c, operation));
      count++;
    }
  }
  mcp_builder_end(out);
  return count;
}

static int reply_table(mcp_call *call, const table *t, mcp_builder *out) {
  const char *operation = mcp_call_string(call, "operation");
  const char *name;
  if (get_optional(call, "column", &name) != 0) {
    return MCP_ERR_INVALID;
  }
  mcp_builder_object(out, NULL);
  mcp_builder_string(out, "operation", operation);
  mcp_builder_int(out, "rows", (int64_t)t->row_count);
  size_t count = put_columns(out, t, name, operation);
  int rc = mcp_builder_end(out);
  if (count == 0) {
    return mcp_call_reply_failure(call, "there is no numeric column %s",
                                  name != NULL ? name : "at all");
  }
  if (rc != 0) { /* such as a column's name that is not UTF-8 */
    return mcp_call_reply_failure(call, "%s", mcp_builder_error(out)->message);
  }
  return mcp_call_reply_structured(call, mcp_builder_text(out, NULL));
}

static int analyze(mcp_call *call, table *t, file *loaded) {
  if (read_table(t, loaded) < 0) {
    return mcp_call_reply_failure(call, "%s", t->message);
  }
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  int rc = reply_table(call, t, out);
  mcp_builder_free(out);
  return rc;
}

static int on_analyze_csv(mcp_call *call, void *userdata) {
  file loaded;
  int rc;
  if (load_argument(call, userdata, "path", MAX_TABLE, &loaded, &rc) != 0) {
    return rc;
  }
  table *t = calloc(1, sizeof *t);
  rc = t != NULL ? analyze(call, t, &loaded) : MCP_ERR_NOMEM;
  free(t);
  file_free(&loaded);
  return rc;
}

/* --- registering --------------------------------------------------------- */

static const char numbers[] =
    MCP_JSON({"type": "object", "additionalProperties": {"type": "number"}});

void add_csv_tool(mcp_server *server, workbench *bench) {
  mcp_server_add_tool(
      server,
      &(mcp_tool){
          .size = sizeof(mcp_tool),
          .name = "analyze_csv",
          .title = "Analyze a table",
          .description = "Sum, average or count of the numbers in each numeric "
                         "column of a CSV file, or in one column",
          .input = MCP_OBJECT(
              MCP_STRING("path", "The file, such as sales.csv"),
              MCP_STRING("operation", "What to compute",
                         .values = MCP_VALUES("sum", "average", "count")),
              MCP_STRING("column", "Its name; all numeric ones without it",
                         .optional = 1)),
          .output = MCP_OBJECT(
              MCP_STRING("operation", "What was computed"),
              MCP_INTEGER("rows", "Records, the column names not counted"),
              MCP_STRUCT("columns", "The result by column",
                         .schema = MCP_SCHEMA_TEXT(numbers))),
          .hints = MCP_TOOL_READ_ONLY | MCP_TOOL_NOT_OPEN_WORLD,
          .is_blocking = 1,
          .handler = on_analyze_csv,
          .userdata = bench},
      NULL);
}
