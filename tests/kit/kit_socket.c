/* SPDX-License-Identifier: MIT */
/* A stream socket as one end. It connects only when it is started, so that a
 * child takes the connection and passes on what comes; the other end is in this
 * process:
 *
 *     socket transport -> connection -> child -> socket pair
 *                      <-            <-       <-
 */
#include "kit_own.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <mcp/socket.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t child = -1;
static int link_fd = -1; /* the child writes to it when it is connected */
static char folder[32];  /* of a Unix socket; "": none */

/* --- the child ----------------------------------------------------------- */

static void pass_on_and_shut(int from, int to) {
  kit_pass_on(from, to);
  shutdown(to, SHUT_WR);
}

/* Each direction ends by itself, so each has a process. */
static void relay(int listener, int far) {
  int connection = accept(listener, NULL, NULL);
  if (write(link_fd, "!", 1) != 1) {
    _exit(1);
  }
  pid_t other = connection >= 0 ? fork() : -1;
  if (other == 0) {
    pass_on_and_shut(far, connection);
    _exit(0);
  }
  pass_on_and_shut(connection, far);
  waitpid(other, NULL, 0);
  _exit(0);
}

static int start_child(int listener, int pair[2]) {
  int link[2];
  if (pipe2(link, O_CLOEXEC | O_NONBLOCK) != 0) {
    return MCP_ERR_IO;
  }
  child = fork();
  if (child == 0) {
    close(pair[1]);
    link_fd = link[1];
    relay(listener, pair[0]);
  }
  link_fd = link[0];
  close(link[1]);
  close(listener);
  close(pair[0]);
  return child > 0 ? 0 : MCP_ERR_IO;
}

static int is_linked(void) {
  char byte;
  return read(link_fd, &byte, 1) == 1;
}

static void free_loop(mcp_loop *loop) {
  mcp_loop_free(loop);
  if (child > 0) {
    kill(child, SIGKILL); /* a scene may never have connected */
    waitpid(child, NULL, 0);
    close(link_fd);
    child = -1;
  }
  if (folder[0] != '\0') {
    char path[64];
    snprintf(path, sizeof(path), "%s/socket", folder);
    unlink(path);
    rmdir(folder);
    folder[0] = '\0';
  }
}

/* --- addresses ----------------------------------------------------------- */

enum { ADDRESS_SIZE = 80 };

static int listen_tcp(char *address) {
  struct sockaddr_in in = {.sin_family = AF_INET,
                           .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t len = sizeof(in);
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || bind(fd, (struct sockaddr *)&in, len) != 0 ||
      listen(fd, 1) != 0 || getsockname(fd, (struct sockaddr *)&in, &len)) {
    return -1;
  }
  snprintf(address, ADDRESS_SIZE, "localhost:%d", ntohs(in.sin_port));
  return fd;
}

static int listen_unix(char *address) {
  struct sockaddr_un un = {.sun_family = AF_UNIX};
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  snprintf(folder, sizeof(folder), "/tmp/kit-XXXXXX");
  if (fd < 0 || mkdtemp(folder) == NULL) {
    return -1;
  }
  snprintf(un.sun_path, sizeof(un.sun_path), "%s/socket", folder);
  snprintf(address, ADDRESS_SIZE, "unix:%s/socket", folder);
  return bind(fd, (struct sockaddr *)&un, sizeof(un)) == 0 && listen(fd, 1) == 0
             ? fd
             : -1;
}

/* --- the transport ------------------------------------------------------- */

static int make_end(mcp_loop *loop, const kit_limits *limits,
                    int (*listen_there)(char *address), mcp_transport **end,
                    int *far_fd) {
  const mcp_stream_options stream = kit_stream_options(limits);
  const mcp_socket_options options = {.size = sizeof(mcp_socket_options),
                                      .stream = &stream};
  char address[ADDRESS_SIZE];
  int pair[2];
  int listener = listen_there(address);
  if (listener < 0 ||
      socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0 ||
      start_child(listener, pair) != 0) {
    return MCP_ERR_IO;
  }
  *far_fd = pair[1];
  *end = mcp_transport_socket(loop, address, &options, NULL);
  return *end != NULL ? 0 : MCP_ERR_NOMEM;
}

static int make_pair(mcp_loop *loop, const kit_limits *limits,
                     int (*listen_there)(char *address), mcp_transport **a,
                     mcp_transport **b) {
  const mcp_stream_options options = kit_stream_options(limits);
  int far_fd;
  int rc = make_end(loop, limits, listen_there, a, &far_fd);
  if (rc != 0) {
    return rc;
  }
  *b = mcp_transport_fd(loop, far_fd, far_fd, &options, NULL);
  return *b != NULL ? 0 : MCP_ERR_NOMEM;
}

static int make_tcp_pair(mcp_loop *loop, const kit_limits *limits,
                         mcp_transport **a, mcp_transport **b) {
  return make_pair(loop, limits, listen_tcp, a, b);
}

static int make_unix_pair(mcp_loop *loop, const kit_limits *limits,
                          mcp_transport **a, mcp_transport **b) {
  return make_pair(loop, limits, listen_unix, a, b);
}

static int make_tcp_raw(mcp_loop *loop, const kit_limits *limits,
                        mcp_transport **end, int *fd) {
  int rc = make_end(loop, limits, listen_tcp, end, fd);
  if (rc == 0) {
    fcntl(*fd, F_SETFL, O_NONBLOCK);
  }
  return rc;
}

static int make_unix_raw(mcp_loop *loop, const kit_limits *limits,
                         mcp_transport **end, int *fd) {
  int rc = make_end(loop, limits, listen_unix, end, fd);
  if (rc == 0) {
    fcntl(*fd, F_SETFL, O_NONBLOCK);
  }
  return rc;
}

const kit_transport kit_tcp = {.name = "tcp",
                               .make_pair = make_tcp_pair,
                               .make_raw = make_tcp_raw,
                               .is_linked = is_linked,
                               .free_loop = free_loop};
const kit_transport kit_unix = {.name = "unix socket",
                                .make_pair = make_unix_pair,
                                .make_raw = make_unix_raw,
                                .is_linked = is_linked,
                                .free_loop = free_loop};
