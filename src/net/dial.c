/* SPDX-License-Identifier: MIT */
/* Connecting to an address:
 *
 *     looking up -> an attempt, for each address that was found -> done
 *
 * One of libuv's threads looks up the name, and may continue after the dial
 * was freed: the memory lives until it is done. */
#include "net/dial.h"

#include "base/error.h"
#include "net/address.h"
#include "platform/errors.h"
#include "platform/sockets.h"
#include "platform/uv_loop.h"

#include <errno.h>
#include <stdlib.h>

enum {
  HOST_SIZE = 256,
  /* The pause between two attempts at a Unix socket whose backlog is full: no
   * event says when there is room again. */
  FULL_MS = 20
};

struct mcpi_dial {
  mcpi_uv *uv;
  mcpi_dial_cb on_done; /* NULL: freed, waiting for its handles */
  void *userdata;
  char *address; /* for error messages */
  uint32_t timeout_ms;
  uint32_t open_handles;
  int is_looking_up;
  uv_getaddrinfo_t lookup;
  struct addrinfo *found;
  const struct addrinfo *next; /* the next address to try */
  /* The address of "unix:PATH", which needs no look-up. */
  mcpi_address socket_file;
  struct addrinfo file_info;
  uv_timer_t timer;
  int has_begun; /* the timer is the limit, not the first turn */
  uv_timer_t again;
  uv_poll_t poll;
  int is_polling;
  int fd;    /* of the current attempt; -1: none */
  int error; /* an errno value: why the last attempt failed */
};

/* --- the end ------------------------------------------------------------- */

static void destroy_if_unused(mcpi_dial *dial) {
  if (dial->on_done != NULL || dial->open_handles > 0 || dial->is_looking_up) {
    return;
  }
  mcpi_uv *uv = dial->uv;
  if (dial->found != NULL) {
    uv_freeaddrinfo(dial->found);
  }
  mcpi_strfree(&uv->allocator, dial->address);
  mcpi_free(&uv->allocator, dial, sizeof(*dial));
  mcpi_uv_drop(uv);
}

static void dial_on_timer_closed(uv_handle_t *handle) {
  mcpi_dial *dial = handle->data;
  dial->open_handles--;
  destroy_if_unused(dial);
}

static void try_next(mcpi_dial *dial);

/* An attempt is over; the next one begins when its handle is closed. */
static void on_poll_closed(uv_handle_t *handle) {
  mcpi_dial *dial = handle->data;
  dial->open_handles--;
  if (dial->on_done == NULL) {
    destroy_if_unused(dial);
    return;
  }
  mcpi_uv *uv = dial->uv;
  mcpi_uv_enter(uv);
  try_next(dial);
  mcpi_uv_leave(uv);
}

static void stop_polling(mcpi_dial *dial) {
  if (dial->is_polling) {
    dial->is_polling = 0;
    uv_close((uv_handle_t *)&dial->poll, on_poll_closed);
  }
}

static void dial_close_fd(mcpi_dial *dial) {
  if (dial->fd >= 0) {
    mcpi_sock_close(dial->fd);
    dial->fd = -1;
  }
}

void mcpi_dial_free(mcpi_dial *dial) {
  if (dial == NULL) {
    return;
  }
  dial->on_done = NULL;
  stop_polling(dial);
  dial_close_fd(dial);
  uv_close((uv_handle_t *)&dial->timer, dial_on_timer_closed);
  uv_close((uv_handle_t *)&dial->again, dial_on_timer_closed);
  if (dial->is_looking_up) {
    /* Fails if a thread is already looking up. */
    uv_cancel((uv_req_t *)&dial->lookup);
  }
}

/* Takes the descriptor from the dial, and destroys the dial first: the program
 * may do anything in its callback. */
static void dial_finish(mcpi_dial *dial, const mcp_error *err) {
  mcpi_dial_cb on_done = dial->on_done;
  void *userdata = dial->userdata;
  int fd = -1;
  stop_polling(dial);
  if (err == NULL) {
    fd = dial->fd;
    dial->fd = -1;
  }
  mcpi_dial_free(dial);
  on_done(fd, err, userdata);
}

