/* SPDX-License-Identifier: MIT */
/* The headers of a request that matter to the endpoint. */
#include "endpoint/head.h"

#include "codec/http_media.h"
#include "codec/http_value.h"

#include <stddef.h>

#define HEADER(name, member)                                                   \
  [sizeof(name) - 1] = {{name, sizeof(name) - 1},                              \
                        offsetof(mcpi_endpoint_head, member)}

/* Found by the lengths of their names, which all differ. */
static const struct {
  mcpi_str name;
  size_t place;
} known[] = {
    HEADER("Host", host),
    HEADER("Origin", origin),
    HEADER("Mcp-Name", mcp_name),
    HEADER("Mcp-Method", mcp_method),
    HEADER("Content-Type", content_type),
    HEADER("Last-Event-ID", last_event_id),
    HEADER("Mcp-Session-Id", session_id),
    HEADER("Content-Encoding", content_encoding),
    HEADER("MCP-Protocol-Version", protocol_version),
};

/* Returns where the value of a header belongs; NULL: the endpoint does not read
 * it. */
static const char **head_place_of(mcpi_endpoint_head *head, mcpi_str name) {
  if (name.len == 0 || name.len >= sizeof(known) / sizeof(known[0]) ||
      !mcpi_header_eq_nocase(name, known[name.len].name)) {
    return NULL;
  }
  return (const char **)(void *)((char *)head + known[name.len].place);
}

/* Of the headers that mirror the body, only the modern era requires that they
 * occur once, and has an error for it. */
static int is_mirror(const mcpi_endpoint_head *head, const char *const *place) {
  return place == &head->protocol_version || place == &head->mcp_method ||
         place == &head->mcp_name;
}

static void read_one(mcpi_endpoint_head *head, mcpi_str name,
                     const mcp_http_header *header) {
  const char **place = head_place_of(head, name);
  if (place == NULL) {
    return;
  }
  if (*place != NULL) {
    head->repeated = header->name;
    head->is_ambiguous |= !is_mirror(head, place);
  }
  *place = header->value;
}

static int is_accept(mcpi_str name) {
  return name.len == strlen("Accept") &&
         mcpi_header_eq_nocase(name, MCPI_STR("Accept"));
}

/* Reads all lines of Accept. Without one, every type is accepted (RFC 9110,
 * 12.5.1). */
static mcpi_endpoint_accepted read_accept(const mcp_http_request *request) {
  enum { JSON, EVENTS, TYPES };
  mcpi_header_accept types[TYPES];
  size_t lines = 0;
  mcpi_header_accept_init(&types[JSON], "application/json");
  mcpi_header_accept_init(&types[EVENTS], "text/event-stream");
  for (size_t i = 0; i < request->header_count; i++) {
    const mcp_http_header *header = &request->headers[i];
    if (is_accept(mcpi_str_z(header->name))) {
      mcpi_header_accept_add(types, TYPES, mcpi_str_z(header->value));
      lines++;
    }
  }
  return (mcpi_endpoint_accepted){
      .json = types[JSON].is_accepted || lines == 0,
      .events = types[EVENTS].is_accepted || lines == 0,
      .names_events = mcpi_header_accept_is_named(&types[EVENTS]),
  };
}

/* If the request has one line of Accept, stores it in *last, and uses *last if
 * it is the line that was read before. */
static mcpi_endpoint_accepted find_accepted(const mcp_http_request *request,
                                            const char *line, size_t lines,
                                            mcpi_endpoint_accept_line *last) {
  if (lines != 1 || strlen(line) >= sizeof(last->text)) {
    return read_accept(request);
  }
  if (strcmp(line, last->text) != 0) {
    last->accepted = read_accept(request);
    memcpy(last->text, line, strlen(line) + 1);
  }
  return last->accepted;
}

void mcpi_endpoint_read_head(const mcp_http_request *request,
                             mcpi_endpoint_head *head,
                             mcpi_endpoint_accept_line *last) {
  const char *line = NULL;
  size_t lines = 0;
  *head = (mcpi_endpoint_head){0};
  for (size_t i = 0; i < request->header_count; i++) {
    const mcp_http_header *header = &request->headers[i];
    mcpi_str name = mcpi_str_z(header->name);
    if (is_accept(name)) {
      line = header->value;
      lines++;
    } else {
      read_one(head, name, header);
    }
  }
  head->accepts = find_accepted(request, line, lines, last);
}
