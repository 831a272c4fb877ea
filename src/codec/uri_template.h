/* SPDX-License-Identifier: MIT */
/* URI templates, RFC 6570: expanding templates of all four levels, and matching
 * (finding the variables' values in a URI) for levels 1 to 3. */
#ifndef MCPI_CODEC_URI_TEMPLATE_H
#define MCPI_CODEC_URI_TEMPLATE_H

#include "json/json.h"

typedef struct mcpi_uri_template mcpi_uri_template;

/* Compiles a template; the text is copied. 0, MCP_ERR_PARSE with the offset,
 * MCP_ERR_LIMIT (64 variables, 4096 bytes) or MCP_ERR_NOMEM. */
int mcpi_uri_template_new(mcpi_uri_template **out, mcpi_str text,
                          const mcp_allocator *allocator, mcp_error *err);
void mcpi_uri_template_free(mcpi_uri_template *tpl);

/* The distinct names, in the order in which they first occur. */
size_t mcpi_uri_template_var_count(const mcpi_uri_template *tpl);
mcpi_str mcpi_uri_template_var_name(const mcpi_uri_template *tpl, size_t index);

/* Bytes of the longest URI that can match. */
enum { MCPI_URI_MAX = 8192 };

/* Whether the template expands to the URI for some values of its variables. The
 * values, percent-decoded, are appended to `values`; spans[i] says where the
 * value of variable i is in it, with the offset SIZE_MAX when it is absent.
 *
 * - {x} and {+x} must be present, and are not empty.
 * - Expressions with another operator may be absent, and so may each variable
 *   of a list except the first. Such a value may be empty: the character before
 *   it shows that it is present.
 * - Named variables ({?x,y}, {;x,y}, {&x,y}) come in any order, each at most
 *   once.
 * - Where several values would match, the shortest one is taken.
 * - A name that occurs twice has the same value twice.
 * - The modifiers of level 4 are ignored, except that x may be longer elsewhere
 *   than in {x:3}.
 * - A value that decodes to invalid UTF-8 or holds a NUL does not match.
 *
 * Takes time and scratch memory for each variable and literal times the URI's
 * length. The memory comes from `values`, whose max must leave room for it.
 * Returns 1 or 0; running out of memory is in values->error. */
typedef struct mcpi_span {
  size_t offset;
  size_t len;
} mcpi_span;
int mcpi_uri_template_match(const mcpi_uri_template *tpl, mcpi_str uri,
                            mcpi_buf *values, mcpi_span *spans);

/* Appends the expansion. `values` is a JSON object of strings, numbers, and
 * arrays and objects of these, by variable name. A variable that is null or
 * absent is undefined. 0; or, with nothing appended, MCP_ERR_INVALID (a value
 * of another kind), MCP_ERR_NOMEM, or MCP_ERR_LIMIT of the buffer. */
int mcpi_uri_template_expand(const mcpi_uri_template *tpl,
                             const mcp_json *values, mcpi_buf *out,
                             mcp_error *err);

#endif