static void dial_fail(mcpi_dial *dial, int code, const char *why, int error) {
  mcp_error err = {0};
  mcp_error_set(&err, code, "cannot connect to %s: %s", dial->address, why);
  err.status = error;
  dial_finish(dial, &err);
}

/* --- attempts ------------------------------------------------------------ */

static void on_connected(uv_poll_t *poll, int status, int events) {
  mcpi_dial *dial = poll->data;
  mcpi_uv *uv = dial->uv;
  (void)status; /* the socket says what is wrong */
  (void)events;
  mcpi_uv_enter(uv);
  int error = mcpi_sock_error(dial->fd);
  if (error == 0) {
    dial_finish(dial, NULL);
  } else {
    dial->error = error;
    stop_polling(dial);
    dial_close_fd(dial);
  }
  mcpi_uv_leave(uv);
}

/* Returns 0: the attempt has begun. */
static int begin_attempt(mcpi_dial *dial, const struct addrinfo *to) {
  dial->fd = mcpi_sock_open(to->ai_family);
  if (dial->fd < 0 || mcpi_sock_connect(dial->fd, to->ai_addr,
                                        (socklen_t)to->ai_addrlen) != 0) {
    return errno;
  }
  int rc = mcpi_sock_poll_init(dial->uv->uv, &dial->poll, dial->fd);
  if (rc != 0) {
    return mcpi_error_from_uv(rc);
  }
  dial->poll.data = dial;
  dial->is_polling = 1;
  dial->open_handles++;
  uv_poll_start(&dial->poll, UV_WRITABLE, on_connected);
  return 0;
}

static void dial_on_again(uv_timer_t *timer) {
  mcpi_dial *dial = timer->data;
  mcpi_uv *uv = dial->uv;
  mcpi_uv_enter(uv);
  try_next(dial);
  mcpi_uv_leave(uv);
}

static int dial_is_full(const struct addrinfo *to, int error) {
  return to->ai_family == AF_UNIX && error == EAGAIN;
}

/* Begins the first attempt that does not fail at once; if none is left, reports
 * why the last one failed. */
static void try_next(mcpi_dial *dial) {
  while (dial->next != NULL) {
    const struct addrinfo *to = dial->next;
    int error = begin_attempt(dial, to);
    dial->error = error;
    if (error == 0) {
      dial->next = to->ai_next;
      return;
    }
    dial_close_fd(dial);
    if (dial_is_full(to, error)) {
      uv_timer_start(&dial->again, dial_on_again, FULL_MS, 0);
      return;
    }
    dial->next = to->ai_next;
  }
  dial_fail(dial, MCP_ERR_IO, mcpi_error_name(dial->error), dial->error);
}

/* --- looking up ---------------------------------------------------------- */

static void on_found(uv_getaddrinfo_t *lookup, int status,
                     struct addrinfo *found) {
  mcpi_dial *dial = lookup->data;
  mcpi_uv *uv = dial->uv;
  dial->is_looking_up = 0;
  dial->found = found;
  if (dial->on_done == NULL) {
    destroy_if_unused(dial);
    return;
  }
  mcpi_uv_enter(uv);
  if (status != 0) {
    dial_fail(dial, MCP_ERR_IO, uv_strerror(status), 0);
  } else {
    dial->next = found;
    try_next(dial);
  }
  mcpi_uv_leave(uv);
}

/* Returns 0 or an error of libuv. */
static int dial_look_up(mcpi_dial *dial, const char *host, const char *port) {
  const struct addrinfo hints = {.ai_family = AF_UNSPEC,
                                 .ai_socktype = SOCK_STREAM,
                                 .ai_flags = AI_ADDRCONFIG};
  dial->lookup.data = dial;
  int rc =
      uv_getaddrinfo(dial->uv->uv, &dial->lookup, on_found, host, port, &hints);
  dial->is_looking_up = rc == 0;
  return rc;
}

