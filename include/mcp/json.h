/* SPDX-License-Identifier: MIT */
/** @file
 * JSON values to read, and a builder to write them.
 *
 * `mcp_json` is a borrowed view of one value: it lives as long as what it came
 * from (a call's arguments as long as the call, a result's content as long as
 * the result, a document's values as long as the document) and is never freed
 * by itself. Every accessor accepts NULL and a value of another type, and then
 * returns "nothing": so a chain of look-ups needs one check at its end.
 *
 * Numbers: whole ones keep all their digits, however many, and so do those that
 * no double can hold, such as 1e400. Any other fraction is read as the nearest
 * double, and written in the shortest way that reads back as it (1.0 as 1.0,
 * 0.10 as 0.1). Objects keep their members' order, and members that are there
 * twice.
 *
 * Wherever this library takes JSON it takes it as UTF-8 text. The builder
 * makes such text without hand-written quotes, and takes values as well.
 *
 * Threads: reading one value from several threads at once is safe.
 */
#ifndef MCP_JSON_H
#define MCP_JSON_H

#include <mcp/allocator.h>
#include <mcp/error.h>

MCP_BEGIN_DECLS

/** One JSON value, borrowed. */
typedef struct mcp_json mcp_json;

/** What a value is. */
enum {
  /** There is no value: the pointer was NULL. */
  MCP_JSON_NONE = 0,
  MCP_JSON_NULL,
  MCP_JSON_BOOL,
  MCP_JSON_NUMBER,
  MCP_JSON_STRING,
  MCP_JSON_ARRAY,
  MCP_JSON_OBJECT
};

/** The value's type, MCP_JSON_NONE for NULL. */
MCP_API int mcp_json_type(const mcp_json *value);

/** The type's JSON name: "null", "boolean", "number", "string", "array",
 * "object"; "nothing" for MCP_JSON_NONE. Static. */
MCP_API const char *mcp_json_type_name(int type);

/** 1 when the value is the JSON literal `true`, else 0. */
MCP_API int mcp_json_bool(const mcp_json *value);

/** The number as a double (the nearest one; infinity when out of range), or 0
 * when it is not a number. */
MCP_API double mcp_json_number(const mcp_json *value);

/** The number as an integer, or 0 when it is not a number. A fraction is cut
 * off; a number out of range becomes INT64_MIN or INT64_MAX. */
MCP_API int64_t mcp_json_int(const mcp_json *value);

/**
 * The number as an integer, told apart from anything else.
 *
 * @param out set only on success
 * @return 0; MCP_ERR_INVALID when it is not a number or has a fraction;
 *         MCP_ERR_LIMIT when it does not fit into 64 bits
 */
MCP_API int mcp_json_try_int(const mcp_json *value, int64_t *out);

/** 1 when the number is a whole one, of any size (3, 3.0, 1e30), else 0. */
MCP_API int mcp_json_is_integer(const mcp_json *value);

/** Gives the string as a C string.
 *
 * JSON strings may contain NUL ("\u0000"), which ends a C string early. A
 * program that reads such a string as a C string would use another value than
 * the one that a schema has checked. So this function refuses it;
 * mcp_json_string_n gives the whole.
 *
 * @return NUL-terminated, borrowed as the value is; NULL when the value is not
 *         a string, or when the string contains NUL */
MCP_API const char *mcp_json_string(const mcp_json *value);

/** Gives the string with its length in bytes, also when it contains NUL.
 * @param len may be NULL; set to 0 when the value is not a string
 * @return borrowed as the value is; NULL when the value is not a string */
MCP_API const char *mcp_json_string_n(const mcp_json *value, size_t *len);

/** How many elements an array or members an object has; else 0. */
MCP_API size_t mcp_json_size(const mcp_json *value);

/** An object's member by name, or NULL. Of several with the same name, the
 * first. Costs a comparison for each member. */
MCP_API const mcp_json *mcp_json_get(const mcp_json *object, const char *name);

/** The same for a name of `len` bytes. */
MCP_API const mcp_json *mcp_json_get_n(const mcp_json *object, const char *name,
                                       size_t len);

/** An array's element, or NULL past its end. Walk with an iterator: this one
 * costs O(index). */
MCP_API const mcp_json *mcp_json_at(const mcp_json *array, size_t index);

/** Follows an RFC 6901 JSON pointer such as "/content/0/text"; "" is the value
 * itself. NULL when nothing is there. */
MCP_API const mcp_json *mcp_json_pointer(const mcp_json *value,
                                         const char *pointer);

/** 1 when both are equal as JSON Schema defines it: numbers by value, objects
 * in any order. Two NULLs are equal. Objects of many members are sorted for it
 * in memory of the default allocator; without memory it takes longer. */
MCP_API int mcp_json_equal(const mcp_json *a, const mcp_json *b);

/** A walk over an array or object. The caller's storage; fields are private.
 */
typedef struct mcp_json_iter {
  const void *private_next;
  size_t private_left;
  int32_t private_is_object;
} mcp_json_iter;

/** Starts at the first element or member; over anything else the walk is
 * empty. */
MCP_API void mcp_json_iter_init(mcp_json_iter *iter, const mcp_json *value);

