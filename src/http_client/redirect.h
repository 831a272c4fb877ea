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
  MCPI_REDIRECT_GET,  /* any redirect is followed, within the origin */
  MCPI_REDIRECT_POST, /* 307 and 308 are, as others make a GET of it */
  MCPI_REDIRECT_NONE  /* none is */
} mcpi_redirect_rule;

int mcpi_status_is_redirect(long status);

/* Looks where the transfer's answer leads to. 1: it is followed, *location is
 * another string; 0: it is no redirect, or one that is not followed; or
 * MCP_ERR_NOMEM. */
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
/* The same of the transfer's answer. Empty: it is no redirect. */
void mcpi_redirect_explain_transfer(const mcpi_transfer *transfer,
                                    mcpi_redirect_rule rule,
                                    const mcpi_curl_options *options,
                                    const mcp_allocator *allocator,
                                    char text[MCPI_REDIRECT_TEXT_SIZE]);

#endif
