/* SPDX-License-Identifier: MIT */
/* The headers of a request that matter to the endpoint. */
#ifndef MCPI_ENDPOINT_HEAD_H
#define MCPI_ENDPOINT_HEAD_H

#include "base/str.h"
#include <mcp/http.h>

/* What the client accepts as an answer. */
typedef struct mcpi_http_accepted {
  int json;
  int events;
  int names_events; /* events are named by their type, not by a range */
} mcpi_http_accepted;

/* The last Accept that was read: most requests to an endpoint have the same
 * one. All zero: none yet. */
typedef struct mcpi_http_accept_line {
  char text[128];
  mcpi_http_accepted accepted;
} mcpi_http_accept_line;

/* The headers that matter, as the request has them; NULL: absent. */
typedef struct mcpi_http_head {
  const char *host;
  const char *origin;
  const char *content_type;
  const char *content_encoding;
  const char *protocol_version;
  const char *mcp_method;
  const char *mcp_name;
  const char *session_id;
  const char *last_event_id;
  /* The name of a header that occurred twice, else NULL. */
  const char *repeated;
  int is_ambiguous; /* that header must not occur twice in any era */
  mcpi_http_accepted accepts;
} mcpi_http_head;

void mcpi_http_read_head(const mcp_http_request *request, mcpi_http_head *head,
                         mcpi_http_accept_line *last);

#endif
