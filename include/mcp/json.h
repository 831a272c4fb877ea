/* SPDX-License-Identifier: MIT */
/** @file
 * JSON values to read, and a builder to write them.
 *
 * `mcp_json` is a borrowed view of one value. It is valid as long as its owner:
 * a call's arguments as long as the call, a result's content as long as the
 * result, a document's values as long as the document. The program does not
 * free it. Every accessor accepts NULL and a value of another type, and then
 * returns "nothing" (NULL, 0, an empty string or MCP_JSON_NONE), so a chain of
 * calls needs one check at its end.
 *
 * - Integers keep all their digits. So do numbers that no double can hold, such
 *   as 1e400.
 * - Other numbers are read as the nearest double, and written in the shortest
 *   way that reads back as the same double (1.0 as 1.0, 0.10 as 0.1).
 * - Objects keep the order of their members, and members with the same name.
 *
 * Functions of this library that take JSON take it as UTF-8 text. The builder
 * makes such text without quotes written by hand, and also takes values.
 *
 * Threads: several threads may read one value at the same time.
 */
#ifndef MCP_JSON_H
#define MCP_JSON_H

#include <mcp/allocator.h>
#include <mcp/error.h>

MCP_BEGIN_DECLS

/**
 * Makes a string constant from JSON that is written in the source without
 * escapes: MCP_JSON({"type": "string"}) is "{\"type\": \"string\"}". Works in C
 * and in C++.
 *
 * - Commas need no parentheses, and line breaks are allowed: white space
 *   between two tokens becomes one space.
 * - The JSON is not checked here: the function that receives it does that.
 * - A macro's name outside quotes stays as it is. So `true` is safe although
 *   <stdbool.h> defines it. But if another macro passes the JSON on, as in
 *   `#define MY_JSON(...) MCP_JSON(__VA_ARGS__)`, the compiler replaces `true`
 *   by 1 first. Such a macro must stringise (`#__VA_ARGS__`) by itself.
 * - Strings are as in JSON: "\n" and "\u0041" are escapes of JSON. A quote in a
 *   string is written \".
 * - A part of an object is possible too: MCP_JSON("minItems": 1, "maxItems": 9).
 * - A constant of more than 4,095 bytes is more than each compiler accepts.
 *
 * Since 0.2.
 */
#define MCP_JSON(...) #__VA_ARGS__

/** One JSON value, borrowed. */
typedef struct mcp_json mcp_json;

/** The types of values. */
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

/** Returns the type of a value (MCP_JSON_*); MCP_JSON_NONE for NULL. */
MCP_API int mcp_json_type(const mcp_json *value);

/** Returns the name of a type: "null", "boolean", "number", "string", "array"
 * or "object"; "nothing" for MCP_JSON_NONE. Static. */
MCP_API const char *mcp_json_type_name(int type);

/** Returns 1 when the value is the literal `true`, else 0. */
MCP_API int mcp_json_bool(const mcp_json *value);

/** Returns a number as the nearest double, infinity when it is out of range.
 * Returns 0 when the value is not a number. */
MCP_API double mcp_json_number(const mcp_json *value);

/** Returns a number as an integer. A fraction is cut off. A number out of range
 * gives INT64_MIN or INT64_MAX. Returns 0 when the value is not a number. */
MCP_API int64_t mcp_json_int(const mcp_json *value);

/**
 * Reads an integer, and reports any other value as an error.
 *
 * @param out set only on success
 * @return 0; MCP_ERR_INVALID when it is not a number or has a fraction;
 *         MCP_ERR_LIMIT when it does not fit into 64 bits
 */
MCP_API int mcp_json_try_int(const mcp_json *value, int64_t *out);

/** Returns 1 when the value is an integer of any size (3, 3.0, 1e30), else 0.
 */
MCP_API int mcp_json_is_integer(const mcp_json *value);

/** Returns a string as a C string.
 *
 * JSON strings may contain NUL ("\u0000"), which ends a C string early. A
 * program that reads such a string as a C string would use another value than
 * the one that a schema has checked. So this function refuses it.
 * mcp_json_string_n returns the whole string.
 *
 * @return NUL-terminated, borrowed as the value is; NULL when the value is not
 *         a string, or when the string contains NUL */
MCP_API const char *mcp_json_string(const mcp_json *value);

/** Returns a string with its length in bytes, also when it contains NUL.
 * @param len may be NULL; set to 0 when the value is not a string
 * @return borrowed as the value is; NULL when the value is not a string */
