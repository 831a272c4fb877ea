/* SPDX-License-Identifier: MIT */
/* Over stdio and sockets a message is a line, and there is nothing to know of
 * it. Over HTTP a request has a stream of its own. So the wire keeps the
 * requests in flight: it gives each a number, by which the transport reports
 * that it has failed, and answers it then. */
#include "connection/wire.h"
#include "common/envelope.h"
#include "common/exit.h"
#include "common/json.h"
#include "common/report.h"
#include "connection/connect.h"
#include "connection/login.h"

#include <mcp/transport.h>
#include <stdlib.h>
#include <string.h>

/* Longer than what the library's own clients and servers accept. */
enum { MAX_LINE = 256 * 1024 * 1024 };

/* The numbers of requests begin here, so that they are no ids of a client: the
 * transport of HTTP makes messages with a number as the id, from errors that
 * came with a status of a refusal. */
#define FIRST_NUMBER (INT64_C(1) << 52)

/* A request in flight. */
typedef struct flight {
  struct flight *next;
  uint64_t number;
  mcp_doc *message;
} flight;

/* A message that waits until the transport is open. */
typedef struct queued {
  struct queued *next;
  char *text;
  size_t len;
  uint64_t number;
} queued;

struct ctl_wire {
  mcp_loop *loop;
  ctl_wire_events events;
  mcp_transport *transport;
  ctl_login *login; /* owned; NULL: the server needs no login */
  int is_open;      /* messages can be sent */
  int is_closing;
  int is_closed;
  uint64_t last_number;
  flight *flights; /* oldest first */
  queued *queue;   /* oldest first */
  char *revision;  /* that the transport knows; owned */
  int has_exited;
  int64_t exit_status;
  int exit_signal;
};

/* ---- requests in flight ------------------------------------------------ */

static const mcp_json *flight_message(const flight *one) {
  return mcp_doc_root(one->message);
}

static void flight_free(flight *one) {
  mcp_doc_free(one->message);
  free(one);
}

/* Takes a copy of a request. Returns its number; 0: out of memory. */
static uint64_t add_flight(ctl_wire *wire, const mcp_json *request) {
  size_t len = 0;
  char *text = mcp_json_to_text(request, &len);
  flight *one = text != NULL ? calloc(1, sizeof(*one)) : NULL;
  flight **last = &wire->flights;
  if (one != NULL) {
    one->message = mcp_doc_parse(text, len, NULL, NULL, NULL);
  }
  mcp_text_free(text);
  if (one == NULL || one->message == NULL) {
    free(one);
    return 0;
  }
  one->number = ++wire->last_number;
  while (*last != NULL) {
    last = &(*last)->next;
  }
  *last = one;
  return one->number;
}

/* Removes the request with an id, or, if that is NULL, with a number. Owned;
 * NULL: it is not in flight. */
static flight *take_flight(ctl_wire *wire, const mcp_json *id,
                           uint64_t number) {
  for (flight **at = &wire->flights; *at != NULL; at = &(*at)->next) {
    flight *one = *at;
    int is_it =
        id != NULL ? mcp_json_equal(mcp_json_get(flight_message(one), "id"), id)
                   : one->number == number;
    if (is_it) {
      *at = one->next;
      return one;
    }
  }
  return NULL;
}

int ctl_wire_is_waiting(const ctl_wire *wire) {
  for (const flight *one = wire->flights; one != NULL; one = one->next) {
    if (!ctl_envelope_is_method(flight_message(one), "subscriptions/listen")) {
      return 1;
    }
  }
  return 0;
}

int ctl_wire_has_exited(const ctl_wire *wire, int64_t *status, int *signal) {
  *status = wire->exit_status;
  *signal = wire->exit_signal;
  return wire->has_exited;
}

/* ---- from the server --------------------------------------------------- */

/* Over HTTP the revision of a session goes with each request. */
static void set_revision(ctl_wire *wire, const mcp_json *answer) {
  const char *revision =
      mcp_json_string(mcp_json_pointer(answer, "/result/protocolVersion"));
  mcp_transport *transport = wire->transport;
  char *copy = revision != NULL ? strdup(revision) : NULL;
  if (copy != NULL && transport->set_protocol_version != NULL) {
    transport->set_protocol_version(transport, copy);
    free(wire->revision);
    wire->revision = copy;
    copy = NULL;
  }
  free(copy);
}

