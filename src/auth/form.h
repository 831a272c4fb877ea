/* SPDX-License-Identifier: MIT */
/* Forms and queries: application/x-www-form-urlencoded (RFC 6749, appendix B),
 * and the header Authorization: Basic. */
#ifndef MCPI_AUTH_FORM_H
#define MCPI_AUTH_FORM_H

#include "base/buf.h"

/* Appends a member. `begin` is where the form begins in the buffer: the first
 * member has no "&" before it. */
void mcpi_form_put(mcpi_buf *form, size_t begin, const char *name,
                   mcpi_str value);
/* Appends the decoded value of a member. Returns 0; MCP_ERR_NOT_FOUND: there is
 * no such member; MCP_ERR_INVALID: it occurs twice, its encoding is broken, or
 * its value has a NUL; MCP_ERR_NOMEM or MCP_ERR_LIMIT of the buffer. After 0,
 * out->data is not NULL. */
int mcpi_form_get(mcpi_buf *out, mcpi_str form, const char *name);
/* Appends the value of an Authorization header, "Basic ...", for these form
 * encoded (RFC 6749, 2.3.1). */
void mcpi_form_put_basic(mcpi_buf *out, mcpi_str id, mcpi_str secret);

#endif
