/* SPDX-License-Identifier: MIT */
/* The process begins before the handshake, and this run of mcpctl is its first
 * client. So the handshake is that of any verb: the library finds the era, and
 * a failure is reported as any verb reports it. */
#include "keep/start.h"
#include "common/exit.h"
#include "common/report.h"
#include "common/text.h"
#include "config/server.h"
#include "connection/failure.h"
#include "connection/session.h"
#include "connection/settle.h"
#include "keep/ask.h"
#include "keep/client.h"
#include "keep/inherited.h"
#include "keep/keep.h"
#include "platform/interrupt.h"
#include "platform/local_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEFAULT_IDLE_S = 1800 };

typedef struct starting {
  const ctl_options *options;
  const ctl_keep_path *path;
  ctl_inherited inherited;
  int lock; /* a locked file */
  ctl_session session;
  pid_t process; /* -1: none was started */
} starting;

/* ---- the lock ---------------------------------------------------------- */

/* Whether the locked file still has its name: the last holder removes it. */
static int is_named(int fd, const char *path) {
  struct stat locked;
  struct stat named;
  return fstat(fd, &locked) == 0 && stat(path, &named) == 0 &&
         locked.st_dev == named.st_dev && locked.st_ino == named.st_ino;
}

/* Waits for another `start` of the same server. Returns the locked file, or
 * -1. */
static int lock_start(const char *path) {
  int fd;
  do {
    fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) {
      return -1;
    }
    while (flock(fd, LOCK_EX) != 0) {
      if (errno != EINTR || ctl_interrupt_has_come()) {
        close(fd);
        return -1;
      }
    }
    if (is_named(fd, path)) {
      return fd;
    }
    close(fd);
  } while (1);
}

static void unlock_start(int fd, const char *path) {
  unlink(path);
  close(fd);
}

/* ---- the process ------------------------------------------------------- */

/* Leaves the terminal. */
static void become_background(void) {
  setsid();
  int null = open("/dev/null", O_RDWR);
  for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++) {
    dup2(null, fd);
  }
  if (null > STDERR_FILENO) {
    close(null);
  }
}

/* Starts the process. Returns its id, or -1; *fd is the connection to it. */
static pid_t fork_process(const starting *self, const ctl_options *options,
                          int *fd) {
  int ends[2];
  fflush(NULL);
  if (ctl_local_pair(ends) != 0) {
    return -1;
  }
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    close(self->lock);
    ctl_inherited_close(&self->inherited);
    become_background();
    exit(ctl_keep_run(options, self->path, ends[1]));
  }
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
  }
  *fd = ends[0];
  return child;
}

/* ---- the handshake ----------------------------------------------------- */

static int start_serving(ctl_session *session,
                         const mcp_request_options *options) {
  return mcp_client_request(session->client, CTL_KEEP_SERVE, NULL, options,
                            ctl_session_done, session, &session->error);
}

/* Waits for the process, which ends when its first client goes. */
static void end_process(starting *self) {
  ctl_session_close(&self->session);
  self->session = (ctl_session){0};
  if (self->process > 0) {
    waitpid(self->process, NULL, 0);
    self->process = -1;
  }
}

/* Starts the process, and connects. Returns CTL_OK or an exit code after a
 * report; self->session.is_connected says whether the server has answered. */
static int connect_in_era(starting *self, uint32_t policy) {
  ctl_options options = *self->options;
  int fd = -1;
  options.policy = policy;
  self->process = fork_process(self, &options, &fd);
  if (self->process < 0) {
    return ctl_report(CTL_USAGE, "cannot start a process: %s", strerror(errno));
  }
  self->session.options = &options;
  int code = ctl_session_begin(&self->session, &options, fd);
  self->session.options = self->options;
  return code;
}

/* A server may end when it is asked whether it speaks the modern era. */
static int connect_in_any_era(starting *self) {
  const ctl_options *options = self->options;
  int code = connect_in_era(self, options->policy);
  if (code == CTL_OK && !self->session.is_connected &&
      self->session.status == MCP_ERR_CLOSED &&
      options->policy == MCP_POLICY_AUTO && options->url == NULL) {
    end_process(self);
    code = connect_in_era(self, MCP_POLICY_LEGACY);
  }
  return code;
}

