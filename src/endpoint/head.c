/* SPDX-License-Identifier: MIT */
/* The headers of a request that matter to the endpoint. */
#include "endpoint/head.h"

#include "codec/http_media.h"
#include "codec/http_value.h"

#include <stddef.h>

#define HEADER(name, member)                                                   \
  { {name, sizeof(name) - 1}, offsetof(mcpi_http_head, member) }

/* Where the value of a header goes; NULL: it is none of ours. */
static const char **place_of(mcpi_http_head *head, mcpi_str name) {
  static const struct {
    mcpi_str name;
    size_t place;
  } known[] = {
      HEADER("Host", host),
      HEADER("Origin", origin),
      HEADER("Content-Type", content_type),
      HEADER("Content-Encoding", content_encoding),
      HEADER("MCP-Protocol-Version", protocol_version),
      HEADER("Mcp-Method", mcp_method),
      HEADER("Mcp-Name", mcp_name),
      HEADER("Mcp-Session-Id", session_id),
      HEADER("Last-Event-ID", last_event_id),
  };
  for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
    if (name.len == known[i].name.len &&
        mcpi_http_eq_nocase(name, known[i].name)) {
      return (const char **)(void *)((char *)head + known[i].place);
    }
  }
  return NULL;
}

/* Of those that mirror the body only the modern era demands that they come
 * once, and has an error for it. */
static int is_mirror(const mcpi_http_head *head, const char *const *place) {
  return place == &head->protocol_version || place == &head->mcp_method ||
         place == &head->mcp_name;
}

static void read_one(mcpi_http_head *head, mcpi_str name,
                     const mcp_http_header *header) {
  const char **place = place_of(head, name);
  if (place == NULL) {
    return;
  }
  if (*place != NULL) {
    head->repeated = header->name;
    head->is_ambiguous |= !is_mirror(head, place);
  }
  *place = header->value;
}

/* What the lines of Accept say together. Without one every type is welcome
 * (RFC 9110, 12.5.1). */
enum { JSON, EVENTS, TYPES };

typedef struct accepted {
  mcpi_http_accept types[TYPES];
  size_t lines;
} accepted;

void mcpi_http_read_head(const mcp_http_request *request,
                         mcpi_http_head *head) {
  accepted accept = {.lines = 0};
  mcpi_http_accept_init(&accept.types[JSON], "application/json");
  mcpi_http_accept_init(&accept.types[EVENTS], "text/event-stream");
  *head = (mcpi_http_head){0};
  for (size_t i = 0; i < request->header_count; i++) {
    const mcp_http_header *header = &request->headers[i];
    mcpi_str name = mcpi_str_z(header->name);
    if (name.len == strlen("Accept") &&
        mcpi_http_eq_nocase(name, MCPI_STR("Accept"))) {
      mcpi_http_accept_add(accept.types, TYPES, mcpi_str_z(header->value));
      accept.lines++;
    } else {
      read_one(head, name, header);
    }
  }
  head->accepts_json = accept.types[JSON].is_accepted || accept.lines == 0;
  head->accepts_events = accept.types[EVENTS].is_accepted || accept.lines == 0;
  head->names_events = mcpi_http_accept_is_named(&accept.types[EVENTS]);
}
