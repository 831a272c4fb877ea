/* SPDX-License-Identifier: MIT */
#include "env_file.h"
#include "file.h"

#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r";

/* Cuts blanks off both ends. */
static char *trim(char *text) {
  text += strspn(text, blanks);
  size_t len = strlen(text);
  while (len > 0 && strchr(blanks, text[len - 1]) != NULL) {
    text[--len] = '\0';
  }
  return text;
}

static char *unquote(char *value) {
  size_t len = strlen(value);
  int is_quoted = len >= 2 && (value[0] == '"' || value[0] == '\'') &&
                  value[len - 1] == value[0];
  if (is_quoted) {
    value[len - 1] = '\0';
  }
  return value + is_quoted;
}

/* Reads one line. *out: the pair, owned; NULL: the line has none. */
static int read_line(char *line, char **out) {
  static const char word[] = "export ";
  *out = NULL;
  line = trim(line);
  if (line[0] == '\0' || line[0] == '#') {
    return 0;
  }
  if (strncmp(line, word, strlen(word)) == 0) {
    line = trim(line + strlen(word));
  }
  char *equals = strchr(line, '=');
  if (equals == NULL || equals == line) {
    return MCP_ERR_PARSE;
  }
  *equals = '\0';
  const char *name = trim(line);
  const char *value = unquote(trim(equals + 1));
  *out = malloc(strlen(name) + strlen(value) + 2);
  if (*out == NULL) {
    return MCP_ERR_NOMEM;
  }
  strcat(strcat(strcpy(*out, name), "="), value);
  return 0;
}

static size_t count_lines(const char *text) {
  size_t count = 1;
  for (; *text != '\0'; text++) {
    count += *text == '\n';
  }
  return count;
}

int ctl_env_file_read(char ***out, const char *path, mcp_error *err) {
  size_t len = 0;
  char *text = ctl_file_read(path, &len, err);
  char **list = NULL;
  size_t count = 0;
  size_t number = 0;
  int rc = text != NULL ? 0 : err->code;
  if (rc == 0) {
    list = calloc(count_lines(text) + 1, sizeof(*list));
    rc = list != NULL ? 0 : mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  char *rest = text;
  char *line;
  while (rc == 0 && (line = strsep(&rest, "\n")) != NULL) {
    number++;
    rc = read_line(line, &list[count]);
    count += list[count] != NULL;
  }
  free(text);
  if (rc == MCP_ERR_PARSE) {
    mcp_error_set(err, rc, "%s, line %zu is not NAME=VALUE", path, number);
  }
  *out = list;
  return rc;
}
