/* SPDX-License-Identifier: MIT */
#include "keep/flights.h"
#include "common/json.h"
#include "keep/wants.h"

#include <stdlib.h>
#include <string.h>

void ctl_flight_free(ctl_flight *flight) {
  if (flight != NULL) {
    free(flight->id);
    free(flight->token);
    free(flight->method);
    free(flight->subject);
    free(flight);
  }
}

/* Copies what the request says. Returns 0 or MCP_ERR_NOMEM. */
static int read_request(ctl_flight *flight, const mcp_json *request) {
  const mcp_json *params = mcp_json_get(request, "params");
  const mcp_json *meta = mcp_json_get(params, "_meta");
  const mcp_json *token = mcp_json_get(meta, "progressToken");
  const char *uri = ctl_json_member(params, "uri");
  flight->id = ctl_json_text(mcp_json_get(request, "id"));
  flight->token = token != NULL ? ctl_json_text(token) : NULL;
  flight->subject = uri != NULL ? strdup(uri) : NULL;
  flight->level =
      ctl_keep_level(ctl_json_member(meta, "io.modelcontextprotocol/logLevel"));
  return flight->id == NULL || (token != NULL && flight->token == NULL) ||
                 (uri != NULL && flight->subject == NULL)
             ? MCP_ERR_NOMEM
             : 0;
}

ctl_flight *ctl_flights_add(ctl_flights *flights, uint64_t client,
                            const mcp_json *request, const char *method) {
  ctl_flight *flight = calloc(1, sizeof(*flight));
  if (flight == NULL) {
    return NULL;
  }
  flight->client = client;
  flight->level = -1;
  flight->method = strdup(method);
  if (flight->method == NULL ||
      (request != NULL && read_request(flight, request) != 0)) {
    ctl_flight_free(flight);
    return NULL;
  }
  flight->number = ++flights->last_number;
  flight->next = flights->newest;
  flights->newest = flight;
  return flight;
}

ctl_flight *ctl_flights_find(const ctl_flights *flights, int64_t number) {
  ctl_flight *one = flights->newest;
  while (one != NULL && one->number != number) {
    one = one->next;
  }
  return one;
}

ctl_flight *ctl_flights_of(const ctl_flights *flights, uint64_t client,
                           const mcp_json *id) {
  char *text = id != NULL ? ctl_json_text(id) : NULL;
  ctl_flight *one = text != NULL ? flights->newest : NULL;
  while (one != NULL && (one->client != client || one->id == NULL ||
                         strcmp(one->id, text) != 0)) {
    one = one->next;
  }
  free(text);
  return one;
}

/* A listen has no questions, and those of a task come with the request for its
 * result. */
static int may_ask(const ctl_flight *flight) {
  return flight->client != CTL_KEEP_NOBODY &&
         strcmp(flight->method, "subscriptions/listen") != 0 &&
         strcmp(flight->method, "ping") != 0;
}

ctl_flight *ctl_flights_asker(const ctl_flights *flights) {
  ctl_flight *one = flights->newest;
  while (one != NULL && !may_ask(one)) {
    one = one->next;
  }
  return one;
}

size_t ctl_flights_count(const ctl_flights *flights, uint64_t client) {
  size_t count = 0;
  for (const ctl_flight *one = flights->newest; one != NULL; one = one->next) {
    count += one->client == client;
  }
  return count;
}

void ctl_flights_take(ctl_flights *flights, ctl_flight *flight) {
  ctl_flight **at = &flights->newest;
  while (*at != flight) {
    at = &(*at)->next;
  }
  *at = flight->next;
  flight->next = NULL;
}

void ctl_flights_deinit(ctl_flights *flights) {
  while (flights->newest != NULL) {
    ctl_flight *one = flights->newest;
    flights->newest = one->next;
    ctl_flight_free(one);
  }
}
