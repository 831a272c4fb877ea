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
 *   fill VALUE       a value; the next line has it with the defaults added
 *   same VALUE       a value to which no default is added
 *   = MESSAGE
 *   format NAME      the format of the JSON strings that follow
 *   ok STRING        a text that has it
 *   no STRING        one that has not
 */
#include "schema/format.h"

#include "support/case_file.h"
#include "support/cm.h"
#include "support/guarded.h"
#include "support/plain_regex.h"
#include "support/schema_check.h"
#include <string.h>

enum { MAX_DOCUMENTS = 4 };

/* What the lines before have said. */
typedef struct scope {
  mcp_schema_document documents[MAX_DOCUMENTS];
  mcp_validator_options options;
  const char *schema;
  const char *format; /* NULL: values are of the schema */
} scope;

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
  if (text == NULL) {
    fail_msg("%s is not a JSON string", json);
  }
  int format = mcpi_format_find(mcpi_str_z(s->format));
  assert_true(format >= 0);
  char *copy = guarded_copy(text, len);
  if (mcpi_format_accepts(format, mcpi_str_n(copy, len)) != is_good) {
    fail_msg("%s: %s is %s", s->format, json, is_good ? "refused" : "accepted");
  }
  guarded_free(copy, len);
}

/* Reads a line that states what later lines are about. Returns 1, or 0: it
 * is another line. */
static int read_statement(scope *s, char *line) {
  char *rest;
  if ((rest = case_after(line, "document")) != NULL) {
    add_document(s, rest);
  } else if ((rest = case_after(line, "base")) != NULL) {
    s->options.base_uri = rest;
  } else if ((rest = case_after(line, "draft")) != NULL) {
    s->options.draft = rest;
  } else if ((rest = case_after(line, "schema")) != NULL) {
    s->schema = rest;
    s->format = NULL;
  } else if ((rest = case_after(line, "format")) != NULL) {
    s->format = rest;
  } else {
    return 0;
  }
  return 1;
}

/* Checks a line that has no message. Returns 1, or 0: it is another line. */
static int check_alone(const scope *s, char *line) {
  char *rest;
  if ((rest = case_after(line, "same")) != NULL) {
    schema_expect_filled(s->schema, rest, rest);
  } else if ((rest = case_after(line, "ok")) != NULL && s->format != NULL) {
    expect_format(s, rest, 1);
  } else if ((rest = case_after(line, "no")) != NULL && s->format != NULL) {
    expect_format(s, rest, 0);
  } else if ((rest = case_after(line, "ok")) != NULL) {
    schema_expect(&(schema_case){s->schema, rest, NULL}, 1, &s->options);
  } else {
    return 0;
  }
  return 1;
}

/* Checks a line together with the message of the next line. */
static void check_with_message(const scope *s, char *line, char *next) {
  char *message = next != NULL ? case_after(next, "=") : NULL;
  char *rest;
  if (message == NULL) {
    fail_msg("this line has no meaning here, or no message: %s", line);
  } else if ((rest = case_after(line, "fill")) != NULL) {
    schema_expect_filled(s->schema, rest, message);
  } else if ((rest = case_after(line, "no")) != NULL) {
    schema_expect(&(schema_case){s->schema, rest, message}, 1, &s->options);
  } else if ((rest = case_after(line, "fault")) != NULL) {
    expect_fault(s, rest, message);
  } else {
    fail_msg("this line has no meaning here: %s", line);
  }
}

static void run(void **state) {
  scope s = {.options = {.size = sizeof(mcp_validator_options)}};
  size_t checks = 0;
  for (char *line = strtok(*state, "\n"); line != NULL;
       line = strtok(NULL, "\n")) {
    if (read_statement(&s, line)) {
      continue;
    }
    if (!check_alone(&s, line)) {
      check_with_message(&s, line, strtok(NULL, "\n"));
    }
    checks++;
  }
  assert_true(checks > 0);
}

int main(void) {
  plain_regex_provide();
  case_files_add("tests/unit/schema/*.txt", run, scratch_teardown);
  return tests_run(NULL, NULL);
}
