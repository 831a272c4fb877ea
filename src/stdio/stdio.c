/* SPDX-License-Identifier: MIT */
/* This process's standard input and output as a transport (MCP, Transports:
 * stdio).
 *
 * The transport works on private copies of descriptors 0 and 1. While the
 * transport exists, descriptor 0 is /dev/null, so that a child process of a
 * tool cannot read messages, and descriptor 1 is standard error, so that a
 * stray printf cannot damage messages. */
#include "stdio/stdio.h"

#include "net/fd.h"
#include "platform/descriptors.h"
#include "platform/uv_loop.h"

#include <stdatomic.h>
#include <stdio.h>

enum { STANDARD_INPUT, STANDARD_OUTPUT, STANDARD_ERROR };

/* The original descriptors 0 and 1, to be restored. Static, because a process
 * has one pair. */
static struct {
  atomic_int is_taken;
  /* 1: the members below are valid. A signal handler reads it too. */
  atomic_int is_kept;
  int fds[2]; /* copies of 0 and 1 */
  int flags[2];
} before;

void mcpi_stdio_restore_flags(void) {
  for (int i = 0; i < 2 && before.is_kept; i++) {
    mcpi_fd_set_flags(before.fds[i], before.flags[i]);
  }
}

static int keep_copy(int fd) {
  int copy = mcpi_fd_duplicate(fd);
  before.fds[fd] = copy;
  before.flags[fd] = copy >= 0 ? mcpi_fd_flags(fd) : 0;
  return copy >= 0 ? 0 : copy;
}

static int keep_copies(mcp_error *err) {
  int rc = keep_copy(STANDARD_INPUT);
  if (rc != 0) {
    return mcpi_io_error(err, -rc, "cannot use standard input");
  }
  rc = keep_copy(STANDARD_OUTPUT);
  if (rc != 0) {
    mcpi_fd_close(before.fds[STANDARD_INPUT]);
    return mcpi_io_error(err, -rc, "cannot use standard output");
  }
  return 0;
}

/* Points descriptor 0 to /dev/null and 1 to standard error. If this fails, the
 * transport still works. */
static void divert(void) {
  int null_fd = mcpi_fd_open_null();
  if (null_fd >= 0) {
    mcpi_fd_replace(STANDARD_INPUT, null_fd);
  }
  if (mcpi_fd_replace(STANDARD_OUTPUT, STANDARD_ERROR) != 0 && null_fd >= 0) {
    mcpi_fd_replace(STANDARD_OUTPUT, null_fd);
  }
  if (null_fd >= 0) {
    mcpi_fd_close(null_fd);
  }
}

static void put_back(void *userdata) {
  (void)userdata;
  /* Descriptor 1 is still standard error. Text of the program in the buffer of
   * stdout must go there, not to the far side. */
  fflush(stdout);
  before.is_kept = 0; /* the flags are restored already */
  for (int fd = STANDARD_INPUT; fd <= STANDARD_OUTPUT; fd++) {
    mcpi_fd_replace(fd, before.fds[fd]);
    mcpi_fd_close(before.fds[fd]);
  }
  atomic_store(&before.is_taken, 0);
}

/* The transport gets its own copies, which it closes before put_back runs. */
static mcp_transport *stdio_make_transport(mcp_loop *loop,
                                           const mcp_stream_options *options,
                                           mcp_error *err) {
  mcpi_fd_spec spec = {.read_fd = mcpi_fd_duplicate(before.fds[0]),
                       .write_fd = mcpi_fd_duplicate(before.fds[1]),
                       .options = options,
                       .on_down = put_back};
  mcp_transport *made = NULL;
  if (spec.read_fd >= 0 && spec.write_fd >= 0) {
    made = mcpi_fd_transport_new(loop, &spec, err);
  } else {
    int error = -(spec.read_fd < 0 ? spec.read_fd : spec.write_fd);
    mcpi_io_error(err, error, "cannot copy standard input and output");
  }
  if (made == NULL) {
    mcpi_fd_close(spec.read_fd);
    mcpi_fd_close(spec.write_fd);
  }
  return made;
}

mcp_transport *mcp_transport_stdio(mcp_loop *loop,
                                   const mcp_stream_options *options,
                                   mcp_error *err) {
  if (atomic_exchange(&before.is_taken, 1)) {
    mcp_error_set(err, MCP_ERR_BUSY,
                  "standard input and output are in use already");
    return NULL;
  }
  if (keep_copies(err) != 0) {
    goto fail;
  }
  mcp_transport *made = stdio_make_transport(loop, options, err);
  if (made == NULL) {
    mcpi_fd_close(before.fds[0]);
    mcpi_fd_close(before.fds[1]);
    goto fail;
  }
  before.is_kept = 1;
  divert();
  return made;

fail:
  atomic_store(&before.is_taken, 0);
  return NULL;
}
