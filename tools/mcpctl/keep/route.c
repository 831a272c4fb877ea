/* SPDX-License-Identifier: MIT */
#include "keep/route.h"
#include "common/envelope.h"
#include "common/json.h"
#include "common/rewrite.h"
#include "keep/ask.h"
#include "keep/flights.h"
#include "keep/questions.h"
#include "keep/tasks.h"
#include "keep/wants.h"

#include <mcp/error.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUBSCRIPTION "io.modelcontextprotocol/subscriptionId"
#define RELATED_TASK "io.modelcontextprotocol/related-task"

typedef struct member {
  struct member *next;
  uint64_t number;
  int level;    /* of log messages; CTL_KEEP_LEVEL_NONE: it has set none */
  int is_ready; /* it has sent a request, and so can get notifications */
} member;

struct ctl_route {
  ctl_route_events events;
  const char *roots;
  member *members;
  ctl_flights flights;
  ctl_wants wants;
  ctl_kept_tasks tasks;
  ctl_questions questions;
  char *initialized;   /* the member of the answer to initialize, such as
                      * "result":{...}; owned; NULL: there was none */
  char *discovered;    /* the same of server/discover; also an error */
  int has_initialized; /* the server has got the notification */
  uint64_t requests;
};

/* ---- sending ----------------------------------------------------------- */

static void to_server(ctl_route *route, const char *text) {
  size_t len = strlen(text);
  mcp_doc *doc = mcp_doc_parse(text, len, NULL, NULL, NULL);
  if (doc != NULL) {
    route->events.to_server(text, len, mcp_doc_root(doc),
                            route->events.userdata);
  }
  mcp_doc_free(doc);
}

static void to_client(ctl_route *route, uint64_t client, const char *text) {
  if (client != CTL_KEEP_NOBODY) {
    route->events.to_client(client, text, strlen(text), route->events.userdata);
  }
}

/* Both take the text. NULL: there was no memory for it. */
static void give_server(ctl_route *route, char *text) {
  if (text != NULL) {
    to_server(route, text);
  }
  free(text);
}

static void give_client(ctl_route *route, uint64_t client, char *text) {
  if (text != NULL) {
    to_client(route, client, text);
  }
  free(text);
}

/* Makes JSON text. NULL: out of memory. */
MCP_PRINTF(1, 2) static char *make_text(const char *format, ...) {
  va_list args;
  char *text = NULL;
  va_start(args, format);
  int len = vasprintf(&text, format, args);
  va_end(args);
  return len >= 0 ? text : NULL;
}

static char *make_error(const mcp_json *id, int code, const char *message) {
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  char *copy = NULL;
  if (out != NULL) {
    ctl_envelope_put_error(out, id, code, message);
    const char *text = mcp_builder_text(out, NULL);
    copy = text != NULL ? strdup(text) : NULL;
  }
  mcp_builder_free(out);
  return copy;
}

/* An answer that is as `member`, such as "result":{}. */
static char *make_answer(const mcp_json *id, const char *answer) {
  char *id_text = ctl_json_text(id);
  char *text = id_text != NULL ? make_text("{\"jsonrpc\":\"2.0\",\"id\":%s,%s}",
                                           id_text, answer)
                               : NULL;
  free(id_text);
  return text;
}

/* ---- clients ----------------------------------------------------------- */

static member *find_member(const ctl_route *route, uint64_t client) {
  member *one = route->members;
  while (one != NULL && one->number != client) {
    one = one->next;
  }
  return one;
}

int ctl_route_join(ctl_route *route, uint64_t client) {
  member *one = calloc(1, sizeof(*one));
  if (one == NULL) {
    return MCP_ERR_NOMEM;
  }
  *one = (member){route->members, client, CTL_KEEP_LEVEL_NONE, 0};
  route->members = one;
  return 0;
}

/* ---- log levels -------------------------------------------------------- */

/* The level that has all messages that clients want; CTL_KEEP_LEVEL_NONE: none
 * wants any. */
static int wanted_level(const ctl_route *route) {
  int level = CTL_KEEP_LEVEL_NONE;
  for (const member *one = route->members; one != NULL; one = one->next) {
    if (one->level != CTL_KEEP_LEVEL_NONE &&
        (level == CTL_KEEP_LEVEL_NONE || one->level < level)) {
      level = one->level;
    }
  }
  return level;
}

