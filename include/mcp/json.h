/* SPDX-License-Identifier: MIT */
/** @file
 * Reads JSON values, and writes JSON text.
 *
 * A program borrows each value (`mcp_json`) from its owner, and does not free
 * it. A call owns its arguments, a result owns its content, and a document owns
 * its values. A value is valid until its owner is freed.
 *
 * Every accessor accepts NULL and values of any type. If it cannot read the
 * value, it returns NULL, 0 or MCP_JSON_NONE. So a program may pass the result
 * of one accessor to the next, and check only the last result.
 *
 * When the library parses and writes JSON:
 * - Integers keep all their digits. Numbers outside the range of a double, such
 *   as 1e400, also keep them.
 * - Every other number becomes the nearest double. The library writes it with
 *   the fewest digits that read back as this double, but always with a point or
 *   an exponent: 1.0 as 1.0, 0.10 as 0.1.
 * - Objects keep the order of their members. If two members have the same name,
 *   the object keeps both.
 *
 * Functions of this library that take JSON take it as UTF-8 text. There are
 * three ways to make such text: MCP_JSON in the source, mcp_json_to_text from a
 * value, and mcp_builder piece by piece.
 *
 * Threads: several threads may read one value at the same time. Only one thread
 * at a time may use a builder or an iterator.
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
 * - Commas need no parentheses. Line breaks are allowed: white space between
 *   two tokens becomes one space.
 * - The compiler does not check the JSON. The function that receives the text
 *   does.
 * - The compiler does not replace macros in it. So `true` stays `true`,
 *   although <stdbool.h> may define it as 1. If a macro of the program passes
 *   its arguments to MCP_JSON, the compiler does replace macros in them. Write
 *   `#__VA_ARGS__` in that macro instead.
 * - Write strings as in JSON, with the escapes of JSON: "\n", "\u0041".
 * - A part of an object is possible too: MCP_JSON("a": 1, "b": [2, 3]).
 * - Some compilers accept no constant of more than 4,095 bytes.
 *
 * Since 0.2.
 */
#define MCP_JSON(...) #__VA_ARGS__

/** One JSON value, borrowed. */
typedef struct mcp_json mcp_json;

