/* SPDX-License-Identifier: MIT */
/* Carries requests to the homes of their sessions. */
#include "http1/relay.h"

#include "base/alloc.h"
#include "codec/http_value.h"
#include "endpoint/endpoint.h"
#include "endpoint/exchange.h"
#include "endpoint/session_id.h"
#include "endpoint/upgrade.h"
#include "http1/parcel.h"

#include <stdatomic.h>
#include <stdint.h>

enum {
  /* If the announced length of a body has at most this many digits, the body is
   * sent together with its head. The head of any other body is sent first, so
   * that the request can be refused before memory is taken for the body. */
  SHORT_BODY_DIGITS = 4,
  /* How old the home's information about a slow client may be. */
  LOOK_MS = 50
};

struct mcpi_http1_relay {
  mcpi_inbox inbox;
  atomic_size_t parcel_bytes; /* bytes of the parcels in it */
  size_t max_bytes;
  mcpi_uv *uv;
  mcp_http *http; /* NULL: closed */
  mcpi_http1_homes *homes;
  size_t place;    /* its index among the homes */
  mcpi_list slow;  /* passages whose clients do not read everything at once */
  uv_timer_t look; /* runs while there are slow passages */
};

typedef struct passage {
  mcpi_endpoint_handle handle; /* the first member */
  const mcp_allocator *allocator;
  mcpi_http1_relay *here; /* the relay of the connection */
  mcpi_http1_relay *home;
  atomic_size_t refs;

  /* Members that only the connection's loop uses. */
  const mcp_http_responder *responder;
  void *connection; /* the responder's; NULL: no more answers */
  /* Waits for its body; NULL: it has been sent. */
  const mcp_http_request *request;
  mcpi_list link; /* in here->slow */
  mcpi_letter gone;

  /* Members that only the home uses. */
  mcp_http_exchange *exchange; /* NULL: not begun, or answered */
  /* The head of a request whose body will follow. */
  mcpi_http1_parcel *head;
  /* The end of the answer, if it needs no parcel. */
  mcpi_letter last;
  int is_over; /* nothing more is sent */

  /* Bytes of the answer that the client does not have yet. */
  atomic_size_t under_way; /* in letters */
  atomic_size_t waiting;   /* in its connection */
} passage;

/* --- life ---------------------------------------------------------------- */

static passage *passage_new(mcpi_http1_relay *here, mcpi_http1_relay *home,
                            const mcp_http_responder *responder,
                            void *connection) {
  const mcp_allocator *allocator = here->homes->allocator;
  passage *p = mcpi_calloc(allocator, 1, sizeof(*p));
  if (p != NULL) {
    p->handle.is_passage = 1;
    p->allocator = allocator;
    p->here = here;
    p->home = home;
    atomic_init(&p->refs, 1);
    p->responder = responder;
    p->connection = connection;
    mcpi_list_init(&p->link);
  }
  return p;
}

static void passage_ref(passage *p) {
  atomic_fetch_add_explicit(&p->refs, 1, memory_order_relaxed);
}

static void passage_unref(passage *p) {
  if (atomic_fetch_sub_explicit(&p->refs, 1, memory_order_acq_rel) == 1) {
    mcpi_http1_parcel_free(p->head);
    mcpi_free(p->allocator, p, sizeof(*p));
  }
}

/* The connection drops the passage. */
static void *leave_connection(passage *p) {
  void *connection = p->connection;
  p->connection = NULL;
  mcpi_list_remove(&p->link);
  passage_unref(p);
  return connection;
}

/* --- letters ------------------------------------------------------------- */

void mcpi_http1_relay_put(mcpi_http1_relay *relay, mcpi_letter *letter,
                          void (*on_open)(mcpi_letter *letter)) {
  letter->on_open = on_open;
  mcpi_inbox_put(&relay->inbox, letter);
}

static void relay_put(passage *p, mcpi_http1_relay *to, mcpi_letter *letter,
                      void (*on_open)(mcpi_letter *letter)) {
  passage_ref(p);
  mcpi_http1_relay_put(to, letter, on_open);
}

static mcpi_http1_parcel *parcel_of(mcpi_letter *letter) {
  return MCPI_CONTAINER(letter, mcpi_http1_parcel, letter);
}