/* Lets the server fail once more, as another verb would: the process does not
 * know all that such a report has, such as what was said over HTTP. */
static int report_failure(starting *self) {
  ctl_session direct = {0};
  if (self->session.status == MCP_ERR_TIMEOUT || ctl_interrupt_has_come()) {
    return ctl_failure_report(&self->session);
  }
  char *message = strdup(self->session.error.message);
  end_process(self);
  ctl_options options = *self->options;
  options.no_session = 1;
  int code = ctl_session_open(&direct, &options);
  if (code == CTL_OK) {
    code = ctl_report(CTL_FAILED, "%s: the session did not start: %s",
                      self->options->target, message != NULL ? message : "");
  }
  ctl_session_close(&direct);
  free(message);
  return code;
}

static void say_time(char *out, size_t size, double seconds) {
  double minutes = seconds / 60;
  if (seconds < 120) {
    snprintf(out, size, "%g seconds", seconds);
  } else {
    snprintf(out, size, "%g minutes", minutes);
  }
}

static int say_started(const starting *self) {
  char text[64];
  say_time(text, sizeof(text), self->options->idle_s);
  ctl_text_put_line(stdout, self->options->server->name, SIZE_MAX);
  printf(": started (process %ld); it ends after %s without use\n",
         (long)self->process, text);
  return CTL_OK;
}

/* Lets the server read the roots, and opens the session for others. */
static int serve(starting *self) {
  ctl_session *session = &self->session;
  session->asked_for_roots = 1; /* the process answers that */
  int status = ctl_settle(session);
  if (status == 0) {
    status = ctl_session_request(session, start_serving);
  }
  return status == 0 ? say_started(self) : ctl_failure_report(session);
}

static int start_locked(starting *self) {
  int code = connect_in_any_era(self);
  if (code == CTL_OK) {
    code = self->session.is_connected ? serve(self) : report_failure(self);
  }
  if (code == CTL_OK) {
    ctl_session_close(&self->session);
  } else {
    end_process(self);
  }
  return code;
}

/* ---- the verb ---------------------------------------------------------- */

/* Returns 1 if the session runs already, after saying so. */
static int say_running(const ctl_options *options) {
  int fd = ctl_keep_join(options, 0);
  mcp_doc *doc = fd >= 0 ? ctl_keep_ask(fd, CTL_KEEP_STATUS, 1000) : NULL;
  int is_running = doc != NULL;
  if (is_running) {
    ctl_text_put_line(stdout, options->server->name, SIZE_MAX);
    printf(": runs already (process %lld)\n",
           (long long)mcp_json_int(mcp_json_get(mcp_doc_root(doc), "pid")));
  }
  mcp_doc_free(doc);
  if (fd >= 0) {
    close(fd);
  }
  return is_running;
}

static int start_with_path(const ctl_options *options,
                           const ctl_keep_path *path) {
  mcp_error err = {0};
  starting self = {.options = options, .path = path, .process = -1};
  if (ctl_keep_folder_check(path->folder, 1, &err) != 0) {
    return ctl_report(CTL_USAGE, "%s", err.message);
  }
  ctl_inherited_read(&self.inherited);
  self.lock = lock_start(path->lock);
  int code = CTL_OK;
  if (self.lock < 0) {
    code = ctl_report(CTL_USAGE, "cannot lock %s: %s", path->lock,
                      strerror(errno));
  } else {
    code = say_running(options) ? CTL_OK : start_locked(&self);
    unlock_start(self.lock, path->lock);
  }
  ctl_inherited_deinit(&self.inherited);
  return code;
}

int ctl_keep_start(const ctl_options *given) {
  ctl_keep_path path = {0};
  ctl_options options = *given;
  mcp_error err = {0};
  if (given->is_bundle) {
    return ctl_report(CTL_USAGE,
                      "%s: a bundle is unpacked for one run, so start cannot "
                      "keep it running; unpack it, and add its command",
                      given->server->name);
  }
  options.idle_s = given->idle_s != 0 ? given->idle_s : DEFAULT_IDLE_S;
  int code = ctl_keep_path_make(&path, &options, &err) == 0
                 ? start_with_path(&options, &path)
                 : ctl_report(CTL_USAGE, "%s", err.message);
  ctl_keep_path_deinit(&path);
  return code;
}
