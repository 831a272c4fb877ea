/* SPDX-License-Identifier: MIT */
/* The headers of a request that matter to the endpoint. */
#include "codec/http_media.h"
#include "codec/http_value.h"
#include "http/http.h"

/* Where the value of a header goes; NULL: it is none of ours. */
static const char **place_of(mcpi_http_head *head, mcpi_str name) {
  const struct {
    const char *name;
    const char **place;
  } known[] = {
      {"Host", &head->host},
      {"Origin", &head->origin},
      {"Content-Type", &head->content_type},
      {"Content-Encoding", &head->content_encoding},
      {"MCP-Protocol-Version", &head->protocol_version},
      {"Mcp-Method", &head->mcp_method},
      {"Mcp-Name", &head->mcp_name},
      {"Mcp-Session-Id", &head->session_id},
      {"Last-Event-ID", &head->last_event_id},
  };
  for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
    if (mcpi_http_eq_nocase(name, mcpi_str_z(known[i].name))) {
      return known[i].place;
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

static void read_one(mcpi_http_head *head, const mcp_http_header *header) {
  const char **place = place_of(head, mcpi_str_z(header->name));
  if (place == NULL) {
    return;
  }
  if (*place != NULL) {
    head->repeated = header->name;
    head->is_ambiguous |= !is_mirror(head, place);
  }
  *place = header->value;
}

/* Without the header every type is welcome (RFC 9110, 12.5.1). */
static void read_accept(const mcp_http_request *request, mcpi_http_head *head) {
  mcpi_http_accept json;
  mcpi_http_accept events;
  size_t lines = 0;
  mcpi_http_accept_init(&json, "application/json");
  mcpi_http_accept_init(&events, "text/event-stream");
  for (size_t i = 0; i < request->header_count; i++) {
    const mcp_http_header *header = &request->headers[i];
    if (mcpi_http_eq_nocase(mcpi_str_z(header->name), MCPI_STR("Accept"))) {
      mcpi_http_accept_add(&json, mcpi_str_z(header->value));
      mcpi_http_accept_add(&events, mcpi_str_z(header->value));
      lines++;
    }
  }
  head->accepts_json = json.is_accepted || lines == 0;
  head->accepts_events = events.is_accepted || lines == 0;
}

void mcpi_http_read_head(const mcp_http_request *request,
                         mcpi_http_head *head) {
  *head = (mcpi_http_head){0};
  for (size_t i = 0; i < request->header_count; i++) {
    read_one(head, &request->headers[i]);
  }
  read_accept(request, head);
}
