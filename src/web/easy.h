/* SPDX-License-Identifier: MIT */
/* What our HTTP requests have in common, whatever they carry. */
#ifndef MCPI_WEB_EASY_H
#define MCPI_WEB_EASY_H

#include "web/options.h"

/* libcurl copies the string. NULL: its default stays. 0 or MCP_ERR_NOMEM. */
int mcpi_easy_set_string(CURL *easy, CURLoption option, const char *value);
/* Whom it connects to, and how long that may take; HTTP and nothing else. 0 or
 * MCP_ERR_NOMEM. */
int mcpi_easy_set_connection(CURL *easy, const mcpi_web_options *options);
/* For the whole of it; 0: no limit. */
void mcpi_easy_set_timeout(CURL *easy, uint32_t timeout_ms);
/* Appends copies. 0 or MCP_ERR_NOMEM. */
int mcpi_easy_copy_list(struct curl_slist **to, const struct curl_slist *from);
/* What a status that refuses says of whose fault it is, and of the server's era:
 * MCP_ERR_*. */
int mcpi_easy_code_of(long status);
/* What went wrong, in libcurl's own words, unless they may name a proxy with its
 * password. */
const char *mcpi_easy_trouble(CURLcode result, const char *trouble);
/* Whether it is JSON-RPC's error object. */
int mcpi_easy_is_error(const mcp_json *error);

#endif
