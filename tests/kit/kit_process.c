/* SPDX-License-Identifier: MIT */
/* A child process as one end. The other end is in this process, so the child
 * only passes on what it gets: it is this program again, and its standard error
 * is a socket whose far side we have.
 *
 *     process transport -> child's 0 -> child's 2 -> socket
 *                       <- child's 1 <- child's 2 <-
 */
#include "kit_own.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- the child ----------------------------------------------------------- */

void kit_pass_on(int from, int to) {
  char bytes[64 * 1024];
  ssize_t len;
  while ((len = read(from, bytes, sizeof(bytes))) > 0) {
    for (ssize_t done = 0; done < len;) {
      ssize_t written = write(to, bytes + done, (size_t)(len - done));
      if (written < 0) {
        return;
      }
      done += written;
    }
  }
}

/* Each direction ends by itself, so each has a process. */
int kit_relay(void) {
  pid_t other = fork();
  if (other == 0) {
    close(0);
    kit_pass_on(2, 1);
    _exit(0);
  }
  close(1);
  kit_pass_on(0, 2);
  shutdown(2, SHUT_WR);
  waitpid(other, NULL, 0);
  return 0;
}

/* --- the transport ------------------------------------------------------- */

static int childs_fd = -1; /* owned until the child has it */
static int (*own_start)(mcp_transport *transport, mcp_error *err);

static void let_go(void) {
  if (childs_fd >= 0) {
    close(childs_fd);
    childs_fd = -1;
  }
}

static int start(mcp_transport *transport, mcp_error *err) {
  int rc = own_start(transport, err);
  let_go();
  return rc;
}

static void free_loop(mcp_loop *loop) {
  mcp_loop_free(loop);
  let_go();
}

static int make_end(mcp_loop *loop, const kit_limits *limits,
                    mcp_transport **end, int *far_fd) {
  static const char *const argv[] = {"/proc/self/exe", "--relay", NULL};
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) {
    return MCP_ERR_IO;
  }
  childs_fd = fds[0];
  *far_fd = fds[1];
  const mcp_stream_options stream = kit_stream_options(limits);
  const mcp_process_options options = {.size = sizeof(mcp_process_options),
                                       .argv = argv,
                                       .stderr_fd = childs_fd,
                                       .stream = &stream};
  *end = mcp_transport_process(loop, &options, NULL);
  if (*end == NULL) {
    return MCP_ERR_NOMEM;
  }
  own_start = (*end)->start;
  (*end)->start = start;
  return 0;
}

static int make_pair(mcp_loop *loop, const kit_limits *limits,
                     mcp_transport **a, mcp_transport **b) {
  const mcp_stream_options options = kit_stream_options(limits);
  int far_fd;
  int rc = make_end(loop, limits, a, &far_fd);
  if (rc != 0) {
    return rc;
  }
  *b = mcp_transport_fd(loop, far_fd, far_fd, &options, NULL);
  return *b != NULL ? 0 : MCP_ERR_NOMEM;
}

static int make_raw(mcp_loop *loop, const kit_limits *limits,
                    mcp_transport **end, int *fd) {
  int rc = make_end(loop, limits, end, fd);
  if (rc == 0) {
    fcntl(*fd, F_SETFL, O_NONBLOCK);
  }
  return rc;
}

const kit_transport kit_process = {.name = "process",
                                   .flags = KIT_NO_HALF_CLOSE,
                                   .make_pair = make_pair,
                                   .make_raw = make_raw,
                                   .free_loop = free_loop};
