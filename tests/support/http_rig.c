/* SPDX-License-Identifier: MIT */
#include "support/http_rig.h"

#include "support/cm.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- the responder ------------------------------------------------------ */

static const char *find_header(const mcp_http_header *headers, size_t count,
                               const char *name) {
  for (size_t i = 0; i < count; i++) {
    if (strcasecmp(headers[i].name, name) == 0) {
      return headers[i].value;
    }
  }
  return NULL;
}

static void note_head(http_trip *trip, int status,
                      const mcp_http_header *headers, size_t count) {
  char number[16];
  const char *type = find_header(headers, count, "Content-Type");
  snprintf(number, sizeof(number), "%d", status);
  rig_text_puts(&trip->answer, number);
  if (type != NULL) {
    rig_text_puts(&trip->answer, " ");
    rig_text_puts(&trip->answer, type);
  }
  for (size_t i = 0; i < count; i++) {
    rig_text_puts(&trip->answer_headers, headers[i].name);
    rig_text_puts(&trip->answer_headers, ": ");
    rig_text_puts(&trip->answer_headers, headers[i].value);
    rig_text_puts(&trip->answer_headers, "\n");
  }
}

static void tell(http_trip *trip) {
  if (trip->on_answer != NULL) {
    trip->on_answer(trip, trip->userdata);
  }
}

/* An answer that has ended has let go of its exchange. */
static void note_end(http_trip *trip, const char *how) {
  assert_false(trip->is_over);
  rig_text_puts(&trip->answer, how);
  trip->is_over = 1;
  trip->exchange = NULL;
}

static void on_respond(void *exchange, int status,
                       const mcp_http_header *headers, size_t header_count,
                       const char *body, size_t len) {
  http_trip *trip = exchange;
  assert_false(trip->has_begun);
  note_head(trip, status, headers, header_count);
  if (len > 0) {
    rig_text_puts(&trip->answer, "\n");
    rig_text_put(&trip->answer, body, len);
  }
  note_end(trip, "");
  tell(trip);
}

static void on_begin(void *exchange, int status, const mcp_http_header *headers,
                     size_t header_count) {
  http_trip *trip = exchange;
  assert_false(trip->has_begun || trip->is_over);
  trip->has_begun = 1;
  note_head(trip, status, headers, header_count);
  rig_text_puts(&trip->answer, "\n");
  tell(trip);
}

static void on_write(void *exchange, const char *bytes, size_t len) {
  http_trip *trip = exchange;
  assert_true(trip->has_begun && !trip->is_over);
  rig_text_put(&trip->answer, bytes, len);
  tell(trip);
}

static void on_end(void *exchange) {
  http_trip *trip = exchange;
  assert_true(trip->has_begun);
  note_end(trip, "END");
  tell(trip);
}

static void on_abort(void *exchange) {
  note_end(exchange, "ABORT");
}

static size_t on_queued(void *exchange) {
  const http_trip *trip = exchange;
  assert_false(trip->is_over);
  return trip->queued;
}

#define RESPONDER                                                              \
  .size = sizeof(mcp_http_responder), .respond = on_respond,                   \
  .begin = on_begin, .write = on_write, .end = on_end, .queued = on_queued

static mcp_transport *on_upgrade(void *exchange, size_t max_message) {
  http_trip *trip = exchange;
  trip->is_over = 1;
  trip->exchange = NULL;
  return trip->upgrade(trip, max_message);
}

static const mcp_http_responder responder = {RESPONDER, .abort = on_abort};
static const mcp_http_responder without_abort = {RESPONDER};
static const mcp_http_responder with_upgrade = {RESPONDER, .abort = on_abort,
                                                .upgrade = on_upgrade};

static const mcp_http_responder *responder_of(const http_trip *trip) {
  return trip->upgrade != NULL ? &with_upgrade
         : trip->cannot_abort  ? &without_abort
                               : &responder;
}

/* --- requests ----------------------------------------------------------- */

/* Ends the text at the next `mark`, and goes past it. */
static char *cut(char **rest, char mark) {
  char *start = *rest;
  char *end = strchr(start, mark);
  if (end == NULL) {
    fail_msg("no end in the request: %s", start);
  }
  *end = '\0';
  *rest = end + 1;
  return start;
}

static const char *peer_of(const http_rig *rig) {
  if (rig->peer == NULL) {
    return "127.0.0.1:4711";
  }
  return rig->peer[0] != '\0' ? rig->peer : NULL;
}