static void note_answer(ctl_wire *wire, const mcp_json *message) {
  flight *one = ctl_envelope_kind(message) == CTL_MESSAGE_ANSWER
                    ? take_flight(wire, mcp_json_get(message, "id"), 0)
                    : NULL;
  if (one == NULL) {
    return;
  }
  if (ctl_envelope_is_method(flight_message(one), "initialize")) {
    set_revision(wire, message);
  }
  flight_free(one);
}

/* A message, or each of a batch. */
static void note_answers(ctl_wire *wire, const mcp_json *root) {
  mcp_json_iter iter;
  const mcp_json *message = NULL;
  if (mcp_json_type(root) != MCP_JSON_ARRAY) {
    note_answer(wire, root);
    return;
  }
  mcp_json_iter_init(&iter, root);
  while ((message = mcp_json_iter_next(&iter, NULL)) != NULL) {
    note_answer(wire, message);
  }
}

/* A number or a text alone is JSON, but not a message. */
static int is_message(const mcp_json *root) {
  int type = mcp_json_type(root);
  return type == MCP_JSON_OBJECT || type == MCP_JSON_ARRAY;
}

/* Whether the transport has made the message, with a number as its id. */
static int is_numbered(const mcp_json *root) {
  const mcp_json *id = mcp_json_get(root, "id");
  return ctl_envelope_kind(root) == CTL_MESSAGE_ANSWER &&
         mcp_json_is_integer(id) && mcp_json_int(id) > FIRST_NUMBER;
}

/* Gives a message that has a number as its id the id of the request. Owned;
 * NULL: it is not in flight. */
static char *with_own_id(const ctl_wire *wire, const mcp_json *root) {
  static const char *const path[] = {"id", NULL};
  uint64_t number = (uint64_t)mcp_json_int(mcp_json_get(root, "id"));
  const flight *one = wire->flights;
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  while (one != NULL && one->number != number) {
    one = one->next;
  }
  if (one != NULL) {
    ctl_envelope_put(out, root, path, mcp_json_get(flight_message(one), "id"));
  }
  const char *text = one != NULL ? mcp_builder_text(out, NULL) : NULL;
  char *copy = text != NULL ? strdup(text) : NULL;
  mcp_builder_free(out);
  return copy;
}

static void pass_on(ctl_wire *wire, const char *text, size_t len,
                    const mcp_json *root, int is_junk) {
  if (is_junk) {
    wire->events.on_junk(text, len, wire->events.userdata);
  } else {
    note_answers(wire, root);
    wire->events.on_message(text, len, root, 0, wire->events.userdata);
  }
}

static void on_message(mcp_transport *transport, const char *text, size_t len) {
  ctl_wire *wire = transport->owner;
  mcp_error err = {0};
  mcp_doc *doc = mcp_doc_parse(text, len, NULL, NULL, &err);
  const mcp_json *root = mcp_doc_root(doc);
  char *own = is_numbered(root) ? with_own_id(wire, root) : NULL;
  if (own != NULL) {
    mcp_doc_free(doc);
    text = own;
    len = strlen(own);
    doc = mcp_doc_parse(text, len, NULL, NULL, &err);
    root = mcp_doc_root(doc);
  }
  pass_on(wire, text, len, root,
          err.code == MCP_ERR_PARSE || (doc != NULL && !is_message(root)));
  free(own);
  mcp_doc_free(doc);
}

/* Answers a request that has failed, since the server did not. */
static void answer_failed(ctl_wire *wire, uint64_t number,
                          const mcp_error *err) {
  flight *one = take_flight(wire, NULL, number);
  mcp_builder *out = NULL;
  if (one != NULL && wire->events.on_failed != NULL) {
    wire->events.on_failed(mcp_json_get(flight_message(one), "id"), err,
                           wire->events.userdata);
  } else if (one != NULL) {
    out = mcp_builder_new(NULL, NULL);
  }
  if (out != NULL) {
    size_t len = 0;
    ctl_envelope_put_error(out, mcp_json_get(flight_message(one), "id"),
                           MCP_RPC_INTERNAL_ERROR, err->message);
    const char *text = mcp_builder_text(out, &len);
    mcp_doc *doc =
        text != NULL ? mcp_doc_parse(text, len, NULL, NULL, NULL) : NULL;
    if (doc != NULL) {
      wire->events.on_message(text, len, mcp_doc_root(doc), 1,
                              wire->events.userdata);
    }
    mcp_doc_free(doc);
    mcp_builder_free(out);
  }
  if (one != NULL) {
    flight_free(one);
  }
}

