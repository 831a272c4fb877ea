/* SPDX-License-Identifier: MIT */
#include "keep/route.h"
#include "common/format.h"
#include "keep/route_state.h"

#include <stdlib.h>
#include <string.h>

/* ---- clients ------------------------------------------------------------- */

ctl_route_member *ctl_route_find_member(const ctl_route *route,
                                        uint64_t client) {
  ctl_route_member *one = route->members;
  while (one != NULL && one->number != client) {
    one = one->next;
  }
  return one;
}

int ctl_route_join(ctl_route *route, uint64_t client) {
  ctl_route_member *one = calloc(1, sizeof(*one));
  if (one == NULL) {
    return MCP_ERR_NOMEM;
  }
  *one = (ctl_route_member){route->members, client, CTL_KEEP_LEVEL_NONE, 0};
  route->members = one;
  return 0;
}

int ctl_route_wanted_level(const ctl_route *route) {
  int level = CTL_KEEP_LEVEL_NONE;
  for (const ctl_route_member *one = route->members; one != NULL;
       one = one->next) {
    if (one->level != CTL_KEEP_LEVEL_NONE &&
        (level == CTL_KEEP_LEVEL_NONE || one->level < level)) {
      level = one->level;
    }
  }
  return level;
}

/* ---- requests of the connection's own ------------------------------------ */

/* Whether the answer comes does not matter; if too many do not come, nothing is
 * sent. `params` is JSON text, taken. */
static void send_own(ctl_route *route, const char *method, char *params) {
  const ctl_flight *flight = NULL;
  if (params != NULL && ctl_flights_count(&route->flights, CTL_KEEP_NOBODY) <
                            CTL_KEEP_MAX_FLIGHTS) {
    flight = ctl_flights_add(&route->flights, CTL_KEEP_NOBODY, NULL, method);
  }
  if (flight != NULL) {
    ctl_route_give_server(route, ctl_format("{\"jsonrpc\":\"2.0\",\"id\":%lld,"
                                            "\"method\":\"%s\",\"params\":%s}",
                                            (long long)flight->number, method,
                                            params));
  }
  free(params);
}

static void settle_level(ctl_route *route) {
  int level = ctl_route_wanted_level(route);
  if (level != CTL_KEEP_LEVEL_NONE && level != route->wants.server_level &&
      route->wants.server_level != CTL_KEEP_LEVEL_NONE) {
    route->wants.server_level = level;
    send_own(route, "logging/setLevel",
             ctl_format("{\"level\":\"%s\"}", ctl_keep_level_name(level)));
  }
}

static void unsubscribe(ctl_route *route, const char *uri) {
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  const char *text = NULL;
  if (out != NULL) {
    mcp_builder_object(out, NULL);
    mcp_builder_string(out, "uri", uri);
    mcp_builder_end(out);
    text = mcp_builder_text(out, NULL);
  }
  send_own(route, "resources/unsubscribe", text != NULL ? strdup(text) : NULL);
  mcp_builder_free(out);
}

/* ---- a client leaves ----------------------------------------------------- */

static void cancel_at_server(ctl_route *route, const ctl_flight *flight,
                             const char *reason) {
  ctl_route_give_server(
      route, ctl_format("{\"jsonrpc\":\"2.0\","
                        "\"method\":\"notifications/cancelled\",\"params\":{"
                        "\"requestId\":%lld,\"reason\":\"%s\"}}",
                        (long long)flight->number, reason));
}

/* A server must not be asked to cancel the handshake. */
static void cancel_flights(ctl_route *route, uint64_t client) {
  ctl_flight *next = NULL;
  for (ctl_flight *one = route->flights.newest; one != NULL; one = next) {
    next = one->next;
    if (one->client != client) {
      continue;
    }
    if (strcmp(one->method, "initialize") != 0) {
      cancel_at_server(route, one, "the client has ended");
    }
    ctl_flights_take(&route->flights, one);
    ctl_flight_free(one);
  }
}

static void refuse_questions(ctl_route *route, uint64_t client) {
  char *id;
  while ((id = ctl_questions_take_of(&route->questions, client)) != NULL) {
    ctl_route_give_server(
        route, ctl_format("{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{"
                          "\"code\":%d,\"message\":\"the client has ended\"}}",
                          id, MCP_RPC_INTERNAL_ERROR));
    free(id);
  }
}

static void end_subscriptions(ctl_route *route, uint64_t client) {
  const char *uri;
  while ((uri = ctl_wants_of(&route->wants, client)) != NULL) {
    char *copy = strdup(uri); /* `uri` is a part of what is removed */
    if (copy == NULL) {
      return;
    }
    if (ctl_wants_remove(&route->wants, client, copy)) {
      unsubscribe(route, copy);
    }
    free(copy);
  }
}

void ctl_route_leave(ctl_route *route, uint64_t client) {
  ctl_route_member **at = &route->members;
  while (*at != NULL && (*at)->number != client) {
    at = &(*at)->next;
  }
  ctl_route_member *one = *at;
  if (one == NULL) {
    return;
  }
  *at = one->next;
  free(one);
  refuse_questions(route, client);
  cancel_flights(route, client);
  end_subscriptions(route, client);
  ctl_kept_tasks_leave(&route->tasks, client);
  settle_level(route);
}

/* ---- life ---------------------------------------------------------------- */

uint64_t ctl_route_requests(const ctl_route *route) {
  return route->requests;
}

ctl_route *ctl_route_new(const ctl_route_events *events, const char *roots) {
  ctl_route *route = calloc(1, sizeof(*route));
  if (route != NULL) {
    route->events = *events;
    route->roots = roots;
    route->wants.server_level = CTL_KEEP_LEVEL_NONE;
  }
  return route;
}

void ctl_route_free(ctl_route *route) {
  if (route == NULL) {
    return;
  }
  while (route->members != NULL) {
    ctl_route_member *one = route->members;
    route->members = one->next;
    free(one);
  }
  ctl_questions_deinit(&route->questions);
  ctl_flights_deinit(&route->flights);
  ctl_wants_deinit(&route->wants);
  ctl_kept_tasks_deinit(&route->tasks);
  free(route->initialized);
  free(route->discovered);
  free(route);
}
