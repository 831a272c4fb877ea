/* SPDX-License-Identifier: MIT */
/* JSON text in and out, on yyjson.
 *
 * Reading (parse.c, which alone calls yyjson's reader): limits are counted in
 * one pass over the bytes before yyjson sees them (it has none), then it parses
 * in place, numbers that fit no 64-bit type or double kept as their text.
 * Writing (write.c, canonical.c) goes straight into a buffer, in one
 * line without blanks. */
#ifndef MCPI_JSON_JSON_H
#define MCPI_JSON_JSON_H

#include "base/buf.h"
#include <mcp/json.h>

enum {
  MCPI_JSON_MAX_DEPTH = 128,
  MCPI_JSON_MAX_VALUES = 1000000,
  /* Bytes that must be writable, and will be zeroed, behind the text. */
  MCPI_JSON_PADDING = 4
};

/* What one pass over a text found. Strings are skipped as strings; the text
 * need not be valid. values counts everything yyjson makes a value of, never
 * too few. */
typedef struct mcpi_json_scan {
  size_t depth;
  size_t values;
} mcpi_json_scan;
mcpi_json_scan mcpi_json_scan_text(const char *text, size_t len);

/* Bytes of memory that mcpi_json_parse needs beside a text with that many
 * bytes and values. */
size_t mcpi_json_memory(size_t len, size_t values);

/* Parses `len` bytes in place: strings of the result point into `text`, which
 * is overwritten and has MCPI_JSON_PADDING bytes behind it. `memory` is
 * aligned for any type and has mcpi_json_memory() bytes; nothing is allocated.
 * 0; MCP_ERR_PARSE with the offset; MCP_ERR_NOMEM when the memory is less
 * than that. */
int mcpi_json_parse(char *text, size_t len, void *memory, size_t memory_len,
                    const mcp_json **root, mcp_error *err);

/* What a text may be made of. */
typedef struct mcpi_json_limits {
  size_t max_bytes;
  uint32_t max_depth; /* more than MCPI_JSON_MAX_DEPTH counts as that */
  uint64_t max_values;
} mcpi_json_limits;

/* Checks a text against the limits, and tells how many bytes of memory
 * mcpi_json_load needs for it. 0; MCP_ERR_LIMIT, when err says which and the
 * limit; MCP_ERR_NOMEM when no memory can be that large. */
int mcpi_json_measure(const char *text, size_t len,
                      const mcpi_json_limits *limits, size_t *memory_len,
                      mcp_error *err);
/* Copies a measured text into `memory`, aligned for any type, and parses it
 * there: [ text 0000 | values ]. Otherwise like mcpi_json_parse. */
int mcpi_json_load(void *memory, size_t memory_len, const char *text,
                   size_t len, const mcp_json **root, mcp_error *err);

/* The name, as a string value, of a member that occurs twice in the object, or
 * NULL. Linear time for any number of members; `allocator` serves objects of
 * more than 32. *oom is set to 1 when it failed, and else left alone. */
const mcp_json *mcpi_json_duplicate(const mcp_json *object,
                                    const mcp_allocator *allocator,
                                    const uint64_t seed[2], int *oom);

/* The same in a parsed value and in all objects within it, in the order of the
 * text. At most 32 members of an object are compared with each other. */
const mcp_json *mcpi_json_duplicate_within(const mcp_json *value,
                                           const mcp_allocator *allocator,
                                           const uint64_t seed[2], int *oom);

/* The string as a run of bytes; {NULL, 0} when it is none. */
mcpi_str mcpi_json_str(const mcp_json *value);

/* mcp_json_get, inline: the compiler knows the length of a literal. */
static inline const mcp_json *mcpi_json_get(const mcp_json *object,
                                            const char *name) {
  return mcp_json_get_n(object, name, strlen(name));
}

/* The member's string, as mcpi_json_str gives it. */
static inline mcpi_str mcpi_json_member_str(const mcp_json *object,
                                            const char *name) {
  return mcpi_json_str(mcpi_json_get(object, name));
}

/* Takes `cost` from what is left. 0, from then on, when that was too much. */
static inline int mcpi_json_spend(size_t *steps_left, size_t cost) {
  *steps_left = cost < *steps_left ? *steps_left - cost : 0;
  return *steps_left > 0;
}

/* mcp_json_equal for values that are a peer's: it costs a step for each value
 * and some more for long texts and objects. 0 too when the steps are used up.
 */
int mcpi_json_equal(const mcp_json *a, const mcp_json *b, size_t *steps_left);

/* 1 when both are numbers of the same value. One that is kept as its text
 * equals a double when that is the nearest to it. */
int mcpi_json_number_equal(const mcp_json *a, const mcp_json *b);

/* Less than 0, 0, or more than 0; exact, whatever the numbers are kept as. */
int mcpi_json_number_compare(const mcp_json *a, const mcp_json *b);

/* Whether a number is a whole multiple of a divisor above 0, as they are
 * written: 0.3 is one of 0.1. 1, 0, or MCP_ERR_LIMIT: too long to tell. The
 * divisor has no more than MCPI_DECIMAL_DIVISOR_DIGITS. */
int mcpi_json_is_multiple(const mcp_json *number, const mcp_json *divisor);

/* Writers. Strings must be valid UTF-8; they are quoted and escaped (control
 * characters, quote, backslash; nothing else). */
void mcpi_json_put_string(mcpi_buf *buf, mcpi_str string);
void mcpi_json_put_int(mcpi_buf *buf, int64_t number);
void mcpi_json_put_uint(mcpi_buf *buf, uint64_t number);
/* Shortest round-trip form, 3 rather than 3.0; null when not finite. The
 * locale is not asked. */
void mcpi_json_put_number(mcpi_buf *buf, double number);
/* A value as it was read: big numbers keep their digits, 1.0 its point. NULL
 * puts null. A value deeper than MCPI_JSON_MAX_DEPTH, which no reader of ours
 * makes, is MCP_ERR_LIMIT. */
void mcpi_json_put_value(mcpi_buf *buf, const mcp_json *value);
/* Base64 of `len` bytes, quoted. */
void mcpi_json_put_base64(mcpi_buf *buf, const void *bytes, size_t len);

/* The value in one fixed spelling, for digests: RFC 8785's order of members
 * and form of strings, and numbers as mcpi_json_put_number writes them. Sorts
 * in memory of the buffer's allocator. */
void mcpi_json_put_canonical(mcpi_buf *buf, const mcp_json *value);

/* Checks that a text from the program is one JSON value and appends it without
 * its outer blanks, in one line (line breaks between tokens are dropped).
 * 0, MCP_ERR_PARSE, MCP_ERR_LIMIT or MCP_ERR_NOMEM. */
int mcpi_json_put_text(mcpi_buf *buf, mcpi_str text, mcp_error *err);

/* The members' names of an object, sorted as RFC 8785 says (by UTF-16 code
 * unit), equal ones in the order of the object; `names` has room for all. */
void mcpi_json_sorted_names(const mcp_json *object, const mcp_json **names);

/* --- builders ----------------------------------------------------------- */

/* For what is needed while it is written to. */
const mcp_allocator *mcpi_builder_allocator(const mcp_builder *builder);
/* Bytes of what has been written. */
size_t mcpi_builder_len(const mcp_builder *builder);

#endif