/* ---- requests of the connection's own ---------------------------------- */

/* Whether the answer comes does not matter. `params` is JSON text, taken. */
static void send_own(ctl_route *route, const char *method, char *params) {
  const ctl_flight *flight =
      params != NULL
          ? ctl_flights_add(&route->flights, CTL_KEEP_NOBODY, NULL, method)
          : NULL;
  if (flight != NULL) {
    give_server(route, make_text("{\"jsonrpc\":\"2.0\",\"id\":%lld,"
                                 "\"method\":\"%s\",\"params\":%s}",
                                 (long long)flight->number, method, params));
  }
  free(params);
}

static void settle_level(ctl_route *route) {
  int level = wanted_level(route);
  if (level != CTL_KEEP_LEVEL_NONE && level != route->wants.server_level &&
      route->wants.server_level != CTL_KEEP_LEVEL_NONE) {
    route->wants.server_level = level;
    send_own(route, "logging/setLevel",
             make_text("{\"level\":\"%s\"}", ctl_keep_level_name(level)));
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

/* ---- requests of clients ----------------------------------------------- */

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
  give_server(route, ctl_rewrite_text(request, changes, 3));
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
    give_client(route, client,
                make_error(mcp_json_get(request, "id"), MCP_RPC_INTERNAL_ERROR,
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
  give_client(route, client, make_answer(mcp_json_get(request, "id"), answer));
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
  member *one = find_member(route, client);
  if (level == CTL_KEEP_LEVEL_NONE || one == NULL) {
    forward(route, client, request, NULL); /* the server refuses it */
    return;
  }
  one->level = level;
  int wanted = wanted_level(route);
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
    give_client(route, client,
                make_error(mcp_json_get(request, "id"), MCP_RPC_INTERNAL_ERROR,
                           "the session has too many subscriptions"));
  } else {
    forward(route, client, request, NULL);
  }
}

static void from_client_request(ctl_route *route, uint64_t client,
                                const mcp_json *request) {
  const char *method = ctl_envelope_method(request);
  member *one = find_member(route, client);
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

/* ---- notifications of clients ------------------------------------------ */

static void cancel_at_server(ctl_route *route, const ctl_flight *flight,
                             const char *reason) {
  give_server(route,
              make_text("{\"jsonrpc\":\"2.0\","
                        "\"method\":\"notifications/cancelled\",\"params\":{"
                        "\"requestId\":%lld,\"reason\":\"%s\"}}",
                        (long long)flight->number, reason));
}

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
  give_server(route, ctl_rewrite_text(message, &change, 1));
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
    give_server(route, ctl_json_text(message));
  }
}

/* ---- questions --------------------------------------------------------- */

static void from_client_answer(ctl_route *route, uint64_t client,
                               const mcp_json *answer) {
  const char *task =
      mcp_json_string(mcp_json_pointer(answer, "/result/task/taskId"));
  if (ctl_questions_take(&route->questions, client,
                         mcp_json_get(answer, "id"))) {
    if (task != NULL) { /* a task of the client, about which the server asks */
      ctl_kept_tasks_own(&route->tasks, task, client, 0, NULL);
    }
    give_server(route, ctl_json_text(answer));
  }
}

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
      route->roots != NULL ? make_text("\"result\":%s", route->roots) : NULL;
  give_server(route, answer != NULL ? make_answer(id, answer)
                                    : make_error(id, MCP_RPC_METHOD_NOT_FOUND,
                                                 "there are no roots"));
  free(answer);
}

static void from_server_request(ctl_route *route, const mcp_json *request) {
  const mcp_json *id = mcp_json_get(request, "id");
  uint64_t client = CTL_KEEP_NOBODY;
  if (ctl_envelope_is_method(request, "ping")) {
    give_server(route, make_answer(id, "\"result\":{}"));
    return;
  }
  if (ctl_envelope_is_method(request, "roots/list")) {
    answer_roots(route, id);
    return;
  }
  client = whom_to_ask(route, request);
  if (client == CTL_KEEP_NOBODY ||
      ctl_questions_add(&route->questions, client, id) != 0) {
    give_server(route, make_error(id, MCP_RPC_INTERNAL_ERROR,
                                  "mcpctl accepts no further questions"));
    return;
  }
  give_client(route, client, ctl_json_text(request));
}

