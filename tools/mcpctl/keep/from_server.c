/* SPDX-License-Identifier: MIT */
/* What the server of a session sends: questions, notifications, and answers to
 * the requests of clients. */
#include "common/envelope.h"
#include "common/format.h"
#include "common/json.h"
#include "common/rewrite.h"
#include "keep/ask.h"
#include "keep/route_state.h"

#include <stdlib.h>
#include <string.h>

#define SUBSCRIPTION "io.modelcontextprotocol/subscriptionId"
#define RELATED_TASK "io.modelcontextprotocol/related-task"

/* The number of ours that the server repeats; 0: it is not one. */
static int64_t read_number(const mcp_json *value) {
  const char *text = mcp_json_string(value);
  int64_t number = 0;
  if (text != NULL) {
    return strtoll(text, NULL, 10);
  }
  return mcp_json_try_int(value, &number) == 0 ? number : 0;
}

/* ---- questions ----------------------------------------------------------- */

/* The client that a question of the server is for. */
static uint64_t whom_to_ask(const ctl_route *route, const mcp_json *request) {
  const mcp_json *params = mcp_json_get(request, "params");
  const mcp_json *meta = mcp_json_get(params, "_meta");
  const char *id = ctl_json_member(params, "taskId");
  if (id == NULL) {
    id = ctl_json_member(mcp_json_get(meta, RELATED_TASK), "taskId");
  }
  const ctl_kept_task *task =
      id != NULL ? ctl_kept_tasks_find(&route->tasks, id) : NULL;
  if (task != NULL) {
    return task->client;
  }
  const ctl_flight *flight = ctl_flights_asker(&route->flights);
  return flight != NULL ? flight->client : CTL_KEEP_NOBODY;
}

static void answer_roots(ctl_route *route, const mcp_json *id) {
  char *answer =
      route->roots != NULL ? ctl_format("\"result\":%s", route->roots) : NULL;
  ctl_route_give_server(
      route, answer != NULL ? ctl_route_answer(id, answer)
                            : ctl_route_error(id, MCP_RPC_METHOD_NOT_FOUND,
                                              "there are no roots"));
  free(answer);
}

static void from_server_request(ctl_route *route, const mcp_json *request) {
  const mcp_json *id = mcp_json_get(request, "id");
  uint64_t client = CTL_KEEP_NOBODY;
  if (ctl_envelope_is_method(request, "ping")) {
    ctl_route_give_server(route, ctl_route_answer(id, "\"result\":{}"));
    return;
  }
  if (ctl_envelope_is_method(request, "roots/list")) {
    answer_roots(route, id);
    return;
  }
  client = whom_to_ask(route, request);
  if (client == CTL_KEEP_NOBODY ||
      ctl_questions_add(&route->questions, client, id) != 0) {
    ctl_route_give_server(
        route, ctl_route_error(id, MCP_RPC_INTERNAL_ERROR,
                               "mcpctl accepts no further questions"));
    return;
  }
  ctl_route_give_client(route, client, ctl_json_text(request));
}

/* ---- notifications ------------------------------------------------------- */

static void to_all(ctl_route *route, const mcp_json *message) {
  char *text = ctl_json_text(message);
  for (const ctl_route_member *one = route->members;
       text != NULL && one != NULL; one = one->next) {
    if (one->is_ready) {
      ctl_route_to_client(route, one->number, text);
    }
  }
  free(text);
}

static void pass_progress(ctl_route *route, const mcp_json *message) {
  int64_t number =
      read_number(mcp_json_pointer(message, "/params/progressToken"));
  const ctl_flight *flight = ctl_flights_find(&route->flights, number);
  const ctl_kept_task *task = ctl_kept_tasks_of_request(&route->tasks, number);
  uint64_t client = CTL_KEEP_NOBODY;
  const char *token = NULL;
  if (flight != NULL) {
    client = flight->client;
    token = flight->token;
  } else if (task != NULL && number != 0) {
    client = task->client;
    token = task->token;
  }
  if (client != CTL_KEEP_NOBODY && token != NULL) {
    const ctl_rewrite change = {{"params", "progressToken", NULL}, token};
    ctl_route_give_client(route, client, ctl_rewrite_text(message, &change, 1));
  }
}

/* In 2026-07-28 each request has its level. Before, a client that has set none
 * gets all: it could not, or does not look at them. */
