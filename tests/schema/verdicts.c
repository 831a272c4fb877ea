/* SPDX-License-Identifier: MIT */
/* usage: schema-verdicts <QUESTIONS >ANSWERS
 *
 * Validates for a program in another language: each line is a question
 *
 *     {"dialect": URI, "schema": SCHEMA, "instances": [VALUE...]}
 *
 * and is answered, at once and in one line, by {"verdicts": [BOOLEAN...]}, or
 * by {"error": TEXT} when the schema does not compile. */
#include <mcp/mcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void die(const char *what) {
  fprintf(stderr, "schema-verdicts: %s\n", what);
  exit(2);
}

/* Both ways of asking must agree. -1: it costs too much to tell. */
static int verdict(const mcp_validator *validator, const mcp_json *instance) {
  mcp_builder *errors = mcp_builder_new(NULL, NULL);
  int is_accepted = mcp_validator_accepts(validator, instance);
  int rc = mcp_validator_check(validator, instance, NULL, errors);
  int is_told = rc != MCP_ERR_LIMIT;
  if (is_told && rc != (is_accepted ? 0 : MCP_ERR_SCHEMA)) {
    die("mcp_validator_check says something else than mcp_validator_accepts");
  }
  mcp_builder_free(errors);
  return is_told ? is_accepted : -1;
}

static void put_verdicts(mcp_builder *answer, const mcp_validator *validator,
                         const mcp_json *instances) {
  mcp_json_iter iter;
  const mcp_json *instance;
  mcp_json_iter_init(&iter, instances);
  mcp_builder_array(answer, "verdicts");
  while ((instance = mcp_json_iter_next(&iter, NULL)) != NULL) {
    int is_fine = verdict(validator, instance);
    if (is_fine < 0) {
      mcp_builder_null(answer, NULL);
    } else {
      mcp_builder_bool(answer, NULL, is_fine);
    }
  }
  mcp_builder_end(answer);
}

static void put_answer(mcp_builder *answer, const mcp_json *question) {
  const mcp_validator_options options = {
      .size = sizeof(mcp_validator_options),
      .draft = mcp_json_string(mcp_json_get(question, "dialect"))};
  mcp_validator *validator = NULL;
  mcp_error err;
  mcp_builder_object(answer, NULL);
  if ((validator = mcp_validator_new(mcp_json_get(question, "schema"), &options,
                                     &err)) != NULL) {
    put_verdicts(answer, validator, mcp_json_get(question, "instances"));
  } else {
    mcp_builder_string(answer, "error", err.message);
  }
  mcp_builder_end(answer);
  mcp_validator_unref(validator);
}

int main(void) {
  char *line = NULL;
  size_t size = 0;
  ssize_t len;
  mcp_builder *answer = mcp_builder_new(NULL, NULL);
  mcp_regex_provide(mcp_regex_pcre2());
  while ((len = getline(&line, &size, stdin)) >= 0) {
    mcp_error err;
    mcp_doc *question = mcp_doc_parse(line, (size_t)len, NULL, NULL, &err);
    if (question == NULL) {
      die(err.message);
    }
    put_answer(answer, mcp_doc_root(question));
    const char *text = mcp_builder_text(answer, NULL);
    puts(text != NULL ? text : "null");
    fflush(stdout);
    mcp_builder_clear(answer);
    mcp_doc_free(question);
  }
  mcp_builder_free(answer);
  free(line);
  return 0;
}
