/* SPDX-License-Identifier: MIT */
/* One child process and its standard streams. */
#include "stdio/child.h"

#include "base/error.h"
#include "net/stream.h"
#include "platform/descriptors.h"
#include "platform/ends.h"
#include "platform/errors.h"
#include "platform/group.h"
#include "platform/uv_loop.h"
#include "stdio/process_options.h"

#include <errno.h>

enum {
  /* Bytes that a child leaves in its pipes are read within moments. If that
   * takes longer, a process of another group holds the pipes open. */
  OUTPUT_GRACE_MS = 200,
  /* How often to check whether a group is empty: no event reports that. */
  GROUP_POLL_MS = 10
};

enum { STANDARD_ERROR = 2, MAY_SEARCH = 1 /* X_OK, whose header differs */ };

typedef enum stage { RUNNING, ASKED, TERMINATED, KILLED, ENDED } stage;

struct mcpi_child {
  mcp_loop *loop;
  mcpi_uv *uv;
  const mcp_process_options *options;
  const mcpi_child_events *events; /* NULL: freed, waiting for its handles */
  void *owner;
  stage stage;
  int is_quiet; /* we have closed it: what it still sends is ignored */
  uint32_t open_handles;

  mcpi_stream *stream;
  int is_output_open;
  uv_process_t process;
  mcpi_group group;
  int64_t exited_ms;
  int64_t status;
  int signal;

  mcpi_end stderr_end;
  int is_stderr_open; /* 0: not read by us, or at its end */

  uv_timer_t timer;
  int64_t term_ms; /* when to send the signals */
  int64_t kill_ms;
  mcp_error failure; /* why the stream failed; code 0: it has not */
};

/* --- the end ------------------------------------------------------------- */

static void child_destroy(mcpi_child *child) {
  mcpi_uv *uv = child->uv;
  mcpi_free(&uv->allocator, child, sizeof(*child));
  mcpi_uv_drop(uv);
}

static void child_drop_handle(mcpi_child *child) {
  if (--child->open_handles == 0 && child->events == NULL) {
    child_destroy(child);
  }
}

static void child_on_handle_closed(uv_handle_t *handle) {
  child_drop_handle(handle->data);
}

static void stderr_on_closed(mcpi_end *end) {
  child_drop_handle(MCPI_CONTAINER(end, mcpi_child, stderr_end));
}

static void child_close_handle(void *handle) {
  uv_close(handle, child_on_handle_closed);
}

static void close_stderr(mcpi_child *child) {
  if (child->is_stderr_open) {
    child->is_stderr_open = 0;
    mcpi_end_close(&child->stderr_end);
  }
}

static void child_close_all(mcpi_child *child) {
  child->stage = ENDED;
  close_stderr(child);
  mcpi_group_close(&child->group);
  child_close_handle(&child->process);
  child_close_handle(&child->timer);
  mcpi_stream_free(child->stream);
  child->stream = NULL;
}

void mcpi_child_free(mcpi_child *child) {
  if (child == NULL) {
    return;
  }
  if (child->stage != ENDED) {
    mcpi_group_kill_now(&child->group);
    child_close_all(child);
  }
  child->events = NULL;
  if (child->open_handles == 0) {
    child_destroy(child);
  }
}

static void describe_end(const mcpi_child *child, mcp_error *err) {
  const char *name = child->options->argv[0];
  if (child->signal != 0) {
    mcp_error_set(err, MCP_ERR_CLOSED, "\"%s\" was ended by signal %d", name,
                  child->signal);
  } else {
    mcp_error_set(err, MCP_ERR_CLOSED, "\"%s\" exited with status %d", name,
                  (int)child->status);
  }
}

/* Whether both outputs have ended, or nothing more can be expected. */
static int is_output_over(const mcpi_child *child) {
  return (!child->is_output_open && !child->is_stderr_open) ||
         mcpi_loop_now(child->loop) - child->exited_ms >= OUTPUT_GRACE_MS;
}

/* After SIGKILL the group is not checked: a zombie whose parent does not reap
 * it counts as a member. */
static int is_over(mcpi_child *child) {
  return child->group.has_exited &&
         (child->stage == KILLED || mcpi_group_is_empty(&child->group)) &&
         is_output_over(child);
}

static void child_end(mcpi_child *child) {
  mcp_error err;
  describe_end(child, &err);
  child_close_all(child);
  child->events->on_ended(child->owner, &err);
}

/* --- the way there ------------------------------------------------------- */

static void child_on_timer(uv_timer_t *timer);