static int wants_log(const ctl_route *route, const ctl_route_member *one,
                     int level) {
  if (route->initialized != NULL) {
    return one->level <= level;
  }
  for (const ctl_flight *flight = route->flights.newest; flight != NULL;
       flight = flight->next) {
    if (flight->client == one->number && flight->level >= 0 &&
        flight->level <= level) {
      return 1;
    }
  }
  return 0;
}

static void pass_log(ctl_route *route, const mcp_json *message) {
  int level = ctl_keep_level(
      mcp_json_string(mcp_json_pointer(message, "/params/level")));
  char *text = ctl_json_text(message);
  for (const ctl_route_member *one = route->members;
       text != NULL && one != NULL; one = one->next) {
    if (one->is_ready && wants_log(route, one, level)) {
      ctl_route_to_client(route, one->number, text);
    }
  }
  free(text);
}

static void pass_update(ctl_route *route, const mcp_json *message) {
  const char *uri = mcp_json_string(mcp_json_pointer(message, "/params/uri"));
  char *text = uri != NULL ? ctl_json_text(message) : NULL;
  for (const ctl_route_member *one = route->members;
       text != NULL && one != NULL; one = one->next) {
    if (ctl_wants_covers(&route->wants, one->number, uri)) {
      ctl_route_to_client(route, one->number, text);
    }
  }
  free(text);
}

/* The server says the id as a number or as text; the client gets its own. */
static void pass_to_listen(ctl_route *route, const mcp_json *message,
                           const mcp_json *subscription) {
  const ctl_flight *flight =
      ctl_flights_find(&route->flights, read_number(subscription));
  if (flight != NULL && flight->id != NULL) {
    const ctl_rewrite change = {{"params", "_meta", SUBSCRIPTION, NULL},
                                flight->id};
    ctl_route_give_client(route, flight->client,
                          ctl_rewrite_text(message, &change, 1));
  }
}

/* The server cancels a question of its own, or ends a listen. */
static void server_cancels(ctl_route *route, const mcp_json *message) {
  const mcp_json *id = mcp_json_pointer(message, "/params/requestId");
  uint64_t client = ctl_questions_take_any(&route->questions, id);
  if (client != CTL_KEEP_NOBODY) {
    ctl_route_give_client(route, client, ctl_json_text(message));
    return;
  }
  const ctl_flight *flight = ctl_flights_find(&route->flights, read_number(id));
  if (flight != NULL && flight->id != NULL) {
    const ctl_rewrite changes[] = {
        {{"params", "requestId", NULL}, flight->id},
        {{"params", "_meta", SUBSCRIPTION, NULL}, flight->id}};
    ctl_route_give_client(route, flight->client,
                          ctl_rewrite_text(message, changes, 2));
  }
}

static void pass_to_task(ctl_route *route, const mcp_json *message) {
  const char *id = mcp_json_string(mcp_json_pointer(message, "/params/taskId"));
  const ctl_kept_task *task =
      id != NULL ? ctl_kept_tasks_find(&route->tasks, id) : NULL;
  if (task == NULL) {
    to_all(route, message);
  } else {
    ctl_route_give_client(route, task->client, ctl_json_text(message));
  }
}

static int is_of_process(const char *method) {
  return strncmp(method, CTL_KEEP_NOTIFICATIONS,
                 strlen(CTL_KEEP_NOTIFICATIONS)) == 0;
}

static void from_server_notification(ctl_route *route,
                                     const mcp_json *message) {
  const mcp_json *meta = mcp_json_pointer(message, "/params/_meta");
  const mcp_json *subscription = mcp_json_get(meta, SUBSCRIPTION);
  const char *method = ctl_envelope_method(message);
  if (is_of_process(method)) {
    return;
  }
  if (strcmp(method, "notifications/cancelled") == 0) {
    server_cancels(route, message);
  } else if (subscription != NULL) {
    pass_to_listen(route, message, subscription);
  } else if (strcmp(method, "notifications/progress") == 0) {
    pass_progress(route, message);
  } else if (strcmp(method, "notifications/message") == 0) {
    pass_log(route, message);
  } else if (strcmp(method, "notifications/resources/updated") == 0) {
    pass_update(route, message);
  } else {
    pass_to_task(route, message);
  }
}

/* ---- answers ------------------------------------------------------------- */

/* Keeps the answer to a handshake, for later clients. Returns it as a member;
 * owned. */
