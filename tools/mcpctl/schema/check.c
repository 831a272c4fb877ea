/* SPDX-License-Identifier: MIT */
/* The verb `schema`: `schema check SCHEMA [FILES]`.
 *
 * Builds a JSON array with an entry for each file: {"file", "valid", "errors":
 * [{"message", ...}]}, and "more": true where not all errors are shown. Prints
 * the array, or a line for each error. */
#include "schema/check.h"
#include "common/copy.h"
#include "common/exit.h"
#include "common/file.h"
#include "common/json.h"
#include "common/report.h"
#include "common/text.h"

#include <mcp/schema.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_MAX_ERRORS = 8 };

typedef struct ctl_check {
  const ctl_options *options;
  int code;           /* the exit code */
  mcp_builder *entry; /* of the current file */
  mcp_builder *found; /* all entries, when they are printed as JSON */
  /* Documents that schemas may refer to; the array of docs owns them. */
  mcp_schema_document *documents;
  mcp_doc **docs;
  size_t document_count;
} ctl_check;

static int fail_for_memory(ctl_check *check) {
  check->code = ctl_report(CTL_USAGE, "out of memory");
  return -1;
}

/* Parses what a builder has written. Owned; NULL after reporting the reason. */
static mcp_doc *parse_built(ctl_check *check, mcp_builder *builder) {
  mcp_error why;
  size_t len = 0;
  const char *text = mcp_builder_text(builder, &len);
  mcp_doc *doc = NULL;
  if (text != NULL) {
    doc = mcp_doc_parse(text, len, NULL, NULL, &why);
  } else {
    why = *mcp_builder_error(builder);
  }
  if (doc == NULL) {
    check->code = ctl_report(CTL_USAGE, "%s", why.message);
  }
  return doc;
}

/* ---- what is found ----------------------------------------------------- */

static void print_line(const char *file, const char *text) {
  ctl_text_put_line(stdout, file, SIZE_MAX);
  fputs(": ", stdout);
  ctl_text_put_line(stdout, text, SIZE_MAX);
  fputc('\n', stdout);
}

static void print_entry(const mcp_json *entry) {
  mcp_json_iter iter;
  const mcp_json *error = NULL;
  const char *file = ctl_json_member(entry, "file");
  if (mcp_json_bool(mcp_json_get(entry, "valid"))) {
    print_line(file, "valid");
  }
  mcp_json_iter_init(&iter, mcp_json_get(entry, "errors"));
  while ((error = mcp_json_iter_next(&iter, NULL)) != NULL) {
    print_line(file, ctl_json_member(error, "message"));
  }
  if (mcp_json_bool(mcp_json_get(entry, "more"))) {
    print_line(file, "there are more errors: see --max-errors");
  }
}

/* Begins a file's entry; its errors come next. */
static void begin_entry(ctl_check *check, const char *path, int is_valid) {
  mcp_builder_clear(check->entry);
  mcp_builder_object(check->entry, NULL);
  ctl_json_put_typed(check->entry, "file", ctl_file_name(path));
  mcp_builder_bool(check->entry, "valid", is_valid);
  check->code = is_valid ? check->code : CTL_USAGE;
}

static void end_entry(ctl_check *check) {
  mcp_builder_end(check->entry);
  mcp_doc *doc = parse_built(check, check->entry);
  if (doc == NULL) {
    return;
  }
  if (check->options->is_json) {
    mcp_builder_value(check->found, NULL, mcp_doc_root(doc));
  } else {
    print_entry(mcp_doc_root(doc));
  }
  mcp_doc_free(doc);
}

/* Adds an entry with the one error that ended the check of the file; `place`
 * NULL: the error has no line and column. */
static void add_failed(ctl_check *check, const char *path,
                       const ctl_place *place, const char *message) {
  mcp_builder *entry = check->entry;
  begin_entry(check, path, 0);
  mcp_builder_array(entry, "errors");
  mcp_builder_object(entry, NULL);
  if (place != NULL) {
    mcp_builder_int(entry, "line", (int64_t)place->line);
    mcp_builder_int(entry, "column", (int64_t)place->column);
  }
  mcp_builder_string(entry, "message", message);
  mcp_builder_end(entry);
  mcp_builder_end(entry);
  end_entry(check);
}

/* ---- files ------------------------------------------------------------- */

/* Reads and parses a file. Returns 0, or -1 after reporting the reason. */
static int load_file(ctl_check *check, const char *path, mcp_doc **doc) {
  size_t len = 0;
  mcp_error err;
  char *text = ctl_file_read(path, &len, &err);
  if (text == NULL) {
    check->code = ctl_report(CTL_USAGE, "%s", err.message);
    return -1;
  }
  int error = ctl_file_parse(doc, text, len, &err);
  if (error != 0) {
    ctl_place place = ctl_file_place(text, len, (size_t)err.offset);
    add_failed(check, path, &place, err.message);
  }
  free(text);
  return error == 0 ? 0 : -1;
}

/* Adds a document from a URI=FILE of --add. */
static int add_document(ctl_check *check, const char *setting) {
  const char *equals = strchr(setting, '=');
  mcp_doc *doc = NULL;
  if (load_file(check, equals + 1, &doc) != 0) {
    return -1;
  }
  size_t at = check->document_count++;
  check->docs[at] = doc;
  check->documents[at].schema = mcp_doc_root(doc);
  check->documents[at].uri = ctl_copy(setting, (size_t)(equals - setting));
  return check->documents[at].uri != NULL ? 0 : fail_for_memory(check);
}

