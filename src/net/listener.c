/* SPDX-License-Identifier: MIT */
/* An address where connections arrive. */
#include "net/listener.h"

#include "base/error.h"
#include "net/address.h"
#include "platform/errors.h"
#include "platform/socket_file.h"
#include "platform/sockets.h"
#include "platform/uv_loop.h"

#include <errno.h>

enum {
  /* If more connections than this arrive at once, the kernel drops or resets
   * the rest; it has its own limit too. */
  BACKLOG = 4096,
  /* The connections accepted in one turn, so that open ones get their turn. */
  TAKEN_PER_TURN = 64,
  /* Without descriptors or memory nothing can be accepted, and the kernel would
   * report a waiting connection again and again. */
  PAUSE_MS = 100
};

struct mcpi_listener {
  mcpi_uv *uv;
  mcpi_listener_cb on_connection;
  void *userdata;
  int fd; /* -1: freed, waiting for its handles */
  uint32_t open_handles;
  uv_poll_t poll;
  uv_timer_t pause;
  mcpi_socket_file file; /* of a Unix socket */
  mcpi_address address;
  char text[MCPI_ADDRESS_TEXT];
};

/* --- the end ------------------------------------------------------------- */

static void listener_on_handle_closed(uv_handle_t *handle) {
  mcpi_listener *listener = handle->data;
  mcpi_uv *uv = listener->uv;
  if (--listener->open_handles == 0) {
    mcpi_free(&uv->allocator, listener, sizeof(*listener));
    mcpi_uv_drop(uv);
  }
}

void mcpi_listener_free(mcpi_listener *listener) {
  if (listener == NULL || listener->fd < 0) {
    return;
  }
  uv_close((uv_handle_t *)&listener->poll, listener_on_handle_closed);
  uv_close((uv_handle_t *)&listener->pause, listener_on_handle_closed);
  mcpi_socket_file_remove(&listener->file);
  mcpi_sock_close(listener->fd);
  listener->fd = -1;
}

/* --- taking connections -------------------------------------------------- */

static void listener_on_poll(uv_poll_t *poll, int status, int events);

static void on_pause_over(uv_timer_t *timer) {
  mcpi_listener *listener = timer->data;
  uv_poll_start(&listener->poll, UV_READABLE, listener_on_poll);
}

static void pause_taking(mcpi_listener *listener) {
  uv_poll_stop(&listener->poll);
  uv_timer_start(&listener->pause, on_pause_over, PAUSE_MS, 0);
}

/* The peer of a Unix socket may have chosen any name. */
static void listener_hand_over(mcpi_listener *listener, int fd,
                               const mcpi_address *from) {
  char peer[MCPI_ADDRESS_TEXT] = "unix";
  if (from->storage.ss_family != AF_UNIX) {
    mcpi_address_format(from, peer);
  }
  listener->on_connection(fd, peer, listener->userdata);
}

/* Returns whether to accept another one at once. */
static int take_one(mcpi_listener *listener) {
  mcpi_address from = {.len = sizeof(from.storage)};
  int fd = mcpi_sock_accept(listener->fd, (struct sockaddr *)&from.storage,
                            &from.len);
  if (fd >= 0) {
    listener_hand_over(listener, fd, &from);
    return listener->fd >= 0;
  }
  switch (errno) {
  case ECONNABORTED: /* the peer has left already */
  case EPROTO:
  case EINTR:
    return 1;
  case EAGAIN:
    return 0;
  default:
    pause_taking(listener);
    return 0;
  }
}

static void listener_on_poll(uv_poll_t *poll, int status, int events) {
  mcpi_listener *listener = poll->data;
  mcpi_uv *uv = listener->uv;
  (void)events;
  mcpi_uv_enter(uv);
  int left = TAKEN_PER_TURN;
  while (left > 0 && take_one(listener)) {
    left--;
  }
  if (status < 0 && listener->fd >= 0) { /* libuv has stopped polling */
    pause_taking(listener);
  }
  mcpi_uv_leave(uv);
}

/* --- binding ------------------------------------------------------------- */

/* If a file that is not a socket has the path, the kernel only says "in
 * use". */
static const char *reason(const mcpi_listener *listener, int error) {
  return error == EADDRINUSE && mcpi_socket_file_is_other(&listener->file)
             ? "the file there is not a socket: remove it, or use another path"
             : mcpi_error_name(error);
}

static int listener_fail(mcpi_listener *listener, mcp_error *err, int error) {
  mcp_error_set(err, MCP_ERR_IO, "cannot listen on %s: %s", listener->text,
                reason(listener, error));
  if (err != NULL) {
    err->status = error;
  }
  return MCP_ERR_IO;
}

/* Returns 0 or -1. */
static int bind_address(const mcpi_listener *listener) {
  return mcpi_sock_bind(listener->fd,
                        (const struct sockaddr *)&listener->address.storage,
                        listener->address.len);
}

