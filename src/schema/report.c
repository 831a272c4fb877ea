/* SPDX-License-Identifier: MIT */
/* Writing the errors of a validation. */
#include "schema/report.h"

#include "schema/say.h"
#include "json/json.h"

static void say_types(mcpi_buf *buf, uint32_t types) {
  static const struct {
    uint32_t type;
    const char *words;
  } all[] = {
      {MCPI_TYPES_OBJECT, "an object"},   {MCPI_TYPES_ARRAY, "an array"},
      {MCPI_TYPES_STRING, "a string"},    {MCPI_TYPES_NUMBER, "a number"},
      {MCPI_TYPES_INTEGER, "an integer"}, {MCPI_TYPES_BOOL, "a boolean"},
      {MCPI_TYPES_NULL, "null"},
  };
  const char *before = "";
  for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
    if ((types & all[i].type) == all[i].type) {
      mcpi_say(buf, before);
      mcpi_say(buf, all[i].words);
      before = " or ";
    }
  }
}

/* --- one error ---------------------------------------------------------- */

/* The keyword of each instruction, and the words of its sentence. */
static const struct {
  const char *keyword;
  const char *words;
  const char *unit;
} ops[MCPI_OP_COUNT] = {
    [MCPI_OP_ENUM] = {"enum", NULL, NULL},
    [MCPI_OP_CONST] = {"const", NULL, NULL},
    [MCPI_OP_MINIMUM] = {"minimum", " is less than the minimum ", NULL},
    [MCPI_OP_MAXIMUM] = {"maximum", " is more than the maximum ", NULL},
    [MCPI_OP_EXCLUSIVE_MINIMUM] = {"exclusiveMinimum", " is not more than ",
                                   NULL},
    [MCPI_OP_EXCLUSIVE_MAXIMUM] = {"exclusiveMaximum", " is not less than ",
                                   NULL},
    [MCPI_OP_MULTIPLE_OF] = {"multipleOf", " is not a multiple of ", NULL},
    [MCPI_OP_PATTERN] = {"pattern", " does not match the pattern ", NULL},
    [MCPI_OP_FORMAT] = {"format", " is not of the format ", NULL},
    [MCPI_OP_PROPERTY_NAMES] = {"propertyNames", NULL, NULL},
    [MCPI_OP_CONTAINS] = {"contains", NULL, NULL},
    [MCPI_OP_NOT] = {"not", NULL, NULL},
    [MCPI_OP_UNEVALUATED_ITEMS] = {"unevaluatedItems", NULL, NULL},
    [MCPI_OP_UNEVALUATED_PROPERTIES] = {"unevaluatedProperties", NULL, NULL},
    [MCPI_OP_MIN_LENGTH] = {"minLength", ", the minimum is ", "character"},
    [MCPI_OP_MAX_LENGTH] = {"maxLength", ", the maximum is ", "character"},
    [MCPI_OP_MIN_ITEMS] = {"minItems", ", the minimum is ", "item"},
    [MCPI_OP_MAX_ITEMS] = {"maxItems", ", the maximum is ", "item"},
    [MCPI_OP_MIN_PROPERTIES] = {"minProperties", ", the minimum is ", "member"},
    [MCPI_OP_MAX_PROPERTIES] = {"maxProperties", ", the maximum is ", "member"},
    [MCPI_OP_UNIQUE_ITEMS] = {"uniqueItems", NULL, NULL},
    [MCPI_OP_ANY_OF] = {"anyOf", NULL, NULL},
    [MCPI_OP_ONE_OF] = {"oneOf", NULL, NULL},
};

static mcpi_buf *report_begin(mcpi_report *report, mcpi_sentence *text,
                              const mcp_json *value) {
  mcpi_sentence_init(text);
  mcpi_say_place(&text->buf, report->instance, value);
  return &text->buf;
}

static void report_put_pointer(mcp_builder *builder, const char *name,
                               const char *uri, const mcp_json *root,
                               const mcp_json *value) {
  mcpi_sentence pointer;
  mcpi_sentence_init(&pointer);
  if (uri != NULL) {
    mcpi_say(&pointer.buf, uri);
    mcpi_buf_putc(&pointer.buf, '#');
  }
  mcpi_say_pointer(&pointer.buf, root, value);
  mcp_builder_string_n(builder, name, pointer.space, pointer.buf.len);
}

