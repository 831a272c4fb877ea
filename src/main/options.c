/* SPDX-License-Identifier: MIT */
/* The command line of mcp_main: `--name value`, `--name=value`, flags, and
 * arguments by their position. Every word after `--` is an argument. */
#include "main/options.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* --- reading ------------------------------------------------------------- */

typedef struct command_line {
  const char *program;
  const mcpi_main_table *tables;
  size_t table_count;
  char **next; /* from here to `end`, or to a NULL before it */
  char **end;
  size_t positional_count;
  int only_positionals; /* after "--" */
} command_line;

const char *mcpi_main_program_name(int argc, char **argv) {
  if (argc < 1 || argv[0] == NULL) {
    return "server";
  }
  const char *slash = strrchr(argv[0], '/');
  return slash != NULL ? slash + 1 : argv[0];
}

static int options_has_word(const command_line *line) {
  return line->next < line->end && *line->next != NULL;
}

MCP_PRINTF(2, 3)
static int options_complain(const command_line *line, const char *format, ...) {
  va_list args;
  fprintf(stderr, "%s: ", line->program);
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fprintf(stderr, "\nTry \"%s --help\".\n", line->program);
  return -1;
}

/* Returns the first option of that name: the program's stand first. */
static const mcp_main_option *options_find(const mcpi_main_table *tables,
                                           size_t table_count, const char *name,
                                           size_t len) {
  for (size_t t = 0; t < table_count; t++) {
    const mcpi_main_table *table = &tables[t];
    for (size_t i = 0; i < table->count; i++) {
      const char *known = table->options[i].name;
      if (known != NULL && strlen(known) == len &&
          memcmp(known, name, len) == 0) {
        return &table->options[i];
      }
    }
  }
  return NULL;
}

/* Whether the library has an option that the program does not offer. */
static int options_is_withheld(const command_line *line, const char *name,
                               size_t len) {
  for (size_t t = 0; t < line->table_count; t++) {
    const mcpi_main_table *table = &line->tables[t];
    for (size_t i = 0; i < table->withheld_count; i++) {
      const char *known = table->options[table->count + i].name;
      if (strlen(known) == len && memcmp(known, name, len) == 0) {
        return 1;
      }
    }
  }
  return 0;
}

static int takes_more(const mcp_main_option *option) {
  size_t len = option->value_name != NULL ? strlen(option->value_name) : 0;
  return len > 3 && strcmp(option->value_name + len - 3, "...") == 0;
}

/* Returns the option for the argument at that position; "FILE..." takes all
 * that follow. */
static const mcp_main_option *find_positional(const command_line *line,
                                              size_t place) {
  const mcp_main_option *last = NULL;
  for (size_t t = 0; t < line->table_count; t++) {
    const mcpi_main_table *table = &line->tables[t];
    for (size_t i = 0; i < table->count; i++) {
      if (table->options[i].name != NULL) {
        continue;
      }
      last = &table->options[i];
      if (place-- == 0) {
        return last;
      }
    }
  }
  return last != NULL && takes_more(last) ? last : NULL;
}

static int options_tell(const mcp_main_option *option, const char *value) {
  if (option->on_value == NULL) {
    return 0;
  }
  return option->on_value(option, value, option->userdata) == 0 ? 0 : -1;
}

static int read_positional(command_line *line, const char *word) {
  const mcp_main_option *option = find_positional(line, line->positional_count);
  if (option == NULL) {
    return options_complain(line, "unexpected argument \"%s\"", word);
  }
  line->positional_count++;
  return options_tell(option, word);
}

/* `word` is "--name" or "--name=value"; a value may be the next word. */
static int read_option(command_line *line, const char *word) {
  const char *name = word + 2;
  size_t len = strcspn(name, "=");
  const char *value = name[len] == '=' ? name + len + 1 : NULL;
  const mcp_main_option *option =
      options_find(line->tables, line->table_count, name, len);
  if (option == NULL && options_is_withheld(line, name, len)) {
    return options_complain(line, "this program does not offer --%.*s",
                            (int)len, name);
  }
  if (option == NULL) {
    return options_complain(line, "unknown option \"--%.*s\"", (int)len, name);
  }
  if (option->value_name == NULL && value != NULL) {
    return options_complain(line, "--%s takes no value", option->name);
  }
  if (option->value_name != NULL && value == NULL) {
    if (!options_has_word(line)) {
      return options_complain(line, "--%s needs a value: %s", option->name,
                              option->value_name);
    }
    value = *line->next++;
  }
  return options_tell(option, value);
}