MCP_API const char *mcp_json_string_n(const mcp_json *value, size_t *len);

/** Returns how many elements an array or members an object has; 0 for other
 * values. */
MCP_API size_t mcp_json_size(const mcp_json *value);

/** Returns an object's member by its name, or NULL. If several members have the
 * name, returns the first. Compares the name with each member's. */
MCP_API const mcp_json *mcp_json_get(const mcp_json *object, const char *name);

/** Does what mcp_json_get does, for a name of `len` bytes. */
MCP_API const mcp_json *mcp_json_get_n(const mcp_json *object, const char *name,
                                       size_t len);

/** Returns an array's element, or NULL past its end. Takes time in proportion
 * to `index`: to visit all elements, use an iterator. */
MCP_API const mcp_json *mcp_json_at(const mcp_json *array, size_t index);

/** Returns the value that an RFC 6901 JSON pointer such as "/content/0/text"
 * leads to, or NULL. "" leads to the value itself. */
MCP_API const mcp_json *mcp_json_pointer(const mcp_json *value,
                                         const char *pointer);

/** Returns 1 when two values are equal as JSON Schema defines it, else 0.
 * Numbers are compared by value, and objects with their members in any order.
 * Two NULLs are equal. Sorts the names of large objects in memory of the
 * default allocator; without that memory, comparing takes longer. */
MCP_API int mcp_json_equal(const mcp_json *a, const mcp_json *b);

/**
 * Writes a value as JSON text, in one line.
 *
 * A value inside a message ends with its message. Its text may be kept for
 * longer, and the functions of this library that take JSON accept it. Since
 * 0.2.
 *
 * @param value NULL: there is no text
 * @param len   set to the text's length in bytes, to 0 when there is no text;
 *              may be NULL
 * @return NUL-terminated, without any other NUL; owned: free it with
 *         mcp_text_free; NULL when value is NULL or out of memory
 */
MCP_API char *mcp_json_to_text(const mcp_json *value, size_t *len);

/** Frees a text that mcp_json_to_text returned. NULL is accepted. Since 0.2. */
MCP_API void mcp_text_free(char *text);

/** An iterator over an array or object, in the caller's storage. Its fields are
 * private. It has room for those of later versions, so its size stays. */
typedef struct mcp_json_iter {
  const void *private_next;
  size_t private_left;
  int32_t private_is_object;
  int32_t private_unused;
  const void *private_spare[2];
} mcp_json_iter;

/** Begins at the first element or member. Other values have none. */
MCP_API void mcp_json_iter_init(mcp_json_iter *iter, const mcp_json *value);

/**
 * Returns the next element or member.
 *
 * @param name set to the member's name (NULL in an array); may be NULL
 * @return the value, or NULL at the end
 */
MCP_API const mcp_json *mcp_json_iter_next(mcp_json_iter *iter,
                                           const mcp_json **name);

/** A parsed document, which owns its values. */
typedef struct mcp_doc mcp_doc;

/** Limits of a text that is parsed. Zero means the default. */
typedef struct mcp_json_limits {
  /** sizeof(mcp_json_limits); MCP_JSON_LIMITS_INIT sets it. */
  size_t size;
  /** The depth of arrays and objects: at most 128, which is the default. */
  uint32_t max_depth;
  uint32_t reserved;
  /** The number of values and member names; default 1,000,000. */
  uint64_t max_values;
} mcp_json_limits;

#define MCP_JSON_LIMITS_INIT MCP_INIT_(mcp_json_limits)

/**
 * Parses a text, which is strict JSON (RFC 8259): valid UTF-8, without comments
 * or a byte order mark, with nothing after the value.
 *
 * @param text      copied; NULL only if `len` is 0
 * @param len       in bytes
 * @param limits    NULL: the defaults
 * @param allocator NULL: the default
 * @param err       may be NULL; set on failure: MCP_ERR_PARSE, with the place in
 *                  `offset`; MCP_ERR_LIMIT; MCP_ERR_NOMEM; MCP_ERR_INVALID (the
 *                  text is NULL, or a limit is too large)
 * @return owned: free it with mcp_doc_free; NULL on failure
 */
MCP_API mcp_doc *mcp_doc_parse(const char *text, size_t len,
                               const mcp_json_limits *limits,
                               const mcp_allocator *allocator, mcp_error *err);

/** Returns the document's value, borrowed until mcp_doc_free. */
MCP_API const mcp_json *mcp_doc_root(const mcp_doc *doc);