static void keep_handshake(char **kept, const mcp_json *answer) {
  const mcp_json *result = mcp_json_get(answer, "result");
  char *value =
      ctl_json_text(result != NULL ? result : mcp_json_get(answer, "error"));
  char *text =
      value != NULL
          ? ctl_format("\"%s\":%s", result != NULL ? "result" : "error", value)
          : NULL;
  free(value);
  if (text != NULL) {
    free(*kept);
    *kept = text;
  }
}

static void note_level(ctl_route *route, const ctl_flight *flight,
                       int has_worked) {
  ctl_route_member *one = ctl_route_find_member(route, flight->client);
  if (has_worked) {
    route->wants.server_level = ctl_route_wanted_level(route);
  } else if (one != NULL) {
    one->level = CTL_KEEP_LEVEL_NONE;
  }
}

static void note_task(ctl_route *route, const ctl_flight *flight,
                      const mcp_json *result) {
  const char *id = ctl_json_member(mcp_json_get(result, "task"), "taskId");
  const char *type = ctl_json_member(result, "resultType");
  if (id == NULL && type != NULL && strcmp(type, "task") == 0) {
    id = ctl_json_member(result, "taskId");
  }
  if (id != NULL && flight->client != CTL_KEEP_NOBODY) {
    ctl_kept_tasks_own(&route->tasks, id, flight->client, flight->number,
                       flight->token);
  }
}

/* Learns from an answer what later messages need. */
static void note_answer(ctl_route *route, const ctl_flight *flight,
                        const mcp_json *answer) {
  const mcp_json *result = mcp_json_get(answer, "result");
  if (strcmp(flight->method, "initialize") == 0 && result != NULL) {
    keep_handshake(&route->initialized, answer);
  } else if (strcmp(flight->method, "server/discover") == 0) {
    keep_handshake(&route->discovered, answer);
  } else if (strcmp(flight->method, "logging/setLevel") == 0) {
    note_level(route, flight, result != NULL);
  } else if (strcmp(flight->method, "resources/subscribe") == 0 &&
             flight->subject != NULL) {
    if (result != NULL) {
      ctl_wants_accepted(&route->wants, flight->subject);
    } else {
      ctl_wants_refused(&route->wants, flight->client, flight->subject);
    }
  } else if (result != NULL) {
    note_task(route, flight, result);
  }
}

/* `failure` replaces what the answer says of the failure of its request; NULL:
 * it stays. */
static void pass_answer(ctl_route *route, const mcp_json *answer,
                        const char *failure) {
  ctl_flight *flight = ctl_flights_find(
      &route->flights, read_number(mcp_json_get(answer, "id")));
  if (flight == NULL) {
    return;
  }
  ctl_flights_take(&route->flights, flight);
  note_answer(route, flight, answer);
  if (flight->client != CTL_KEEP_NOBODY) {
    const ctl_rewrite changes[] = {
        {{"id", NULL}, flight->id},
        {{"result", "_meta", SUBSCRIPTION, NULL}, flight->id},
        {{"error", "data", CTL_KEEP_FAILURE, NULL}, failure}};
    ctl_route_give_client(route, flight->client,
                          ctl_rewrite_text(answer, changes, 3));
  }
  ctl_flight_free(flight);
}

void ctl_route_failed(ctl_route *route, const mcp_json *error) {
  pass_answer(route, error, NULL);
}

/* ---- all ----------------------------------------------------------------- */

static void from_server_one(ctl_route *route, const mcp_json *message) {
  switch (ctl_envelope_kind(message)) {
  case CTL_MESSAGE_REQUEST:
    from_server_request(route, message);
    break;
  case CTL_MESSAGE_NOTIFICATION:
    from_server_notification(route, message);
    break;
  case CTL_MESSAGE_ANSWER:
    pass_answer(route, message, "null");
    break;
  default: /* the server's fault; no client could use it */
    break;
  }
}

void ctl_route_from_server(ctl_route *route, const mcp_json *message) {
  mcp_json_iter iter;
  const mcp_json *one = NULL;
  if (mcp_json_type(message) != MCP_JSON_ARRAY) {
    from_server_one(route, message);
    return;
  }
  mcp_json_iter_init(&iter, message);
  while ((one = mcp_json_iter_next(&iter, NULL)) != NULL) {
    from_server_one(route, one);
  }
}
