/* SPDX-License-Identifier: MIT */
/* URLs of OAuth: which ones may be used, and where metadata are (RFC 8414, 3;
 * RFC 9728, 3; OpenID Connect Discovery, 4). A URL is never normalised: OAuth
 * compares and sends it as it was written. */
#ifndef MCPI_AUTH_WEB_URL_H
#define MCPI_AUTH_WEB_URL_H

#include "base/buf.h"
#include <mcp/error.h>

enum { MCPI_WEB_URL_MAX = 2048 };

/* Checks that a URL may be used: https, or http with a host of the loopback
 * interface; without user, fragment and port 0; only characters that URLs have,
 * at most MCPI_WEB_URL_MAX. A host that is an address is in its usual form:
 * four decimal numbers, or IPv6 in brackets. `what` names the URL in the error
 * ("token_endpoint"). Returns 0 or MCP_ERR_REFUSED with err. */
int mcpi_web_url_check(mcpi_str url, const char *what, mcp_error *err);

/* The functions below take a URL that has passed the check. */

/* Whether the URL has a path other than "/". */
int mcpi_web_url_has_path(mcpi_str url);
/* Whether the host is one of the loopback interface. */
int mcpi_web_url_is_loopback(mcpi_str url);
/* Whether the host is a name for a public address: not loopback, and not an
 * address of a private, link-local or other special range. A host name counts
 * as public, except localhost and names that end in ".localhost". */
int mcpi_web_url_is_public(mcpi_str url);
/* Appends "scheme://host[:port]", with scheme and host in lower case and
 * without the scheme's own port. */
void mcpi_web_url_put_origin(mcpi_buf *buf, mcpi_str url);
int mcpi_web_url_has_same_origin(mcpi_str a, mcpi_str b);

/* Where the name of a well-known document is in a URL with the path /p:
 *
 *     INSERTED  https://host/.well-known/NAME/p
 *     APPENDED  https://host/p/.well-known/NAME
 *     ROOT      https://host/.well-known/NAME */
typedef enum mcpi_well_known {
  MCPI_WELL_KNOWN_INSERTED,
  MCPI_WELL_KNOWN_APPENDED,
  MCPI_WELL_KNOWN_ROOT
} mcpi_well_known;

/* Appends the URL of a well-known document. A "/" at the end of the path, and
 * the query, are left out. */
void mcpi_web_url_put_well_known(mcpi_buf *buf, mcpi_str url, const char *name,
                                 mcpi_well_known form);

/* Whether a protected resource, as its metadata name it, is the MCP server at
 * that URL: the same origin, and its path is that of the URL or a prefix of it
 * that ends at a "/" (MCP, Authorization: Protected Resource Metadata). */
int mcpi_web_url_covers(mcpi_str resource, mcpi_str server_url);

/* Whether two URLs are the same target of an HTTP request, without query and
 * fragment (RFC 9449, 4.3): scheme and host in any case, the scheme's own port
 * or none, "" or "/" as the path. */
int mcpi_web_url_is_same_target(mcpi_str a, mcpi_str b);

#endif
