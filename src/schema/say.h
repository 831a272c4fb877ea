/* SPDX-License-Identifier: MIT */
/* Sentences that say what is wrong with a value, so that a language model (or
 * a person) can put it right: where, what was expected, what was found.
 *
 * They are written into memory on the stack; nothing here allocates. */
#ifndef MCPI_SCHEMA_SAY_H
#define MCPI_SCHEMA_SAY_H

#include "base/buf.h"
#include <mcp/json.h>

/* The longest sentence or pointer. Longer ones lose what does not fit. */
enum { MCPI_SENTENCE_SIZE = 1024 };

/* A buffer that never grows. The first piece that does not fit ends it. */
typedef struct mcpi_sentence {
  mcpi_buf buf;
  char space[MCPI_SENTENCE_SIZE];
} mcpi_sentence;

void mcpi_sentence_init(mcpi_sentence *sentence);

void mcpi_say(mcpi_buf *buf, const char *words);
/* "1 item", "3 items" */
void mcpi_say_count(mcpi_buf *buf, size_t count, const char *unit);
/* Quoted, and shortened. */
void mcpi_say_string(mcpi_buf *buf, mcpi_str string);
void mcpi_say_number(mcpi_buf *buf, const mcp_json *number);
/* `the string "x"`, `the number 1`, `true`, `an array of 3 items`. */
void mcpi_say_value(mcpi_buf *buf, const mcp_json *value);
/* A value that is wanted: scalars as JSON, so that they can be copied. */
void mcpi_say_wanted(mcpi_buf *buf, const mcp_json *value);
/* Lists that end when they have become long: some strings; the names of an
 * object's members; the values of an array or, with `member`, that member of
 * its objects. */
void mcpi_say_strings(mcpi_buf *buf, const mcpi_str *strings, size_t count);
void mcpi_say_names(mcpi_buf *buf, const mcp_json *object);
void mcpi_say_values(mcpi_buf *buf, const mcp_json *array, const char *member);

/* The JSON pointer from `root` to a value inside it, by its address: a tree's
 * values lie in the order of their text, so the child that leads there is the
 * last one not behind it. Too long a pointer ends at an ancestor. */
void mcpi_say_pointer(mcpi_buf *buf, const mcp_json *root,
                      const mcp_json *value);
/* The same in front of a sentence, shortened: "/a: ". */
void mcpi_say_place(mcpi_buf *buf, const mcp_json *root, const mcp_json *value);

/* Ends a sentence that has its place already, and sets MCP_ERR_SCHEMA with it:
 * "/a/minimum: expected a number, got null". */
int mcpi_say_unexpected(mcp_error *err, mcpi_sentence *text,
                        const mcp_json *value, const char *expected);
/* The same with the place. */
int mcpi_schema_error(mcp_error *err, const mcp_json *root,
                      const mcp_json *value, const char *expected);

#endif