static void look_up_or_fail(mcpi_dial *dial) {
  char host[HOST_SIZE];
  const char *port =
      mcpi_address_split(dial->address, host, sizeof(host), NULL);
  int rc = dial_look_up(dial, host, port);
  if (rc != 0) {
    dial_fail(dial, MCP_ERR_IO, uv_strerror(rc), mcpi_error_from_uv(rc));
  }
}

static void dial_use_file(mcpi_dial *dial) {
  dial->file_info = (struct addrinfo){
      .ai_family = AF_UNIX,
      .ai_addr = (struct sockaddr *)&dial->socket_file.storage,
      .ai_addrlen = dial->socket_file.len};
  dial->next = &dial->file_info;
  try_next(dial);
}

/* --- the beginning ------------------------------------------------------- */

static int is_file(const char *address) {
  return strncmp(address, "unix:", 5) == 0;
}

/* Begins in the first turn, so that no callback runs inside mcpi_dial_new. */
static void dial_on_timer(uv_timer_t *timer) {
  mcpi_dial *dial = timer->data;
  mcpi_uv *uv = dial->uv;
  mcpi_uv_enter(uv);
  if (dial->has_begun) {
    dial_fail(dial, MCP_ERR_TIMEOUT,
              dial->error == EAGAIN
                  ? "its backlog is full: the server takes no connections"
                  : "no answer in time",
              ETIMEDOUT);
  } else {
    dial->has_begun = 1;
    uv_timer_start(timer, dial_on_timer, dial->timeout_ms, 0);
    if (is_file(dial->address)) {
      dial_use_file(dial);
    } else {
      look_up_or_fail(dial);
    }
  }
  mcpi_uv_leave(uv);
}

void mcpi_dial_limit(mcpi_dial *dial, uint32_t timeout_ms) {
  dial->timeout_ms = timeout_ms;
  if (dial->has_begun) {
    uv_update_time(dial->uv->uv);
    uv_timer_start(&dial->timer, dial_on_timer, timeout_ms, 0);
  }
}

int mcpi_dial_check(const char *address, mcp_error *err) {
  char host[HOST_SIZE];
  mcpi_address file;
  if (is_file(address)) {
    return mcpi_address_parse(&file, address, err);
  }
  const char *port = mcpi_address_split(address, host, sizeof(host), err);
  if (port == NULL) {
    return MCP_ERR_INVALID;
  }
  if (host[0] == '\0' || strtol(port, NULL, 10) == 0) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "\"%.200s\": there is no %s to connect to", address,
                         host[0] == '\0' ? "host" : "port 0");
  }
  return 0;
}

mcpi_dial *mcpi_dial_new(mcp_loop *loop, const char *address,
                         uint32_t timeout_ms, mcpi_dial_cb on_done,
                         void *userdata, mcp_error *err) {
  mcpi_uv *uv = mcpi_uv_of(loop);
  mcpi_dial *dial = NULL;
  if (mcpi_dial_check(address, err) != 0) {
    return NULL;
  }
  dial = mcpi_calloc(&uv->allocator, 1, sizeof(*dial));
  char *copy = mcpi_strdup(&uv->allocator, address);
  if (dial == NULL || copy == NULL) {
    mcpi_free(&uv->allocator, dial, sizeof(*dial));
    mcpi_strfree(&uv->allocator, copy);
    mcpi_no_memory(err);
    return NULL;
  }
  *dial = (mcpi_dial){.uv = uv,
                      .on_done = on_done,
                      .userdata = userdata,
                      .address = copy,
                      .timeout_ms = timeout_ms,
                      .open_handles = 2,
                      .fd = -1};
  if (is_file(address)) {
    mcpi_address_parse(&dial->socket_file, address, NULL);
  }
  uv_timer_init(uv->uv, &dial->timer);
  dial->timer.data = dial;
  uv_timer_init(uv->uv, &dial->again);
  dial->again.data = dial;
  uv_timer_start(&dial->timer, dial_on_timer, 0, 0);
  mcpi_uv_hold(uv);
  return dial;
}
