/* SPDX-License-Identifier: MIT */
/** @file
 * JSON Schemas: how a program states them.
 *
 * A schema is given as JSON text, as a JSON value, or by macros that spell out
 * the usual case, an object with named fields:
 *
 *     .input = MCP_OBJECT(
 *         MCP_STRING("path", "File to read"),
 *         MCP_INTEGER("lines", "How many", .optional = 1,
 *                     .more = "\"minimum\":1,\"default\":10"),
 *         MCP_STRING("mode", "What to count",
 *                    .values = MCP_VALUES("words", "bytes")))
 *
 *     .input = MCP_SCHEMA_TEXT("{\"type\":\"object\", ...}")
 *
 * The structures are only looked at while a function that takes them runs;
 * everything is copied. In C++ see the functions at the end.
 */
#ifndef MCP_SCHEMA_H
#define MCP_SCHEMA_H

#include <mcp/json.h>

MCP_BEGIN_DECLS

/** The type of a field. */
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

/** One property of an object. */
typedef struct mcp_field {
  const char *name;
  /** What it means, for the model; NULL: nothing. */
  const char *description;
  /** MCP_FIELD_*; the macros set it. */
  int32_t type;
  /** 1: may be left out. */
  int32_t optional;
  /** The only values a string may have: MCP_VALUES(...); NULL: any. */
  const char *const *values;
  /** An array's items, or an object's own fields; NULL: anything. */
  const mcp_schema *schema;
  /** Further schema members as JSON without the braces, such as
   * "\"minimum\":0,\"maximum\":10"; NULL: none. None that the others make. */
  const char *more;
} mcp_field;

/** A schema, stated in one of three ways. Made by the macros. */
struct mcp_schema {
  /** JSON text, or NULL. */
  const char *text;
  /** A value, or NULL. */
  const mcp_json *value;
  /** Fields of an object, or NULL; those of type MCP_FIELD_NONE are passed
   * over. */
  const mcp_field *fields;
  size_t field_count;
};

#ifndef __cplusplus
/** JSON text. */
#define MCP_SCHEMA_TEXT(json_text) (&(const mcp_schema){.text = (json_text)})
/** A JSON value. */
#define MCP_SCHEMA_VALUE(json_value)                                           \
  (&(const mcp_schema){.value = (json_value)})
/** Any value of a type: MCP_SCHEMA_TYPE("number"). */
#define MCP_SCHEMA_TYPE(name) MCP_SCHEMA_TEXT("{\"type\":\"" name "\"}")
/** An object with these fields and no others; MCP_OBJECT() has none. */
#define MCP_OBJECT(...)                                                        \
  (&(const mcp_schema){.fields = MCP_FIELDS_(__VA_ARGS__),                     \
                       .field_count = sizeof(MCP_FIELDS_(__VA_ARGS__)) /       \
                                      sizeof(mcp_field)})
/* The first one is there so that the list is never empty. */
#define MCP_FIELDS_(...)                                                       \
  ((const mcp_field[]){{.type = MCP_FIELD_NONE}, __VA_ARGS__})

/* Each takes the name and the description, then any other members of
 * mcp_field: MCP_STRING("city", "Where", .optional = 1). */
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
/** MCP_STRUCT("size", "How large", .schema = MCP_OBJECT(...)). A text or value
 * given here is the field's whole schema; the description is added to it. */
#define MCP_STRUCT(...)                                                        \
  { __VA_ARGS__, .type = MCP_FIELD_OBJECT }

#define MCP_VALUES(...) ((const char *const[]){__VA_ARGS__, NULL})
#endif

/**
 * Writes a stated schema as JSON text. A text stays what it is, word for word;
 * only line breaks go. A value keeps its members, their order and its numbers
 * (see mcp/json.h).
 *
 * @param name    the member's name inside an object, else NULL
 * @param builder receives one value at its current place, or nothing when the
 *                schema is at fault
 * @return 0; MCP_ERR_INVALID (a field without name, a name or a member twice,
 *         none of the three ways, or two of them; or the builder's place does
 *         not fit); MCP_ERR_PARSE (a text or `more` is not JSON);
 *         MCP_ERR_LIMIT (depth); MCP_ERR_NOMEM
 */
