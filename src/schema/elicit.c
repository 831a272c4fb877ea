/* SPDX-License-Identifier: MIT */
/* The restricted schemas of elicitation's forms (PROTOCOL 5.2).
 *
 * A property is of one kind, found by its type and choices. A table says which
 * keywords each kind may have; a row's function checks the keyword's value. */
#include "schema/elicit.h"

#include "codec/json.h"
#include "schema/say.h"

/* Kinds of properties, as bits. */
enum {
  KIND_STRING = 1 << 0,
  KIND_NUMBER = 1 << 1,
  KIND_INTEGER = 1 << 2,
  KIND_BOOLEAN = 1 << 3,
  KIND_ENUM = 1 << 4,   /* enum, perhaps with the old enumNames */
  KIND_TITLED = 1 << 5, /* oneOf of const and title */
  KIND_MULTI = 1 << 6,  /* an array of choices */
  KIND_NUMERIC = KIND_NUMBER | KIND_INTEGER,
  KIND_CHOICE = KIND_ENUM | KIND_TITLED,
  KIND_RICH = KIND_TITLED | KIND_MULTI,
  KIND_ANY =
      KIND_STRING | KIND_NUMERIC | KIND_BOOLEAN | KIND_CHOICE | KIND_MULTI
};

/* A form is for a person to fill in. What is compared each with each (required
 * with properties, defaults with choices) stays cheap below these. */
enum { MAX_PROPERTIES = 1024, MAX_CHOICES = 4096 };

typedef struct checker {
  const mcp_json *root;
  int rich;
  mcp_error *err;
} checker;

static int wrong(const checker *c, const mcp_json *value,
                 const char *expected) {
  return mcpi_schema_error(c->err, c->root, value, expected);
}

/* A sentence of another shape: the place, then what is the matter. */
static int refuse(const checker *c, int code, const mcp_json *value,
                  const char *keyword, const char *why) {
  mcpi_sentence text;
  mcpi_sentence_init(&text);
  mcpi_say_place(&text.buf, c->root, value);
  return mcp_error_set(c->err, code, "%.*s\"%.40s\" %s", (int)text.buf.len,
                       text.space, keyword, why);
}

static int too_rich(const checker *c, const mcp_json *value,
                    const char *keyword) {
  return refuse(c, MCP_ERR_UNSUPPORTED, value, keyword,
                "needs revision 2025-11-25");
}

/* Whether an array is no longer than any list in a form may be. */
static int check_size(const checker *c, const mcp_json *list, size_t max) {
  if (mcp_json_size(list) <= max) {
    return 0;
  }
  return mcp_error_set(c->err, MCP_ERR_LIMIT,
                       "a form with a list of %lu entries, limit %lu",
                       (unsigned long)mcp_json_size(list), (unsigned long)max);
}

/* --- values of keywords ------------------------------------------------- */

static int is_string(const mcp_json *value) {
  return mcp_json_type(value) == MCP_JSON_STRING;
}

static int check_string(const checker *c, const mcp_json *value) {
  return is_string(value) ? 0 : wrong(c, value, "a string");
}

static int check_number(const checker *c, const mcp_json *value) {
  return mcp_json_type(value) == MCP_JSON_NUMBER ? 0
                                                 : wrong(c, value, "a number");
}

static int check_count(const checker *c, const mcp_json *value) {
  if (!mcp_json_is_integer(value) || mcp_json_number(value) < 0) {
    return wrong(c, value, "a whole number, not negative");
  }
  return 0;
}

static int check_format(const checker *c, const mcp_json *value) {
  static const char *const formats[] = {"email", "uri", "date", "date-time"};
  mcpi_str format = mcpi_json_str(value);
  for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
    if (mcpi_str_eq(format, mcpi_str_z(formats[i]))) {
      return 0;
    }
  }
  return wrong(c, value, "email, uri, date or date-time");
}