static int options_read_word(command_line *line, const char *word) {
  if (line->only_positionals || word[0] != '-' || word[1] == '\0') {
    return read_positional(line, word);
  }
  if (word[1] != '-') {
    return options_complain(line, "unknown option \"%s\"", word);
  }
  if (word[2] == '\0') {
    line->only_positionals = 1;
    return 0;
  }
  return read_option(line, word);
}

int mcpi_main_parse(const char *program, int argc, char **argv,
                    const mcpi_main_table *tables, size_t table_count) {
  command_line line = {.program = program,
                       .tables = tables,
                       .table_count = table_count,
                       .next = argv + (argc > 0),
                       .end = argv + (argc > 0 ? argc : 0)};
  while (options_has_word(&line)) {
    if (options_read_word(&line, *line.next++) != 0) {
      return -1;
    }
  }
  return 0;
}

/* --- --help -------------------------------------------------------------- */

enum {
  COLUMNS = 80,
  /* A name longer than this has its description on the next line. */
  MAX_NAME_WIDTH = 26
};

static int name_width(const mcp_main_option *option) {
  const char *value = option->value_name != NULL ? option->value_name : "";
  if (option->name == NULL) {
    return (int)strlen(value);
  }
  return (int)(2 + strlen(option->name) + (value[0] != '\0') + strlen(value));
}

/* Returns the column where descriptions begin: after the longest name that is
 * not too long. */
static int find_margin(const mcpi_main_table *tables, size_t table_count) {
  int widest = 0;
  for (size_t t = 0; t < table_count; t++) {
    for (size_t i = 0; i < tables[t].count; i++) {
      int width = name_width(&tables[t].options[i]);
      if (width > widest && width <= MAX_NAME_WIDTH) {
        widest = width;
      }
    }
  }
  return 2 + widest + 2;
}

/* Breaks between words, with every line but the first after the margin. */
static void put_wrapped(FILE *out, const char *text, int margin) {
  int column = margin;
  while (*text != '\0') {
    int len = (int)strcspn(text, " ");
    if (column > margin && column + 1 + len > COLUMNS) {
      fprintf(out, "\n%*s", margin, "");
      column = margin;
    }
    column += fprintf(out, "%s%.*s", column > margin ? " " : "", len, text);
    text += len;
    text += strspn(text, " ");
  }
  fputc('\n', out);
}

static void put_option(FILE *out, const mcp_main_option *option, int margin) {
  const char *value = option->value_name != NULL ? option->value_name : "";
  int width = 2 + name_width(option);
  if (option->name == NULL) {
    fprintf(out, "  %s", value);
  } else {
    fprintf(out, "  --%s%s%s", option->name, value[0] != '\0' ? " " : "",
            value);
  }
  if (option->description == NULL) {
    fputc('\n', out);
    return;
  }
  if (width + 2 > margin) {
    fputc('\n', out);
    width = 0;
  }
  fprintf(out, "%*s", margin - width, "");
  put_wrapped(out, option->description, margin);
}

/* Whether the program has an option of the same name, which is used instead. */
static int is_replaced(const mcp_main_option *option,
                       const mcpi_main_table *tables, size_t table_count) {
  return option->name != NULL && options_find(tables, table_count, option->name,
                                              strlen(option->name)) != option;
}

/* One section: the arguments, or the options. */
static void put_section(FILE *out, const char *title, int positionals,
                        const mcpi_main_table *tables, size_t table_count) {
  int margin = find_margin(tables, table_count);
  for (size_t t = 0; t < table_count; t++) {
    for (size_t i = 0; i < tables[t].count; i++) {
      const mcp_main_option *option = &tables[t].options[i];
      if ((option->name == NULL) != positionals ||
          is_replaced(option, tables, table_count)) {
        continue;
      }
      if (title != NULL) {
        fprintf(out, "\n%s:\n", title);
        title = NULL;
      }
      put_option(out, option, margin);
    }
  }
}

static void put_usage(FILE *out, const char *program,
                      const mcpi_main_table *tables, size_t table_count) {
  fprintf(out, "Usage: %s [OPTIONS]", program);
  for (size_t t = 0; t < table_count; t++) {
    for (size_t i = 0; i < tables[t].count; i++) {
      const mcp_main_option *option = &tables[t].options[i];
      if (option->name == NULL && option->value_name != NULL) {
        fprintf(out, " [%s]", option->value_name);
      }
    }
  }
  fputc('\n', out);
}

void mcpi_main_help(FILE *out, const char *program, const char *summary,
                    const mcpi_main_table *tables, size_t table_count) {
  put_usage(out, program, tables, table_count);
  if (summary != NULL) {
    put_wrapped(out, summary, 0);
  }
  put_section(out, "Arguments", 1, tables, table_count);
  put_section(out, "Options", 0, tables, table_count);
}
