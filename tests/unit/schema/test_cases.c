/* SPDX-License-Identifier: MIT */
/* Schemas, values and what is wrong with them, and texts of each format, in
 * tests/unit/schema/NAME.txt.
 * Each line of such a file is one of
 *
 *   # ...            a comment
 *   test NAME        begins a test; nothing of the one before remains
 *   document URI {}  a document, to which references may lead
 *   base URI         the base of the schemas that follow
 *   draft URI        their draft
 *   schema {}        the schema of the values that follow
 *   ok VALUE         a value that is valid
 *   no VALUE         one that is not; the next line has the first error
 *   fault {}         a schema that is refused; the next line says why
 *   = MESSAGE
 *   format NAME      the format of the JSON strings that follow
 *   ok STRING        a text that has it
 *   no STRING        one that has not
 */
#include "schema/format.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cm.h"
#include "support/guarded.h"
#include "support/plain_regex.h"
#include "support/schema_check.h"

enum { MAX_TESTS = 100, MAX_DOCUMENTS = 4 };

typedef struct test_text {
  char *name;
  char *lines; /* each with a newline */
} test_text;

static test_text texts[MAX_TESTS];
static struct CMUnitTest tests[MAX_TESTS];
static size_t count;

/* What the lines before have said. */
typedef struct scope {
  mcp_schema_document documents[MAX_DOCUMENTS];
  mcp_validator_options options;
  const char *schema;
  const char *format; /* NULL: values are of the schema */
} scope;

/* What follows the word and a blank, or NULL when the line begins otherwise. */
static char *after(char *line, const char *word) {
  size_t len = strlen(word);
  return strncmp(line, word, len) == 0 && line[len] == ' ' ? line + len + 1
                                                           : NULL;
}

static void add_document(scope *s, char *rest) {
  char *schema = strchr(rest, ' ');
  size_t at = s->options.document_count++;
  assert_non_null(schema);
  assert_true(at < MAX_DOCUMENTS);
  *schema = '\0';
  s->documents[at] =
      (mcp_schema_document){.uri = rest, .schema = scratch_json(schema + 1)};
  s->options.documents = s->documents;
}

static void expect_fault(const scope *s, const char *schema,
                         const char *message) {
  const schema_fault fault = {schema, message};
  size_t live = plain_regex_live();
  schema_expect_faults(&fault, 1, MCP_ERR_SCHEMA, &s->options);
  assert_int_equal(plain_regex_live(), live);
}

static void expect_format(const scope *s, const char *json, int is_good) {
  size_t len = 0;
  const char *text = mcp_json_string_n(scratch_plain_json(json), &len);
  int format = mcpi_format_find(mcpi_str_z(s->format));
  assert_true(format >= 0);
  char *copy = guarded_copy(text, len);
  if (mcpi_format_accepts(format, mcpi_str_n(copy, len)) != is_good) {
    fail_msg("%s: %s is %s", s->format, json, is_good ? "refused" : "accepted");
  }
  guarded_free(copy, len);
}

/* One line; the next one may belong to it. */
static void run_line(scope *s, char *line, char *next) {
  char *message = next != NULL ? after(next, "=") : NULL;
  char *rest;
  if ((rest = after(line, "document")) != NULL) {
    add_document(s, rest);
  } else if ((rest = after(line, "base")) != NULL) {
    s->options.base_uri = rest;
  } else if ((rest = after(line, "draft")) != NULL) {
    s->options.draft = rest;
  } else if ((rest = after(line, "schema")) != NULL) {
    s->schema = rest;
    s->format = NULL;
  } else if ((rest = after(line, "format")) != NULL) {
    s->format = rest;
  } else if (s->format != NULL && (rest = after(line, "ok")) != NULL) {
    expect_format(s, rest, 1);
  } else if (s->format != NULL && (rest = after(line, "no")) != NULL) {
    expect_format(s, rest, 0);
  } else if ((rest = after(line, "ok")) != NULL && message == NULL) {
    schema_expect(&(schema_case){s->schema, rest, NULL}, 1, &s->options);
  } else if ((rest = after(line, "no")) != NULL && message != NULL) {
    schema_expect(&(schema_case){s->schema, rest, message}, 1, &s->options);
  } else if ((rest = after(line, "fault")) != NULL && message != NULL) {
    expect_fault(s, rest, message);
  } else if (after(line, "=") == NULL) {
    fail_msg("this line has no meaning here: %s", line);
  }
}

static void run(void **state) {
  const test_text *text = *state;
  scope s = {.options = {.size = sizeof(mcp_validator_options)}};
  char *line = strtok(text->lines, "\n");
  while (line != NULL) {
    char *next = strtok(NULL, "\n");
    run_line(&s, line, next);
    line = next;
  }
}

/* Adds the tests of a file, without its comments. */
static void read_tests(const char *path) {
  char *line = NULL;
  size_t size = 0;
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  for (ssize_t len; (len = getline(&line, &size, file)) > 0;) {
    char *name = after(line, "test");
    if (line[0] == '#' || line[0] == '\n') {
      continue;
    }
    if (name != NULL) {
      assert_true(count < MAX_TESTS);
      texts[count] =
          (test_text){strndup(name, strcspn(name, "\n")), strdup("")};
      tests[count] = (struct CMUnitTest){.name = texts[count].name,
                                         .test_func = run,
                                         .teardown_func = scratch_teardown,
                                         .initial_state = &texts[count]};
      count++;
      continue;
    }
    assert_true(count > 0);
    char **lines = &texts[count - 1].lines;
    size_t used = strlen(*lines);
    *lines = realloc(*lines, used + (size_t)len + 1);
    memcpy(*lines + used, line, (size_t)len + 1);
  }
  free(line);
  fclose(file);
}

int main(void) {
  glob_t files;
  if (glob("tests/unit/schema/*.txt", 0, NULL, &files) != 0) {
    return 1;
  }
  for (size_t i = 0; i < files.gl_pathc; i++) {
    read_tests(files.gl_pathv[i]);
  }
  globfree(&files);
  plain_regex_provide();
  int failed = _cmocka_run_group_tests("schema", tests, count, NULL, NULL);
  for (size_t i = 0; i < count; i++) {
    free(texts[i].name);
    free(texts[i].lines);
  }
  return failed;
}