static void read_request(http_trip *trip) {
  char *rest = trip->text;
  char *line = cut(&rest, '\n');
  mcp_http_request *request = &trip->request;
  *request = (mcp_http_request){.size = sizeof(mcp_http_request),
                                .headers = trip->headers,
                                .peer = peer_of(trip->rig),
                                .principal = trip->principal};
  request->method = cut(&line, ' ');
  request->target = line;
  while (*rest != '\n') {
    line = cut(&rest, '\n');
    mcp_http_header *header = &trip->headers[request->header_count++];
    header->name = cut(&line, ':');
    header->value = line + strspn(line, " ");
  }
  trip->body = rig_expand(rest + 1);
}

void trip_begin(http_trip *trip, http_rig *rig, const char *request) {
  trip->rig = rig;
  trip->has_begun = 0;
  trip->is_over = 0;
  trip->text = strdup(request);
  rig_text_put(&trip->answer, "", 0);
  rig_text_put(&trip->answer_headers, "", 0);
  read_request(trip);
  trip->exchange =
      mcp_http_begin(rig->http, &trip->request, responder_of(trip), trip);
  assert_true(trip->is_over == (trip->exchange == NULL));
}

static void free_request(http_trip *trip) {
  free(trip->text);
  free(trip->body);
  trip->text = NULL;
  trip->body = NULL;
}

void trip_body(http_trip *trip) {
  if (trip->exchange != NULL) {
    mcp_http_body(trip->exchange, trip->body, strlen(trip->body));
  }
  free_request(trip);
}

void trip_send(http_trip *trip, http_rig *rig, const char *request) {
  trip_begin(trip, rig, request);
  trip_body(trip);
  rig_turn(&rig->rig);
}

void trip_gone(http_trip *trip) {
  mcp_http_exchange *exchange = trip->exchange;
  trip->is_over = 1;
  trip->exchange = NULL;
  if (exchange != NULL) {
    mcp_http_gone(exchange);
  }
}

void trip_deinit(http_trip *trip) {
  trip_gone(trip);
  free_request(trip);
  free(trip->answer.bytes);
  free(trip->answer_headers.bytes);
  memset(trip, 0, sizeof(*trip));
}

/* --- looking ------------------------------------------------------------ */

const char *trip_header(http_trip *trip, const char *name) {
  size_t len = strlen(name);
  const char *line = trip->answer_headers.bytes;
  for (; *line != '\0'; line = strchr(line, '\n') + 1) {
    if (strncasecmp(line, name, len) == 0 && line[len] == ':') {
      snprintf(trip->found, sizeof(trip->found), "%.*s",
               (int)strcspn(line + len + 2, "\n"), line + len + 2);
      return trip->found;
    }
  }
  return NULL;
}

void trip_forget(http_trip *trip) {
  rig_text_clear(&trip->answer);
}

void trip_expect(http_trip *trip, const char *file, int line,
                 const char *expected) {
  rig_text_expect(&trip->answer, file, line, expected);
}

/* --- in a legacy session ------------------------------------------------ */

void session_send(http_rig *rig, http_trip *trip, const char *method,
                  const char *headers, const char *body) {
  char request[4000];
  snprintf(request, sizeof(request),
           "%s /mcp\n" HTTP_JSON "Mcp-Session-Id: %s\n%s\n%s", method,
           rig->session_id, headers, body);
  trip_send(trip, rig, request);
}

void session_post(http_rig *rig, http_trip *trip, const char *body) {
  session_send(rig, trip, "POST", "", body);
}

void session_initialize(http_rig *rig, const char *request,
                        const char *principal) {
  http_trip trip = {.principal = principal};
  rig->rig.seed += 40; /* each has its own id */
  trip_send(&trip, rig, request);
  const char *id = trip_header(&trip, "Mcp-Session-Id");
  if (id != NULL) {
    snprintf(rig->session_id, sizeof(rig->session_id), "%s", id);
  }
  trip_deinit(&trip);
}

void session_open(http_rig *rig, const char *request) {
  http_trip trip = {0};
  session_initialize(rig, request, NULL);
  session_post(rig, &trip, INITIALIZED);
  trip_deinit(&trip);
}

/* --- the rig ------------------------------------------------------------ */

int http_rig_init(http_rig *rig, const mcp_server_options *server_options,
                  const mcp_http_options *options,
                  const mcp_allocator *allocator) {
  mcp_error err = {0};
  rig->http = NULL;
  rig->peer = NULL;
  int rc = rig_init(&rig->rig, server_options, allocator);
  if (rc != 0) {
    return rc;
  }
  rig->http = mcp_http_new(rig->rig.server, rig->rig.loop, options, &err);
  if (rig->http == NULL) {
    http_rig_deinit(rig);
  }
  return err.code;
}

void http_rig_deinit(http_rig *rig) {
  mcp_http_free(rig->http);
  rig->http = NULL;
  rig_deinit(&rig->rig);
}
