/* SPDX-License-Identifier: MIT */
/* Redirects: which are followed, and what an error says about the others. */
#ifndef MCPI_HTTP_CLIENT_REDIRECT_H
#define MCPI_HTTP_CLIENT_REDIRECT_H

#include "http_client/transfer.h"

enum {
  /* Bytes of an explanation. */
  MCPI_REDIRECT_TEXT_SIZE = 200
};

/* What kind of request was redirected. */
typedef enum mcpi_redirect_rule {
  MCPI_REDIRECT_GET,  /* any redirect, within the origin */
  MCPI_REDIRECT_POST, /* 307 and 308; after others a client would send a GET */
  MCPI_REDIRECT_NONE  /* no redirect */
} mcpi_redirect_rule;

int mcpi_status_is_redirect(long status);

/* Finds where the transfer's answer leads to. Returns 1: the redirect is
 * followed, and *location has changed; 0: the answer is not a redirect, or the
 * redirect is not followed; or MCP_ERR_NOMEM. */
int mcpi_redirect_follow(const mcpi_transfer *transfer, mcpi_redirect_rule rule,
                         const mcpi_curl_options *options,
                         const mcp_allocator *allocator, char **location,
                         int *hops);

/* Writes where a redirect leads to and why it is not followed, for the end of
 * an error message. `url` is absolute, NULL: the answer named none. */
void mcpi_redirect_explain(long status, const char *url,
                           mcpi_redirect_rule rule,
                           const mcpi_curl_options *options,
                           const mcp_allocator *allocator,
                           char text[MCPI_REDIRECT_TEXT_SIZE]);
/* The same for the transfer's answer. Empty if the answer is not a redirect. */
void mcpi_redirect_explain_transfer(const mcpi_transfer *transfer,
                                    mcpi_redirect_rule rule,
                                    const mcpi_curl_options *options,
                                    const mcp_allocator *allocator,
                                    char text[MCPI_REDIRECT_TEXT_SIZE]);

#endif