static void on_request_failed(mcp_transport *transport, uint64_t request,
                              const mcp_error *err) {
  answer_failed(transport->owner, request, err);
}

static int is_waiting(mcp_transport *transport, uint64_t request) {
  const ctl_wire *wire = transport->owner;
  for (const flight *one = wire->flights; one != NULL; one = one->next) {
    if (one->number == request) {
      return 1;
    }
  }
  return 0;
}

static void on_error(mcp_transport *transport, const mcp_error *err) {
  const ctl_wire *wire = transport->owner;
  if (wire->events.on_error != NULL) {
    wire->events.on_error(err, wire->events.userdata);
    return;
  }
  ctl_report(0, "%s", err->message);
}

/* The session has ended. Only the client could begin another one. */
static void on_restart(mcp_transport *transport) {
  transport->close(transport);
}

static void on_stderr(mcp_transport *transport, const char *bytes, size_t len,
                      void *userdata) {
  const ctl_wire *wire = userdata;
  (void)transport;
  wire->events.on_stderr(bytes, len, wire->events.userdata);
}

static void note_exit(mcp_transport *transport, int64_t status, int signal,
                      void *userdata) {
  ctl_wire *wire = userdata;
  (void)transport;
  wire->has_exited = 1;
  wire->exit_status = status;
  wire->exit_signal = signal;
}

/* Says how a command has ended, if it did so by itself or with a failure. A
 * signal after the end of its input may be that of the transport. */
static void describe_exit(const ctl_wire *wire, mcp_error *err) {
  if (wire->exit_signal != 0 && !wire->is_closing) {
    mcp_error_set(err, MCP_ERR_CLOSED, "ended by signal %d", wire->exit_signal);
  } else if (wire->exit_signal == 0 &&
             (wire->exit_status != 0 || !wire->is_closing)) {
    mcp_error_set(err, MCP_ERR_CLOSED, "exited with status %lld",
                  (long long)wire->exit_status);
  }
}

static void on_close(mcp_transport *transport, const mcp_error *err) {
  ctl_wire *wire = transport->owner;
  mcp_error why = {0};
  if (err != NULL && err->code != 0) {
    why = *err;
  } else if (!wire->is_closing) {
    mcp_error_set(&why, MCP_ERR_CLOSED, "the server has ended the connection");
  }
  if (wire->has_exited) {
    describe_exit(wire, &why);
  }
  wire->is_closed = 1;
  wire->events.on_closed(&why, wire->events.userdata);
}

/* ---- to the server ----------------------------------------------------- */

static int send_numbered(ctl_wire *wire, const char *text, size_t len,
                         uint64_t number) {
  const mcp_send_info info = {.size = sizeof(mcp_send_info), .request = number};
  return wire->transport->send(wire->transport, text, len, &info);
}

static int enqueue(ctl_wire *wire, const char *text, size_t len,
                   uint64_t number) {
  queued *one = calloc(1, sizeof(*one));
  queued **last = &wire->queue;
  char *copy = one != NULL ? malloc(len + 1) : NULL;
  if (copy == NULL) {
    free(one);
    return MCP_ERR_NOMEM;
  }
  memcpy(copy, text, len);
  *one = (queued){NULL, copy, len, number};
  while (*last != NULL) {
    last = &(*last)->next;
  }
  *last = one;
  return 0;
}

static queued *take_queued(ctl_wire *wire) {
  queued *one = wire->queue;
  wire->queue = one->next;
  return one;
}

static void queued_free(queued *one) {
  free(one->text);
  free(one);
}

static void on_open(mcp_transport *transport) {
  ctl_wire *wire = transport->owner;
  wire->is_open = 1;
  while (wire->queue != NULL) {
    queued *one = take_queued(wire);
    send_numbered(wire, one->text, one->len, one->number);
    queued_free(one);
  }
  if (wire->is_closing) {
    transport->close(transport);
  }
}

/* A request that the client cancels gets no answer. In 2026-07-28 a client
 * cancels a request over HTTP by ending its stream. Returns 1 if this was done;
 * 0: the notification must be sent. */
static int cancel_flight(ctl_wire *wire, const mcp_json *message) {
  mcp_transport *transport = wire->transport;
  int ends_stream =
      (transport->flags & MCP_TRANSPORT_PER_REQUEST_STREAM) != 0 &&
      wire->revision == NULL && transport->abort != NULL;
  if (!ctl_envelope_is_method(message, "notifications/cancelled")) {
    return 0;
  }
  flight *one =
      take_flight(wire, mcp_json_pointer(message, "/params/requestId"), 0);
  if (one != NULL && ends_stream) {
    transport->abort(transport, one->number);
  }
  if (one != NULL) {
    flight_free(one);
  }
  return ends_stream;
}

