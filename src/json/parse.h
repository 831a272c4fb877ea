/* SPDX-License-Identifier: MIT */
/* Reading JSON with yyjson, in memory whose size is known beforehand.
 *
 * yyjson has no limits of its own. So one pass over the bytes counts depth and
 * values before yyjson sees them; then yyjson parses in place. Numbers that fit
 * neither a 64-bit integer nor a double are kept as their text. */
#ifndef MCPI_JSON_PARSE_H
#define MCPI_JSON_PARSE_H

#include <mcp/error.h>
#include <mcp/json.h>

/* Bytes after a text that the parser sets to zero. */
enum { MCPI_JSON_PADDING = 4 };

/* What one pass over a text finds. The pass skips strings as strings, and the
 * text need not be valid. `values` counts everything that yyjson makes a value
 * of, and is never too small. */
typedef struct mcpi_json_scan {
  size_t depth;
  size_t values;
} mcpi_json_scan;
mcpi_json_scan mcpi_json_scan_text(const char *text, size_t len);

/* Returns the bytes of memory that mcpi_json_parse needs besides a text of this
 * length with this many values; SIZE_MAX when no memory is that large. */
size_t mcpi_json_memory(size_t len, size_t values);

/* Parses `len` bytes in place: strings of the result point into `text`, which
 * is overwritten and has MCPI_JSON_PADDING writable bytes after it. `memory`
 * is aligned for any type. Allocates nothing. 0; MCP_ERR_PARSE with the offset;
 * MCP_ERR_NOMEM when the memory is too small. The small profile does not find
 * that out: there the memory must be as large as mcpi_json_memory says. */
int mcpi_json_parse(char *text, size_t len, void *memory, size_t memory_len,
                    const mcp_json **root, mcp_error *err);

/* Adds to the message of an MCP_ERR_PARSE where in the text the fault is, and
 * the text there: `unexpected character at byte 3: "[1,x]"`. For texts of the
 * program: it is not safe for a peer's, which may contain secrets. err may be
 * NULL or have another code; then nothing changes. */
void mcpi_json_quote_fault(const char *text, size_t len, mcp_error *err);
/* Returns the length of a message without the text that mcpi_json_quote_fault
 * quoted at its end, if it did. Other functions may have put words before the
 * message. A peer may get this much of a message about the program's text. */
size_t mcpi_json_unquoted_len(const char *message);

/* Limits of one text. */
typedef struct mcpi_json_limits {
  size_t max_bytes;
  uint32_t max_depth; /* above MCPI_JSON_MAX_DEPTH it counts as that */
  uint64_t max_values;
} mcpi_json_limits;

/* Checks a text against the limits and sets *memory_len to the bytes that
 * mcpi_json_parse needs for its values. 0; MCP_ERR_LIMIT, with the limit in
 * err; MCP_ERR_NOMEM when no memory is that large. */
int mcpi_json_measure_values(const char *text, size_t len,
                             const mcpi_json_limits *limits, size_t *memory_len,
                             mcp_error *err);
/* The same for mcpi_json_load, which also needs memory for the text. */
int mcpi_json_measure(const char *text, size_t len,
                      const mcpi_json_limits *limits, size_t *memory_len,
                      mcp_error *err);
/* Returns the bytes of memory in which mcpi_json_load can load a short text
 * that was not measured: values that fit there exceed no limit. Loading fails
 * when the values do not fit, or when the text is not JSON; then measure the
 * text. 0: the text is too long and must be measured. */
size_t mcpi_json_short_memory(size_t len, const mcpi_json_limits *limits);
/* Copies a measured text into `memory`, which is aligned for any type, and
 * parses it there: [ text 0000 | values ]. Returns what mcpi_json_parse
 * returns. */
int mcpi_json_load(void *memory, size_t memory_len, const char *text,
                   size_t len, const mcp_json **root, mcp_error *err);

/* Does what mcp_doc_parse does, and returns the error. *out is set only on
 * success. */
int mcpi_doc_parse(mcp_doc **out, const char *text, size_t len,
                   const mcp_json_limits *limits,
                   const mcp_allocator *allocator, mcp_error *err);

#endif