/* NULL when there is no memory, or too many bytes are in the inbox. */
static mcpi_http1_parcel *parcel_for(const passage *p, mcpi_http1_relay *to,
                                     const mcp_http_request *head,
                                     const char *body, size_t len) {
  size_t bytes = atomic_load_explicit(&to->parcel_bytes, memory_order_relaxed);
  return bytes <= to->max_bytes && len <= to->max_bytes - bytes
             ? mcpi_http1_parcel_new(p->allocator, head, body, len)
             : NULL;
}

static void put_parcel(passage *p, mcpi_http1_relay *to,
                       mcpi_http1_parcel *parcel,
                       void (*on_open)(mcpi_letter *letter)) {
  parcel->userdata = p;
  atomic_fetch_add_explicit(&to->parcel_bytes, parcel->size,
                            memory_order_relaxed);
  relay_put(p, to, &parcel->letter, on_open);
}

/* Takes a parcel that has arrived, and is no longer in that inbox. */
static mcpi_http1_parcel *take_from(mcpi_http1_relay *at, mcpi_letter *letter) {
  mcpi_http1_parcel *parcel = parcel_of(letter);
  atomic_fetch_sub_explicit(&at->parcel_bytes, parcel->size,
                            memory_order_relaxed);
  return parcel;
}

static mcpi_http1_parcel *take_here(mcpi_letter *letter) {
  const passage *p = parcel_of(letter)->userdata;
  return take_from(p->here, letter);
}

static mcpi_http1_parcel *take_at_home(mcpi_letter *letter) {
  const passage *p = parcel_of(letter)->userdata;
  return take_from(p->home, letter);
}

static void parcel_end(mcpi_http1_parcel *parcel) {
  passage *p = parcel->userdata;
  mcpi_http1_parcel_free(parcel);
  passage_unref(p);
}

/* --- the connection's loop: parts of the answer -------------------------- */

static void on_gone_letter(mcpi_letter *letter);

/* Drops an answer that has not ended; the home may not know that yet. */
static void *lose_connection(passage *p) {
  relay_put(p, p->home, &p->gone, on_gone_letter);
  return leave_connection(p);
}

static void on_look(uv_timer_t *timer);

/* Tells the home how many bytes wait for the client, now and later. */
static void note_waiting(passage *p) {
  mcpi_http1_relay *relay = p->here;
  size_t waiting = p->responder->queued(p->connection);
  atomic_store_explicit(&p->waiting, waiting, memory_order_relaxed);
  mcpi_list_remove(&p->link);
  if (waiting > 0) {
    mcpi_list_append(&relay->slow, &p->link);
    if (!uv_is_active((uv_handle_t *)&relay->look)) {
      uv_timer_start(&relay->look, on_look, LOOK_MS, LOOK_MS);
    }
  }
}

static void on_look(uv_timer_t *timer) {
  mcpi_http1_relay *relay = timer->data;
  mcpi_list slow;
  mcpi_list_init(&slow);
  while (!mcpi_list_is_empty(&relay->slow)) {
    mcpi_list *link = relay->slow.next;
    mcpi_list_remove(link);
    mcpi_list_append(&slow, link);
  }
  while (!mcpi_list_is_empty(&slow)) {
    note_waiting(MCPI_CONTAINER(slow.next, passage, link));
  }
  if (mcpi_list_is_empty(&relay->slow)) {
    uv_timer_stop(&relay->look);
  }
}

static void on_respond(mcpi_letter *letter) {
  mcpi_http1_parcel *parcel = take_here(letter);
  passage *p = parcel->userdata;
  if (p->connection != NULL) {
    p->responder->respond(leave_connection(p), parcel->status,
                          parcel->head.headers, parcel->head.header_count,
                          parcel->body, parcel->body_len);
  }
  parcel_end(parcel);
}

static void on_begin(mcpi_letter *letter) {
  mcpi_http1_parcel *parcel = take_here(letter);
  passage *p = parcel->userdata;
  if (p->connection != NULL) {
    p->responder->begin(p->connection, parcel->status, parcel->head.headers,
                        parcel->head.header_count);
  }
  parcel_end(parcel);
}

static void relay_on_write(mcpi_letter *letter) {
  mcpi_http1_parcel *parcel = take_here(letter);
  passage *p = parcel->userdata;
  if (p->connection != NULL) {
    p->responder->write(p->connection, parcel->body, parcel->body_len);
    note_waiting(p);
  }
  atomic_fetch_sub_explicit(&p->under_way, parcel->body_len,
                            memory_order_relaxed);
  parcel_end(parcel);
}