/* Keeps the requests of a message, or of a batch. Sets the number of the last
 * one, or 0. Returns 0 or MCP_ERR_NOMEM. */
static int add_flights(ctl_wire *wire, const mcp_json *root, uint64_t *number) {
  mcp_json_iter iter;
  const mcp_json *message = root;
  int is_batch = mcp_json_type(root) == MCP_JSON_ARRAY;
  *number = 0;
  if (is_batch) {
    mcp_json_iter_init(&iter, root);
    message = mcp_json_iter_next(&iter, NULL);
  }
  while (message != NULL) {
    if (ctl_envelope_kind(message) == CTL_MESSAGE_REQUEST) {
      *number = add_flight(wire, message);
      if (*number == 0) {
        return MCP_ERR_NOMEM;
      }
    }
    message = is_batch ? mcp_json_iter_next(&iter, NULL) : NULL;
  }
  return 0;
}

int ctl_wire_send(ctl_wire *wire, const char *text, size_t len,
                  const mcp_json *message) {
  uint64_t number = 0;
  if (wire->is_closing || wire->is_closed) {
    return MCP_ERR_CLOSED;
  }
  if (cancel_flight(wire, message)) {
    return 0;
  }
  int rc = add_flights(wire, message, &number);
  if (rc != 0) {
    return rc;
  }
  return wire->is_open ? send_numbered(wire, text, len, number)
                       : enqueue(wire, text, len, number);
}

void ctl_wire_close(ctl_wire *wire) {
  if (wire->is_closing || wire->is_closed) {
    return;
  }
  wire->is_closing = 1;
  if (wire->is_open || wire->queue == NULL) {
    wire->transport->close(wire->transport);
  }
}

/* ---- life -------------------------------------------------------------- */

static int wire_start(ctl_wire *wire, const ctl_options *options,
                      mcp_error *err) {
  const mcp_stream_options stream = {.size = sizeof(mcp_stream_options),
                                     .max_line = MAX_LINE,
                                     .max_queue = MAX_LINE};
  const ctl_watch watch = {
      .on_stderr = wire->events.on_stderr != NULL ? on_stderr : NULL,
      .on_exit = note_exit,
      .userdata = wire,
      .stream = &stream,
      .auth = ctl_login_auth(wire->login)};
  mcp_transport *transport =
      ctl_connect_transport(wire->loop, options, &watch, err);
  if (transport == NULL) {
    return err->code;
  }
  wire->transport = transport;
  transport->owner = wire;
  transport->on_message = on_message;
  transport->on_error = on_error;
  transport->on_close = on_close;
  transport->on_restart = on_restart;
  transport->on_open = on_open;
  transport->on_request_failed = on_request_failed;
  transport->on_request_refused = on_request_failed;
  transport->is_waiting = is_waiting;
  wire->is_open = (transport->flags & MCP_TRANSPORT_OPENS_LATER) == 0;
  return transport->start(transport, err);
}

ctl_wire *ctl_wire_open(mcp_loop *loop, const ctl_options *options,
                        const ctl_wire_events *events, mcp_error *err) {
  ctl_wire *wire = calloc(1, sizeof(*wire));
  if (wire == NULL) {
    mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
    return NULL;
  }
  wire->loop = loop;
  wire->events = *events;
  wire->last_number = FIRST_NUMBER;
  if (options->url != NULL &&
      ctl_login_new(&wire->login, options, loop, CTL_LOGIN_SILENT) != CTL_OK) {
    mcp_error_set(err, MCP_ERR_INVALID, "the login cannot be used");
    ctl_wire_free(wire);
    return NULL;
  }
  if (wire_start(wire, options, err) != 0) {
    ctl_wire_free(wire);
    return NULL;
  }
  return wire;
}

void ctl_wire_free(ctl_wire *wire) {
  if (wire == NULL) {
    return;
  }
  mcp_transport_free(wire->transport);
  while (wire->flights != NULL) {
    flight *one = wire->flights;
    wire->flights = one->next;
    flight_free(one);
  }
  while (wire->queue != NULL) {
    queued_free(take_queued(wire));
  }
  ctl_login_free(wire->login);
  free(wire->revision);
  free(wire);
}
