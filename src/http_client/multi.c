/* SPDX-License-Identifier: MIT */
/* libcurl's multi interface on a loop. */
#include "http_client/multi.h"

#include "http_client/cloexec.h"

struct mcpi_multi {
  mcpi_uv *uv;
  const mcpi_multi_events *events;
  void *owner;
  CURLM *curl; /* NULL: freed; waits for the timer to close */
  uv_timer_t timer;
  int has_failed; /* a socket cannot be watched, because there is no memory */
};

/* One socket of libcurl. */
typedef struct watch {
  mcpi_multi *multi; /* NULL: libcurl has closed the socket */
  mcpi_uv *uv;
  uv_poll_t poll;
  int events;
  curl_socket_t socket;
} watch;

/* libcurl's own state, set up once for the process. */
static void init_curl(void) {
  curl_global_init(CURL_GLOBAL_DEFAULT);
}

/* --- from libuv ----------------------------------------------------------- */

static void note_done(mcpi_multi *multi) {
  CURLMsg *message;
  int left;
  while ((message = curl_multi_info_read(multi->curl, &left)) != NULL) {
    if (message->msg == CURLMSG_DONE) {
      multi->events->on_done(multi->owner, message->easy_handle,
                             message->data.result);
    }
  }
}

/* libcurl acts on a failure when it next looks at a transfer, which may be
 * late. So this makes all transfers fail at once. */
static void end_all(mcpi_multi *multi) {
  int running;
  multi->has_failed = 0;
  curl_multi_perform(multi->curl, &running);
}

static void act(mcpi_multi *multi, curl_socket_t socket, int what) {
  mcpi_uv *uv = multi->uv;
  int running;
  mcpi_uv_enter(uv);
  curl_multi_socket_action(multi->curl, socket, what, &running);
  if (multi->has_failed) {
    end_all(multi);
  }
  note_done(multi);
  multi->events->on_turn(multi->owner); /* the multi may be gone afterwards */
  mcpi_uv_leave(uv);
}

static void multi_on_timer(uv_timer_t *timer) {
  act(timer->data, CURL_SOCKET_TIMEOUT, 0);
}

/* Bytes that came before the connection broke can still be read. So libcurl
 * must read, and finds the error after them. libuv no longer watches the
 * socket. */
static void multi_on_poll(uv_poll_t *poll, int status, int events) {
  watch *self = poll->data;
  int what = (events & UV_READABLE) != 0 ? CURL_CSELECT_IN : 0;
  what |= (events & UV_WRITABLE) != 0 ? CURL_CSELECT_OUT : 0;
  if (self->multi == NULL) {
    return;
  }
  if (status < 0) {
    uv_poll_start(poll, self->events, multi_on_poll);
    what = CURL_CSELECT_IN | CURL_CSELECT_OUT;
  }
  act(self->multi, self->socket, what);
}

/* --- from libcurl --------------------------------------------------------- */

static void on_watch_closed(uv_handle_t *handle) {
  watch *self = handle->data;
  mcpi_uv *uv = self->uv;
  mcpi_free(&uv->allocator, self, sizeof(*self));
  mcpi_uv_drop(uv);
}

/* Stops at once, before libcurl closes the socket. */
static void end_watch(watch *self) {
  self->multi = NULL;
  uv_poll_stop(&self->poll);
  uv_close((uv_handle_t *)&self->poll, on_watch_closed);
}

static watch *begin_watch(mcpi_multi *multi, curl_socket_t socket) {
  mcpi_uv *uv = multi->uv;
  watch *self = mcpi_calloc(&uv->allocator, 1, sizeof(*self));
  if (self == NULL) {
    return NULL;
  }
  if (uv_poll_init_socket(uv->uv, &self->poll, socket) != 0) {
    mcpi_free(&uv->allocator, self, sizeof(*self));
    return NULL;
  }
  mcpi_cloexec_set(socket); /* libcurl opens the resolver's itself */
  self->multi = multi;
  self->uv = uv;
  self->socket = socket;
  self->poll.data = self;
  mcpi_uv_hold(uv);
  curl_multi_assign(multi->curl, socket, self);
  return self;
}

