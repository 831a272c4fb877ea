/* SPDX-License-Identifier: MIT */
/** @file
 * JSON Schemas: how a program states (writes) them, and how it validates
 * values.
 *
 * Most schemas describe an object with named fields. Macros state them:
 *
 *     .input = MCP_OBJECT(
 *         MCP_STRING("path", "File to read"),
 *         MCP_INTEGER("lines", "How many", .optional = 1,
 *                     .minimum = "1", .default_value = "10"),
 *         MCP_STRING("mode", "What to count",
 *                    .values = MCP_VALUES("words", "bytes")))
 *
 * A program states any other schema as JSON:
 *
 *     .input = MCP_SCHEMA_JSON({"type": "object", "maxProperties": 2})
 *
 * mcp/fields.h makes a schema together with a C structure, from one list of
 * fields.
 *
 * Functions that take a stated schema copy it. In C++, use the functions at the
 * end of this header.
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

/** A schema as a program states it, below. */
typedef struct mcp_schema mcp_schema;

/** One property of an object.
 *
 * Members that the program does not set must be zero, because later versions
 * may add members at the end. The macros set the name and the description by
 * position, without `.name =`, so this structure cannot begin with its size.
 * The size is in mcp_schema.field_size. */
typedef struct mcp_field {
  /** The name of the property; required. */
  const char *name;
  /** Explains to a model what the field means; NULL: no description. */
  const char *description;
  /** MCP_FIELD_*; the macros set it. */
  int32_t type;
  /** 1: the field may be absent. */
  int32_t optional;
  /** The values that a string may have, each once: an array that ends with
   * NULL, as MCP_VALUES(...) makes in C; NULL: any. */
  const char *const *values;
  /** The smallest value of a number or integer. It is a JSON number as text,
   * such as "0" or "-1.5e3", so that it keeps all its digits; NULL: no limit.
   * Since 0.2. */
  const char *minimum;
  /** The largest value of a number or integer, in the same form. Since 0.2. */
  const char *maximum;
  /** The smallest length of a string in characters; 0: no limit. Since 0.2. */
  uint32_t min_length;
  /** The largest length of a string in characters; 0: no limit. Since 0.2. */
  uint32_t max_length;
  /** The smallest number of items of an array; 0: no limit. Since 0.2. */
  uint32_t min_items;
  /** The largest number of items of an array; 0: no limit. Since 0.2. */
  uint32_t max_items;
  /** A regular expression that a string must match somewhere, such as
   * "^[a-z]+$"; NULL: no pattern. Since 0.2. */
  const char *pattern;
  /** The value that an absent field means, as JSON text: "10", or
   * MCP_JSON("words") for a string. It must satisfy the field. The library
   * checks this if the whole schema compiles (see mcp_validator_new). NULL: no
   * default. Since 0.2.
   *
   * The default only informs the client: the handler still finds the argument
   * absent. To read an optional argument, the handler sets a variable to the
   * default and calls mcp_call_try_int or another mcp_call_try_*, which changes
   * the variable only if the client sent the argument.
   * mcp_validator_apply_defaults adds defaults to a value. */
  const char *default_value;
  /** For an array, the schema of its items; for an object, the schema of the
   * object itself. NULL: any items, or any object. For an object with named
   * fields, MCP_FIELDS(...) sets it. */
  const mcp_schema *schema;
  /** Further keywords of the field's schema, as JSON without the braces, such
   * as MCP_JSON("title": "Seats", "multipleOf": 2); NULL: no others. It must
   * not contain a keyword that another member of this structure sets.
   * The server checks `format` only in the answer to a form
   * (mcp_call_ask_elicit), not in the arguments and results of tools. */
  const char *more;
} mcp_field;

struct mcp_struct_type;

/** A schema, given as exactly one of `text`, `value`, `fields` and
 * `struct_type`. Use the macros to make one: they set `size` and
 * `field_size`. */
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
  /** sizeof(mcp_field), if there are fields. It tells the library how many
   * members a field has in the header that the program was compiled with.
   * Members that the library does not know must be zero. Since 0.2. */
  size_t field_size;
  /** Returns the description of a structure, whose fields the object has:
   * MCP_DEFINE_STRUCT of mcp/fields.h makes it. NULL: none. Since 0.2. */
  const struct mcp_struct_type *(*struct_type)(void);
};

#define MCP_SCHEMA_INIT MCP_INIT_(mcp_schema)

#ifndef __cplusplus
/** States a schema as JSON text. */
#define MCP_SCHEMA_TEXT(json_text)                                             \
  (&(const mcp_schema){.size = sizeof(mcp_schema), .text = (json_text)})
/** States a schema as JSON that is written in the source without escapes:
 * MCP_SCHEMA_JSON({"type": "string"}). MCP_JSON has the rules. Since 0.2. */
