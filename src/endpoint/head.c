/* SPDX-License-Identifier: MIT */
/* The headers of a request that matter to the endpoint. */
#include "codec/http_media.h"
#include "codec/http_value.h"
#include "endpoint/endpoint.h"

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
    if (mcpi_http_eq_nocase(name, known[i].name)) {
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
typedef struct accepted {
  mcpi_http_accept json;
  mcpi_http_accept events;
  size_t lines;
} accepted;

static void read_accept(accepted *types, const char *line) {
  mcpi_http_accept_add(&types->json, mcpi_str_z(line));
  mcpi_http_accept_add(&types->events, mcpi_str_z(line));
  types->lines++;
}

void mcpi_http_read_head(const mcp_http_request *request,
                         mcpi_http_head *head) {
  accepted types = {.lines = 0};
  mcpi_http_accept_init(&types.json, "application/json");
  mcpi_http_accept_init(&types.events, "text/event-stream");
  *head = (mcpi_http_head){0};
  for (size_t i = 0; i < request->header_count; i++) {
    const mcp_http_header *header = &request->headers[i];
    mcpi_str name = mcpi_str_z(header->name);
    if (mcpi_http_eq_nocase(name, MCPI_STR("Accept"))) {
      read_accept(&types, header->value);
    } else {
      read_one(head, name, header);
    }
  }
  head->accepts_json = types.json.is_accepted || types.lines == 0;
  head->accepts_events = types.events.is_accepted || types.lines == 0;
  head->names_events = mcpi_http_accept_is_named(&types.events);
}