static int check_strings(const checker *c, const mcp_json *value) {
  mcp_json_iter iter;
  const mcp_json *item;
  if (mcp_json_type(value) != MCP_JSON_ARRAY) {
    return wrong(c, value, "an array of strings");
  }
  mcp_json_iter_init(&iter, value);
  while ((item = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (!is_string(item)) {
      return wrong(c, item, "a string");
    }
  }
  return check_size(c, value, MAX_CHOICES);
}

static int check_enum(const checker *c, const mcp_json *value) {
  if (mcp_json_type(value) == MCP_JSON_ARRAY && mcp_json_size(value) == 0) {
    return wrong(c, value, "at least one choice");
  }
  return check_strings(c, value);
}

static int check_titled_choice(const checker *c, const mcp_json *choice) {
  mcp_json_iter iter;
  const mcp_json *name;
  if (!is_string(mcp_json_get(choice, "const")) ||
      !is_string(mcp_json_get(choice, "title"))) {
    return wrong(c, choice, "{\"const\": a string, \"title\": a string}");
  }
  mcp_json_iter_init(&iter, choice);
  while (mcp_json_iter_next(&iter, &name) != NULL) {
    const char *keyword = mcp_json_string(name);
    if (strcmp(keyword, "const") != 0 && strcmp(keyword, "title") != 0) {
      return refuse(c, MCP_ERR_SCHEMA, choice, keyword,
                    "is not allowed in a choice");
    }
  }
  return 0;
}

static int check_titled(const checker *c, const mcp_json *value) {
  mcp_json_iter iter;
  const mcp_json *choice;
  int rc = 0;
  if (mcp_json_type(value) != MCP_JSON_ARRAY || mcp_json_size(value) == 0) {
    return wrong(c, value, "an array of choices");
  }
  mcp_json_iter_init(&iter, value);
  while (rc == 0 && (choice = mcp_json_iter_next(&iter, NULL)) != NULL) {
    rc = check_titled_choice(c, choice);
  }
  return rc != 0 ? rc : check_size(c, value, MAX_CHOICES);
}

/* Of a multiple choice: {"type": "string", "enum": [...]} or {"anyOf": [...]}.
 * The titled form may say its type too. */
static int check_items(const checker *c, const mcp_json *items) {
  const mcp_json *values = mcp_json_get(items, "enum");
  const mcp_json *titled = mcp_json_get(items, "anyOf");
  const mcp_json *type = mcp_json_get(items, "type");
  size_t members = (values != NULL) + (titled != NULL) + (type != NULL);
  if ((values != NULL) == (titled != NULL) || mcp_json_size(items) != members) {
    return wrong(c, items, "a string's type and enum, or anyOf, alone");
  }
  if ((values != NULL || type != NULL) &&
      !mcpi_str_eq(mcpi_json_str(type), MCPI_STR("string"))) {
    return wrong(c, type != NULL ? type : items, "the type \"string\"");
  }
  return values != NULL ? check_enum(c, values) : check_titled(c, titled);
}

static int check_any(const checker *c, const mcp_json *value) {
  (void)c;
  (void)value;
  return 0; /* checked elsewhere, with the rest of the property */
}

/* --- one property ------------------------------------------------------- */

typedef struct keyword {
  const char *name;
  int kinds;
  int rich; /* only in rich revisions */
  int (*check)(const checker *c, const mcp_json *value);
} keyword;

static const keyword keywords[] = {
    {"type", KIND_ANY, 0, check_any},
    {"title", KIND_ANY, 0, check_string},
    {"description", KIND_ANY, 0, check_string},
    {"default", KIND_BOOLEAN, 0, check_any},
    {"default", KIND_ANY & ~KIND_BOOLEAN, 1, check_any},
    {"minLength", KIND_STRING, 0, check_count},
    {"maxLength", KIND_STRING, 0, check_count},
    {"format", KIND_STRING, 0, check_format},
    {"pattern", KIND_STRING, 0, check_string},
    {"minimum", KIND_NUMERIC, 0, check_number},
    {"maximum", KIND_NUMERIC, 0, check_number},
    {"enum", KIND_ENUM, 0, check_enum},
    {"enumNames", KIND_ENUM, 0, check_strings},
    {"oneOf", KIND_TITLED, 1, check_titled},
    {"items", KIND_MULTI, 1, check_items},
    {"minItems", KIND_MULTI, 1, check_count},
    {"maxItems", KIND_MULTI, 1, check_count},
};

/* 0: none that a form may have. */
static int kind_of(const mcp_json *property) {
  static const struct {
    const char *type;
    int kind;
  } kinds[] = {{"number", KIND_NUMBER},
               {"integer", KIND_INTEGER},
               {"boolean", KIND_BOOLEAN},
               {"array", KIND_MULTI}};
  mcpi_str type = mcpi_json_member_str(property, "type");
  for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
    if (mcpi_str_eq(type, mcpi_str_z(kinds[i].type))) {
      return kinds[i].kind;
    }
  }
  if (!mcpi_str_eq(type, MCPI_STR("string"))) {
    return 0;
  }
  if (mcp_json_get(property, "enum") != NULL) {
    return KIND_ENUM;
  }
  return mcp_json_get(property, "oneOf") != NULL ? KIND_TITLED : KIND_STRING;
}

