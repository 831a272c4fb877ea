/* SPDX-License-Identifier: MIT */
/* One field of a form (MCP, Elicitation: Requested Schema). Checks a value as
 * soon as the user gives it, so that the message is about one field; the
 * library checks the whole form again. */
#include "connection/field.h"
#include "common/json.h"
#include "common/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- choices ----------------------------------------------------------- */

/* A closed list of strings, in any form that a revision defines. */
typedef struct ctl_choices {
  const mcp_json *list;  /* of strings, or of {"const", "title"} */
  const mcp_json *names; /* titles beside a list of strings, or NULL */
} ctl_choices;

static int is_list(const mcp_json *schema) {
  const char *type = ctl_json_member(schema, "type");
  return type != NULL && strcmp(type, "array") == 0;
}

static ctl_choices choices_of(const mcp_json *schema) {
  static const char *const members[] = {"enum", "oneOf", "anyOf"};
  const mcp_json *of = is_list(schema) ? mcp_json_get(schema, "items") : schema;
  ctl_choices found = {NULL, mcp_json_get(of, "enumNames")};
  for (size_t i = 0; i < 3 && found.list == NULL; i++) {
    found.list = mcp_json_get(of, members[i]);
  }
  return found;
}

static const char *choice_value(const ctl_choices *choices, size_t index) {
  const mcp_json *item = mcp_json_at(choices->list, index);
  const char *value = ctl_json_member(item, "const");
  return value != NULL ? value : mcp_json_string(item);
}

static const char *choice_title(const ctl_choices *choices, size_t index) {
  const mcp_json *item = mcp_json_at(choices->list, index);
  const char *title = ctl_json_member(item, "title");
  return title != NULL ? title
                       : mcp_json_string(mcp_json_at(choices->names, index));
}

/* Finds a choice by its value, else by its title, else by its number. The value
 * comes first because it may look like a number. NULL: no choice matches. */
static const char *find_choice(const ctl_choices *choices, const char *text) {
  size_t count = mcp_json_size(choices->list);
  for (size_t i = 0; i < count; i++) {
    const char *value = choice_value(choices, i);
    if (value != NULL && strcmp(value, text) == 0) {
      return value;
    }
  }
  for (size_t i = 0; i < count; i++) {
    const char *title = choice_title(choices, i);
    if (title != NULL && strcasecmp(title, text) == 0) {
      return choice_value(choices, i);
    }
  }
  char *end = NULL;
  unsigned long number = strtoul(text, &end, 10);
  if (end == text || *end != '\0' || number == 0 || number > count) {
    return NULL;
  }
  return choice_value(choices, number - 1);
}

/* ---- what was typed ---------------------------------------------------- */

static int put_boolean(mcp_builder *builder, const char *text, mcp_error *err) {
  static const char *const words[] = {"no",  "n", "false", "0",
                                      "yes", "y", "true",  "1"};
  for (int i = 0; i < 8; i++) {
    if (strcasecmp(text, words[i]) == 0) {
      return mcp_builder_bool(builder, NULL, i >= 4);
    }
  }
  return mcp_error_set(err, MCP_ERR_INVALID, "'%s' is neither yes nor no",
                       text);
}

static int check_bounds(const mcp_json *schema, double value, mcp_error *err) {
  const mcp_json *least = mcp_json_get(schema, "minimum");
  const mcp_json *most = mcp_json_get(schema, "maximum");
  if (least != NULL && value < mcp_json_number(least)) {
    return mcp_error_set(err, MCP_ERR_INVALID, "%.15g is less than %.15g",
                         value, mcp_json_number(least));
  }
  if (most != NULL && value > mcp_json_number(most)) {
    return mcp_error_set(err, MCP_ERR_INVALID, "%.15g is more than %.15g",
                         value, mcp_json_number(most));
  }
  return 0;
}

static int is_integer(const mcp_json *schema) {
  return strcmp(ctl_json_member(schema, "type"), "integer") == 0;
}

static int refuse_number(const mcp_json *schema, const char *text,
                         mcp_error *err) {
  return mcp_error_set(err, MCP_ERR_INVALID, "'%s' is not a %snumber", text,
                       is_integer(schema) ? "whole " : "");
}

static int check_number(const mcp_json *schema, const mcp_json *value,
                        const char *text, mcp_error *err) {
  if (mcp_json_type(value) != MCP_JSON_NUMBER ||
      (is_integer(schema) && !mcp_json_is_integer(value))) {
    return refuse_number(schema, text, err);
  }
  return check_bounds(schema, mcp_json_number(value), err);
}

static int put_number(mcp_builder *builder, const mcp_json *schema,
                      const char *text, mcp_error *err) {
  mcp_doc *doc = mcp_doc_parse(text, strlen(text), NULL, NULL, NULL);
  if (doc == NULL) {
    return refuse_number(schema, text, err);
  }
  int error = check_number(schema, mcp_doc_root(doc), text, err);
  if (error == 0) {
    error = mcp_builder_value(builder, NULL, mcp_doc_root(doc));
  }
  mcp_doc_free(doc);
  return error;
}

/* Characters, as JSON Schema counts a string's length. */
static int64_t count_characters(const char *text) {
  int64_t count = 0;
  for (; *text != '\0'; text++) {
    count += ((unsigned char)*text & 0xc0) != 0x80;
  }
  return count;
}