/** Frees a document and its values. NULL is accepted. */
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
 * The builder keeps its first error. From then on every call that adds or ends
 * something does nothing and returns this error, and mcp_builder_text returns
 * NULL. So a program checks only the last call, and asks mcp_builder_error for
 * the reason.
 */
typedef struct mcp_builder mcp_builder;

/** Makes an empty builder.
 * @param allocator NULL: the default
 * @return owned: free it with mcp_builder_free; NULL when out of memory */
MCP_API mcp_builder *mcp_builder_new(const mcp_allocator *allocator);
/** Frees a builder and its text. NULL is accepted. */
MCP_API void mcp_builder_free(mcp_builder *builder);

/** Empties the builder and resets its error. Keeps its memory. */
MCP_API void mcp_builder_clear(mcp_builder *builder);

/*
 * The following functions add one value each. `name` is the member's name
 * inside an object, and NULL inside an array and at the top. They return
 * - 0;
 * - MCP_ERR_INVALID: a name is missing or not allowed here, a second value at
 *   the top, nothing to end, or a string that is not UTF-8;
 * - MCP_ERR_LIMIT: deeper than 128;
 * - MCP_ERR_NOMEM, also for a NULL builder, so that mcp_builder_new need not be
 *   checked.
 */
MCP_API int mcp_builder_object(mcp_builder *builder, const char *name);
MCP_API int mcp_builder_array(mcp_builder *builder, const char *name);
/** Ends the innermost array or object. */
MCP_API int mcp_builder_end(mcp_builder *builder);
/** Adds a string; NULL adds `null`. */
MCP_API int mcp_builder_string(mcp_builder *builder, const char *name,
                               const char *string);
MCP_API int mcp_builder_string_n(mcp_builder *builder, const char *name,
                                 const char *string, size_t len);
/** Adds the shortest text that reads back as the same number: 3 rather than
 * 3.0. NaN and infinity add `null`. */
MCP_API int mcp_builder_number(mcp_builder *builder, const char *name,
                               double number);
MCP_API int mcp_builder_int(mcp_builder *builder, const char *name,
                            int64_t number);
MCP_API int mcp_builder_bool(mcp_builder *builder, const char *name, int flag);
MCP_API int mcp_builder_null(mcp_builder *builder, const char *name);
/** Adds a copy of a value; NULL adds `null`. */
MCP_API int mcp_builder_value(mcp_builder *builder, const char *name,
                              const mcp_json *value);
/** Adds JSON text as it is. Parses it first, and returns MCP_ERR_PARSE when it
 * is not JSON. */
MCP_API int mcp_builder_json(mcp_builder *builder, const char *name,
                             const char *json);
/** Adds the name of the next value, which is then added with a NULL `name`. For
 * names that are not NUL-terminated, or that contain NUL. Returns what the
 * functions above return. */
MCP_API int mcp_builder_name_n(mcp_builder *builder, const char *name,
                               size_t len);

/**
 * Returns the text. Every array and object must be ended.
 *
 * An unfinished text (no value yet, or an array or object that is not ended) is
 * not an error that the builder keeps. Then this function returns NULL, and
 * mcp_builder_error says what is missing. The program may add the rest and call
 * this function again.
 *
 * @param builder NULL: returns NULL
 * @param len     set to the text's length in bytes, to 0 when there is no text;
 *                may be NULL
 * @return NUL-terminated, borrowed until the builder's next change; NULL after
 *         an error, and when the text is unfinished
 */
MCP_API const char *mcp_builder_text(mcp_builder *builder, size_t *len);

/**
 * Returns what went wrong.
 *
 * The message begins with a JSON pointer to the place ("/" is the top), as in
 * "/cities/2/name: the string is not UTF-8 at byte 5". `offset` is the byte of
 * the string, name or JSON text at which it is not UTF-8 or not JSON, else 0.
 *
 * After mcp_builder_text has returned NULL for an unfinished text, this function
 * returns MCP_ERR_INVALID with what is missing, such as "/cities: the array is
 * not ended ...". The next call that adds or ends something withdraws this.
 *
 * @param builder NULL: returns "out of memory" (MCP_ERR_NOMEM), because
 *                mcp_builder_new has failed
 * @return the first error; NULL when nothing is wrong. Borrowed until the
 *         builder's next change; that of a NULL builder is static. Since 0.2.
 */
MCP_API const mcp_error *mcp_builder_error(const mcp_builder *builder);

MCP_END_DECLS

#endif
