/* SPDX-License-Identifier: MIT */
/* The headers of a request that matter to the endpoint. */
#ifndef MCPI_ENDPOINT_HEAD_H
#define MCPI_ENDPOINT_HEAD_H

#include "base/str.h"
#include <mcp/http.h>

/* What the client accepts as an answer. */
typedef struct mcpi_endpoint_accepted {
  int json;
  int events;
  int names_events; /* events are named by their type, not by a range */
} mcpi_endpoint_accepted;

/* The last Accept that was read: most requests to an endpoint have the same
 * one. All zero: none yet. */
typedef struct mcpi_endpoint_accept_line {
  char text[128];
  mcpi_endpoint_accepted accepted;
} mcpi_endpoint_accept_line;

/* The headers that matter, as the request has them; NULL: absent. */
typedef struct mcpi_endpoint_head {
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
  mcpi_endpoint_accepted accepts;
} mcpi_endpoint_head;

void mcpi_endpoint_read_head(const mcp_http_request *request,
                             mcpi_endpoint_head *head,
                             mcpi_endpoint_accept_line *last);
/* Whether a request's target is at that path, with a query or without. */
static inline int mcpi_endpoint_path_is(const char *target, const char *path) {
  size_t len = strlen(path);
  return strncmp(target, path, len) == 0 &&
         (target[len] == '\0' || target[len] == '?');
}

#endif
