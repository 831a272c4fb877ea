/* SPDX-License-Identifier: MIT */
/* Sentences that say what is wrong with a value. What they quote is a peer's:
 * each piece is shortened, so that a sentence stays one. */
#include "schema/errors.h"

#include "codec/json.h"

enum {
  MAX_POINTER = 120, /* bytes shown of a pointer */
  MAX_STRING = 60,   /* of a string or name, before escaping */
  MAX_NUMBER = 40,   /* digits */
  MAX_LIST = 300     /* bytes, after which a list of names ends */
};

void mcpi_sentence_init(mcpi_sentence *sentence) {
  /* As large as it may be from the start: it never asks for memory. */
  sentence->buf = (mcpi_buf){.allocator = mcp_allocator_default(),
                             .data = sentence->space,
                             .cap = sizeof(sentence->space),
                             .max = sizeof(sentence->space)};
}

static void say(mcpi_buf *buf, const char *words) {
  mcpi_buf_puts(buf, mcpi_str_z(words));
}

static void say_count(mcpi_buf *buf, size_t count, const char *unit) {
  mcpi_json_put_uint(buf, count);
  mcpi_buf_putc(buf, ' ');
  say(buf, unit);
  if (count != 1) {
    mcpi_buf_putc(buf, 's');
  }
}

/* The first `max` bytes at most, without a character cut in two. */
static mcpi_str shorten(mcpi_str string, size_t max) {
  if (string.len > max) {
    string.len = mcpi_utf8_valid_prefix(string.ptr, max);
  }
  return string;
}

static void say_string(mcpi_buf *buf, mcpi_str string) {
  mcpi_str shown = shorten(string, MAX_STRING);
  mcpi_json_put_string(buf, shown);
  if (shown.len < string.len) {
    mcpi_buf_lit(buf, "...");
  }
}

static void say_number(mcpi_buf *buf, const mcp_json *number) {
  size_t from = buf->len;
  if (buf->error != 0) {
    return;
  }
  mcpi_json_put_value(buf, number);
  if (buf->error != 0 || buf->len - from > MAX_NUMBER) {
    mcpi_buf_rewind(buf, from);
    mcpi_buf_lit(buf, "(too long to show)");
  }
}

/* --- pointers ----------------------------------------------------------- */

static void put_token(mcpi_buf *buf, mcpi_str name) {
  mcpi_buf_putc(buf, '/');
  for (size_t i = 0; i < name.len; i++) {
    if (name.ptr[i] == '~') {
      mcpi_buf_lit(buf, "~0");
    } else if (name.ptr[i] == '/') {
      mcpi_buf_lit(buf, "~1");
    } else {
      mcpi_buf_putc(buf, name.ptr[i]);
    }
  }
}

static void put_index(mcpi_buf *buf, size_t index) {
  mcpi_buf_putc(buf, '/');
  mcpi_json_put_uint(buf, index);
}

/* One step from `parent` towards `value`. */
static const mcp_json *put_step(mcpi_buf *buf, const mcp_json *parent,
                                const mcp_json *value) {
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *child;
  const mcp_json *found = NULL;
  const mcp_json *found_name = NULL;
  size_t index = 0;
  mcp_json_iter_init(&iter, parent);
  while ((child = mcp_json_iter_next(&iter, &name)) != NULL && child <= value) {
    found = child;
    found_name = name;
    index++;
  }
  if (found_name != NULL) {
    put_token(buf, mcpi_json_str(found_name));
  } else if (found != NULL) {
    put_index(buf, index - 1);
  }
  return found;
}

void mcpi_say_pointer(mcpi_buf *buf, const mcp_json *root,
                      const mcp_json *value) {
  while (root != NULL && root != value) {
    size_t from = buf->len;
    root = put_step(buf, root, value);
    if (buf->error != 0) {
      mcpi_buf_rewind(buf, from);
      return;
    }
  }
}