/* Adds the error with its sentence. `source` is the keyword's value in the
 * schema. */
static void report_finish(mcpi_report *report, const mcpi_sentence *text,
                          const mcp_json *value, const mcp_json *source,
                          const char *keyword) {
  if (report->left == 0) {
    return;
  }
  report->left--;
  if (report->sentences != NULL) {
    mcpi_say(report->sentences, report->separator);
    mcpi_buf_puts(report->sentences, mcpi_buf_str(&text->buf));
    return;
  }
  if (report->errors == NULL) {
    mcp_error_set(report->err, MCP_ERR_SCHEMA, "%.*s", (int)text->buf.len,
                  text->space);
    return;
  }
  const mcpi_document *in = mcpi_documents_find(report->documents, source);
  mcp_builder_object(report->errors, NULL);
  report_put_pointer(report->errors, "instance", NULL, report->instance, value);
  report_put_pointer(report->errors, "schema",
                     in->next != NULL ? in->uri : NULL, in->root, source);
  mcp_builder_string(report->errors, "keyword", keyword);
  size_t len =
      text->buf.len < report->max_message ? text->buf.len : report->max_message;
  mcp_builder_string_n(report->errors, "message", text->space,
                       mcpi_utf8_valid_prefix(text->space, len));
  mcp_builder_end(report->errors);
}

static void report_finish_insn(mcpi_report *report, const mcpi_sentence *text,
                               const mcp_json *value, const mcpi_insn *insn) {
  report_finish(report, text, value, insn->source, ops[insn->op].keyword);
}

/* --- types, members, sizes ------------------------------------------------ */

void mcpi_report_type(mcpi_report *report, const mcpi_node *node,
                      const mcp_json *value) {
  mcpi_sentence text;
  mcpi_buf *buf = report_begin(report, &text, value);
  const mcp_json *type = mcp_json_get(node->schema, "type");
  if (node->types == 0) {
    mcpi_buf_lit(buf, "no value is allowed here");
    report_finish(report, &text, value, node->schema, "false");
    return;
  }
  mcpi_buf_lit(buf, "expected ");
  say_types(buf, node->types);
  mcpi_buf_lit(buf, ", got ");
  mcpi_say_value(buf, value);
  report_finish(report, &text, value, type != NULL ? type : node->schema,
                "type");
}

void mcpi_report_missing(mcpi_report *report, const mcp_json *source,
                         const char *keyword, const mcp_json *value,
                         mcpi_str name) {
  mcpi_sentence text;
  mcpi_buf *buf = report_begin(report, &text, value);
  mcpi_buf_lit(buf, "missing the required member ");
  mcpi_say_string(buf, name);
  report_finish(report, &text, value, source, keyword);
}

void mcpi_report_unknown(mcpi_report *report, const mcpi_insn *insn,
                         const mcp_json *value, mcpi_str name) {
  mcpi_sentence text;
  mcpi_buf *buf = report_begin(report, &text, value);
  mcpi_buf_lit(buf, "unknown member ");
  mcpi_say_string(buf, name);
  if (insn->op != MCPI_OP_OBJECT) {
    report_finish_insn(report, &text, value, insn);
    return;
  }
  const mcp_json *known = mcp_json_get(insn->source, "properties");
  if (mcp_json_size(known) > 0) {
    mcpi_buf_lit(buf, "; known are ");
    mcpi_say_names(buf, known);
  } else {
    mcpi_buf_lit(buf, "; no members are known");
  }
  report_finish(report, &text, value,
                mcp_json_get(insn->source, "additionalProperties"),
                "additionalProperties");
}

void mcpi_report_name(mcpi_report *report, const mcpi_insn *insn,
                      const mcp_json *value, mcpi_str name) {
  mcpi_sentence text;
  mcpi_buf *buf = report_begin(report, &text, value);
  mcpi_buf_lit(buf, "the member's name ");
  mcpi_say_string(buf, name);
  mcpi_buf_lit(buf, " is not what propertyNames allows");
  report_finish_insn(report, &text, value, insn);
}