static const keyword *find_keyword(mcpi_str name, int kind) {
  for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
    if ((keywords[i].kinds & kind) != 0 &&
        mcpi_str_eq(name, mcpi_str_z(keywords[i].name))) {
      return &keywords[i];
    }
  }
  return NULL;
}

static int check_keyword(const checker *c, int kind, const mcp_json *name,
                         const mcp_json *value) {
  const keyword *row = find_keyword(mcpi_json_str(name), kind);
  if (row == NULL) {
    return refuse(c, MCP_ERR_SCHEMA, value, mcp_json_string(name),
                  "is not allowed here in a form");
  }
  if (row->rich && !c->rich) {
    return too_rich(c, value, row->name);
  }
  return row->check(c, value);
}

static int check_keywords(const checker *c, const mcp_json *property,
                          int kind) {
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *value;
  int rc = 0;
  mcp_json_iter_init(&iter, property);
  while (rc == 0 && (value = mcp_json_iter_next(&iter, &name)) != NULL) {
    rc = check_keyword(c, kind, name, value);
  }
  return rc;
}

/* --- defaults ----------------------------------------------------------- */

/* Whether the string is among the values, or their `const` members. */
static int is_among(const mcp_json *choices, const mcp_json *string) {
  mcp_json_iter iter;
  const mcp_json *choice;
  mcp_json_iter_init(&iter, choices);
  while ((choice = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const mcp_json *constant = mcp_json_get(choice, "const");
    if (mcp_json_equal(constant != NULL ? constant : choice, string)) {
      return 1;
    }
  }
  return 0;
}

/* The choices of `enum`, or of the keyword that has them with titles. */
static const mcp_json *choices_of(const mcp_json *schema, const char *titled) {
  const mcp_json *values = mcp_json_get(schema, "enum");
  return values != NULL ? values : mcp_json_get(schema, titled);
}

static int check_multi_default(const checker *c, const mcp_json *property,
                               const mcp_json *value) {
  const mcp_json *choices =
      choices_of(mcp_json_get(property, "items"), "anyOf");
  mcp_json_iter iter;
  const mcp_json *item;
  int rc = check_strings(c, value);
  mcp_json_iter_init(&iter, value);
  while (rc == 0 && (item = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (!is_among(choices, item)) {
      rc = wrong(c, item, "one of the choices");
    }
  }
  return rc;
}

static int check_default(const checker *c, const mcp_json *property, int kind) {
  const mcp_json *value = mcp_json_get(property, "default");
  if (value == NULL) {
    return 0;
  }
  switch (kind) {
  case KIND_STRING:
    return check_string(c, value);
  case KIND_NUMBER:
    return check_number(c, value);
  case KIND_INTEGER:
    return mcp_json_is_integer(value) ? 0 : wrong(c, value, "an integer");
  case KIND_BOOLEAN:
    return mcp_json_type(value) == MCP_JSON_BOOL ? 0
                                                 : wrong(c, value, "a boolean");
  case KIND_MULTI:
    return check_multi_default(c, property, value);
  default:
    return is_among(choices_of(property, "oneOf"), value)
               ? 0
               : wrong(c, value, "one of the choices");
  }
}

/* What several keywords must have in common. */
static int check_whole(const checker *c, const mcp_json *property, int kind) {
  const mcp_json *names = mcp_json_get(property, "enumNames");
  size_t count = mcp_json_size(mcp_json_get(property, "enum"));
  if (names != NULL && mcp_json_size(names) != count) {
    return wrong(c, names, "a name for each value of enum");
  }
  if (kind == KIND_MULTI && mcp_json_get(property, "items") == NULL) {
    return wrong(c, property, "a list of choices in \"items\"");
  }
  return check_default(c, property, kind);
}

static int check_property(const checker *c, const mcp_json *property) {
  int kind = kind_of(property);
  if (kind == 0) {
    const mcp_json *type = mcp_json_get(property, "type");
    return wrong(c, type != NULL ? type : property,
                 "the type string, number, integer, boolean or array");
  }
  if ((kind & KIND_RICH) != 0 && !c->rich) {
    return too_rich(c, property, kind == KIND_MULTI ? "array" : "oneOf");
  }
  int rc = check_keywords(c, property, kind);
  return rc != 0 ? rc : check_whole(c, property, kind);
}

/* --- the form ----------------------------------------------------------- */

static int check_properties(const checker *c, const mcp_json *properties) {
  mcp_json_iter iter;
  const mcp_json *property;
  if (mcp_json_type(properties) != MCP_JSON_OBJECT) {
    return wrong(c, properties != NULL ? properties : c->root,
                 "an object in \"properties\"");
  }
  int rc = check_size(c, properties, MAX_PROPERTIES);
  mcp_json_iter_init(&iter, properties);
  while (rc == 0 && (property = mcp_json_iter_next(&iter, NULL)) != NULL) {
    rc = check_property(c, property);
  }
  return rc;
}

static int check_required(const checker *c, const mcp_json *required) {
  const mcp_json *properties = mcp_json_get(c->root, "properties");
  mcp_json_iter iter;
  const mcp_json *name;
  int rc = check_strings(c, required);
  mcp_json_iter_init(&iter, required);
  while (rc == 0 && (name = mcp_json_iter_next(&iter, NULL)) != NULL) {
    mcpi_str key = mcpi_json_str(name);
    if (mcp_json_get_n(properties, key.ptr, key.len) == NULL) {
      rc = wrong(c, name, "the name of a property");
    }
  }
  return rc;
}

static int check_member(const checker *c, mcpi_str name,
                        const mcp_json *value) {
  if (mcpi_str_eq(name, MCPI_STR("type")) ||
      mcpi_str_eq(name, MCPI_STR("properties"))) {
    return 0; /* checked first */
  }
  if (mcpi_str_eq(name, MCPI_STR("required"))) {
    return check_required(c, value);
  }
  if (mcpi_str_eq(name, MCPI_STR("$schema"))) {
    return c->rich ? check_string(c, value) : too_rich(c, value, "$schema");
  }
  if (mcpi_str_eq(name, MCPI_STR("additionalProperties")) &&
      mcp_json_type(value) == MCP_JSON_BOOL && !mcp_json_bool(value)) {
    return 0;
  }
  return refuse(c, MCP_ERR_SCHEMA, value, name.ptr, "is not allowed in a form");
}

int mcpi_elicit_schema_check(const mcp_json *schema, int rich, mcp_error *err) {
  checker c = {schema, rich, err};
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *value;
  if (!mcpi_str_eq(mcpi_json_member_str(schema, "type"), MCPI_STR("object"))) {
    return wrong(&c, schema, "an object with the type \"object\"");
  }
  int rc = check_properties(&c, mcp_json_get(schema, "properties"));
  mcp_json_iter_init(&iter, schema);
  while (rc == 0 && (value = mcp_json_iter_next(&iter, &name)) != NULL) {
    rc = check_member(&c, mcpi_json_str(name), value);
  }
  return rc;
}

/* --- answers ------------------------------------------------------------ */

static void put_member(mcpi_buf *out, mcpi_str name, const mcp_json *value,
                       int *is_first) {
  mcpi_buf_putc(out, *is_first ? '{' : ',');
  *is_first = 0;
  mcpi_json_put_string(out, name);
  mcpi_buf_putc(out, ':');
  mcpi_json_put_value(out, value);
}

void mcpi_elicit_apply_defaults(const mcp_json *schema, const mcp_json *content,
                                mcpi_buf *out) {
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *value;
  int is_first = 1;
  if (mcp_json_type(content) != MCP_JSON_OBJECT) {
    content = NULL;
  }
  mcp_json_iter_init(&iter, content);
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL) {
    put_member(out, mcpi_json_str(name), value, &is_first);
  }
  mcp_json_iter_init(&iter, mcp_json_get(schema, "properties"));
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL) {
    mcpi_str key = mcpi_json_str(name);
    const mcp_json *fallback = mcp_json_get(value, "default");
    if (fallback != NULL && mcp_json_get_n(content, key.ptr, key.len) == NULL) {
      put_member(out, key, fallback, &is_first);
    }
  }
  mcpi_buf_puts(out, is_first ? MCPI_STR("{}") : MCPI_STR("}"));
}