/** The types of values. */
enum {
  /** There is no value: the pointer is NULL. */
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
 * or "object"; "nothing" for MCP_JSON_NONE. The name is static. */
MCP_API const char *mcp_json_type_name(int type);

/** Returns 1 when the value is the literal `true`, else 0. */
MCP_API int mcp_json_bool(const mcp_json *value);

/** Returns a number as the nearest double; infinity when it is out of the range
 * of a double; 0 when the value is not a number. */
MCP_API double mcp_json_number(const mcp_json *value);

/** Returns a number as an integer, without its fraction; INT64_MIN or INT64_MAX
 * when it does not fit into 64 bits; 0 when the value is not a number. */
MCP_API int64_t mcp_json_int(const mcp_json *value);

/**
 * Reads an integer, and reports any other value as an error.
 *
 * @param out set only on success
 * @return 0; MCP_ERR_INVALID when the value is not a number or has a fraction;
 *         MCP_ERR_LIMIT when it does not fit into 64 bits
 */
MCP_API int mcp_json_try_int(const mcp_json *value, int64_t *out);

/** Returns 1 when the value is an integer of any size (3, 3.0, 1e30), else 0.
 */
MCP_API int mcp_json_is_integer(const mcp_json *value);

/**
 * Returns a string as a C string.
 *
 * Returns NULL for a string that contains NUL ("\u0000"), because a C string
 * ends at NUL: the program would read only the beginning of a string that a
 * schema has checked as a whole. Use mcp_json_string_n to read such a string.
 *
 * @return NUL-terminated, valid as long as the value; NULL when the value is
 *         not a string, or when the string contains NUL
 */
MCP_API const char *mcp_json_string(const mcp_json *value);

/** Returns a string and its length in bytes. The string may contain NUL.
 * @param len receives the length in bytes, or 0 if the value is not a string;
 *            may be NULL
 * @return valid as long as the value; NULL when the value is not a string */
MCP_API const char *mcp_json_string_n(const mcp_json *value, size_t *len);

/** Returns how many elements an array or members an object has; 0 for other
 * values. */
MCP_API size_t mcp_json_size(const mcp_json *value);

/** Returns the value of the member with this name, or NULL. If several members
 * have the name, returns the first. Takes time in proportion to the number of
 * members. */
MCP_API const mcp_json *mcp_json_get(const mcp_json *object, const char *name);

/** Does what mcp_json_get does, for a name of `len` bytes. */
MCP_API const mcp_json *mcp_json_get_n(const mcp_json *object, const char *name,
                                       size_t len);

/** Returns an element of an array; NULL when `index` is past the end. Takes
 * time in proportion to `index`. Use an iterator to visit all elements. */
MCP_API const mcp_json *mcp_json_at(const mcp_json *array, size_t index);

/** Returns the value that an RFC 6901 JSON pointer such as "/content/0/text"
 * leads to, or NULL. "" leads to the value itself. */
MCP_API const mcp_json *mcp_json_pointer(const mcp_json *value,
                                         const char *pointer);

/** Returns 1 when two values are equal as JSON Schema defines it, else 0.
 * Numbers are equal when their values are equal: 1 and 1.0. The order of the
 * members of an object does not matter. NULL is equal to NULL. For objects with
 * many members the function allocates memory with the default allocator. If
 * that fails, the function is slower. */
MCP_API int mcp_json_equal(const mcp_json *a, const mcp_json *b);

/**
 * Writes a value as JSON text, in one line.
 *
 * The program may keep the text for longer than the value is valid, and may
 * give it to the functions of this library that take JSON.
 *
 * @param value NULL: there is no text
 * @param len   receives the text's length in bytes, or 0 if there is no text;
 *              may be NULL
 * @return NUL-terminated, without any other NUL; owned: free it with
 *         mcp_text_free; NULL when the value is NULL, or when out of memory.
 *         Since 0.2.
 */
MCP_API char *mcp_json_to_text(const mcp_json *value, size_t *len);

/** Frees a text that mcp_json_to_text returned. NULL is accepted. Since 0.2. */
MCP_API void mcp_text_free(char *text);

/** Visits the elements of an array or the members of an object, one after the
 * other. The program provides the storage; the members are private. Two of them
 * are spare, so that the structure need not grow in later versions. */
typedef struct mcp_json_iter {
  const void *private_next;
  size_t private_left;
  int32_t private_is_object;
  int32_t private_reserved;
  const void *private_spare[2];
} mcp_json_iter;

/** Starts a walk over an array or an object. For a value of another type,
 * mcp_json_iter_next returns NULL at once. The value must stay valid during the
 * walk. */
MCP_API void mcp_json_iter_init(mcp_json_iter *iter, const mcp_json *value);

/**
 * Returns the next element or member.
 *
 * @param name receives the member's name, or NULL in an array; may be NULL
 * @return the value, or NULL at the end
 */
MCP_API const mcp_json *mcp_json_iter_next(mcp_json_iter *iter,
                                           const mcp_json **name);

/** A parsed document, which owns its values. */
typedef struct mcp_doc mcp_doc;

/** Limits for parsing a text. Zero means the default. */
typedef struct mcp_json_limits {
  /** sizeof(mcp_json_limits); MCP_JSON_LIMITS_INIT sets it. */
  size_t size;
  /** Limits the depth of arrays and objects; at most 128, which is the
   * default. */
  uint32_t max_depth;
  uint32_t reserved;
  /** Limits the number of values and member names; default 1,000,000. */
  uint64_t max_values;
} mcp_json_limits;

#define MCP_JSON_LIMITS_INIT MCP_INIT_(mcp_json_limits)

/**
 * Parses a JSON text.
 *
 * The text must be strict JSON (RFC 8259) in valid UTF-8. It must not contain
 * comments or a byte order mark, and nothing may follow the value.
 *
 * @param text      copied; NULL only if `len` is 0
 * @param len       in bytes
 * @param limits    NULL: the defaults
 * @param allocator NULL: the default
 * @param err       may be NULL; set on failure:
 *                  - MCP_ERR_PARSE: the text is not JSON; `offset` is the
 *                    place, and the message quotes up to 40 bytes of the text
 *                    there. If the text may contain secrets, as a peer's may,
 *                    do not log the message or send it: use `offset` instead;
 *                  - MCP_ERR_LIMIT: a limit was exceeded;
 *                  - MCP_ERR_INVALID: the text is NULL, or a limit is too
 *                    large;
 *                  - MCP_ERR_NOMEM
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
 *     mcp_builder *b = mcp_builder_new(NULL, NULL);
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
 * NULL. So it is enough to check the last call; mcp_builder_error returns the
 * reason.
 */
typedef struct mcp_builder mcp_builder;

/** Makes an empty builder.
 * @param allocator copied; NULL: the default
 * @param err       set on failure: MCP_ERR_NOMEM; may be NULL
 * @return owned: free it with mcp_builder_free; NULL on failure */
MCP_API mcp_builder *mcp_builder_new(const mcp_allocator *allocator,
                                     mcp_error *err);
/** Frees a builder and its text. NULL is accepted. */
MCP_API void mcp_builder_free(mcp_builder *builder);

/** Empties the builder and resets its error. Keeps its memory. */
MCP_API void mcp_builder_clear(mcp_builder *builder);

/*
 * Each of the following functions adds one value; mcp_builder_end ends one.
 * `name` is the name of the member inside an object, and NULL inside an array
 * and at the top. Names and strings are UTF-8. The functions return
 * - 0;
 * - MCP_ERR_INVALID: a name is missing, or not allowed here; the top has a
 *   value already; there is nothing to end; or a text is not UTF-8;
 * - MCP_ERR_LIMIT: arrays and objects are nested more than 128 deep;
 * - MCP_ERR_NOMEM: out of memory, or the builder is NULL. So a program need not
 *   check the result of mcp_builder_new.
 *
 * The builder does not compare names. Do not add two members of the same name
 * to an object: a peer may refuse the message that contains them.
 */

/** Begins an object. The next values are its members, until mcp_builder_end. */
MCP_API int mcp_builder_object(mcp_builder *builder, const char *name);
/** Begins an array. The next values are its elements, until mcp_builder_end. */
MCP_API int mcp_builder_array(mcp_builder *builder, const char *name);
/** Ends the innermost array or object. */
MCP_API int mcp_builder_end(mcp_builder *builder);
/** Adds a string; NULL adds `null`. */
MCP_API int mcp_builder_string(mcp_builder *builder, const char *name,
                               const char *string);
/** Adds a string of `len` bytes, which may contain NUL. NULL with a `len` of 0
 * adds `null`; with another `len` it is MCP_ERR_INVALID. */
MCP_API int mcp_builder_string_n(mcp_builder *builder, const char *name,
                                 const char *string, size_t len);
/** Adds a number, with the fewest digits that read back as the same double: 3,
 * not 3.0. NaN and infinity add `null`. */
MCP_API int mcp_builder_number(mcp_builder *builder, const char *name,
                               double number);
/** Adds an integer. */
MCP_API int mcp_builder_int(mcp_builder *builder, const char *name,
                            int64_t number);
/** Adds `false` when `flag` is 0, else `true`. */
MCP_API int mcp_builder_bool(mcp_builder *builder, const char *name, int flag);
/** Adds `null`. */
MCP_API int mcp_builder_null(mcp_builder *builder, const char *name);
/** Adds a copy of a value; NULL adds `null`. */
MCP_API int mcp_builder_value(mcp_builder *builder, const char *name,
                              const mcp_json *value);
/** Adds JSON text unchanged, except that it removes line breaks. Also returns
 * MCP_ERR_PARSE: the text is not JSON. If a member occurs twice in an object of
 * the text, it returns MCP_ERR_INVALID. */
MCP_API int mcp_builder_json(mcp_builder *builder, const char *name,
                             const char *json);
/** Adds only a name, of `len` bytes. The next call adds its value, with NULL as
 * `name`. Use it for names that are not NUL-terminated, or that contain NUL. */
MCP_API int mcp_builder_name_n(mcp_builder *builder, const char *name,
                               size_t len);

/**
 * Returns the text. Every array and object must be ended.
 *
 * If there is no value yet, or an array or object is not ended, the text is
 * unfinished: this function returns NULL, and mcp_builder_error says what is
 * missing. The builder does not keep this error. The program may add the rest
 * and call this function again.
 *
 * @param builder NULL: returns NULL
 * @param len     receives the text's length in bytes, or 0 if there is no text;
 *                may be NULL
 * @return NUL-terminated, borrowed until the builder's next change; NULL after
 *         an error, and when the text is unfinished
 */
MCP_API const char *mcp_builder_text(mcp_builder *builder, size_t *len);

/**
 * Returns the first error of a builder.
 *
 * The message begins with a JSON pointer to the place, such as "/cities/2/name:
 * the string is not UTF-8 at byte 5", except at the root. If a name or a string
 * is not UTF-8, or a text is not JSON, `offset` is the byte at fault; else it
 * is 0.
 *
 * When mcp_builder_text has returned NULL for an unfinished text, this function
 * returns MCP_ERR_INVALID and says what is missing: "/cities: the array is not
 * ended ...". The next call that adds or ends something clears this error.
 *
 * @param builder NULL: returns "out of memory" (MCP_ERR_NOMEM), because
 *                mcp_builder_new has failed
 * @return NULL: there is no error. Borrowed until the builder's next change;
 *         the error of a NULL builder is static. Since 0.2.
 */
MCP_API const mcp_error *mcp_builder_error(const mcp_builder *builder);

MCP_END_DECLS

#endif