/* `unit` names what is counted. */
static int check_count(const mcp_json *schema, const char *least_name,
                       const char *most_name, int64_t count, const char *unit,
                       mcp_error *err) {
  const mcp_json *least = mcp_json_get(schema, least_name);
  const mcp_json *most = mcp_json_get(schema, most_name);
  if (least != NULL && count < mcp_json_int(least)) {
    return mcp_error_set(err, MCP_ERR_INVALID, "at least %lld %s needed",
                         (long long)mcp_json_int(least), unit);
  }
  if (most != NULL && count > mcp_json_int(most)) {
    return mcp_error_set(err, MCP_ERR_INVALID, "at most %lld %s allowed",
                         (long long)mcp_json_int(most), unit);
  }
  return 0;
}

static int field_put_string(mcp_builder *builder, const mcp_json *schema,
                            const char *text, mcp_error *err) {
  int error = check_count(schema, "minLength", "maxLength",
                          count_characters(text), "characters", err);
  if (error != 0) {
    return error;
  }
  error = mcp_builder_string(builder, NULL, text);
  return error == 0 ? 0 : mcp_error_set(err, error, "the text is not UTF-8");
}

static int put_choice(mcp_builder *builder, const ctl_choices *choices,
                      const char *text, mcp_error *err) {
  const char *value = find_choice(choices, text);
  if (value == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "'%s' is not one of the choices",
                         text);
  }
  return mcp_builder_string(builder, NULL, value);
}

/* Reads choices with commas in between. Changes `text`. */
static int field_put_choices(mcp_builder *builder, const mcp_json *schema,
                             char *text, mcp_error *err) {
  ctl_choices choices = choices_of(schema);
  int64_t count = 0;
  char *rest = NULL;
  mcp_builder_array(builder, NULL);
  for (char *part = strtok_r(text, ",", &rest); part != NULL;
       part = strtok_r(NULL, ",", &rest)) {
    part += strspn(part, " ");
    int error = put_choice(builder, &choices, part, err);
    if (error != 0) {
      return error;
    }
    count++;
  }
  mcp_builder_end(builder);
  return check_count(schema, "minItems", "maxItems", count, "choices", err);
}

static int put_list(mcp_builder *builder, const mcp_json *schema,
                    const char *text, mcp_error *err) {
  char *copy = strdup(text);
  if (copy == NULL) {
    return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  int error = field_put_choices(builder, schema, copy, err);
  free(copy);
  return error;
}

static int put_value(mcp_builder *builder, const mcp_json *schema,
                     const char *text, mcp_error *err) {
  const char *type = ctl_json_member(schema, "type");
  ctl_choices choices = choices_of(schema);
  if (is_list(schema)) {
    return put_list(builder, schema, text, err);
  }
  if (choices.list != NULL) {
    return put_choice(builder, &choices, text, err);
  }
  if (type != NULL && strcmp(type, "boolean") == 0) {
    return put_boolean(builder, text, err);
  }
  if (type != NULL &&
      (strcmp(type, "number") == 0 || strcmp(type, "integer") == 0)) {
    return put_number(builder, schema, text, err);
  }
  return field_put_string(builder, schema, text, err);
}

int ctl_field_parse(const mcp_json *schema, const char *text, char **out,
                    mcp_error *err) {
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  int error = put_value(builder, schema, text, err);
  const char *json = error == 0 ? mcp_builder_text(builder, NULL) : NULL;
  char *copy = json != NULL ? strdup(json) : NULL;
  if (error == 0 && json == NULL) {
    *err = *mcp_builder_error(builder);
    error = err->code;
  }
  mcp_builder_free(builder);
  if (copy == NULL) {
    return error != 0 ? error
                      : mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  *out = copy;
  return 0;
}

/* ---- what may be typed ------------------------------------------------- */

static void put_numbered(FILE *out, const ctl_choices *choices) {
  for (size_t i = 0; i < mcp_json_size(choices->list); i++) {
    const char *value = choice_value(choices, i);
    const char *title = choice_title(choices, i);
    fprintf(out, "\n    %zu. ", i + 1);
    ctl_text_put_line(out, value != NULL ? value : "?", SIZE_MAX);
    if (title != NULL) {
      fputs(": ", out);
      ctl_text_put_line(out, title, SIZE_MAX);
    }
  }
}

static void field_put_range(FILE *out, const mcp_json *schema) {
  const mcp_json *least = mcp_json_get(schema, "minimum");
  const mcp_json *most = mcp_json_get(schema, "maximum");
  if (least != NULL) {
    fprintf(out, ", at least %.15g", mcp_json_number(least));
  }
  if (most != NULL) {
    fprintf(out, ", at most %.15g", mcp_json_number(most));
  }
}

void ctl_field_put_kind(FILE *out, const mcp_json *schema) {
  const char *type = ctl_json_member(schema, "type");
  const char *format = ctl_json_member(schema, "format");
  ctl_choices choices = choices_of(schema);
  if (choices.list != NULL) {
    fputs(is_list(schema) ? "any of, with commas in between:" : "one of:", out);
    put_numbered(out, &choices);
  } else if (type != NULL && strcmp(type, "boolean") == 0) {
    fputs("yes or no", out);
  } else {
    ctl_text_put_line(out,
                      format != NULL ? format
                      : type != NULL ? type
                                     : "string",
                      SIZE_MAX);
    field_put_range(out, schema);
  }
}
