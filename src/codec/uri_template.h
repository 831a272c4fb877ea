/* SPDX-License-Identifier: MIT */
/* URI templates, RFC 6570: expansion of all four levels, and matching (the
 * way back from a URI to the variables) for levels 1 to 3. */
#ifndef MCPI_CODEC_URI_TEMPLATE_H
#define MCPI_CODEC_URI_TEMPLATE_H

#include "json/json.h"

typedef struct mcpi_uri_template mcpi_uri_template;

/* Compiles a template; the text is copied. 0, MCP_ERR_PARSE with the offset,
 * MCP_ERR_LIMIT (64 variables, 4096 bytes) or MCP_ERR_NOMEM. */
int mcpi_uri_template_new(mcpi_uri_template **out, mcpi_str text,
                          const mcp_allocator *allocator, mcp_error *err);
void mcpi_uri_template_free(mcpi_uri_template *tpl);

/* Distinct names, in the order in which they first occur. */
size_t mcpi_uri_template_var_count(const mcpi_uri_template *tpl);
mcpi_str mcpi_uri_template_var_name(const mcpi_uri_template *tpl, size_t index);

/* Bytes of the longest URI that is matched; a longer one matches nothing. */
enum { MCPI_URI_MAX = 8192 };

/* Whether the URI is one that the template expands to. The variables' values,
 * percent-decoded, are appended to `values` and found by offsets into it:
 * spans[i] = {offset, len} of variable i, offset SIZE_MAX when it is absent.
 *
 * {x} and {+x} must be there and are not empty. The expressions with another
 * operator may be absent, and so may each variable behind the first of a list;
 * what comes before such a value shows that it is there: it may be empty.
 * Named ones ({?x,y}, {;x,y}, {&x,y}) come in any order, and each at most once.
 * Where there is a choice, a value is the shortest one that leaves a match. A
 * name that occurs twice has the same value twice. The modifiers of level 4 are
 * not looked at, but that x may be longer elsewhere than in {x:3}.
 *
 * Takes time and scratch memory for each variable and literal times the length;
 * the memory is behind what is in `values`, whose max must leave room for it.
 * 1 or 0; values->error for memory. A variable that decodes to invalid UTF-8 or
 * holds a NUL does not match. */
typedef struct mcpi_span {
  size_t offset;
  size_t len;
} mcpi_span;
int mcpi_uri_template_match(const mcpi_uri_template *tpl, mcpi_str uri,
                            mcpi_buf *values, mcpi_span *spans);

/* Appends the expansion, or nothing; `values` is a JSON object of strings,
 * numbers, and arrays and objects of these, by variable name. What is null or
 * absent is undefined. 0, MCP_ERR_INVALID for a value of another kind,
 * MCP_ERR_NOMEM, or MCP_ERR_LIMIT of the buffer. */
int mcpi_uri_template_expand(const mcpi_uri_template *tpl,
                             const mcp_json *values, mcpi_buf *out,
                             mcp_error *err);

#endif