/**
 * The next element or member.
 *
 * @param name set to the member's name (NULL in an array); may be NULL
 * @return the value, or NULL at the end
 */
MCP_API const mcp_json *mcp_json_iter_next(mcp_json_iter *iter,
                                           const mcp_json **name);

/** A parsed document: owns its values. */
typedef struct mcp_doc mcp_doc;

/** What a text may be made of. Zero means the default. */
typedef struct mcp_json_limits {
  /** MCP_JSON_LIMITS_INIT. */
  size_t size;
  /** Depth of arrays and objects; 128 is both the default and the largest. */
  uint32_t max_depth;
  uint32_t reserved;
  /** Values and member names together; default 1,000,000. */
  uint64_t max_values;
} mcp_json_limits;

#define MCP_JSON_LIMITS_INIT sizeof(mcp_json_limits)

/**
 * Parses strict RFC 8259 JSON: valid UTF-8, no comments, no byte order mark,
 * nothing after the value.
 *
 * @param out       owned: end it with mcp_doc_free; set only on success
 * @param text      copied
 * @param limits    NULL: the defaults
 * @param allocator NULL: the default
 * @return 0, MCP_ERR_PARSE with err->offset, MCP_ERR_LIMIT, MCP_ERR_NOMEM or
 *         MCP_ERR_INVALID (an argument, or a limit that is too large)
 */
MCP_API int mcp_doc_parse(mcp_doc **out, const char *text, size_t len,
                          const mcp_json_limits *limits,
                          const mcp_allocator *allocator, mcp_error *err);

/** The document's value; borrowed until mcp_doc_free. */
MCP_API const mcp_json *mcp_doc_root(const mcp_doc *doc);

/** NULL is accepted. */
MCP_API void mcp_doc_free(mcp_doc *doc);

/**
 * Writes JSON text, value by value, into one growing buffer.
 *
 *     mcp_builder *b = mcp_builder_new(NULL);
 *     mcp_builder_object(b, NULL);
 *     mcp_builder_string(b, "city", "Oslo");
 *     mcp_builder_array(b, "temperatures");
 *     mcp_builder_number(b, NULL, 3.5);
 *     mcp_builder_end(b);
 *     mcp_builder_end(b);
 *     const char *text = mcp_builder_text(b, NULL);
 *
 * The first failure sticks: every later call returns it and mcp_builder_text
 * returns NULL. So only the last call needs a check, which is mcp_builder_end
 * after an object or an array.
 */
typedef struct mcp_builder mcp_builder;

/** @param allocator NULL: the default
 * @return owned, or NULL when out of memory */
MCP_API mcp_builder *mcp_builder_new(const mcp_allocator *allocator);
/** NULL is accepted. */
MCP_API void mcp_builder_free(mcp_builder *builder);

/** Back to empty, the failure forgotten, the memory kept. */
MCP_API void mcp_builder_clear(mcp_builder *builder);

/*
 * Each of these adds one value. `name` is the member's name inside an object,
 * and NULL inside an array and at the top. They return 0, MCP_ERR_INVALID
 * (a name too many or missing, a second value at the top, an end too many, a
 * string that is not UTF-8), MCP_ERR_LIMIT (depth 128) or MCP_ERR_NOMEM. A
 * NULL builder is one for which there was no memory.
 */
MCP_API int mcp_builder_object(mcp_builder *builder, const char *name);
MCP_API int mcp_builder_array(mcp_builder *builder, const char *name);
/** Closes the innermost open array or object. */
MCP_API int mcp_builder_end(mcp_builder *builder);
/** NULL adds `null`. */
MCP_API int mcp_builder_string(mcp_builder *builder, const char *name,
                               const char *string);
MCP_API int mcp_builder_string_n(mcp_builder *builder, const char *name,
                                 const char *string, size_t len);
/** The shortest text that reads back as the same number; 3 rather than 3.0.
 * NaN and infinity add `null`. */
MCP_API int mcp_builder_number(mcp_builder *builder, const char *name,
                               double number);
MCP_API int mcp_builder_int(mcp_builder *builder, const char *name,
                            int64_t number);
MCP_API int mcp_builder_bool(mcp_builder *builder, const char *name, int flag);
MCP_API int mcp_builder_null(mcp_builder *builder, const char *name);
/** Adds a copy of a value; NULL adds `null`. */
MCP_API int mcp_builder_value(mcp_builder *builder, const char *name,
                              const mcp_json *value);
/** Adds JSON text as it stands; it is parsed first, and refused with
 * MCP_ERR_PARSE when it is not JSON. */
MCP_API int mcp_builder_json(mcp_builder *builder, const char *name,
                             const char *json);
/** The name of the next value, which is then added with a NULL `name`: for
 * names that are not NUL-terminated, or have a zero byte in them.
 * Fails as the others do. */
MCP_API int mcp_builder_name_n(mcp_builder *builder, const char *name,
                               size_t len);

/**
 * The text, once every array and object is closed.
 *
 * @param len may be NULL
 * @return borrowed until the builder's next change, NUL-terminated; NULL after
 *         a failure, before the first value, or while something is open
 */
MCP_API const char *mcp_builder_text(mcp_builder *builder, size_t *len);

MCP_END_DECLS

#endif