MCP_API int mcp_schema_build(const mcp_schema *schema, const char *name,
                             mcp_builder *builder, mcp_error *err);

/* ---- compiled schemas --------------------------------------------------- */

/** The drafts that are built in, by the URI that `$schema` names them with. */
#define MCP_DRAFT_2020_12 "https://json-schema.org/draft/2020-12/schema"
#define MCP_DRAFT_07 "http://json-schema.org/draft-07/schema"

/** A compiled schema: immutable, and shared between threads. */
typedef struct mcp_validator mcp_validator;

/** A document that a schema may refer to, or a meta-schema of one's own. */
typedef struct mcp_schema_document {
  /** Where it is, absolute: what references name it by. */
  const char *uri;
  const mcp_json *schema;
} mcp_schema_document;

/** How a schema is compiled. Zero and NULL mean the default. */
typedef struct mcp_validator_options {
  /** MCP_VALIDATOR_OPTIONS_INIT. */
  size_t size;
  const mcp_allocator *allocator;
  /** The draft of schemas without `$schema`; default MCP_DRAFT_2020_12.
   * Besides the two above, one whose meta-schema is among the documents. */
  const char *draft;
  /** The schema's own URI, which its relative references are resolved against;
   * NULL: it has none, but perhaps an `$id`. */
  const char *base_uri;
  /** What references may name besides the schema itself and the drafts'
   * meta-schemas. Nothing is ever fetched. Only what is referred to is copied.
   */
  const mcp_schema_document *documents;
  size_t document_count;
  /** 1: `format` is checked: date-time, date, time, duration, email, idn-email,
   * hostname, idn-hostname, ipv4, ipv6, uri, uri-reference, iri, iri-reference,
   * uri-template, uuid, json-pointer, relative-json-pointer, regex. Default: it
   * only describes. */
  uint32_t assert_formats;
  /** Subschemas, references followed; default 100,000. */
  uint32_t max_nodes;
  /** How deep a validation may descend, in subschemas within subschemas;
   * default 1,000. Each level takes some hundred bytes of the stack. */
  uint32_t max_depth;
  uint32_t reserved;
  /** Bytes of all texts that are compiled; default 16 MB. */
  size_t max_bytes;
  /** What a validation may cost, in values looked at and compared and in items
   * of patterns tried; default ten million: some tenths of a second. */
  uint64_t max_steps;
} mcp_validator_options;

#define MCP_VALIDATOR_OPTIONS_INIT sizeof(mcp_validator_options)

/**
 * Compiles a schema of 2020-12 or draft-07, all keywords.
 *
 * Unknown keywords are ignored. `pattern` and `patternProperties` need
 * regular expressions, which libmcp brings (see mcp_regex_provide).
 *
 * @param out     owned: end it with mcp_validator_unref; set only on success
 * @param schema  an object or a boolean; copied
 * @param options NULL: the defaults
 * @return 0; MCP_ERR_SCHEMA when a keyword has a wrong value (err begins with
 *         its JSON pointer), a reference leads nowhere or round in a circle, or
 *         the draft is not known; MCP_ERR_LIMIT (one of the above, or 1024
 *         required names in one object); MCP_ERR_PLATFORM (no regular
 *         expressions); MCP_ERR_INVALID; MCP_ERR_NOMEM
 */
MCP_API int mcp_validator_new(mcp_validator **out, const mcp_json *schema,
                              const mcp_validator_options *options,
                              mcp_error *err);
/** Another reference; callable from any thread. */
MCP_API mcp_validator *mcp_validator_ref(mcp_validator *validator);
/** Callable from any thread; NULL is accepted. */
MCP_API void mcp_validator_unref(mcp_validator *validator);

/** 1 when the value satisfies the schema, else 0. Allocates nothing, but for
 * the formats `regex` and `uri-template` where they are checked; callable from
 * any thread. A value whose checking would cost too much is refused. */
MCP_API int mcp_validator_accepts(const mcp_validator *validator,
                                  const mcp_json *value);

/** What a validation may say. Zero means the default. */
typedef struct mcp_validate_options {
  /** MCP_VALIDATE_OPTIONS_INIT. */
  size_t size;
  /** How many errors to write at most; 0: 8. */
  uint32_t max_errors;
  /** Bytes of each message at most, which then ends where it is cut; 0: 1,024,
   * and no more than that. */
  uint32_t max_message;
} mcp_validate_options;