static void relay_on_end(mcpi_letter *letter) {
  passage *p = MCPI_CONTAINER(letter, passage, last);
  if (p->connection != NULL) {
    p->responder->end(leave_connection(p));
  }
  passage_unref(p);
}

static void relay_on_close(mcpi_letter *letter) {
  passage *p = MCPI_CONTAINER(letter, passage, last);
  if (p->connection != NULL) {
    p->responder->close(leave_connection(p));
  }
  passage_unref(p);
}

static void on_abort(mcpi_letter *letter) {
  passage *p = MCPI_CONTAINER(letter, passage, last);
  if (p->connection != NULL) {
    p->responder->abort(lose_connection(p));
  }
  passage_unref(p);
}

/* --- the home: the responder --------------------------------------------- */

/* The exchange drops the passage. */
static void leave_exchange(passage *p) {
  p->exchange = NULL;
  passage_unref(p);
}

static void relay_put_last(passage *p, void (*on_open)(mcpi_letter *letter)) {
  if (!p->is_over) {
    p->is_over = 1;
    relay_put(p, p->here, &p->last, on_open);
  }
}

/* Without a parcel the answer breaks off. */
static void put_answer(passage *p, int status, const mcp_http_request *head,
                       mcpi_str body, void (*on_open)(mcpi_letter *letter)) {
  if (p->is_over) {
    return;
  }
  mcpi_http1_parcel *parcel = parcel_for(p, p->here, head, body.ptr, body.len);
  if (parcel == NULL) {
    relay_put_last(p, on_abort);
    return;
  }
  parcel->status = status;
  atomic_fetch_add_explicit(&p->under_way,
                            on_open == relay_on_write ? body.len : 0,
                            memory_order_relaxed);
  put_parcel(p, p->here, parcel, on_open);
}

static void relay_respond(void *exchange, int status,
                          const mcp_http_header *headers, size_t header_count,
                          const char *body, size_t len) {
  passage *p = exchange;
  const mcp_http_request head = {.headers = headers,
                                 .header_count = header_count};
  put_answer(p, status, &head, mcpi_str_n(body, len), on_respond);
  leave_exchange(p);
}

static void relay_begin(void *exchange, int status,
                        const mcp_http_header *headers, size_t header_count) {
  const mcp_http_request head = {.headers = headers,
                                 .header_count = header_count};
  put_answer(exchange, status, &head, mcpi_str_z(NULL), on_begin);
}

static void relay_write_piece(void *exchange, const char *bytes, size_t len) {
  put_answer(exchange, 0, NULL, mcpi_str_n(bytes, len), relay_on_write);
}

static void relay_end(void *exchange) {
  passage *p = exchange;
  relay_put_last(p, relay_on_end);
  leave_exchange(p);
}

static void relay_close_after(void *exchange) {
  passage *p = exchange;
  relay_put_last(p, relay_on_close);
  leave_exchange(p);
}

static void relay_abort_answer(void *exchange) {
  passage *p = exchange;
  relay_put_last(p, on_abort);
  leave_exchange(p);
}

static size_t relay_queued(void *exchange) {
  passage *p = exchange;
  return atomic_load_explicit(&p->under_way, memory_order_relaxed) +
         atomic_load_explicit(&p->waiting, memory_order_relaxed);
}

static const mcp_http_responder home_responder = {
    .size = sizeof(mcp_http_responder),
    .respond = relay_respond,
    .begin = relay_begin,
    .write = relay_write_piece,
    .end = relay_end,
    .queued = relay_queued,
    .abort = relay_abort_answer,
    .close = relay_close_after,
};

/* --- the home: the request ----------------------------------------------- */

static void begin_exchange(passage *p, const mcp_http_request *head) {
  mcp_http *http = p->home->http;
  if (http == NULL) {
    relay_put_last(p, on_abort);
    return;
  }
  passage_ref(p); /* the exchange's reference */
  p->exchange = mcp_http_begin(http, head, &home_responder, p);
}

static void on_head_letter(mcpi_letter *letter) {
  mcpi_http1_parcel *parcel = take_at_home(letter);
  passage *p = parcel->userdata;
  p->head = parcel;
  begin_exchange(p, &parcel->head);
  passage_unref(p);
}

