/* SPDX-License-Identifier: MIT */
/* The headers of a request that matter to the endpoint. */
#ifndef MCPI_ENDPOINT_HEAD_H
#define MCPI_ENDPOINT_HEAD_H

#include "base/str.h"
#include <mcp/http.h>

/* Those that matter, as the request has them; NULL: absent. */
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
  const char *repeated; /* the name of one that came twice, else NULL */
  int is_ambiguous;     /* it is one that must not, in any era */
  int accepts_json;
  int accepts_events;
  int names_events; /* by their name, not by a range */
} mcpi_http_head;

void mcpi_http_read_head(const mcp_http_request *request, mcpi_http_head *head);

#endif