static void arm_timer(mcpi_child *child) {
  int64_t due_ms = child->stage == ASKED ? child->term_ms : child->kill_ms;
  int64_t delay_ms = due_ms - mcpi_loop_now(child->loop);
  if (child->group.has_exited && delay_ms > GROUP_POLL_MS) {
    delay_ms = GROUP_POLL_MS;
  }
  if (child->stage == KILLED) {
    delay_ms = GROUP_POLL_MS;
  }
  uv_update_time(child->uv->uv);
  uv_timer_start(&child->timer, child_on_timer,
                 delay_ms > 0 ? (uint64_t)delay_ms : 0, 0);
}

static void note_exit(mcpi_child *child, int64_t status, int signal) {
  child->group.has_exited = 1;
  child->exited_ms = mcpi_loop_now(child->loop);
  child->status = status;
  child->signal = signal;
  child->events->on_exit(child->owner, status, signal);
}

/* Sends the signal that is due. */
static void escalate(mcpi_child *child) {
  int64_t now_ms = mcpi_loop_now(child->loop);
  if (child->stage == ASKED && now_ms >= child->term_ms) {
    child->stage = TERMINATED;
    if (mcpi_group_ask(&child->group)) {
      return;
    }
    child->kill_ms = now_ms; /* there is nothing to wait for */
  }
  if (child->stage == TERMINATED && now_ms >= child->kill_ms) {
    child->stage = KILLED;
    mcpi_group_kill(&child->group);
  }
}

static void child_go_on(mcpi_child *child) {
  if (is_over(child)) {
    child_end(child);
  } else {
    arm_timer(child);
  }
}

/* The child may have exited unnoticed each time a signal is due. */
static void look_for_exit(mcpi_child *child) {
  int64_t status;
  int signal;
  if (mcpi_group_look(&child->group, &status, &signal)) {
    note_exit(child, status, signal);
  }
}

/* The program's on_exit may have freed the child: it has ended then. */
static void child_on_timer(uv_timer_t *timer) {
  mcpi_child *child = timer->data;
  mcpi_uv *uv = child->uv;
  mcpi_uv_enter(uv);
  look_for_exit(child);
  if (child->stage != ENDED) {
    escalate(child);
    child_go_on(child);
  }
  mcpi_uv_leave(uv);
}

static void begin_end(mcpi_child *child) {
  if (child->stage != RUNNING) {
    return;
  }
  child->stage = ASKED;
  child->term_ms = mcpi_loop_now(child->loop) + child->options->close_wait_ms;
  child->kill_ms = child->term_ms + child->options->term_wait_ms;
  mcpi_stream_shut(child->stream);
  arm_timer(child);
}

void mcpi_child_close(mcpi_child *child) {
  child->is_quiet = 1;
  begin_end(child);
}

static void on_exit(uv_process_t *process, int64_t status, int signal) {
  mcpi_child *child = process->data;
  mcpi_uv_enter(child->uv);
  note_exit(child, status, signal);
  if (child->stage != ENDED) { /* the program's on_exit may have freed it */
    begin_end(child);
    child_go_on(child);
  }
  mcpi_uv_leave(child->uv);
}

/* --- its output ---------------------------------------------------------- */

static void child_on_line(void *owner, const char *line, size_t len) {
  mcpi_child *child = owner;
  if (!child->is_quiet) {
    child->events->on_line(child->owner, line, len);
  }
}

static void child_on_error(void *owner, const mcp_error *err) {
  mcpi_child *child = owner;
  if (!child->is_quiet) {
    child->events->on_error(child->owner, err);
  }
}

static void on_output_end(void *owner) {
  mcpi_child *child = owner;
  child->is_output_open = 0;
  begin_end(child);
  if (child->group.has_exited) {
    child_go_on(child);
  }
}

static void on_stream_close(void *owner, const mcp_error *err) {
  (void)err; /* the way the child ends says more */
  on_output_end(owner);
}

static const mcpi_stream_events stream_events = {
    .on_line = child_on_line,
    .on_error = child_on_error,
    .on_end = on_output_end,
    .on_close = on_stream_close,
};

static void end_stderr(mcpi_child *child) {
  close_stderr(child);
  if (child->group.has_exited) {
    child_go_on(child);
  }
}