/* ---- notifications of the server --------------------------------------- */

/* The number of ours that the server repeats; 0: it is not one. */
static int64_t read_number(const mcp_json *value) {
  const char *text = mcp_json_string(value);
  int64_t number = 0;
  if (text != NULL) {
    return strtoll(text, NULL, 10);
  }
  return mcp_json_try_int(value, &number) == 0 ? number : 0;
}

static void to_all(ctl_route *route, const mcp_json *message) {
  char *text = ctl_json_text(message);
  for (const member *one = route->members; text != NULL && one != NULL;
       one = one->next) {
    if (one->is_ready) {
      to_client(route, one->number, text);
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
    give_client(route, client, ctl_rewrite_text(message, &change, 1));
  }
}

/* In 2026-07-28 each request has its level. Before, a client that has set none
 * gets all: it could not, or does not look at them. */
static int wants_log(const ctl_route *route, const member *one, int level) {
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
  for (const member *one = route->members; text != NULL && one != NULL;
       one = one->next) {
    if (one->is_ready && wants_log(route, one, level)) {
      to_client(route, one->number, text);
    }
  }
  free(text);
}

static void pass_update(ctl_route *route, const mcp_json *message) {
  const char *uri = mcp_json_string(mcp_json_pointer(message, "/params/uri"));
  char *text = uri != NULL ? ctl_json_text(message) : NULL;
  for (const member *one = route->members; text != NULL && one != NULL;
       one = one->next) {
    if (ctl_wants_covers(&route->wants, one->number, uri)) {
      to_client(route, one->number, text);
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
    give_client(route, flight->client, ctl_rewrite_text(message, &change, 1));
  }
}

/* The server cancels a question of its own, or ends a listen. */
static void server_cancels(ctl_route *route, const mcp_json *message) {
  const mcp_json *id = mcp_json_pointer(message, "/params/requestId");
  uint64_t client = ctl_questions_take_any(&route->questions, id);
  if (client != CTL_KEEP_NOBODY) {
    give_client(route, client, ctl_json_text(message));
    return;
  }
  const ctl_flight *flight = ctl_flights_find(&route->flights, read_number(id));
  if (flight != NULL && flight->id != NULL) {
    const ctl_rewrite changes[] = {
        {{"params", "requestId", NULL}, flight->id},
        {{"params", "_meta", SUBSCRIPTION, NULL}, flight->id}};
    give_client(route, flight->client, ctl_rewrite_text(message, changes, 2));
  }
}

static void pass_to_task(ctl_route *route, const mcp_json *message) {
  const char *id = mcp_json_string(mcp_json_pointer(message, "/params/taskId"));
  const ctl_kept_task *task =
      id != NULL ? ctl_kept_tasks_find(&route->tasks, id) : NULL;
  if (task == NULL) {
    to_all(route, message);
  } else {
    give_client(route, task->client, ctl_json_text(message));
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

/* ---- answers of the server --------------------------------------------- */

/* Keeps the answer to a handshake, for later clients. Returns it as a member;
 * owned. */
static void keep_handshake(char **kept, const mcp_json *answer) {
  const mcp_json *result = mcp_json_get(answer, "result");
  char *value =
      ctl_json_text(result != NULL ? result : mcp_json_get(answer, "error"));
  char *text =
      value != NULL
          ? make_text("\"%s\":%s", result != NULL ? "result" : "error", value)
          : NULL;
  free(value);
  if (text != NULL) {
    free(*kept);
    *kept = text;
  }
}

static void note_level(ctl_route *route, const ctl_flight *flight,
                       int has_worked) {
  member *one = find_member(route, flight->client);
  if (has_worked) {
    route->wants.server_level = wanted_level(route);
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
    give_client(route, flight->client, ctl_rewrite_text(answer, changes, 3));
  }
  ctl_flight_free(flight);
}

void ctl_route_failed(ctl_route *route, const mcp_json *error) {
  pass_answer(route, error, NULL);
}

/* ---- a client leaves --------------------------------------------------- */

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
    give_server(route,
                make_text("{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{"
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
  member **at = &route->members;
  while (*at != NULL && (*at)->number != client) {
    at = &(*at)->next;
  }
  member *one = *at;
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

/* ---- all --------------------------------------------------------------- */

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
    member *one = route->members;
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