void mcpi_report_bound(mcpi_report *report, const mcpi_insn *insn,
                       const mcp_json *value) {
  mcpi_sentence text;
  mcpi_buf *buf = report_begin(report, &text, value);
  mcpi_say_number(buf, value);
  mcpi_say(buf, ops[insn->op].words);
  mcpi_say_number(buf, insn->source);
  report_finish_insn(report, &text, value, insn);
}

void mcpi_report_count(mcpi_report *report, const mcpi_insn *insn,
                       const mcp_json *value, size_t count) {
  mcpi_sentence text;
  mcpi_buf *buf = report_begin(report, &text, value);
  if (insn->types == MCPI_TYPES_STRING) {
    mcpi_say_value(buf, value);
  } else {
    mcpi_say(buf, insn->types == MCPI_TYPES_ARRAY ? "the array" : "the object");
  }
  mcpi_buf_lit(buf, " has ");
  mcpi_say_count(buf, count, ops[insn->op].unit);
  mcpi_say(buf, ops[insn->op].words);
  mcpi_say_number(buf, insn->source);
  report_finish_insn(report, &text, value, insn);
}

void mcpi_report_text(mcpi_report *report, const mcpi_insn *insn,
                      const mcp_json *value) {
  mcpi_sentence text;
  mcpi_buf *buf = report_begin(report, &text, value);
  mcpi_say_value(buf, value);
  mcpi_say(buf, ops[insn->op].words);
  mcpi_say_string(buf, mcpi_json_str(insn->source));
  report_finish_insn(report, &text, value, insn);
}

/* --- arrays ------------------------------------------------------------- */

void mcpi_report_extra_item(mcpi_report *report, const mcpi_insn *insn,
                            const mcp_json *value, size_t index) {
  mcpi_sentence text;
  mcpi_buf *buf = report_begin(report, &text, value);
  mcpi_buf_lit(buf, "no item is allowed at index ");
  mcpi_json_put_uint(buf, index);
  if (insn->op != MCPI_OP_ITEMS) {
    report_finish_insn(report, &text, value, insn);
    return;
  }
  /* Draft-07 calls the rest additionalItems. */
  const mcp_json *rest = mcp_json_get(insn->source, "additionalItems");
  const mcp_json *items = mcp_json_get(insn->source, "items");
  if (mcp_json_type(items) == MCP_JSON_ARRAY && rest != NULL) {
    report_finish(report, &text, value, rest, "additionalItems");
  } else if (items != NULL) {
    report_finish(report, &text, value, items, "items");
  } else {
    report_finish(report, &text, value,
                  mcp_json_get(insn->source, "prefixItems"), "prefixItems");
  }
}

void mcpi_report_contains(mcpi_report *report, const mcpi_insn *insn,
                          const mcp_json *value, size_t found) {
  mcpi_sentence text;
  mcpi_buf *buf = report_begin(report, &text, value);
  mcpi_buf_lit(buf, "expected ");
  mcpi_say(buf, found < insn->limit ? "at least " : "at most ");
  mcpi_say_count(buf, found < insn->limit ? insn->limit : insn->most, "item");
  mcpi_buf_lit(buf, " as `contains` describes, got ");
  mcpi_json_put_uint(buf, found);
  report_finish_insn(report, &text, value, insn);
}

void mcpi_report_equal_items(mcpi_report *report, const mcpi_insn *insn,
                             const mcp_json *value, size_t first,
                             size_t second) {
  mcpi_sentence text;
  mcpi_buf *buf = report_begin(report, &text, value);
  mcpi_buf_lit(buf, "the items ");
  mcpi_json_put_uint(buf, first);
  mcpi_buf_lit(buf, " and ");
  mcpi_json_put_uint(buf, second);
  mcpi_buf_lit(buf, " are equal, all must differ");
  report_finish_insn(report, &text, value, insn);
}

/* --- choices ------------------------------------------------------------ */