static void relay_hand_over_body(passage *p, const mcpi_http1_parcel *parcel) {
  if (p->exchange != NULL) {
    mcp_http_body(p->exchange, parcel->body, parcel->body_len);
  }
}

static void on_body_letter(mcpi_letter *letter) {
  mcpi_http1_parcel *parcel = take_at_home(letter);
  passage *p = parcel->userdata;
  relay_hand_over_body(p, parcel);
  mcpi_http1_parcel_free(p->head);
  p->head = NULL;
  parcel_end(parcel);
}

static void on_whole_letter(mcpi_letter *letter) {
  mcpi_http1_parcel *parcel = take_at_home(letter);
  passage *p = parcel->userdata;
  begin_exchange(p, &parcel->head);
  relay_hand_over_body(p, parcel);
  parcel_end(parcel);
}

static void on_gone_letter(mcpi_letter *letter) {
  passage *p = MCPI_CONTAINER(letter, passage, gone);
  mcp_http_exchange *exchange = p->exchange;
  if (exchange != NULL) {
    leave_exchange(p);
    mcp_http_gone(exchange);
  }
  passage_unref(p);
}

/* --- the connection's loop: the request ---------------------------------- */

/* Most names differ in their first letter. */
static const char *relay_header(const mcp_http_request *request,
                                mcpi_str name) {
  for (size_t i = 0; i < request->header_count; i++) {
    const mcp_http_header *at = &request->headers[i];
    if ((at->name[0] | 0x20) == (name.ptr[0] | 0x20) &&
        mcpi_header_eq_nocase(mcpi_str_z(at->name), name)) {
      return at->value;
    }
  }
  return NULL;
}

/* Finds the home of a request's session. NULL: the request stays here. A
 * request that names two sessions is refused on any loop; one that names none
 * belongs to any loop; a WebSocket belongs to no session. */
static mcpi_http1_relay *home_of(const mcpi_http1_relay *here,
                                 const mcp_http_request *request) {
  const char *id = mcpi_endpoint_sse_id(here->http, request->target);
  if (id == NULL && mcpi_endpoint_has_sessions(here->http) &&
      !mcpi_endpoint_is_upgrade(here->http, request)) {
    id = relay_header(request, MCPI_STR("Mcp-Session-Id"));
  }
  size_t place =
      id != NULL ? mcpi_endpoint_session_home(id) : MCPI_HTTP1_MAX_HOMES;
  return place < here->homes->count && here->homes->relays[place] != here
             ? here->homes->relays[place]
             : NULL;
}

static int is_short(const mcp_http_request *request) {
  const char *length = relay_header(request, MCPI_STR("Content-Length"));
  return length != NULL && strlen(length) <= SHORT_BODY_DIGITS;
}

/* Sends head and body, or one of them. Returns 0 if the request has been
 * answered because there was no parcel. */
static int send_request(passage *p, const mcp_http_request *head,
                        const char *body, size_t len,
                        void (*on_open)(mcpi_letter *letter)) {
  mcpi_http1_parcel *parcel = parcel_for(p, p->home, head, body, len);
  if (parcel != NULL) {
    put_parcel(p, p->home, parcel, on_open);
    return 1;
  }
  const mcp_http_responder *responder = p->responder;
  responder->respond(lose_connection(p), 503, NULL, 0, NULL, 0);
  return 0;
}

/* NULL: the handle is an exchange of this loop's endpoint. */
static passage *passage_of(void *handle) {
  const mcpi_endpoint_handle *kind = handle;
  return kind->is_passage ? handle : NULL;
}

static void *begin_passage(mcpi_http1_relay *here, mcpi_http1_relay *home,
                           const mcp_http_request *request,
                           const mcp_http_responder *responder,
                           void *connection) {
  passage *p = passage_new(here, home, responder, connection);
  if (p == NULL) {
    responder->respond(connection, 503, NULL, 0, NULL, 0);
    return NULL;
  }
  if (is_short(request)) {
    p->request = request;
    return p;
  }
  return send_request(p, request, NULL, 0, on_head_letter) ? p : NULL;
}