#define MCP_VALIDATE_OPTIONS_INIT sizeof(mcp_validate_options)

/**
 * Validates and explains. Callable from any thread.
 *
 * @param options NULL: the defaults
 * @param errors  receives an array, empty when valid, at the top or inside an
 *                array, of objects {"instance": JSON pointer, "schema": JSON
 *                pointer (behind URI and "#" in another document), "keyword",
 *                "message": one sentence with the offending value, such as
 *                "/a: expected a number, got the string \"x\""}. No string is
 *                longer than 1 KB: a pointer then ends at an ancestor. NULL:
 *                only the answer
 * @return 0 when valid, MCP_ERR_SCHEMA when not, MCP_ERR_LIMIT when it costs
 *         too much to tell (max_steps, max_depth; the last error says so),
 *         MCP_ERR_INVALID (no validator, options without their size, or the
 *         builder's place does not fit), MCP_ERR_NOMEM
 */
MCP_API int mcp_validator_check(const mcp_validator *validator,
                                const mcp_json *value,
                                const mcp_validate_options *options,
                                mcp_builder *errors);

/**
 * Writes a value with what its schema's `default`s say for members that it
 * lacks, at any depth, through references and `allOf`. Alternatives (`anyOf`,
 * `if` and the like) add nothing. Callable from any thread.
 *
 * @param name    the member's name inside an object, else NULL
 * @param builder receives one value
 * @return 0; MCP_ERR_INVALID (no validator or value, or the builder's place
 *         does not fit); MCP_ERR_LIMIT (max_depth, max_steps); MCP_ERR_NOMEM
 */
MCP_API int mcp_validator_apply_defaults(const mcp_validator *validator,
                                         const mcp_json *value,
                                         const char *name,
                                         mcp_builder *builder);

/* ---- regular expressions ------------------------------------------------ */

/** How `pattern` is matched. The functions are called from any thread. */
typedef struct mcp_regex_engine {
  /** sizeof(mcp_regex_engine). */
  size_t size;
  /** Compiles an ECMA-262 pattern. Returns 0, MCP_ERR_NOMEM, MCP_ERR_LIMIT when
   * it is too large, or MCP_ERR_PARSE with the offset in *error_offset. */
  int (*compile)(const char *pattern, size_t len, void **regex,
                 size_t *error_offset);
  /** Whether the pattern is found anywhere in the text: 1, 0, or MCP_ERR_LIMIT
   * when matching took too many steps. *steps_left: what is left of the
   * validation's max_steps; a match that takes more than its text's length
   * tells of lowers it by its steps. */
  int (*match)(const void *regex, const char *text, size_t len,
               size_t *steps_left);
  void (*release)(void *regex);
  /** Bytes of memory that it takes: what a limit of compiled schemas counts.
   * NULL: not known, and not counted. */
  size_t (*memory)(const void *regex);
} mcp_regex_engine;

/**
 * Says who matches regular expressions in this process. libmcp does so by
 * itself, with PCRE2; a program that links libmcp-core alone may, before it
 * compiles its first schema with a pattern.
 *
 * @param engine borrowed until the process ends
 * @return 0 or MCP_ERR_INVALID
 */
MCP_API int mcp_regex_provide(const mcp_regex_engine *engine);

/** The engine of libmcp: PCRE2, with limits in steps and memory. Whoever makes
 * no loop should provide it: linkers drop a libmcp of which nothing else is
 * called, and of a static one what is not. Static; NULL when this libmcp was
 * built without regular expressions. */
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
    schema_.fields = fields_.empty() ? &none : fields_.data();
    schema_.field_count = fields_.size();
    return &schema_;
  }

private:
  std::vector<mcp_field> fields_;
  mcp_schema schema_ = {};
};

inline mcp_schema mcp_schema_text(const char *json_text) {
  mcp_schema schema = {};
  schema.text = json_text;
  return schema;
}
inline mcp_schema mcp_schema_value(const mcp_json *json_value) {
  mcp_schema schema = {};
  schema.value = json_value;
  return schema;
}
#endif

#endif
