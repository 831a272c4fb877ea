/* SPDX-License-Identifier: MIT */
#include "config/env_file.h"
#include "common/file.h"

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

/* Splits the text, and reads each line into the list, which has room for all.
 * *number: the line that was read last. */
static int read_lines(char *text, char **list, size_t *number) {
  size_t count = 0;
  int rc = 0;
  while (rc == 0 && text != NULL) {
    char *line = text;
    text = strchr(line, '\n');
    if (text != NULL) {
      *text++ = '\0';
    }
    ++*number;
    rc = read_line(line, &list[count]);
    count += list[count] != NULL;
  }
  return rc;
}

int ctl_env_file_read(char ***out, const char *path, mcp_error *err) {
  size_t len = 0;
  size_t number = 0;
  char *text = ctl_file_read(path, &len, err);
  *out = NULL;
  if (text == NULL) {
    return err->code;
  }
  char **list = calloc(count_lines(text) + 1, sizeof(*list));
  int rc = list != NULL ? read_lines(text, list, &number) : MCP_ERR_NOMEM;
  if (rc == MCP_ERR_PARSE) {
    mcp_error_set(err, rc, "%s, line %zu is not NAME=VALUE", path, number);
  } else if (rc != 0) {
    mcp_error_set(err, rc, "out of memory");
  }
  free(text);
  *out = list;
  return rc;
}
