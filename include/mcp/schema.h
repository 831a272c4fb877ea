/* SPDX-License-Identifier: MIT */
/** @file
 * JSON Schemas: stating them in a program, and validating with them.
 *
 * A program states a schema as JSON text, as a JSON value, or, in the usual
 * case of an object with named fields, by macros:
 *
 *     .input = MCP_OBJECT(
 *         MCP_STRING("path", "File to read"),
 *         MCP_INTEGER("lines", "How many", .optional = 1,
 *                     .minimum = "1", .default_value = "10"),
 *         MCP_STRING("mode", "What to count",
 *                    .values = MCP_VALUES("words", "bytes")))
 *
 *     .input = MCP_SCHEMA_JSON({"type": "object", "maxProperties": 2})
 *
 * Functions that take such a structure copy all of it. In C++, use the
 * functions at the end of this header.
 */
#ifndef MCP_SCHEMA_H
#define MCP_SCHEMA_H

#include <mcp/json.h>

MCP_BEGIN_DECLS

/** Types of fields. */
enum {
  MCP_FIELD_NONE = 0,
  MCP_FIELD_STRING,
  MCP_FIELD_NUMBER,
  MCP_FIELD_INTEGER,
  MCP_FIELD_BOOLEAN,
  MCP_FIELD_ARRAY,
  MCP_FIELD_OBJECT
};

typedef struct mcp_schema mcp_schema;

/** One property of an object.
 *
 * Other structures begin with their size. This one cannot: its macros take the
 * name and the description without `.name =`, so these come first. The size of
 * all fields is in mcp_schema.field_size instead, which the macros set. Later
 * versions may add members at the end, so members that the program does not set
 * must be zero. */
typedef struct mcp_field {
  const char *name;
  /** Tells a model what the field means; NULL: no description. */
  const char *description;
  /** MCP_FIELD_*; the macros set it. */
  int32_t type;
  /** 1: the field may be absent. */
  int32_t optional;
  /** The values that a string may have: MCP_VALUES(...); NULL: any. */
  const char *const *values;
  /** The smallest and the largest value of a number or integer, each a JSON
   * number as text, such as "0" or "-1.5e3"; NULL: no limit. As text, zero
   * differs from no limit, and a number keeps all its digits. Since 0.2. */
  const char *minimum;
  const char *maximum;
  /** The length of a string in characters; 0: no limit. Since 0.2. */
  uint32_t min_length;
  uint32_t max_length;
  /** The number of items of an array; 0: no limit. Since 0.2. */
  uint32_t min_items;
  uint32_t max_items;
  /** A regular expression that a string must match somewhere, such as
   * "^[a-z]+$"; NULL: no pattern. Since 0.2. */
  const char *pattern;
  /** The value that an absent field stands for, as JSON text: "10", or
   * MCP_JSON("words") for a string. The library adds it only when it is asked
   * to (mcp_validator_apply_defaults). NULL: no default. Since 0.2. */
  const char *default_value;
  /** The schema of an array's items, or of an object; NULL: anything. For an
   * object with named fields, MCP_FIELDS(...) sets it. */
  const mcp_schema *schema;
  /** Further members of the field's schema, as JSON without the braces, such as
   * MCP_JSON("title": "Name", "format": "email"); NULL: no more. They must not
   * repeat a member that the library writes for the other members of this
   * structure. */
  const char *more;
} mcp_field;

/** A schema, stated in one of three ways. Use the macros to make one: they set
 * the two sizes. */
struct mcp_schema {
  /** sizeof(mcp_schema); MCP_SCHEMA_INIT sets it. */
  size_t size;
  /** JSON text, or NULL. */
  const char *text;
  /** A value, or NULL. */
  const mcp_json *value;
  /** Fields of an object, or NULL. Fields of type MCP_FIELD_NONE are
   * ignored. */
  const mcp_field *fields;
  size_t field_count;
  /** sizeof(mcp_field), if there are fields. The library reads the fields in
   * steps of this many bytes. So a program that was compiled with an older or a
   * newer header works. Since 0.2. */
  size_t field_size;
};