static int add_documents(ctl_check *check) {
  const char **added = check->options->added;
  size_t count = 0;
  while (added[count] != NULL) {
    count++;
  }
  check->documents = calloc(count + 1, sizeof(*check->documents));
  check->docs = calloc(count + 1, sizeof(mcp_doc *));
  if (check->documents == NULL || check->docs == NULL) {
    return fail_for_memory(check);
  }
  for (size_t i = 0; i < count; i++) {
    if (add_document(check, added[i]) != 0) {
      return -1;
    }
  }
  return 0;
}

static void free_documents(ctl_check *check) {
  for (size_t i = 0; i < check->document_count; i++) {
    free((char *)check->documents[i].uri);
    mcp_doc_free(check->docs[i]);
  }
  free(check->documents);
  free(check->docs);
}

static int reads_stdin_twice(const ctl_options *options) {
  int count = 0;
  for (int i = 1; i < options->arg_count; i++) {
    count += strcmp(options->args[i], "-") == 0;
  }
  for (const char **added = options->added; *added != NULL; added++) {
    count += strcmp(strchr(*added, '=') + 1, "-") == 0;
  }
  return count > 1;
}

/* ---- checking ---------------------------------------------------------- */

/* Owned; NULL after adding the error as the file's entry. */
static mcp_validator *compile(ctl_check *check, const char *path,
                              const mcp_json *schema) {
  const mcp_validator_options options = {
      .size = sizeof(mcp_validator_options),
      .draft = check->options->draft,
      .documents = check->documents,
      .document_count = check->document_count,
      .assert_formats = (uint32_t)check->options->has_formats,
  };
  mcp_error err;
  mcp_validator *validator = mcp_validator_new(schema, &options, &err);
  if (validator == NULL) {
    add_failed(check, path, NULL, err.message);
  }
  return validator;
}

/* Adds the first `max` errors. The list may have one more, which shows that
 * there are more. */
static void add_errors(ctl_check *check, const mcp_json *errors, size_t max) {
  mcp_json_iter iter;
  const mcp_json *error = NULL;
  mcp_builder_array(check->entry, "errors");
  mcp_json_iter_init(&iter, errors);
  for (size_t i = 0;
       i < max && (error = mcp_json_iter_next(&iter, NULL)) != NULL; i++) {
    mcp_builder_value(check->entry, NULL, error);
  }
  mcp_builder_end(check->entry);
  if (mcp_json_size(errors) > max) {
    mcp_builder_bool(check->entry, "more", 1);
  }
}

static void validate_file(ctl_check *check, const mcp_validator *validator,
                          const char *path, const mcp_json *value) {
  uint32_t max = check->options->max_errors;
  max = max != 0 ? max : DEFAULT_MAX_ERRORS;
  const mcp_validate_options options = {
      .size = sizeof(mcp_validate_options),
      .max_errors = max + 1,
  };
  mcp_builder *errors = mcp_builder_new(NULL, NULL);
  int status = mcp_validator_check(validator, value, &options, errors);
  mcp_doc *doc = parse_built(check, errors);
  if (doc != NULL) {
    begin_entry(check, path, status == 0);
    add_errors(check, mcp_doc_root(doc), max);
    end_entry(check);
  }
  mcp_doc_free(doc);
  mcp_builder_free(errors);
}

static void check_instance(ctl_check *check, const mcp_validator *validator,
                           const char *path) {
  mcp_doc *doc = NULL;
  if (load_file(check, path, &doc) == 0) {
    validate_file(check, validator, path, mcp_doc_root(doc));
  }
  mcp_doc_free(doc);
}

/* Validates each file. Without files the schema itself is the result, and it is
 * valid. */
static void check_instances(ctl_check *check, const mcp_validator *validator) {
  const ctl_options *options = check->options;
  for (int i = 2; i < options->arg_count; i++) {
    check_instance(check, validator, options->args[i]);
  }
  if (options->arg_count == 2) {
    begin_entry(check, options->args[1], 1);
    mcp_builder_array(check->entry, "errors");
    mcp_builder_end(check->entry);
    end_entry(check);
  }
}

static void check_schema(ctl_check *check) {
  const char *path = check->options->args[1];
  mcp_doc *doc = NULL;
  mcp_validator *validator = NULL;
  if (add_documents(check) == 0 && load_file(check, path, &doc) == 0) {
    validator = compile(check, path, mcp_doc_root(doc));
  }
  if (validator != NULL) {
    check_instances(check, validator);
  }
  mcp_validator_unref(validator);
  mcp_doc_free(doc);
}

/* ---- all --------------------------------------------------------------- */

static int check_print_json(ctl_check *check) {
  mcp_builder_end(check->found);
  const char *text = mcp_builder_text(check->found, NULL);
  if (text == NULL) {
    return ctl_report(CTL_USAGE, "%s",
                      mcp_builder_error(check->found)->message);
  }
  ctl_json_print_text(text);
  return check->code;
}

static int check_run(ctl_check *check) {
  check->entry = mcp_builder_new(NULL, NULL);
  check->found = mcp_builder_new(NULL, NULL);
  mcp_builder_array(check->found, NULL);
  check_schema(check);
  int code = check->options->is_json ? check_print_json(check) : check->code;
  mcp_builder_free(check->entry);
  mcp_builder_free(check->found);
  free_documents(check);
  return code;
}

int ctl_schema_check(const ctl_options *options) {
  ctl_check check = {.options = options, .code = CTL_OK};
  if (strcmp(options->args[0], "check") != 0) {
    return ctl_report(CTL_USAGE, "unknown verb 'schema %s': write mcpctl %s",
                      options->args[0], options->verb->synopsis);
  }
  if (reads_stdin_twice(options)) {
    return ctl_report(CTL_USAGE, "- is given twice: standard input can be read "
                                 "once");
  }
  mcp_regex_provide(mcp_regex_pcre2()); /* there is no loop that does it */
  return check_run(&check);
}