void mcpi_say_place(mcpi_buf *buf, const mcp_json *root,
                    const mcp_json *value) {
  mcpi_sentence pointer;
  mcpi_sentence_init(&pointer);
  mcpi_say_pointer(&pointer.buf, root, value);
  mcpi_str all = mcpi_str_n(pointer.space, pointer.buf.len);
  mcpi_str shown = shorten(all, MAX_POINTER);
  mcpi_buf_puts(buf, all.len > 0 ? shown : MCPI_STR("/"));
  if (shown.len < all.len) {
    mcpi_buf_lit(buf, "...");
  }
  mcpi_buf_lit(buf, ": ");
}

/* --- values ------------------------------------------------------------- */

void mcpi_say_value(mcpi_buf *buf, const mcp_json *value) {
  switch (mcp_json_type(value)) {
  case MCP_JSON_BOOL:
    say(buf, mcp_json_bool(value) ? "true" : "false");
    break;
  case MCP_JSON_NUMBER:
    mcpi_buf_lit(buf, "the number ");
    say_number(buf, value);
    break;
  case MCP_JSON_STRING:
    mcpi_buf_lit(buf, "the string ");
    say_string(buf, mcpi_json_str(value));
    break;
  case MCP_JSON_ARRAY:
    mcpi_buf_lit(buf, "an array of ");
    say_count(buf, mcp_json_size(value), "item");
    break;
  case MCP_JSON_OBJECT:
    mcpi_buf_lit(buf, "an object with ");
    say_count(buf, mcp_json_size(value), "member");
    break;
  default:
    say(buf, mcp_json_type_name(mcp_json_type(value)));
    break;
  }
}

/* A value of the schema: scalars as JSON, so that they can be copied. */
static void say_wanted(mcpi_buf *buf, const mcp_json *value) {
  switch (mcp_json_type(value)) {
  case MCP_JSON_STRING:
    say_string(buf, mcpi_json_str(value));
    break;
  case MCP_JSON_NUMBER:
    say_number(buf, value);
    break;
  default:
    mcpi_say_value(buf, value);
    break;
  }
}

int mcpi_schema_error(mcp_error *err, const mcp_json *root,
                      const mcp_json *value, const char *expected) {
  mcpi_sentence text;
  mcpi_sentence_init(&text);
  mcpi_say_place(&text.buf, root, value);
  mcpi_buf_lit(&text.buf, "expected ");
  say(&text.buf, expected);
  mcpi_buf_lit(&text.buf, ", got ");
  mcpi_say_value(&text.buf, value);
  return mcp_error_set(err, MCP_ERR_SCHEMA, "%.*s", (int)text.buf.len,
                       text.space);
}

/* --- lists -------------------------------------------------------------- */

/* A list that ends when it has become long: "a", "b" and 7 more. */
typedef struct list {
  mcpi_buf *buf;
  size_t from;
  size_t said;
  size_t unsaid;
} list;

static list list_begin(mcpi_buf *buf) {
  return (list){buf, buf->len, 0, 0};
}

/* 1 when the next entry is to be said; the comma before it has been. */
static int list_next(list *l) {
  if (l->buf->len - l->from > MAX_LIST) {
    l->unsaid++;
    return 0;
  }
  if (l->said++ > 0) {
    mcpi_buf_lit(l->buf, ", ");
  }
  return 1;
}

static void list_end(list *l) {
  if (l->said == 0) {
    mcpi_buf_lit(l->buf, "nothing");
  }
  if (l->unsaid > 0) {
    mcpi_buf_lit(l->buf, " and ");
    mcpi_json_put_uint(l->buf, l->unsaid);
    mcpi_buf_lit(l->buf, " more");
  }
}

static void say_names(mcpi_buf *buf, const mcp_json *object) {
  mcp_json_iter iter;
  const mcp_json *name;
  list l = list_begin(buf);
  mcp_json_iter_init(&iter, object);
  while (mcp_json_iter_next(&iter, &name) != NULL) {
    if (list_next(&l)) {
      say_string(buf, mcpi_json_str(name));
    }
  }
  list_end(&l);
}