/* Whether each alternative is a `const`, as in choices with titles. */
static int are_constants(const mcp_json *alternatives) {
  mcp_json_iter iter;
  const mcp_json *schema;
  mcp_json_iter_init(&iter, alternatives);
  while ((schema = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (mcp_json_get(schema, "const") == NULL) {
      return 0;
    }
  }
  return 1;
}

static void say_choices(mcpi_buf *buf, const mcpi_insn *insn, uint32_t types) {
  if (insn->op == MCPI_OP_CONST) {
    mcpi_say_wanted(buf, insn->source);
  } else if (insn->op == MCPI_OP_ENUM) {
    mcpi_buf_lit(buf, "one of ");
    mcpi_say_values(buf, insn->source, NULL);
  } else if (are_constants(insn->source)) {
    mcpi_buf_lit(buf, "one of ");
    mcpi_say_values(buf, insn->source, "const");
  } else if (types != 0) {
    say_types(buf, types);
  } else {
    mcpi_buf_lit(buf, "a value that one of the ");
    mcpi_json_put_uint(buf, insn->count);
    mcpi_buf_lit(buf, " alternatives of ");
    mcpi_say(buf, ops[insn->op].keyword);
    mcpi_buf_lit(buf, " describes");
  }
}

void mcpi_report_choice(mcpi_report *report, const mcpi_insn *insn,
                        uint32_t types, const mcp_json *value) {
  mcpi_sentence text;
  mcpi_buf *buf = report_begin(report, &text, value);
  mcpi_buf_lit(buf, "expected ");
  say_choices(buf, insn, types);
  mcpi_buf_lit(buf, ", got ");
  mcpi_say_value(buf, value);
  report_finish_insn(report, &text, value, insn);
}

void mcpi_report_tag(mcpi_report *report, const mcpi_insn *insn,
                     const mcp_json *value, const mcpi_str *values) {
  mcpi_sentence text;
  mcpi_buf *buf = report_begin(report, &text, value);
  mcpi_buf_lit(buf, "expected one of ");
  mcpi_say_strings(buf, values, insn->count);
  mcpi_buf_lit(buf, ", got ");
  mcpi_say_value(buf, value);
  report_finish_insn(report, &text, value, insn);
}

void mcpi_report_no_tag(mcpi_report *report, const mcpi_insn *insn,
                        const mcp_json *value, mcpi_str name,
                        const mcpi_str *values) {
  mcpi_sentence text;
  mcpi_buf *buf = report_begin(report, &text, value);
  mcpi_buf_lit(buf, "missing the member ");
  mcpi_say_string(buf, name);
  mcpi_buf_lit(buf, ", one of ");
  mcpi_say_strings(buf, values, insn->count);
  report_finish_insn(report, &text, value, insn);
}

void mcpi_report_ambiguous(mcpi_report *report, const mcpi_insn *insn,
                           const mcp_json *value) {
  mcpi_sentence text;
  mcpi_buf *buf = report_begin(report, &text, value);
  mcpi_say_value(buf, value);
  mcpi_buf_lit(buf, " fits more than one of the ");
  mcpi_json_put_uint(buf, insn->count);
  mcpi_buf_lit(buf, " alternatives of oneOf, where only one may fit");
  report_finish_insn(report, &text, value, insn);
}

void mcpi_report_not(mcpi_report *report, const mcpi_insn *insn,
                     const mcp_json *value) {
  mcpi_sentence text;
  mcpi_buf *buf = report_begin(report, &text, value);
  mcpi_say_value(buf, value);
  mcpi_buf_lit(buf, " is what `not` excludes");
  report_finish_insn(report, &text, value, insn);
}

static void report_slow_pattern(mcpi_report *report, const mcpi_slow *slow) {
  mcpi_sentence text;
  mcpi_buf *buf = report_begin(report, &text, slow->value);
  mcpi_buf_lit(buf, "the pattern ");
  mcpi_say_string(buf, slow->pattern->text);
  mcpi_buf_lit(buf, " takes too long on ");
  mcpi_say_value(buf, slow->value);
  report_finish(report, &text, slow->value, slow->source, "cost");
}

void mcpi_report_cost(mcpi_report *report, const mcpi_slow *slow) {
  if (slow->pattern != NULL) {
    report_slow_pattern(report, slow);
    return;
  }
  mcpi_sentence text;
  mcpi_buf *buf = report_begin(report, &text, report->instance);
  mcpi_buf_lit(buf, "the value is too large or too deep to be checked");
  report_finish(report, &text, report->instance,
                mcpi_documents_last(report->documents)->root, "cost");
}
