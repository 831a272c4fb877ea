/* SPDX-License-Identifier: MIT */
/* What the clients of a session send: requests, notifications, and answers to
 * the questions of the server. */
#include "common/envelope.h"
#include "common/json.h"
#include "common/rewrite.h"
#include "keep/route_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- requests ------------------------------------------------------------ */

static void send_request(ctl_route *route, const ctl_flight *flight,
                         const mcp_json *request, const char *level) {
  char number[32];
  char quoted[32];
  snprintf(number, sizeof(number), "%lld", (long long)flight->number);
  snprintf(quoted, sizeof(quoted), "\"%s\"", level != NULL ? level : "");
  const ctl_rewrite changes[] = {
      {{"id", NULL}, number},
      {{"params", "_meta", "progressToken", NULL}, number},
      {{"params", "level", NULL}, level != NULL ? quoted : NULL}};
  ctl_route_give_server(route, ctl_rewrite_text(request, changes, 3));
}

/* Passes a request on. `level` replaces that of the params; NULL: it stays. */
static void forward(ctl_route *route, uint64_t client, const mcp_json *request,
                    const char *level) {
  const char *task =
      mcp_json_string(mcp_json_pointer(request, "/params/taskId"));
  const ctl_flight *flight = NULL;
  if (ctl_flights_count(&route->flights, client) < CTL_KEEP_MAX_FLIGHTS) {
    flight = ctl_flights_add(&route->flights, client, request,
                             ctl_envelope_method(request));
  }
  if (flight == NULL) {
    ctl_route_give_client(
        route, client,
        ctl_route_error(mcp_json_get(request, "id"), MCP_RPC_INTERNAL_ERROR,
                        "the session has too many requests in flight"));
    return;
  }
  if (task != NULL) {
    ctl_kept_tasks_own(&route->tasks, task, client, 0, NULL);
  }
  send_request(route, flight, request, level);
}

static void answer_at_once(ctl_route *route, uint64_t client,
                           const mcp_json *request, const char *answer) {
  ctl_route_give_client(route, client,
                        ctl_route_answer(mcp_json_get(request, "id"), answer));
}

/* The server has had the handshake, and would refuse a second one. */
static void take_handshake(ctl_route *route, uint64_t client,
                           const mcp_json *request, int is_discover) {
  static const char unknown[] =
      "\"error\":{\"code\":-32601,\"message\":\"Method not found\"}";
  const char *known = is_discover ? route->discovered : route->initialized;
  if (known != NULL) {
    answer_at_once(route, client, request, known);
  } else if (is_discover && route->initialized != NULL) {
    answer_at_once(route, client, request, unknown);
  } else {
    forward(route, client, request, NULL);
  }
}

static void take_level(ctl_route *route, uint64_t client,
                       const mcp_json *request) {
  int level = ctl_keep_level(
      mcp_json_string(mcp_json_pointer(request, "/params/level")));
  ctl_route_member *one = ctl_route_find_member(route, client);
  if (level == CTL_KEEP_LEVEL_NONE || one == NULL) {
    forward(route, client, request, NULL); /* the server refuses it */
    return;
  }
  one->level = level;
  int wanted = ctl_route_wanted_level(route);
  if (wanted == route->wants.server_level) {
    answer_at_once(route, client, request, "\"result\":{}");
  } else {
    forward(route, client, request, ctl_keep_level_name(wanted));
  }
}

static void take_subscription(ctl_route *route, uint64_t client,
                              const mcp_json *request, int is_end) {
  const char *uri = mcp_json_string(mcp_json_pointer(request, "/params/uri"));
  int is_done = 0;
  if (uri != NULL && is_end) {
    is_done = !ctl_wants_remove(&route->wants, client, uri);
  } else if (uri != NULL) {
    is_done = ctl_wants_add(&route->wants, client, uri);
  }
  if (is_done > 0) {
    answer_at_once(route, client, request, "\"result\":{}");
  } else if (is_done < 0) {
    ctl_route_give_client(
        route, client,
        ctl_route_error(mcp_json_get(request, "id"), MCP_RPC_INTERNAL_ERROR,
                        "the session has too many subscriptions"));
  } else {
    forward(route, client, request, NULL);
  }
}

static void from_client_request(ctl_route *route, uint64_t client,
                                const mcp_json *request) {
  const char *method = ctl_envelope_method(request);
  ctl_route_member *one = ctl_route_find_member(route, client);
  if (one != NULL) {
    one->is_ready = 1;
  }
  if (strcmp(method, "initialize") == 0) {
    take_handshake(route, client, request, 0);
  } else if (strcmp(method, "server/discover") == 0) {
    take_handshake(route, client, request, 1);
  } else if (strcmp(method, "logging/setLevel") == 0) {
    take_level(route, client, request);
  } else if (strcmp(method, "resources/subscribe") == 0) {
    take_subscription(route, client, request, 0);
  } else if (strcmp(method, "resources/unsubscribe") == 0) {
    take_subscription(route, client, request, 1);
  } else {
    route->requests++;
    forward(route, client, request, NULL);
  }
}

/* ---- notifications ------------------------------------------------------- */

/* No answer comes any longer, so the request is forgotten. */
static void client_cancels(ctl_route *route, uint64_t client,
                           const mcp_json *message) {
  ctl_flight *flight = ctl_flights_of(
      &route->flights, client, mcp_json_pointer(message, "/params/requestId"));
  if (flight == NULL) {
    return;
  }
  char number[32];
  snprintf(number, sizeof(number), "%lld", (long long)flight->number);
  const ctl_rewrite change = {{"params", "requestId", NULL}, number};
  ctl_route_give_server(route, ctl_rewrite_text(message, &change, 1));
  ctl_flights_take(&route->flights, flight);
  ctl_flight_free(flight);
}

static void from_client_notification(ctl_route *route, uint64_t client,
                                     const mcp_json *message) {
  if (ctl_envelope_is_method(message, "notifications/cancelled")) {
    client_cancels(route, client, message);
    return;
  }
  if (ctl_envelope_is_method(message, "notifications/initialized")) {
    if (route->has_initialized) {
      return;
    }
    route->has_initialized = 1;
  }
  if (!ctl_envelope_is_method(message, "notifications/roots/list_changed")) {
    ctl_route_give_server(route, ctl_json_text(message));
  }
}

/* ---- answers ------------------------------------------------------------- */

static void from_client_answer(ctl_route *route, uint64_t client,
                               const mcp_json *answer) {
  const char *task =
      mcp_json_string(mcp_json_pointer(answer, "/result/task/taskId"));
  if (ctl_questions_take(&route->questions, client,
                         mcp_json_get(answer, "id"))) {
    if (task != NULL) { /* a task of the client, about which the server asks */
      ctl_kept_tasks_own(&route->tasks, task, client, 0, NULL);
    }
    ctl_route_give_server(route, ctl_json_text(answer));
  }
}

/* ---- all ----------------------------------------------------------------- */

int ctl_route_from_client(ctl_route *route, uint64_t client,
                          const mcp_json *message) {
  switch (ctl_envelope_kind(message)) {
  case CTL_MESSAGE_REQUEST:
    from_client_request(route, client, message);
    return 0;
  case CTL_MESSAGE_NOTIFICATION:
    from_client_notification(route, client, message);
    return 0;
  case CTL_MESSAGE_ANSWER:
    from_client_answer(route, client, message);
    return 0;
  default:
    return MCP_ERR_PROTOCOL;
  }
}