/* The values of an array or, with `member`, that member of its objects. */
static void say_values(mcpi_buf *buf, const mcp_json *array,
                       const char *member) {
  mcp_json_iter iter;
  const mcp_json *value;
  list l = list_begin(buf);
  mcp_json_iter_init(&iter, array);
  while ((value = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (list_next(&l)) {
      say_wanted(buf, member != NULL ? mcp_json_get(value, member) : value);
    }
  }
  list_end(&l);
}

static void say_types(mcpi_buf *buf, uint32_t types) {
  static const struct {
    uint32_t type;
    const char *words;
  } all[] = {
      {MCPI_TYPES_OBJECT, "an object"},   {MCPI_TYPES_ARRAY, "an array"},
      {MCPI_TYPES_STRING, "a string"},    {MCPI_TYPES_NUMBER, "a number"},
      {MCPI_TYPES_INTEGER, "an integer"}, {1 << MCP_JSON_BOOL, "a boolean"},
      {1 << MCP_JSON_NULL, "null"},
  };
  const char *before = "";
  for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
    if ((types & all[i].type) != 0) {
      say(buf, before);
      say(buf, all[i].words);
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

static mcpi_buf *begin(mcpi_report *report, mcpi_sentence *text,
                       const mcp_json *value) {
  mcpi_sentence_init(text);
  mcpi_say_place(&text->buf, report->instance, value);
  return &text->buf;
}

static void put_pointer(mcp_builder *builder, const char *name,
                        const mcp_json *root, const mcp_json *value) {
  mcpi_sentence pointer;
  mcpi_sentence_init(&pointer);
  mcpi_say_pointer(&pointer.buf, root, value);
  mcp_builder_string_n(builder, name, pointer.space, pointer.buf.len);
}

/* `source` is the keyword's value in the schema. */
static void finish(mcpi_report *report, const mcpi_sentence *text,
                   const mcp_json *value, const mcp_json *source,
                   const char *keyword) {
  if (report->left == 0) {
    return;
  }
  report->left--;
  mcp_builder_object(report->errors, NULL);
  put_pointer(report->errors, "instance", report->instance, value);
  put_pointer(report->errors, "schema", report->schema, source);
  mcp_builder_string(report->errors, "keyword", keyword);
  mcp_builder_string_n(report->errors, "message", text->space, text->buf.len);
  mcp_builder_end(report->errors);
}

static void finish_insn(mcpi_report *report, const mcpi_sentence *text,
                        const mcp_json *value, const mcpi_insn *insn) {
  finish(report, text, value, insn->source, ops[insn->op].keyword);
}

/* --- what may be wrong -------------------------------------------------- */

void mcpi_report_type(mcpi_report *report, const mcpi_node *node,
                      const mcp_json *value) {
  mcpi_sentence text;
  mcpi_buf *buf = begin(report, &text, value);
  const mcp_json *type = mcp_json_get(node->schema, "type");
  if (node->types == 0) {
    mcpi_buf_lit(buf, "no value is allowed here");
    finish(report, &text, value, node->schema, "false");
    return;
  }
  mcpi_buf_lit(buf, "expected ");
  say_types(buf, node->types);
  mcpi_buf_lit(buf, ", got ");
  mcpi_say_value(buf, value);
  finish(report, &text, value, type != NULL ? type : node->schema, "type");
}

void mcpi_report_missing(mcpi_report *report, const mcpi_insn *insn,
                         const mcp_json *value, mcpi_str name) {
  mcpi_sentence text;
  mcpi_buf *buf = begin(report, &text, value);
  mcpi_buf_lit(buf, "missing the required member ");
  say_string(buf, name);
  finish(report, &text, value, mcp_json_get(insn->source, "required"),
         "required");
}

void mcpi_report_unknown(mcpi_report *report, const mcpi_insn *insn,
                         const mcp_json *value, mcpi_str name) {
  mcpi_sentence text;
  mcpi_buf *buf = begin(report, &text, value);
  const mcp_json *known = mcp_json_get(insn->source, "properties");
  mcpi_buf_lit(buf, "unknown member ");
  say_string(buf, name);
  if (mcp_json_size(known) > 0) {
    mcpi_buf_lit(buf, "; known are ");
    say_names(buf, known);
  } else {
    mcpi_buf_lit(buf, "; no members are known");
  }
  finish(report, &text, value,
         mcp_json_get(insn->source, "additionalProperties"),
         "additionalProperties");
}

void mcpi_report_bound(mcpi_report *report, const mcpi_insn *insn,
                       const mcp_json *value) {
  mcpi_sentence text;
  mcpi_buf *buf = begin(report, &text, value);
  say_number(buf, value);
  say(buf, ops[insn->op].words);
  say_number(buf, insn->source);
  finish_insn(report, &text, value, insn);
}

void mcpi_report_count(mcpi_report *report, const mcpi_insn *insn,
                       const mcp_json *value, size_t count) {
  mcpi_sentence text;
  mcpi_buf *buf = begin(report, &text, value);
  if (insn->types == MCPI_TYPES_STRING) {
    mcpi_say_value(buf, value);
  } else {
    say(buf, insn->types == MCPI_TYPES_ARRAY ? "the array" : "the object");
  }
  mcpi_buf_lit(buf, " has ");
  say_count(buf, count, ops[insn->op].unit);
  say(buf, ops[insn->op].words);
  say_number(buf, insn->source);
  finish_insn(report, &text, value, insn);
}

/* Whether every alternative is one value, such as a titled choice. */
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

static void say_choices(mcpi_buf *buf, const mcpi_insn *insn) {
  if (insn->op == MCPI_OP_CONST) {
    say_wanted(buf, insn->source);
  } else if (insn->op == MCPI_OP_ENUM) {
    mcpi_buf_lit(buf, "one of ");
    say_values(buf, insn->source, NULL);
  } else if (are_constants(insn->source)) {
    mcpi_buf_lit(buf, "one of ");
    say_values(buf, insn->source, "const");
  } else {
    mcpi_buf_lit(buf, "what one of the ");
    mcpi_json_put_uint(buf, insn->count);
    mcpi_buf_lit(buf, " alternatives of ");
    say(buf, ops[insn->op].keyword);
    mcpi_buf_lit(buf, " describes");
  }
}

void mcpi_report_choice(mcpi_report *report, const mcpi_insn *insn,
                        const mcp_json *value) {
  mcpi_sentence text;
  mcpi_buf *buf = begin(report, &text, value);
  mcpi_buf_lit(buf, "expected ");
  say_choices(buf, insn);
  mcpi_buf_lit(buf, ", got ");
  mcpi_say_value(buf, value);
  finish_insn(report, &text, value, insn);
}

void mcpi_report_ambiguous(mcpi_report *report, const mcpi_insn *insn,
                           const mcp_json *value) {
  mcpi_sentence text;
  mcpi_buf *buf = begin(report, &text, value);
  mcpi_say_value(buf, value);
  mcpi_buf_lit(buf, " fits more than one of the ");
  mcpi_json_put_uint(buf, insn->count);
  mcpi_buf_lit(buf, " alternatives of oneOf, where only one may fit");
  finish_insn(report, &text, value, insn);
}

void mcpi_report_equal_items(mcpi_report *report, const mcpi_insn *insn,
                             const mcp_json *value, size_t first,
                             size_t second) {
  mcpi_sentence text;
  mcpi_buf *buf = begin(report, &text, value);
  mcpi_buf_lit(buf, "the items ");
  mcpi_json_put_uint(buf, first);
  mcpi_buf_lit(buf, " and ");
  mcpi_json_put_uint(buf, second);
  mcpi_buf_lit(buf, " are equal, all must differ");
  finish_insn(report, &text, value, insn);
}

void mcpi_report_cost(mcpi_report *report) {
  mcpi_sentence text;
  mcpi_buf *buf = begin(report, &text, report->instance);
  mcpi_buf_lit(buf, "the value is too large to be checked");
  finish(report, &text, report->instance, report->schema, "cost");
}