static int on_socket(CURL *easy, curl_socket_t socket, int what, void *owner,
                     void *assigned) {
  mcpi_multi *multi = owner;
  watch *self = assigned;
  (void)easy;
  if (what == CURL_POLL_REMOVE) {
    if (self != NULL) {
      end_watch(self);
      curl_multi_assign(multi->curl, socket, NULL);
    }
    return 0;
  }
  if (self == NULL) {
    self = begin_watch(multi, socket);
  }
  if (self == NULL) {
    multi->has_failed = 1;
    return -1; /* libcurl will end its transfers */
  }
  self->events = (what & CURL_POLL_IN) != 0 ? UV_READABLE : 0;
  self->events |= (what & CURL_POLL_OUT) != 0 ? UV_WRITABLE : 0;
  uv_poll_start(&self->poll, self->events, multi_on_poll);
  return 0;
}

static int on_timeout(CURLM *curl, long timeout_ms, void *owner) {
  mcpi_multi *multi = owner;
  (void)curl;
  if (timeout_ms < 0) {
    uv_timer_stop(&multi->timer);
    return 0;
  }
  uv_update_time(multi->uv->uv);
  uv_timer_start(&multi->timer, multi_on_timer, (uint64_t)timeout_ms, 0);
  return 0;
}

/* --- life ----------------------------------------------------------------- */

static void set_callbacks(mcpi_multi *multi) {
  curl_multi_setopt(multi->curl, CURLMOPT_SOCKETFUNCTION, on_socket);
  curl_multi_setopt(multi->curl, CURLMOPT_SOCKETDATA, multi);
  curl_multi_setopt(multi->curl, CURLMOPT_TIMERFUNCTION, on_timeout);
  curl_multi_setopt(multi->curl, CURLMOPT_TIMERDATA, multi);
}

mcpi_multi *mcpi_multi_new(mcpi_uv *uv, const mcpi_multi_events *events,
                           void *owner) {
  static uv_once_t once = UV_ONCE_INIT;
  uv_once(&once, init_curl);
  mcpi_multi *multi = mcpi_calloc(&uv->allocator, 1, sizeof(*multi));
  if (multi == NULL) {
    return NULL;
  }
  multi->curl = curl_multi_init();
  if (multi->curl == NULL) {
    mcpi_free(&uv->allocator, multi, sizeof(*multi));
    return NULL;
  }
  mcpi_cloexec_wakeup(multi->curl);
  multi->uv = uv;
  multi->events = events;
  multi->owner = owner;
  uv_timer_init(uv->uv, &multi->timer);
  multi->timer.data = multi;
  mcpi_uv_hold(uv);
  set_callbacks(multi);
  return multi;
}

static void multi_on_timer_closed(uv_handle_t *handle) {
  mcpi_multi *multi = handle->data;
  mcpi_uv *uv = multi->uv;
  mcpi_free(&uv->allocator, multi, sizeof(*multi));
  mcpi_uv_drop(uv);
}

/* libcurl closes its sockets meanwhile, through the callback. */
void mcpi_multi_free(mcpi_multi *multi) {
  if (multi == NULL) {
    return;
  }
  curl_multi_cleanup(multi->curl);
  multi->curl = NULL;
  uv_close((uv_handle_t *)&multi->timer, multi_on_timer_closed);
}

int mcpi_multi_add(mcpi_multi *multi, CURL *easy) {
  return curl_multi_add_handle(multi->curl, easy) == CURLM_OK ? 0
                                                              : MCP_ERR_NOMEM;
}

void mcpi_multi_remove(mcpi_multi *multi, CURL *easy) {
  curl_multi_remove_handle(multi->curl, easy);
}
