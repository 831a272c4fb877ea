/* SPDX-License-Identifier: MIT */
/* This process's own standard input and output as one end. They are pipes while
 * a scenario runs. The kit restores them when the transport has closed them:
 * the other end must see the close, and the kit prints its results there. */
#include "kit_own.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static int kept[2]; /* the originals of 0 and 1 */
static void (*own_release)(mcp_transport *transport);

static mcp_loop *make_loop(void) {
  for (int fd = 0; fd < 2; fd++) {
    kept[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  }
  return mcp_loop_new(NULL, NULL);
}

static void put_back(void) {
  for (int fd = 0; fd < 2; fd++) {
    dup2(kept[fd], fd);
  }
}

static void free_loop(mcp_loop *loop) {
  mcp_loop_free(loop);
  close(kept[0]);
  close(kept[1]);
}

static void release(mcp_transport *transport) {
  own_release(transport);
  put_back();
}

/* Takes both descriptors; they may be the same. */
static int make_end(mcp_loop *loop, const kit_limits *limits, int in, int out,
                    mcp_transport **end) {
  const mcp_stream_options options = kit_stream_options(limits);
  fflush(stdout);
  dup2(in, 0);
  dup2(out, 1);
  close(in);
  if (out != in) {
    close(out);
  }
  *end = mcp_transport_stdio(loop, &options, NULL);
  if (*end == NULL) {
    put_back();
    return MCP_ERR_NOMEM;
  }
  own_release = (*end)->release;
  (*end)->release = release;
  return 0;
}

static int make_pair(mcp_loop *loop, const kit_limits *limits,
                     mcp_transport **a, mcp_transport **b) {
  const mcp_stream_options options = kit_stream_options(limits);
  int to_a[2];
  int to_b[2];
  if (pipe2(to_a, O_CLOEXEC) != 0 || pipe2(to_b, O_CLOEXEC) != 0) {
    return MCP_ERR_IO;
  }
  *a = mcp_transport_fd(loop, to_a[0], to_b[1], &options, NULL);
  return *a != NULL ? make_end(loop, limits, to_b[0], to_a[1], b)
                    : MCP_ERR_NOMEM;
}

static int make_raw(mcp_loop *loop, const kit_limits *limits,
                    mcp_transport **end, int *fd) {
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) {
    return MCP_ERR_IO;
  }
  fcntl(fds[1], F_SETFL, O_NONBLOCK);
  *fd = fds[1];
  return make_end(loop, limits, fds[0], fds[0], end);
}

const kit_transport kit_stdio = {.name = "stdio",
                                 .make_pair = make_pair,
                                 .make_raw = make_raw,
                                 .make_loop = make_loop,
                                 .free_loop = free_loop};