#define MCP_SCHEMA_INIT MCP_INIT_(mcp_schema)

#ifndef __cplusplus
/** States a schema as JSON text. */
#define MCP_SCHEMA_TEXT(json_text)                                             \
  (&(const mcp_schema){.size = sizeof(mcp_schema), .text = (json_text)})
/** States a schema as JSON that is written without quotes around it:
 * MCP_SCHEMA_JSON({"type": "string"}). MCP_JSON describes the rules. Since
 * 0.2. */
#define MCP_SCHEMA_JSON(...)                                                   \
  (&(const mcp_schema){.size = sizeof(mcp_schema), .text = #__VA_ARGS__})
/** States a schema as a JSON value. */
#define MCP_SCHEMA_VALUE(json_value)                                           \
  (&(const mcp_schema){.size = sizeof(mcp_schema), .value = (json_value)})
/** Allows any value of a type: MCP_SCHEMA_TYPE("number"). */
#define MCP_SCHEMA_TYPE(name) MCP_SCHEMA_TEXT("{\"type\":\"" name "\"}")
/** Allows an object with these fields and no others; MCP_OBJECT(): an object
 * without members. */
#define MCP_OBJECT(...)                                                        \
  (&(const mcp_schema){.size = sizeof(mcp_schema),                                \
                       .fields = MCP_FIELDS_(__VA_ARGS__),                     \
                       .field_count = sizeof(MCP_FIELDS_(__VA_ARGS__)) /       \
                                      sizeof(mcp_field),                       \
                       .field_size = sizeof(mcp_field)})
/* The first field keeps the list from being empty. */
#define MCP_FIELDS_(...)                                                       \
  ((const mcp_field[]){{.type = MCP_FIELD_NONE}, __VA_ARGS__})

/* These take a name and a description, then any other members of mcp_field:
 * MCP_STRING("city", "Where", .optional = 1, .max_length = 60). */
#define MCP_STRING(...)                                                        \
  { __VA_ARGS__, .type = MCP_FIELD_STRING }
#define MCP_NUMBER(...)                                                        \
  { __VA_ARGS__, .type = MCP_FIELD_NUMBER }
#define MCP_INTEGER(...)                                                       \
  { __VA_ARGS__, .type = MCP_FIELD_INTEGER }
#define MCP_BOOLEAN(...)                                                       \
  { __VA_ARGS__, .type = MCP_FIELD_BOOLEAN }
/** MCP_ARRAY("ids", "Which", .schema = MCP_SCHEMA_TYPE("integer")) */
#define MCP_ARRAY(...)                                                         \
  { __VA_ARGS__, .type = MCP_FIELD_ARRAY }
/** MCP_STRUCT("size", "How large", MCP_FIELDS(...)). If .schema is a text or a
 * value, it is the field's whole schema, to which the description and the other
 * members are added. */
#define MCP_STRUCT(...)                                                        \
  { __VA_ARGS__, .type = MCP_FIELD_OBJECT }
/** States the fields of the object that a structure is, or that each item of an
 * array is. It is short for `.schema = MCP_OBJECT(...)`:
 *
 *     MCP_STRUCT("size", "How large",
 *                MCP_FIELDS(MCP_NUMBER("width", "In metres"),
 *                           MCP_NUMBER("height", "In metres"))),
 *     MCP_ARRAY("points", "Where", .optional = 1,
 *               MCP_FIELDS(MCP_NUMBER("x", "East"), MCP_NUMBER("y", "North")))
 *
 * Since 0.2. */
#define MCP_FIELDS(...) .schema = MCP_OBJECT(__VA_ARGS__)

#define MCP_VALUES(...) ((const char *const[]){__VA_ARGS__, NULL})
#endif

/**
 * Writes a stated schema as JSON text. A schema that is text stays as it is,
 * without its line breaks. A value keeps its members, their order and its
 * numbers (see mcp/json.h).
 *
 * @param name    the member's name inside an object, else NULL
 * @param builder receives one value at its current place; nothing after an
 *                error of the schema
 * @return 0; MCP_ERR_INVALID (the schema or its fields have no size; a field has
 *         no name, or a member that is not for
 *         its type; a default is not of the field's type; a name or a member
 *         occurs twice; the schema is not stated in exactly one way; or the
 *         builder takes no value here); MCP_ERR_PARSE (a text, `minimum`,
 *         `maximum`, `default_value` or `more` is not JSON); MCP_ERR_LIMIT (too
 *         deep); MCP_ERR_NOMEM. The message names the field, its member and the
 *         value
 */
MCP_API int mcp_schema_build(const mcp_schema *schema, const char *name,
                             mcp_builder *builder, mcp_error *err);

/* ---- compiled schemas --------------------------------------------------- */

/** The drafts that are built in, by the URI that `$schema` names them with. */
#define MCP_DRAFT_2020_12 "https://json-schema.org/draft/2020-12/schema"
#define MCP_DRAFT_07 "http://json-schema.org/draft-07/schema"

/** A compiled schema. It never changes, and threads may share it. */
typedef struct mcp_validator mcp_validator;

/** A document that a schema may refer to, or the program's own meta-schema. */
typedef struct mcp_schema_document {
  /** The absolute URI that references name. */
  const char *uri;
  const mcp_json *schema;
  /** Room for members of later versions; must be zero. */
  uint64_t reserved[2];
} mcp_schema_document;

/** Options of compiling. Zero and NULL mean the default. */
typedef struct mcp_validator_options {
  /** sizeof(mcp_validator_options); MCP_VALIDATOR_OPTIONS_INIT sets it. */
  size_t size;
  const mcp_allocator *allocator;
  /** The draft of schemas without `$schema`; default MCP_DRAFT_2020_12. One of
   * the two above, or one whose meta-schema is among the documents. */
  const char *draft;
  /** The schema's own URI, against which relative references are resolved;
   * NULL: only its `$id` counts, if it has one. */
  const char *base_uri;
  /** Documents that references may name, besides the schema itself and the
   * drafts' meta-schemas. Nothing is fetched. Only documents that something
   * refers to are copied. */
  const mcp_schema_document *documents;
  size_t document_count;
  /** 1: `format` is checked: date-time, date, time, duration, email, idn-email,
   * hostname, idn-hostname, ipv4, ipv6, uri, uri-reference, iri, iri-reference,
   * uri-template, uuid, json-pointer, relative-json-pointer, regex. Default:
   * `format` is only a description. */
  uint32_t assert_formats;
  /** The number of subschemas, with those that references lead to; default
   * 100,000. */
  uint32_t max_nodes;
  /** The depth of a validation, in subschemas within subschemas; default 1,000.
   * Each level takes some hundred bytes of the stack. */
  uint32_t max_depth;
  uint32_t reserved;
  /** The bytes of all texts that are compiled; default 16 MB. */
  size_t max_bytes;
  /** The steps of a validation: values that are looked at or compared, and
   * items of patterns that are tried. Default ten million, which takes some
   * tenths of a second. */
  uint64_t max_steps;
} mcp_validator_options;

#define MCP_VALIDATOR_OPTIONS_INIT MCP_INIT_(mcp_validator_options)

/**
 * Compiles a schema of 2020-12 or draft-07, with all their keywords.
 *
 * Unknown keywords are ignored. `pattern` and `patternProperties` need regular
 * expressions, which libmcp provides (see mcp_regex_provide).
 *
 * @param schema  an object or a boolean; copied
 * @param options NULL: the defaults
 * @param err     may be NULL; set on failure:
 *                - MCP_ERR_SCHEMA: a keyword has a wrong value, a reference
 *                  leads nowhere or in a circle, or the draft is not known. The
 *                  message begins with a JSON pointer to the place;
 *                - MCP_ERR_LIMIT: a limit of the options, or more than 1,024
 *                  required names in one schema;
 *                - MCP_ERR_PLATFORM: there are no regular expressions;
 *                - MCP_ERR_INVALID: the schema is NULL, or the options are not
 *                  valid;
 *                - MCP_ERR_NOMEM
 * @return owned: drop it with mcp_validator_unref; NULL on failure
 */
MCP_API mcp_validator *mcp_validator_new(const mcp_json *schema,
                                         const mcp_validator_options *options,
                                         mcp_error *err);
/** Adds a reference, and returns the validator. Callable from any thread. */
MCP_API mcp_validator *mcp_validator_ref(mcp_validator *validator);
/** Drops a reference; the last one frees the validator. Callable from any
 * thread. NULL is accepted. */
MCP_API void mcp_validator_unref(mcp_validator *validator);

/** Returns 1 when the value satisfies the schema, else 0, also when checking it
 * takes too many steps. Allocates nothing, except for the formats `regex` and
 * `uri-template` if formats are checked. Callable from any thread. */
MCP_API int mcp_validator_accepts(const mcp_validator *validator,
                                  const mcp_json *value);

/** Options of a validation. Zero means the default. */
typedef struct mcp_validate_options {
  /** sizeof(mcp_validate_options); MCP_VALIDATE_OPTIONS_INIT sets it. */
  size_t size;
  /** The largest number of errors that are written; default 8. */
  uint32_t max_errors;
  /** The largest number of bytes of a message, which is cut there; default
   * 1,024, which is also the largest. */
  uint32_t max_message;
} mcp_validate_options;

#define MCP_VALIDATE_OPTIONS_INIT MCP_INIT_(mcp_validate_options)

/**
 * Validates a value, and writes what is wrong with it. Callable from any
 * thread.
 *
 * @param options NULL: the defaults
 * @param errors  receives an array of errors, at the top or inside an array;
 *                NULL: only the verdict is wanted. An error is an object of
 *                "instance" (a JSON pointer into the value), "schema" (a JSON
 *                pointer into the schema, after URI and "#" in another
 *                document), "keyword", and "message" (one sentence with the
 *                offending value, such as "/a: expected a number, got the
 *                string \"x\""). No string is longer than 1 KB: a longer
 *                pointer ends at an ancestor
 * @return 0 when the value is valid; MCP_ERR_SCHEMA when it is not;
 *         MCP_ERR_LIMIT (max_steps or max_depth was reached; the last error
 *         says so); MCP_ERR_INVALID (the validator is NULL, options have no
 *         size, or the builder takes no value here); MCP_ERR_NOMEM
 */
MCP_API int mcp_validator_check(const mcp_validator *validator,
                                const mcp_json *value,
                                const mcp_validate_options *options,
                                mcp_builder *errors);

/**
 * Writes a value, and adds the `default` of each member that it lacks, at any
 * depth, through references and `allOf`. Alternatives (`anyOf`, `if` and the
 * like) add nothing. Callable from any thread.
 *
 * @param name    the member's name inside an object, else NULL
 * @param builder receives one value
 * @return 0; MCP_ERR_INVALID (the validator or the value is NULL, or the
 *         builder takes no value here); MCP_ERR_LIMIT (max_depth or max_steps
 *         was reached); MCP_ERR_NOMEM
 */
MCP_API int mcp_validator_apply_defaults(const mcp_validator *validator,
                                         const mcp_json *value,
                                         const char *name,
                                         mcp_builder *builder);

/* ---- regular expressions ------------------------------------------------ */

/** Functions that match `pattern`. They are called from any thread. */
typedef struct mcp_regex_engine {
  /** sizeof(mcp_regex_engine). */
  size_t size;
  /** Compiles an ECMA-262 pattern. Returns 0, MCP_ERR_NOMEM, MCP_ERR_LIMIT when
   * it is too large, or MCP_ERR_PARSE with the offset in *error_offset. */
  int (*compile)(const char *pattern, size_t len, void **regex,
                 size_t *error_offset);
  /** Searches the pattern anywhere in the text. Returns 1, 0, or MCP_ERR_LIMIT
   * when that took too many steps. *steps_left is what is left of the
   * validation's max_steps. A match that takes more steps than its text has
   * bytes lowers it by these steps. */
  int (*match)(const void *regex, const char *text, size_t len,
               size_t *steps_left);
  void (*release)(void *regex);
  /** Returns the bytes of memory that a pattern takes, for limits of compiled
   * schemas. NULL: patterns are not counted. */
  size_t (*memory)(const void *regex);
} mcp_regex_engine;

/**
 * Sets the engine for regular expressions in this process. libmcp sets its own,
 * with PCRE2. A program that links only libmcp-core may set one, before it
 * compiles its first schema with a pattern.
 *
 * @param engine borrowed until the process ends
 * @return 0 or MCP_ERR_INVALID
 */
MCP_API int mcp_regex_provide(const mcp_regex_engine *engine);

/** Returns libmcp's engine: PCRE2, with limits of steps and memory. A program
 * that makes no loop should set it with mcp_regex_provide: if it calls nothing
 * else of libmcp, linkers drop libmcp, or the unused part of a static one. The
 * result is static; NULL when this libmcp was built without regular
 * expressions. */
MCP_API const mcp_regex_engine *mcp_regex_pcre2(void);

MCP_END_DECLS

#ifdef __cplusplus
#include <utility>
#include <vector>

/* The macros above as functions:
 *
 *     auto input = mcp_object({mcp_number("a", "first"),
 *                              mcp_number("b", "second")});
 *     tool.input = input;   // `input` must live until the tool is added
 */

inline mcp_field mcp_field_make(int32_t type, const char *name,
                                const char *description,
                                const mcp_schema *schema = nullptr) {
  mcp_field field = {};
  field.name = name;
  field.description = description;
  field.type = type;
  field.schema = schema;
  return field;
}

inline mcp_field mcp_string(const char *name, const char *description) {
  return mcp_field_make(MCP_FIELD_STRING, name, description);
}
inline mcp_field mcp_number(const char *name, const char *description) {
  return mcp_field_make(MCP_FIELD_NUMBER, name, description);
}
inline mcp_field mcp_integer(const char *name, const char *description) {
  return mcp_field_make(MCP_FIELD_INTEGER, name, description);
}
inline mcp_field mcp_boolean(const char *name, const char *description) {
  return mcp_field_make(MCP_FIELD_BOOLEAN, name, description);
}
inline mcp_field mcp_array(const char *name, const char *description,
                           const mcp_schema *items) {
  return mcp_field_make(MCP_FIELD_ARRAY, name, description, items);
}
inline mcp_field mcp_struct(const char *name, const char *description,
                            const mcp_schema *fields) {
  return mcp_field_make(MCP_FIELD_OBJECT, name, description, fields);
}

/** An object's fields, kept together with the schema that points at them. */
class mcp_object {
public:
  explicit mcp_object(std::vector<mcp_field> fields)
      : fields_(std::move(fields)) {
  }
  /* Not of a temporary: the schema points into the object. */
  operator const mcp_schema *() && = delete;
  operator const mcp_schema *() & {
    // Without fields there is no data(); NULL would mean another way.
    static const mcp_field none = {};
    schema_ = {};
    schema_.size = sizeof(mcp_schema);
    schema_.fields = fields_.empty() ? &none : fields_.data();
    schema_.field_count = fields_.size();
    schema_.field_size = sizeof(mcp_field);
    return &schema_;
  }

private:
  std::vector<mcp_field> fields_;
  mcp_schema schema_ = {};
};

inline mcp_schema mcp_schema_text(const char *json_text) {
  mcp_schema schema = {};
  schema.size = sizeof(mcp_schema);
  schema.text = json_text;
  return schema;
}
/** States a schema as JSON that is written without quotes around it:
 * `const mcp_schema any = MCP_SCHEMA_JSON({"type": "string"});`. */
#define MCP_SCHEMA_JSON(...) mcp_schema_text(#__VA_ARGS__)
inline mcp_schema mcp_schema_value(const mcp_json *json_value) {
  mcp_schema schema = {};
  schema.size = sizeof(mcp_schema);
  schema.value = json_value;
  return schema;
}
#endif

#endif
