/* SPDX-License-Identifier: MIT */
/* Sentences that say what is wrong with a value, so that a language model or a
 * person can correct it: where, what was expected, what was found.
 *
 * Sentences are written to memory on the stack. Nothing here allocates. */
#ifndef MCPI_SCHEMA_SAY_H
#define MCPI_SCHEMA_SAY_H

#include "base/buf.h"
#include "base/profile.h"
#include <mcp/json.h>

/* Bytes of the longest sentence or pointer. Longer ones are cut. */
enum { MCPI_SENTENCE_SIZE = MCPI_PROFILE_SENTENCE };

/* A buffer that never grows. It drops the first piece that does not fit, and
 * all later ones. */
typedef struct mcpi_sentence {
  mcpi_buf buf;
  char space[MCPI_SENTENCE_SIZE];
} mcpi_sentence;

void mcpi_sentence_init(mcpi_sentence *sentence);

void mcpi_say(mcpi_buf *buf, const char *words);
/* Writes "1 item", "3 items". */
void mcpi_say_count(mcpi_buf *buf, size_t count, const char *unit);
/* Writes a string in quotes, shortened. */
void mcpi_say_string(mcpi_buf *buf, mcpi_str string);
void mcpi_say_number(mcpi_buf *buf, const mcp_json *number);
/* Writes `the string "x"`, `the number 1`, `true`, `an array of 3 items`. */
void mcpi_say_value(mcpi_buf *buf, const mcp_json *value);
/* Writes a value that is wanted: scalars as JSON, so that they can be copied.
 */
void mcpi_say_wanted(mcpi_buf *buf, const mcp_json *value);
/* Writes a list of strings: "a", "b". The end of a long list is only counted:
 * "a", "b" and 7 more. */
void mcpi_say_strings(mcpi_buf *buf, const mcpi_str *strings, size_t count);
/* Writes a list of the names of an object's members. */
void mcpi_say_names(mcpi_buf *buf, const mcp_json *object);
/* Writes a list of an array's values. If `member` is not NULL, the array has
 * objects, and the list has the value of that member of each. */
void mcpi_say_values(mcpi_buf *buf, const mcp_json *array, const char *member);

/* Write one step of a JSON pointer: a name, or the index in an array. */
void mcpi_say_token(mcpi_buf *buf, mcpi_str name);
void mcpi_say_index(mcpi_buf *buf, size_t index);
/* Writes the JSON pointer from `root` to a value inside it. The value's address
 * shows the way: in memory a tree's values have the order of their text. So of
 * the children whose address is not above the value's, the last one contains
 * the value. A pointer that is too long ends at an ancestor. */
void mcpi_say_pointer(mcpi_buf *buf, const mcp_json *root,
                      const mcp_json *value);
/* Writes the pointer, shortened, for the beginning of a sentence: "/a: ". For
 * the root, writes only a colon after what stands before, or nothing. */
void mcpi_say_place(mcpi_buf *buf, const mcp_json *root, const mcp_json *value);

/* Ends a sentence that begins with a place ("/a/minimum: "), and sets
 * MCP_ERR_SCHEMA with it: "/a/minimum: expected a number, got null". Returns
 * MCP_ERR_SCHEMA. */
int mcpi_say_unexpected(mcp_error *err, mcpi_sentence *text,
                        const mcp_json *value, const char *expected);
/* Does the same with a whole new sentence: it begins with the place of `value`
 * in `root`. */
int mcpi_schema_error(mcp_error *err, const mcp_json *root,
                      const mcp_json *value, const char *expected);

#endif
