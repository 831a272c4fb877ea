/* SPDX-License-Identifier: MIT */
#include "http_client/redirect.h"

#include <stdio.h>
#include <string.h>

/* The most redirects of one request, as a number and for messages. */
#define MAX_HOPS 5
#define TEXT_OF(number) #number
#define NUMBER_TEXT(number) TEXT_OF(number)

int mcpi_status_is_redirect(long status) {
  return status >= 300 && status < 400;
}

/* libcurl has resolved it. NULL: there is no Location. */
static const char *url_of(const mcpi_transfer *transfer) {
  char *url = NULL;
  if (transfer->easy != NULL) {
    curl_easy_getinfo(transfer->easy, CURLINFO_REDIRECT_URL, &url);
  }
  return url;
}

static int is_allowed(long status, mcpi_redirect_rule rule) {
  switch (rule) {
  case MCPI_REDIRECT_GET:
    return mcpi_status_is_redirect(status);
  case MCPI_REDIRECT_POST:
    return status == 307 || status == 308;
  default:
    return 0;
  }
}

/* Messages and headers are sent only to this server. */
int mcpi_redirect_follow(const mcpi_transfer *transfer, mcpi_redirect_rule rule,
                         const mcpi_curl_options *options,
                         const mcp_allocator *allocator, char **location,
                         int *hops) {
  const char *url = url_of(transfer);
  if (url == NULL || *hops >= MAX_HOPS || !is_allowed(transfer->status, rule)) {
    return 0;
  }
  int rc = mcpi_curl_options_is_same_origin(options, url, allocator);
  if (rc != 1) {
    return rc;
  }
  char *copy = mcpi_strdup(allocator, url);
  if (copy == NULL) {
    return MCP_ERR_NOMEM;
  }
  mcpi_strfree(allocator, *location);
  *location = copy;
  ++*hops;
  return 1;
}

/* --- what is said of it --------------------------------------------------- */

static const char *redirect_reason_of(long status, const char *url,
                                      mcpi_redirect_rule rule,
                                      const mcpi_curl_options *options,
                                      const mcp_allocator *allocator) {
  if (strcmp(url, options->url) == 0) {
    return "that is the same URL again; the server is at fault";
  }
  if (rule == MCPI_REDIRECT_NONE) {
    return "no redirect is followed over this transport; use that URL";
  }
  if (mcpi_curl_options_is_same_origin(options, url, allocator) != 1) {
    return "redirects are followed within the origin only; use that URL if you "
           "trust it";
  }
  if (!is_allowed(status, rule)) {
    return "it would make a GET of the POST; use that URL";
  }
  return "more than " NUMBER_TEXT(MAX_HOPS) " redirects of one request are not "
                                            "followed";
}

void mcpi_redirect_explain(long status, const char *url,
                           mcpi_redirect_rule rule,
                           const mcpi_curl_options *options,
                           const mcp_allocator *allocator,
                           char text[MCPI_REDIRECT_TEXT_SIZE]) {
  char *shown = url != NULL ? mcpi_curl_show_url(url, allocator) : NULL;
  if (shown != NULL) {
    snprintf(text, MCPI_REDIRECT_TEXT_SIZE, "it leads to %.100s: %s", shown,
             redirect_reason_of(status, url, rule, options, allocator));
  } else {
    snprintf(text, MCPI_REDIRECT_TEXT_SIZE,
             "a redirect without a Location that is a valid URL");
  }
  mcpi_strfree(allocator, shown);
}

void mcpi_redirect_explain_transfer(const mcpi_transfer *transfer,
                                    mcpi_redirect_rule rule,
                                    const mcpi_curl_options *options,
                                    const mcp_allocator *allocator,
                                    char text[MCPI_REDIRECT_TEXT_SIZE]) {
  text[0] = '\0';
  if (mcpi_status_is_redirect(transfer->status)) {
    mcpi_redirect_explain(transfer->status, url_of(transfer), rule, options,
                          allocator, text);
  }
}
