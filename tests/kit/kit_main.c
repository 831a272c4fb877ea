/* SPDX-License-Identifier: MIT */
/* Runs the test kit over every transport of the library, and over one that is
 * not part of it.
 *
 * usage: kit [TRANSPORT [SCENARIO]]
 *
 * SCENARIO may be a part of its name. */
#include "kit_custom.h"
#include "kit_own.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

mcp_stream_options kit_stream_options(const kit_limits *limits) {
  return (mcp_stream_options){.size = sizeof(mcp_stream_options),
                              .max_line = limits->max_message,
                              .max_queue = limits->max_queue};
}

/* --- memory, and memory looked at ---------------------------------------- */

static int make_memory(mcp_loop *loop, const kit_limits *limits,
                       mcp_transport **a, mcp_transport **b) {
  (void)limits;
  return mcp_memory_pair(loop, a, b, NULL);
}

static void ignore_trace(mcp_transport *transport,
                         const mcp_traced_message *message, void *userdata) {
  (void)transport;
  (void)message;
  (void)userdata;
}

static int make_traced(mcp_loop *loop, const kit_limits *limits,
                       mcp_transport **a, mcp_transport **b) {
  int rc = make_memory(loop, limits, a, b);
  if (rc != 0) {
    return rc;
  }
  *a = mcp_transport_trace(loop, *a, ignore_trace, NULL, NULL);
  *b = mcp_transport_trace(loop, *b, ignore_trace, NULL, NULL);
  return *a != NULL && *b != NULL ? 0 : MCP_ERR_NOMEM;
}

/* --- pipes --------------------------------------------------------------- */

static int make_pipes(mcp_loop *loop, const kit_limits *limits,
                      mcp_transport **a, mcp_transport **b) {
  const mcp_stream_options options = kit_stream_options(limits);
  int to_a[2];
  int to_b[2];
  if (pipe2(to_a, O_CLOEXEC) != 0 || pipe2(to_b, O_CLOEXEC) != 0) {
    return MCP_ERR_IO;
  }
  *a = mcp_transport_fd(loop, to_a[0], to_b[1], &options, NULL);
  *b = mcp_transport_fd(loop, to_b[0], to_a[1], &options, NULL);
  return *a != NULL && *b != NULL ? 0 : MCP_ERR_NOMEM;
}

static int make_socket_end(mcp_loop *loop, const kit_limits *limits,
                           mcp_transport **end, int *fd) {
  const mcp_stream_options options = kit_stream_options(limits);
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) {
    return MCP_ERR_IO;
  }
  fcntl(fds[1], F_SETFL, O_NONBLOCK);
  *fd = fds[1];
  *end = mcp_transport_fd(loop, fds[0], fds[0], &options, NULL);
  return *end != NULL ? 0 : MCP_ERR_NOMEM;
}

/* --- a stream of libuv's, on the program's own uv_loop ------------------- */

static uv_loop_t uv;

static mcp_loop *make_uv_loop(void) {
  mcp_loop_options options = {.size = sizeof(mcp_loop_options), .uv_loop = &uv};
  return uv_loop_init(&uv) == 0 ? mcp_loop_new(&options, NULL) : NULL;
}

static void free_uv_loop(mcp_loop *loop) {
  mcp_loop_free(loop);
  uv_run(&uv, UV_RUN_DEFAULT);
  if (uv_loop_close(&uv) != 0) {
    printf("# a handle was left open\n");
    abort();
  }
}

static mcp_transport *make_uv_end(mcp_loop *loop, int fd,
                                  const mcp_stream_options *options) {
  uv_pipe_t *stream = malloc(sizeof(*stream));
  if (stream == NULL || uv_pipe_init(&uv, stream, 0) != 0 ||
      uv_pipe_open(stream, fd) != 0) {
    return NULL;
  }
  return mcp_transport_uv_stream(loop, stream, free, options, NULL);
}

static int make_uv_streams(mcp_loop *loop, const kit_limits *limits,
                           mcp_transport **a, mcp_transport **b) {
  const mcp_stream_options options = kit_stream_options(limits);
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) {
    return MCP_ERR_IO;
  }
  *a = make_uv_end(loop, fds[0], &options);
  *b = make_uv_end(loop, fds[1], &options);
  return *a != NULL && *b != NULL ? 0 : MCP_ERR_NOMEM;
}

static int make_uv_raw(mcp_loop *loop, const kit_limits *limits,
                       mcp_transport **end, int *fd) {
  const mcp_stream_options options = kit_stream_options(limits);
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) {
    return MCP_ERR_IO;
  }
  fcntl(fds[1], F_SETFL, O_NONBLOCK);
  *fd = fds[1];
  *end = make_uv_end(loop, fds[0], &options);
  return *end != NULL ? 0 : MCP_ERR_NOMEM;
}

/* --- all of them --------------------------------------------------------- */

static const kit_transport memory = {.name = "memory",
                                     .flags = KIT_NO_MESSAGE_LIMIT |
                                              KIT_NO_QUEUE_LIMIT,
                                     .make_pair = make_memory};
static const kit_transport traced = {.name = "traced memory",
                                     .flags = KIT_NO_MESSAGE_LIMIT |
                                              KIT_NO_QUEUE_LIMIT,
                                     .make_pair = make_traced};
static const kit_transport pipes = {
    .name = "pipes", .make_pair = make_pipes, .make_raw = make_socket_end};
static const kit_transport uv_streams = {.name = "uv streams",
                                         .make_pair = make_uv_streams,
                                         .make_raw = make_uv_raw,
                                         .make_loop = make_uv_loop,
                                         .free_loop = free_uv_loop};

static const kit_transport *const all[] = {&memory,
                                           &traced,
                                           &pipes,
                                           &uv_streams,
                                           &kit_stdio,
                                           &kit_process,
                                           &kit_tcp,
                                           &kit_unix,
                                           &kit_core,
                                           &kit_core_bare,
#ifdef KIT_CERT /* where libmcp-http is */
                                           &kit_websocket,
                                           &kit_websocket_tls,
                                           &kit_sse,
                                           &kit_http,
                                           &kit_http_legacy,
                                           &kit_posts,
                                           &kit_sse_endpoint,
                                           &kit_core_http,
                                           &kit_core_websocket,
#endif
                                           &kit_custom};

int main(int argc, char **argv) {
  int is_known = 0;
  int failures = 0;
  if (argc > 1 && strcmp(argv[1], "--relay") == 0) {
    return kit_relay();
  }
  for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
    if (argc < 2 || strcmp(all[i]->name, argv[1]) == 0) {
      is_known = 1;
      failures += kit_run(all[i], argc > 2 ? argv[2] : NULL);
    }
  }
  if (!is_known) {
    printf("not ok %s: there is no such transport\n", argv[1]);
  }
  return is_known && failures == 0 ? 0 : 1;
}