#define MCP_SCHEMA_JSON(...)                                                   \
  (&(const mcp_schema){.size = sizeof(mcp_schema), .text = #__VA_ARGS__})
/** States a schema as a JSON value. */
#define MCP_SCHEMA_VALUE(json_value)                                           \
  (&(const mcp_schema){.size = sizeof(mcp_schema), .value = (json_value)})
/** Allows any value of a type: MCP_SCHEMA_TYPE("number"). */
#define MCP_SCHEMA_TYPE(name) MCP_SCHEMA_TEXT("{\"type\":\"" name "\"}")
/** Allows an object with these fields and no others. MCP_OBJECT() allows only
 * an object without members.
 *
 * The macros make compound literals. Inside a function these are valid until
 * the end of the block, so do not keep a pointer to one for longer. Functions
 * that take a schema copy it. */
#define MCP_OBJECT(...)                                                        \
  (&(const mcp_schema){.size = sizeof(mcp_schema),                             \
                       .fields = MCP_FIELDS_(__VA_ARGS__),                     \
                       .field_count = sizeof(MCP_FIELDS_(__VA_ARGS__)) /       \
                                      sizeof(mcp_field),                       \
                       .field_size = sizeof(mcp_field)})
/* C has no empty list of initializers, so the first field is a dummy. */
#define MCP_FIELDS_(...)                                                       \
  ((const mcp_field[]){{.type = MCP_FIELD_NONE}, __VA_ARGS__})

/** A field that is a string. MCP_STRING and the macros after it take a name and
 * a description, then any other members of mcp_field:
 * MCP_STRING("city", "Where", .optional = 1, .max_length = 60). */
#define MCP_STRING(...)                                                        \
  { __VA_ARGS__, .type = MCP_FIELD_STRING }
/** A field that is a number. */
#define MCP_NUMBER(...)                                                        \
  { __VA_ARGS__, .type = MCP_FIELD_NUMBER }
/** A field that is an integer. */
#define MCP_INTEGER(...)                                                       \
  { __VA_ARGS__, .type = MCP_FIELD_INTEGER }
/** A field that is true or false. */
#define MCP_BOOLEAN(...)                                                       \
  { __VA_ARGS__, .type = MCP_FIELD_BOOLEAN }
/** A field that is an array:
 * MCP_ARRAY("ids", "Which", .schema = MCP_SCHEMA_TYPE("integer")), or, if the
 * items are objects, MCP_ARRAY("points", "Where", MCP_FIELDS(...)). */
#define MCP_ARRAY(...)                                                         \
  { __VA_ARGS__, .type = MCP_FIELD_ARRAY }
/** A field that is an object:
 * MCP_STRUCT("size", "How large", MCP_FIELDS(...)). If the program sets
 * .schema to a schema in JSON instead, the library adds the description and the
 * other members of the field to that schema. */
#define MCP_STRUCT(...)                                                        \
  { __VA_ARGS__, .type = MCP_FIELD_OBJECT }
/** States the fields of an MCP_STRUCT, or of each item of an MCP_ARRAY. It is
 * short for `.schema = MCP_OBJECT(...)`:
 *
 *     MCP_STRUCT("size", "How large",
 *                MCP_FIELDS(MCP_NUMBER("width", "In metres"),
 *                           MCP_NUMBER("height", "In metres"))),
 *     MCP_ARRAY("points", "Where", .optional = 1,
 *               MCP_FIELDS(MCP_NUMBER("x", "East"), MCP_NUMBER("y", "North")))
 *
 * Since 0.2. */
#define MCP_FIELDS(...) .schema = MCP_OBJECT(__VA_ARGS__)

/** States the values that a string may have: MCP_VALUES("words", "bytes"). */
#define MCP_VALUES(...) ((const char *const[]){__VA_ARGS__, NULL})
#endif

/**
 * Writes a stated schema as JSON text. Copies a schema that is given as text
 * unchanged, except that it removes line breaks. A schema that is given as a
 * value keeps its members, their order and its numbers (see mcp/json.h).
 *
 * A `$ref` in `mcp_field.more` may refer to any part of the schema that this
 * call writes. If it refers to text that the builder held before this call, the
 * function cannot check the defaults, and accepts all of them.
 *
 * @param name    the member's name inside an object, else NULL
 * @param builder the function adds one value to it at its current place. The
 *                builder is unchanged if the schema is not valid
 * @param err     may be NULL; the message names the field, its member and the
 *                value
 * @return 0, or one of these:
 *         - MCP_ERR_INVALID: a schema or its fields have no size; a schema is
 *           not stated in exactly one way; a field has no name, or a member
 *           that its type cannot have; a field's minimum, `min_length` or
 *           `min_items` is above its maximum; a default does not satisfy its
 *           field; a name, a value or a keyword occurs twice; a member occurs
 *           twice in an object of a text; or the builder takes no value here;
 *         - MCP_ERR_UNSUPPORTED: a schema or a field has a member that only a
 *           newer libmcp knows, and that is not 0;
 *         - MCP_ERR_PARSE: a text, `minimum`, `maximum`, `default_value` or
 *           `more` is not JSON;
 *         - MCP_ERR_LIMIT: the schema is too deep;
 *         - MCP_ERR_NOMEM
 */
MCP_API int mcp_schema_build(const mcp_schema *schema, const char *name,
                             mcp_builder *builder, mcp_error *err);

/* ---- compiled schemas --------------------------------------------------- */

/** The URI of a built-in draft, as in `$schema`. */
#define MCP_DRAFT_2020_12 "https://json-schema.org/draft/2020-12/schema"
/** The URI of the other built-in draft. */
#define MCP_DRAFT_07 "http://json-schema.org/draft-07/schema"

/** A compiled schema. It never changes, and threads may share it. */
typedef struct mcp_validator mcp_validator;

/** A document that a `$ref` of a schema may refer to, or a meta-schema of the
 * program. */
typedef struct mcp_schema_document {
  /** The absolute URI by which references name the document. */
  const char *uri;
  /** The document, borrowed until mcp_validator_new returns. */
  const mcp_json *schema;
  /** Room for members of later versions; must be zero. */
  uint64_t reserved[2];
} mcp_schema_document;

/** Options of compiling. Zero and NULL mean the default. */
typedef struct mcp_validator_options {
  /** sizeof(mcp_validator_options); MCP_VALIDATOR_OPTIONS_INIT sets it. */
  size_t size;
  /** Copied; NULL: the default. Its functions must be callable from every
   * thread that uses the validator. */
  const mcp_allocator *allocator;
  /** The draft of schemas that have no `$schema`: MCP_DRAFT_2020_12 (the
   * default), MCP_DRAFT_07, or the URI of a meta-schema among the documents. */
  const char *draft;
  /** The schema's own URI. Relative references, and a relative `$id`, are
   * resolved against it. NULL: the schema has a URI only if it has an `$id`. */
  const char *base_uri;
  /** Further documents that references may refer to. The schema itself and the
   * meta-schemas of both drafts need not be among them. The library fetches
   * nothing, and copies only documents that something refers to. */
  const mcp_schema_document *documents;
  /** The number of elements of `documents`. */
  size_t document_count;
  /** 1: `format` is checked: date-time, date, time, duration, email, idn-email,
   * hostname, idn-hostname, ipv4, ipv6, uri, uri-reference, iri, iri-reference,
   * uri-template, uuid, json-pointer, relative-json-pointer, regex. 0:
   * `format` only describes a value. */
  int32_t assert_formats;
  /** The largest number of subschemas, including those that references lead
   * to; default 100,000. */
  uint32_t max_nodes;
  /** The largest depth of a validation: how many subschemas may be open inside
   * each other; default 1,000. Each level uses a few hundred bytes of the
   * stack. */
  uint32_t max_depth;
  uint32_t reserved;
  /** The largest size of all texts that are compiled, in bytes; default
   * 16 MB. */
  size_t max_bytes;
  /** The largest number of steps of a validation. A step looks at a value,
   * compares it with another, or tries one item of a pattern. Default
   * 10,000,000, which takes a few tenths of a second. */
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

/** Returns 1 when the value satisfies the schema. Returns 0 when it does not,
 * or when a limit of the options is reached (max_steps, max_depth). Allocates
 * nothing, except to check the formats `regex` and `uri-template`. Callable
 * from any thread. */
MCP_API int mcp_validator_accepts(const mcp_validator *validator,
                                  const mcp_json *value);

/** Options of a validation. Zero means the default. */
typedef struct mcp_validate_options {
  /** sizeof(mcp_validate_options); MCP_VALIDATE_OPTIONS_INIT sets it. */
  size_t size;
  /** The largest number of errors that are written; default 8. */
  uint32_t max_errors;
  /** The largest length of a message in bytes, at most 1,024, which is the
   * default. A longer message is cut. */
  uint32_t max_message;
} mcp_validate_options;

#define MCP_VALIDATE_OPTIONS_INIT MCP_INIT_(mcp_validate_options)

/**
 * Validates a value, and writes what is wrong with it. Callable from any
 * thread.
 *
 * An error is an object with these members, all strings of at most 1 KB:
 * - "instance": a JSON pointer to the place in the value;
 * - "schema": a JSON pointer to the keyword in the schema. If the keyword is in
 *   another document, its URI and "#" come first;
 * - "keyword": the keyword that the value does not satisfy;
 * - "message": one sentence with the offending value, such as "/a: expected a
 *   number, got the string \"x\"".
 *
 * If a pointer would be longer than 1 KB, it names an enclosing place instead.
 *
 * @param options NULL: the defaults
 * @param errors  a builder whose current place is the top level or an array.
 *                The function adds one array with the errors there; the array
 *                is empty if the value is valid. NULL: the function only
 *                returns the code
 * @return 0: the value is valid;
 *         MCP_ERR_SCHEMA: the value is not valid;
 *         MCP_ERR_LIMIT: the validation reached max_steps or max_depth; the
 *         last error says so;
 *         MCP_ERR_INVALID: the validator is NULL, the options have no size, or
 *         the builder takes no value here;
 *         MCP_ERR_NOMEM
 */
MCP_API int mcp_validator_check(const mcp_validator *validator,
                                const mcp_json *value,
                                const mcp_validate_options *options,
                                mcp_builder *errors);

/**
 * Writes a value with defaults. If an object lacks a member, and the schema of
 * the member has a `default`, the library adds the default. It does so at any
 * depth, and follows references and `allOf`. It adds nothing for alternatives
 * (`anyOf`, `if` and others). It does not validate the value. Callable from any
 * thread.
 *
 * @param name    the member's name inside an object, else NULL
 * @param builder the function adds one value to it
 * @return 0;
 *         MCP_ERR_INVALID: the validator or the value is NULL, or the builder
 *         takes no value here;
 *         MCP_ERR_LIMIT: max_depth or max_steps was reached;
 *         MCP_ERR_NOMEM
 */
MCP_API int mcp_validator_apply_defaults(const mcp_validator *validator,
                                         const mcp_json *value,
                                         const char *name,
                                         mcp_builder *builder);

/* ---- regular expressions ------------------------------------------------ */

/** Functions that match the regular expressions of `pattern`. Any thread may
 * call them. */
typedef struct mcp_regex_engine {
  /** sizeof(mcp_regex_engine). */
  size_t size;
  /** Handed to `compile`. */
  void *userdata;
  /** Compiles an ECMA-262 pattern of `len` bytes, and sets *regex. Returns 0;
   * MCP_ERR_NOMEM; MCP_ERR_LIMIT: the pattern is too large; or MCP_ERR_PARSE:
   * the pattern is not valid, and *error_offset is the byte at fault. */
  int (*compile)(void *userdata, const char *pattern, size_t len, void **regex,
                 size_t *error_offset);
  /** Searches for the pattern anywhere in the text of `len` bytes. Returns 1 if
   * it is there, else 0; MCP_ERR_LIMIT: the search takes too many steps.
   * *steps_left is the number of steps that the validation may still take, and
   * the function subtracts the steps of this search. If the search took fewer
   * steps than the text has bytes, the function may leave *steps_left
   * unchanged. */
  int (*match)(const void *regex, const char *text, size_t len,
               size_t *steps_left);
  /** Frees a compiled pattern. */
  void (*release)(void *regex);
  /** Returns the bytes of memory that a compiled pattern takes. They count for
   * limits on the memory of schemas. NULL: patterns do not count. */
  size_t (*memory)(const void *regex);
} mcp_regex_engine;

/**
 * Sets the engine for regular expressions in this process. libmcp sets its own,
 * with PCRE2, when it is loaded. A program that links only libmcp-core may call
 * this function to set an engine, before it compiles its first schema with a
 * pattern. Callable from any thread.
 *
 * @param engine borrowed until the process ends
 * @return 0; MCP_ERR_INVALID: the engine is NULL or has no size
 */
MCP_API int mcp_regex_provide(const mcp_regex_engine *engine);

/** Returns libmcp's engine: PCRE2, with limits of steps and memory.
 *
 * mcp_loop_new makes libmcp provide this engine. A program without such a loop
 * should pass the engine to mcp_regex_provide itself: if it calls only
 * functions of libmcp-core, a linker may drop libmcp, and with it the engine.
 *
 * @return static; NULL in a libmcp that was built without regular expressions
 */
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

/** The fields of an object, together with the schema that points to them. */
class mcp_object {
public:
  explicit mcp_object(std::vector<mcp_field> fields)
      : fields_(std::move(fields)) {}
  /* Deleted for temporaries, because the schema points into the object. */
  operator const mcp_schema *() && = delete;
  operator const mcp_schema *() & {
    // data() of an empty vector may be NULL, which would mean that the schema
    // is not given as fields.
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
/** States a schema as JSON that is written in the source without escapes:
 * `const mcp_schema word = MCP_SCHEMA_JSON({"type": "string"});`. MCP_JSON has
 * the rules. Since 0.2. */
#define MCP_SCHEMA_JSON(...) mcp_schema_text(#__VA_ARGS__)
inline mcp_schema mcp_schema_value(const mcp_json *json_value) {
  mcp_schema schema = {};
  schema.size = sizeof(mcp_schema);
  schema.value = json_value;
  return schema;
}
#endif

#endif
