/* SPDX-License-Identifier: MIT */
/* Sentences that say what is wrong with a value, so that a language model or a
 * person can correct it: where, what was expected, what was found.
 *
 * Sentences are written to memory on the stack. Nothing here allocates. */
#ifndef MCPI_SCHEMA_SAY_H
#define MCPI_SCHEMA_SAY_H

#include "base/buf.h"
#include <mcp/json.h>

/* Bytes of the longest sentence or pointer. Longer ones are cut. */
enum { MCPI_SENTENCE_SIZE = 1024 };

/* A buffer that never grows. It ends before the first piece that does not fit.
 */
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
/* Write lists, which end when they get long: of strings; of the names of an
 * object's members; of the values of an array or, with `member`, of that member
 * of its objects. */
void mcpi_say_strings(mcpi_buf *buf, const mcpi_str *strings, size_t count);
void mcpi_say_names(mcpi_buf *buf, const mcp_json *object);
void mcpi_say_values(mcpi_buf *buf, const mcp_json *array, const char *member);

/* Writes the JSON pointer from `root` to a value inside it. The address is
 * enough: a tree's values are in the order of their text, so the child that
 * leads to a value is the last child that does not begin after it. A pointer
 * that is too long ends at an ancestor. */
void mcpi_say_pointer(mcpi_buf *buf, const mcp_json *root,
                      const mcp_json *value);
/* Writes the pointer, shortened, for the beginning of a sentence: "/a: ". For
 * the root, writes only a colon after what stands before, or nothing. */
void mcpi_say_place(mcpi_buf *buf, const mcp_json *root, const mcp_json *value);

/* Ends a sentence that begins with a place, and sets MCP_ERR_SCHEMA with it:
 * "/a/minimum: expected a number, got null". */
int mcpi_say_unexpected(mcp_error *err, mcpi_sentence *text,
                        const mcp_json *value, const char *expected);
/* Writes such a sentence with its place, and sets MCP_ERR_SCHEMA with it. */
int mcpi_schema_error(mcp_error *err, const mcp_json *root,
                      const mcp_json *value, const char *expected);

#endif
