/* SPDX-License-Identifier: MIT */
/* URLs as libcurl reads them: no other parser decides which server is meant. */
#ifndef MCPI_FETCH_CURL_URL_H
#define MCPI_FETCH_CURL_URL_H

#include <stddef.h>
#include <stdint.h>

/* Whether it is a URL, http:// or https://, without user and fragment. */
int mcpi_fetch_is_url(const char *url);
/* Whether scheme, host and port are the same, and neither URL has a user. */
int mcpi_fetch_is_same_origin(const char *a, const char *b);
/* Returns the address if the URL names one instead of a host: 1, and 16 bytes;
 * IPv4 is mapped. Else 0. */
int mcpi_fetch_url_address(const char *url, uint8_t out[16]);
/* Whether the host is one of the loopback interface: an address of it, or
 * localhost or a name below that (RFC 6761, 6.3). */
int mcpi_fetch_is_loopback(const char *url);

/* --- proxy.c -------------------------------------------------------------- */

/* Returns the proxy through which a request goes: `proxy`, or, if it is NULL,
 * what the environment says. "": none, also because no_proxy names the server,
 * or the server is on the loopback interface: what is sent there may be in
 * clear text, and a proxy may be on another machine. Borrowed from the argument
 * or the environment. */
const char *mcpi_fetch_choose_proxy(const char *proxy, const char *url);

#endif