/* Always reads it, so that the child never blocks on it. */
static void on_stderr(mcpi_end *end, int failed) {
  mcpi_child *child = MCPI_CONTAINER(end, mcpi_child, stderr_end);
  char *buffer = mcpi_uv_read_buffer(child->uv);
  errno = ENOMEM; /* reports a missing buffer */
  ssize_t got =
      buffer != NULL ? mcpi_end_read(end, buffer, MCPI_READ_SIZE) : -1;
  (void)failed;
  mcpi_uv_enter(child->uv);
  if (got > 0) {
    child->events->on_stderr(child->owner, buffer, (size_t)got);
  } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
    end_stderr(child);
  }
  mcpi_uv_leave(child->uv);
}

/* --- the beginning ------------------------------------------------------- */

/* The ends of the pipes; -1: closed, or not made. */
typedef struct pipe_ends {
  int in[2];  /* the child reads 0, we write 1 */
  int out[2]; /* we read 0, the child writes 1 */
  int err[2];
} pipe_ends;

static void close_end(int *fd) {
  if (*fd >= 0) {
    mcpi_fd_close(*fd);
    *fd = -1;
  }
}

static void close_pipes(pipe_ends *pipes) {
  for (int i = 0; i < 2; i++) {
    close_end(&pipes->in[i]);
    close_end(&pipes->out[i]);
    close_end(&pipes->err[i]);
  }
}

/* Only our own ends do not wait. Each system's libuv keeps the pipes from other
 * children. */
static int make_pipes(pipe_ends *pipes, int with_err, mcp_error *err) {
  int rc = uv_pipe(pipes->in, 0, UV_NONBLOCK_PIPE);
  if (rc == 0) {
    rc = uv_pipe(pipes->out, UV_NONBLOCK_PIPE, 0);
  }
  if (rc == 0 && with_err) {
    rc = uv_pipe(pipes->err, UV_NONBLOCK_PIPE, 0);
  }
  if (rc == 0) {
    return 0;
  }
  close_pipes(pipes);
  return mcpi_io_error(err, mcpi_error_from_uv(rc), "cannot make a pipe");
}

static uv_stdio_container_t inherit(int fd) {
  uv_stdio_container_t out = {.flags = fd >= 0 ? UV_INHERIT_FD : UV_IGNORE};
  out.data.fd = fd;
  return out;
}

/* Chooses the child's standard error. */
static int stderr_of(const mcp_process_options *options,
                     const pipe_ends *pipes) {
  if (pipes->err[1] >= 0) {
    return pipes->err[1];
  }
  if (options->stderr_fd != 0) {
    return options->stderr_fd;
  }
  /* a process may run without standard error; then the child does too */
  return mcpi_fd_is_open(STANDARD_ERROR) ? STANDARD_ERROR : -1;
}

/* Returns 0: the child could run there. */
static int check_folder(const char *folder) {
  uv_fs_t request;
  int rc = uv_fs_access(NULL, &request, folder, MAY_SEARCH, NULL);
  uv_fs_req_cleanup(&request);
  return rc;
}

static int tell_spawn_error(const mcp_process_options *options, int rc,
                            mcp_error *err) {
  const char *folder = options->working_directory;
  const char *name = options->argv[0];
  int folder_rc = folder != NULL ? check_folder(folder) : 0;
  if (folder_rc != 0) {
    mcp_error_set(err, MCP_ERR_IO,
                  "cannot start \"%s\": the working directory \"%s\": %s", name,
                  folder, uv_strerror(folder_rc));
  } else if (folder != NULL && name[0] != '/' && strchr(name, '/') != NULL) {
    mcp_error_set(err, MCP_ERR_IO,
                  "cannot start \"%s\" in the working directory \"%s\", where "
                  "the system looks for it: %s",
                  name, folder, uv_strerror(rc));
  } else {
    mcp_error_set(err, MCP_ERR_IO, "cannot start \"%s\": %s", name,
                  uv_strerror(rc));
  }
  if (err != NULL) {
    err->status = mcpi_error_from_uv(rc);
  }
  return MCP_ERR_IO;
}

static int spawn(mcpi_child *child, const pipe_ends *pipes, mcp_error *err) {
  const mcp_process_options *options = child->options;
  uv_stdio_container_t stdio[3] = {inherit(pipes->in[0]),
                                   inherit(pipes->out[1]),
                                   inherit(stderr_of(options, pipes))};
  mcpi_process_environment environment;
  if (mcpi_process_environment_init(&environment, options,
                                    &child->uv->allocator) != 0) {
    return mcpi_no_memory(err);
  }
  uv_process_options_t uv_options = {
      .exit_cb = on_exit,
      .file = options->argv[0],
      .args = (char **)(uintptr_t)options->argv,
      .env = environment.list,
      .cwd = options->working_directory,
      .stdio_count = 3,
      .stdio = stdio,
  };
  int rc = mcpi_group_spawn(&child->group, child->uv->uv, &child->process,
                            &uv_options);
  child->process.data = child;
  child->open_handles++;
  mcpi_process_environment_deinit(&environment, &child->uv->allocator);
  if (rc != 0) {
    child_close_handle(&child->process);
    return tell_spawn_error(options, rc, err);
  }
  return 0;
}