/* Whether a socket file remains from a process that has ended. */
static int is_stale(const mcpi_listener *listener) {
  int fd = mcpi_socket_file_is_socket(&listener->file) ? mcpi_sock_open(AF_UNIX)
                                                       : -1;
  if (fd < 0) {
    return 0;
  }
  int rc =
      mcpi_sock_connect(fd, (const struct sockaddr *)&listener->address.storage,
                        listener->address.len);
  int error = errno;
  mcpi_sock_close(fd);
  return rc != 0 && error == ECONNREFUSED;
}

static int bind_replacing(mcpi_listener *listener) {
  int rc = bind_address(listener);
  if (rc != 0 && errno == EADDRINUSE) {
    if (is_stale(listener) && mcpi_socket_file_replace(&listener->file) == 0) {
      return bind_address(listener);
    }
    errno = EADDRINUSE;
  }
  return rc;
}

/* A server that restarts must not wait until the old connections have ended. */
static void listener_set_options(const mcpi_listener *listener) {
  if (listener->address.storage.ss_family != AF_UNIX) {
    mcpi_sock_reuse(listener->fd);
  }
  if (listener->address.storage.ss_family == AF_INET6) {
    mcpi_sock_set(listener->fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
  }
}

static void note_address(mcpi_listener *listener) {
  socklen_t len = sizeof(listener->address.storage);
  if (getsockname(listener->fd, (struct sockaddr *)&listener->address.storage,
                  &len) == 0) {
    listener->address.len = len;
  }
  mcpi_address_format(&listener->address, listener->text);
}

static int listener_open_socket(mcpi_listener *listener, mcp_error *err) {
  listener->fd = mcpi_sock_open(listener->address.storage.ss_family);
  if (listener->fd < 0) {
    return listener_fail(listener, err, errno);
  }
  listener_set_options(listener);
  mcpi_socket_file_limit(&listener->file, listener->fd);
  if (bind_replacing(listener) != 0) {
    int error = errno;
    mcpi_sock_close(listener->fd);
    return listener_fail(listener, err, error);
  }
  mcpi_socket_file_note(&listener->file);
  note_address(listener);
  if (mcpi_socket_file_open(&listener->file) != 0 ||
      mcpi_sock_listen(listener->fd, BACKLOG) != 0) {
    int error = errno;
    mcpi_socket_file_remove(&listener->file);
    mcpi_sock_close(listener->fd);
    return listener_fail(listener, err, error);
  }
  return 0;
}

/* --- the beginning ------------------------------------------------------- */

static int listener_start(mcpi_listener *listener, mcp_error *err) {
  int rc = mcpi_sock_poll_init(listener->uv->uv, &listener->poll, listener->fd);
  if (rc != 0) {
    mcpi_socket_file_remove(&listener->file);
    mcpi_sock_close(listener->fd);
    return listener_fail(listener, err, mcpi_error_from_uv(rc));
  }
  uv_timer_init(listener->uv->uv, &listener->pause);
  listener->poll.data = listener;
  listener->pause.data = listener;
  listener->open_handles = 2;
  uv_poll_start(&listener->poll, UV_READABLE, listener_on_poll);
  mcpi_uv_hold(listener->uv);
  return 0;
}

static int listener_init(mcpi_listener *listener, const char *address,
                         mcp_error *err) {
  int rc = mcpi_address_parse(&listener->address, address, err);
  if (rc != 0) {
    return rc;
  }
  listener->file.path = mcpi_address_path(&listener->address);
  mcpi_address_format(&listener->address, listener->text);
  rc = listener_open_socket(listener, err);
  return rc != 0 ? rc : listener_start(listener, err);
}

mcpi_listener *mcpi_listener_new(mcp_loop *loop, const char *address,
                                 uint32_t socket_mode,
                                 mcpi_listener_cb on_connection, void *userdata,
                                 mcp_error *err) {
  mcpi_uv *uv = mcpi_uv_of(loop);
  if (uv == NULL) {
    mcp_error_set(err, MCP_ERR_INVALID, "not a loop of mcp_loop_new");
    return NULL;
  }
  if (socket_mode > 0777) {
    mcp_error_set(err, MCP_ERR_INVALID,
                  "socket_mode: 0%lo is more than 0777; write it in octal, "
                  "such as 0660",
                  (unsigned long)socket_mode);
    return NULL;
  }
  mcpi_listener *listener = mcpi_calloc(&uv->allocator, 1, sizeof(*listener));
  if (listener == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  listener->uv = uv;
  listener->on_connection = on_connection;
  listener->userdata = userdata;
  listener->file.mode = socket_mode != 0 ? socket_mode : 0600;
  if (listener_init(listener, address, err) != 0) {
    mcpi_free(&uv->allocator, listener, sizeof(*listener));
    return NULL;
  }
  return listener;
}

const char *mcpi_listener_address(const mcpi_listener *listener) {
  return listener->text;
}