static void *relay_on_head(void *userdata, const mcp_http_request *request,
                           const mcp_http_responder *responder,
                           void *connection) {
  mcpi_http1_relay *here = userdata;
  mcpi_http1_relay *home = home_of(here, request);
  return home == NULL
             ? mcp_http_begin(here->http, request, responder, connection)
             : begin_passage(here, home, request, responder, connection);
}

static void relay_on_body(void *handle, const char *body, size_t len) {
  passage *p = passage_of(handle);
  if (p == NULL) {
    mcp_http_body(handle, body, len);
  } else if (p->request != NULL) {
    const mcp_http_request *request = p->request;
    p->request = NULL;
    send_request(p, request, body, len, on_whole_letter);
  } else {
    send_request(p, NULL, body, len, on_body_letter);
  }
}

static void relay_on_gone(void *handle) {
  passage *p = passage_of(handle);
  if (p == NULL) {
    mcp_http_gone(handle);
  } else {
    lose_connection(p);
  }
}

static void relay_on_refused(void *userdata, const char *peer,
                             const mcp_error *err) {
  const mcpi_http1_relay *here = userdata;
  mcpi_endpoint_connection_refused(here->http, peer, err);
}

static void relay_on_ended(void *userdata, const char *peer,
                           const mcp_error *err) {
  const mcpi_http1_relay *here = userdata;
  mcpi_endpoint_connection_ended(here->http, peer, err);
}

mcpi_http1_app mcpi_http1_relay_app(mcpi_http1_relay *relay) {
  return (mcpi_http1_app){.userdata = relay,
                          .on_head = relay_on_head,
                          .on_body = relay_on_body,
                          .on_gone = relay_on_gone,
                          .on_refused = relay_on_refused,
                          .on_ended = relay_on_ended};
}

/* --- the relay's life ---------------------------------------------------- */

static void take_place(mcpi_http1_relay *relay, mcpi_http1_homes *homes) {
  relay->homes = homes;
  if (homes->count == 0) {
    homes->first = relay->http;
  }
  relay->place = homes->count++;
  relay->http->home = relay->place;
  homes->relays[relay->place] = relay;
}

mcpi_http1_relay *mcpi_http1_relay_new(mcp_loop *loop, mcp_http *http,
                                       size_t max_bytes,
                                       mcpi_http1_homes *homes) {
  mcpi_uv *uv = mcpi_uv_of(loop);
  mcpi_http1_relay *relay = mcpi_calloc(homes->allocator, 1, sizeof(*relay));
  if (relay == NULL) {
    return NULL;
  }
  if (mcpi_inbox_open(&relay->inbox, uv) != 0) {
    mcpi_free(homes->allocator, relay, sizeof(*relay));
    return NULL;
  }
  mcpi_uv_hold(uv); /* the timer's hold */
  uv_timer_init(uv->uv, &relay->look);
  relay->look.data = relay;
  relay->uv = uv;
  relay->http = http;
  relay->max_bytes = max_bytes;
  atomic_init(&relay->parcel_bytes, 0);
  mcpi_list_init(&relay->slow);
  take_place(relay, homes);
  return relay;
}

void mcpi_http1_relay_close(mcpi_http1_relay *relay) {
  if (relay != NULL) {
    relay->http = NULL;
  }
}

void mcpi_http1_homes_settle(mcpi_http1_homes *homes) {
  int has_any = 1;
  while (has_any) {
    has_any = 0;
    for (size_t i = 0; i < homes->count; i++) {
      has_any |=
          homes->relays[i] != NULL && mcpi_inbox_read(&homes->relays[i]->inbox);
    }
  }
}

static void relay_on_timer_closed(uv_handle_t *handle) {
  mcpi_http1_relay *relay = handle->data;
  mcpi_uv *uv = relay->uv;
  mcpi_free(relay->homes->allocator, relay, sizeof(*relay));
  mcpi_uv_drop(uv);
}

static void on_inbox_closed(mcpi_inbox *inbox) {
  mcpi_http1_relay *relay = MCPI_CONTAINER(inbox, mcpi_http1_relay, inbox);
  uv_close((uv_handle_t *)&relay->look, relay_on_timer_closed);
}

void mcpi_http1_relay_free(mcpi_http1_relay *relay) {
  if (relay != NULL) {
    relay->homes->relays[relay->place] = NULL;
    mcpi_inbox_close(&relay->inbox, on_inbox_closed);
  }
}