/* Takes our ends of the pipes. */
static mcpi_stream *child_make_stream(mcpi_child *child, pipe_ends *pipes,
                                      mcp_error *err) {
  mcpi_stream_spec spec = {.read_fd = pipes->out[0],
                           .write_fd = pipes->in[1],
                           .options = *child->options->stream,
                           .events = &stream_events,
                           .owner = child};
  mcpi_stream *stream = mcpi_stream_new(child->loop, &spec, err);
  if (stream != NULL) {
    pipes->out[0] = -1;
    pipes->in[1] = -1;
  }
  return stream;
}

static void watch_stderr(mcpi_child *child, pipe_ends *pipes) {
  mcpi_end *end = &child->stderr_end;
  if (pipes->err[0] < 0 ||
      mcpi_end_init(end, child->uv, pipes->err[0], 0, MCPI_END_READ) != 0) {
    return;
  }
  end->on_ready = on_stderr;
  end->on_closed = stderr_on_closed;
  pipes->err[0] = -1;
  int error = mcpi_end_open(end);
  child->open_handles += end->is_open ? 1 : 0;
  if (error != 0) {
    mcpi_end_close(end);
    return;
  }
  child->is_stderr_open = 1;
  mcpi_end_watch(end);
}

static void child_init_timer(mcpi_child *child) {
  uv_timer_init(child->uv->uv, &child->timer);
  child->timer.data = child;
  child->open_handles++;
}

static mcpi_child *new_child(mcp_loop *loop, const mcp_process_options *options,
                             const mcpi_child_events *events, void *owner) {
  mcpi_uv *uv = mcpi_uv_of(loop);
  mcpi_child *child = mcpi_calloc(&uv->allocator, 1, sizeof(*child));
  if (child == NULL) {
    return NULL;
  }
  child->loop = loop;
  child->uv = uv;
  child->options = options;
  child->events = events;
  child->owner = owner;
  child->stage = ENDED; /* until it runs */
  mcpi_uv_hold(uv);
  return child;
}

/* Makes the stream before the child, and starts it afterwards. So a child runs
 * only if we can communicate with it. Starting can fail only without a
 * descriptor for polling; the pipes show that there are descriptors. */
static int child_run(mcpi_child *child, pipe_ends *pipes, mcp_error *err) {
  child->stream = child_make_stream(child, pipes, err);
  if (child->stream == NULL) {
    return MCP_ERR_NOMEM;
  }
  int rc = spawn(child, pipes, err);
  if (rc != 0) {
    goto fail;
  }
  child_init_timer(child);
  child->stage = RUNNING;
  child->is_output_open = 1;
  watch_stderr(child, pipes);
  return mcpi_stream_start(child->stream, err);

fail:
  mcpi_stream_free(child->stream);
  child->stream = NULL;
  return rc;
}

mcpi_child *mcpi_child_start(mcp_loop *loop, const mcp_process_options *options,
                             const mcpi_child_events *events, void *owner,
                             mcp_error *err) {
  pipe_ends pipes = {{-1, -1}, {-1, -1}, {-1, -1}};
  if (make_pipes(&pipes, options->on_stderr != NULL, err) != 0) {
    return NULL;
  }
  mcpi_child *child = new_child(loop, options, events, owner);
  if (child == NULL) {
    mcpi_no_memory(err);
  } else if (child_run(child, &pipes, err) != 0) {
    mcpi_child_free(child);
    child = NULL;
  }
  close_pipes(&pipes);
  return child;
}

/* A child that no longer reads is ending. How it ends will be reported to every
 * request that waits, and says more than a refusal here. */
int mcpi_child_send(mcpi_child *child, const char *message, size_t len) {
  int rc = MCP_ERR_CLOSED;
  if (child->stage == RUNNING) {
    rc = mcpi_stream_send(child->stream, message, len);
  }
  return rc == MCP_ERR_CLOSED && !child->is_quiet && child->stage != ENDED ? 0
                                                                           : rc;
}

size_t mcpi_child_queued(const mcpi_child *child) {
  return child->stream != NULL ? mcpi_stream_queued(child->stream) : 0;
}
