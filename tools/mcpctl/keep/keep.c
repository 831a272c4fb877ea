/* SPDX-License-Identifier: MIT */
#include "keep/keep.h"
#include "common/copy.h"
#include "common/envelope.h"
#include "common/exit.h"
#include "common/json.h"
#include "common/report.h"
#include "config/server.h"
#include "connection/roots.h"
#include "connection/wire.h"
#include "keep/ask.h"
#include "keep/log.h"
#include "keep/peers.h"
#include "keep/route.h"
#include "platform/clock.h"
#include "platform/interrupt.h"
#include "platform/local_socket.h"
#include "platform/wait.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
  BACKLOG = 64,
  FLUSH_MS = 2000 /* for clients that read the last messages */
};

/*
 *  STARTING --serve--> SERVING --stop, idle time, signal--> ENDING --> OVER
 *      |                  |                                    ^        ^
 *      |                  `----------- the server ends --------|--------'
 *      `------ the first client goes --------------------------'
 */
enum { STARTING, SERVING, ENDING, OVER };

typedef struct keep {
  const ctl_options *options;
  const ctl_keep_path *path;
  mcp_loop *loop;
  ctl_wire *wire;
  ctl_route *route;
  ctl_peers peers;
  ctl_keep_log log;
  char *roots; /* owned; NULL: there are none */
  int state;
  int is_wire_closed;
  int listener; /* -1: does not listen */
  ino_t socket; /* the file of the socket */
  uint64_t starter;
  time_t started_at;
  int64_t idle_ns; /* since when no client uses the server */
  int64_t over_ns; /* then the clients have had time for the last messages */
} keep;

/* ---- to clients -------------------------------------------------------- */

static void keep_to_client(uint64_t client, const char *text, size_t len,
                           void *userdata) {
  keep *self = userdata;
  ctl_peer *peer = ctl_peers_find(&self->peers, client);
  if (peer != NULL) {
    ctl_peer_send(peer, text, len);
  }
}

static void tell_all(keep *self, const char *line, size_t len) {
  for (ctl_peer *peer = self->peers.first; peer != NULL; peer = peer->next) {
    if (peer->is_user) {
      ctl_peer_send(peer, line, len);
    }
  }
}

/* Begins a notification of this process to all. NULL: out of memory. */
static mcp_builder *begin_telling(const char *method) {
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  if (out != NULL) {
    mcp_builder_object(out, NULL);
    mcp_builder_string(out, "jsonrpc", "2.0");
    mcp_builder_string(out, "method", method);
    mcp_builder_object(out, "params");
  }
  return out;
}

/* Sends what begin_telling has begun. Takes the builder, whose message has the
 * members of params so far. */
static void end_telling(keep *self, mcp_builder *out) {
  size_t len = 0;
  mcp_builder_end(out);
  mcp_builder_end(out);
  const char *text = mcp_builder_text(out, &len);
  if (text != NULL) {
    tell_all(self, text, len);
  }
  mcp_builder_free(out);
}

/* ---- from the server --------------------------------------------------- */

/* Each client reports it as it would report it of its own server. A message to
 * a client is one line; over HTTP, what the server sends may have many. */
static void keep_on_junk(const char *text, size_t len, void *userdata) {
  keep *self = userdata;
  char *line = ctl_copy(text, len);
  for (size_t i = 0; line != NULL && i < len; i++) {
    line[i] = line[i] == '\n' ? ' ' : line[i];
  }
  if (line != NULL) {
    tell_all(self, line, len);
  }
  free(line);
}

static void keep_on_message(const char *text, size_t len,
                            const mcp_json *message, int is_made,
                            void *userdata) {
  keep *self = userdata;
  (void)is_made;
  if (message == NULL) {
    keep_on_junk(text, len, self);
    return;
  }
  ctl_route_from_server(self->route, message);
}

/* Writes an answer with the error that the client's own transport would have
 * reported. */
static void put_failure(mcp_builder *out, const mcp_json *id,
                        const mcp_error *err) {
  mcp_builder_object(out, NULL);
  mcp_builder_string(out, "jsonrpc", "2.0");
  mcp_builder_value(out, "id", id);
  mcp_builder_object(out, "error");
  mcp_builder_int(out, "code", MCP_RPC_INTERNAL_ERROR);
  ctl_json_put_typed(out, "message", err->message);
  mcp_builder_object(out, "data");
  mcp_builder_object(out, CTL_KEEP_FAILURE);
  mcp_builder_int(out, "code", err->code);
  mcp_builder_int(out, "status", err->status);
  for (int open = 0; open < 4; open++) {
    mcp_builder_end(out);
  }
}

static void keep_on_failed(const mcp_json *id, const mcp_error *err,
                           void *userdata) {
  const keep *self = userdata;
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  size_t len = 0;
  if (out == NULL) {
    return;
  }
  put_failure(out, id, err);
  const char *text = mcp_builder_text(out, &len);
  mcp_doc *doc =
      text != NULL ? mcp_doc_parse(text, len, NULL, NULL, NULL) : NULL;
  if (doc != NULL) {
    ctl_route_failed(self->route, mcp_doc_root(doc));
  }
  mcp_doc_free(doc);
  mcp_builder_free(out);
}

/* An error that belongs to no request of a client, such as that of a
 * notification that the server has refused. */
static void keep_on_error(const mcp_error *err, void *userdata) {
  keep *self = userdata;
  ctl_keep_log_add(&self->log, err->message, strlen(err->message));
  ctl_keep_log_add(&self->log, "\n", 1);
}

static void keep_on_stderr(const char *bytes, size_t len, void *userdata) {
  keep *self = userdata;
  char *text = malloc(len + 1);
  mcp_builder *out = begin_telling(CTL_KEEP_STDERR);
  ctl_keep_log_add(&self->log, bytes, len);
  if (text != NULL && out != NULL) {
    memcpy(text, bytes, len);
    text[len] = '\0';
    ctl_json_put_typed(out, "text", text);
    end_telling(self, out);
    out = NULL;
  }
  mcp_builder_free(out);
  free(text);
}

static void tell_exit(keep *self) {
  int64_t status = 0;
  int number = 0;
  mcp_builder *out = ctl_wire_has_exited(self->wire, &status, &number)
                         ? begin_telling(CTL_KEEP_EXIT)
                         : NULL;
  if (out != NULL) {
    mcp_builder_int(out, "status", status);
    mcp_builder_int(out, "signal", number);
    end_telling(self, out);
  }
}

static void close_peers(keep *self) {
  for (ctl_peer *peer = self->peers.first; peer != NULL; peer = peer->next) {
    ctl_peer_close(peer);
  }
  self->over_ns = ctl_now_ns() + (int64_t)FLUSH_MS * 1000000;
}

static void keep_on_closed(const mcp_error *err, void *userdata) {
  keep *self = userdata;
  self->is_wire_closed = 1;
  if (err->code != 0 && self->state != ENDING) {
    ctl_report(0, "%s: %s", self->options->target, err->message);
  }
}

/* ---- the socket -------------------------------------------------------- */

/* Another process may have replaced the socket: this one has not answered it in
 * time, so it has counted as dead. */
static void remove_socket(const keep *self) {
  struct stat info;
  if (lstat(self->path->socket, &info) == 0 && info.st_ino == self->socket) {
    unlink(self->path->socket);
  }
}

static void stop_listening(keep *self) {
  if (self->listener >= 0) {
    remove_socket(self);
    close(self->listener);
    self->listener = -1;
  }
}

/* Binds the socket at a path where no client looks, and moves it when it
 * listens. That replaces the socket of a process that has died. Returns 0, or
 * -1 with errno. */
static int keep_listen(keep *self) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const ctl_keep_path *path = self->path;
  struct stat info = {0};
  mode_t mask = umask(077);
  memcpy(address.sun_path, path->begun, strlen(path->begun) + 1);
  unlink(path->begun);
  int fd = ctl_local_socket();
  int is_listening =
      fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
      listen(fd, BACKLOG) == 0 && lstat(path->begun, &info) == 0 &&
      rename(path->begun, path->socket) == 0;
  umask(mask);
  if (!is_listening) {
    int error = errno;
    unlink(path->begun);
    if (fd >= 0) {
      close(fd);
    }
    errno = error;
    return -1;
  }
  self->listener = fd;
  self->socket = info.st_ino;
  return 0;
}

static void keep_accept(keep *self) {
  int fd = ctl_local_accept(self->listener);
  if (fd >= 0 && !ctl_local_is_own(fd)) {
    close(fd);
  } else if (fd >= 0) {
    ctl_peers_add(&self->peers, fd);
  }
}

/* ---- requests of mcpctl ------------------------------------------------ */

static int64_t ms_until(int64_t end_ns) {
  int64_t left_ns = end_ns - ctl_now_ns();
  return left_ns > 0 ? (left_ns + 999999) / 1000000 : 0;
}

/* Milliseconds until the session ends because no client uses it; -1: it does
 * not end now. */
static int64_t idle_left_ms(const keep *self) {
  int64_t idle_ns = (int64_t)(self->options->idle_s * 1e9);
  if (self->state != SERVING || ctl_peers_users(&self->peers) > 0) {
    return -1;
  }
  return ms_until(self->idle_ns + idle_ns);
}

static void put_status(const keep *self, mcp_builder *out) {
  const ctl_options *options = self->options;
  char started[32];
  struct tm utc;
  int64_t left_ms = idle_left_ms(self);
  ctl_time_utc(self->started_at, &utc);
  strftime(started, sizeof(started), "%Y-%m-%dT%H:%M:%SZ", &utc);
  mcp_builder_string(out, "name", options->server->name);
  ctl_json_put_typed(out, "file", options->server->file);
  mcp_builder_int(out, "pid", getpid());
  mcp_builder_string(out, "startedAt", started);
  mcp_builder_int(out, "clients", (int64_t)ctl_peers_users(&self->peers));
  mcp_builder_int(out, "requests", (int64_t)ctl_route_requests(self->route));
  if (left_ms >= 0) {
    mcp_builder_int(out, "idleLeft", (left_ms + 999) / 1000);
  }
  ctl_json_put_typed(out, "log", self->path->log);
  mcp_builder_string(out, "definition", self->path->definition);
}

/* Takes the builder. */
static void send_built(ctl_peer *peer, mcp_builder *out) {
  size_t len = 0;
  const char *text = mcp_builder_text(out, &len);
  if (text != NULL) {
    ctl_peer_send(peer, text, len);
  }
  mcp_builder_free(out);
}

static void answer_status(const keep *self, ctl_peer *peer,
                          const mcp_json *id) {
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  if (out != NULL) {
    mcp_builder_object(out, NULL);
    mcp_builder_string(out, "jsonrpc", "2.0");
    mcp_builder_value(out, "id", id);
    mcp_builder_object(out, "result");
    put_status(self, out);
    mcp_builder_end(out);
    mcp_builder_end(out);
    send_built(peer, out);
  }
}

static void answer_failure(ctl_peer *peer, const mcp_json *id,
                           const mcp_error *err) {
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  if (out != NULL) {
    put_failure(out, id, err);
    send_built(peer, out);
  }
}

/* Only the client that has started this process asks for it, and once. */
static void begin_serving(keep *self, ctl_peer *peer, const mcp_json *id) {
  mcp_error err = {0};
  if (self->state != STARTING) {
    ctl_peer_close(peer);
  } else if (keep_listen(self) == 0) {
    self->state = SERVING;
    answer_status(self, peer, id);
  } else {
    mcp_error_set(&err, MCP_ERR_IO, "cannot listen on %s: %s",
                  self->path->socket, strerror(errno));
    answer_failure(peer, id, &err);
  }
}

/* Ends the server as any client does. A client that asked for it waits for the
 * end of its connection. */
static void keep_end(keep *self) {
  if (self->state < ENDING) {
    self->state = ENDING;
    stop_listening(self);
    ctl_wire_close(self->wire);
  }
}

/* From now on the client gets what the server says to all. */
static void make_user(keep *self, ctl_peer *peer) {
  if (!peer->is_user && ctl_route_join(self->route, peer->number) == 0) {
    peer->is_user = 1;
  }
}

static void take_hello(keep *self, ctl_peer *peer, const mcp_json *id) {
  if (self->state == SERVING) {
    answer_status(self, peer, id);
    make_user(self, peer);
  } else {
    ctl_peer_close(peer); /* it then uses a server of its own */
  }
}

/* Returns 1 for a request to this process. */
static int take_own(keep *self, ctl_peer *peer, const mcp_json *message) {
  const mcp_json *id = mcp_json_get(message, "id");
  if (ctl_envelope_is_method(message, CTL_KEEP_STATUS)) {
    answer_status(self, peer, id);
  } else if (ctl_envelope_is_method(message, CTL_KEEP_HELLO)) {
    take_hello(self, peer, id);
  } else if (ctl_envelope_is_method(message, CTL_KEEP_SERVE)) {
    begin_serving(self, peer, id);
  } else if (ctl_envelope_is_method(message, CTL_KEEP_STOP)) {
    keep_end(self);
  } else {
    return 0;
  }
  return 1;
}

/* ---- from clients ------------------------------------------------------ */

static void peer_says(ctl_peer *peer, const mcp_json *message, void *userdata) {
  keep *self = userdata;
  if (take_own(self, peer, message)) {
    return;
  }
  make_user(self, peer);
  if (message == NULL || !peer->is_user ||
      ctl_route_from_client(self->route, peer->number, message) != 0) {
    ctl_peer_close(peer);
  }
}

static void peer_gone(ctl_peer *peer, void *userdata) {
  keep *self = userdata;
  ctl_route_leave(self->route, peer->number);
  self->idle_ns = peer->is_user ? ctl_now_ns() : self->idle_ns;
  if (self->state == STARTING && peer->number == self->starter) {
    keep_end(self);
  }
}

static void keep_to_server(const char *text, size_t len,
                           const mcp_json *message, void *userdata) {
  keep *self = userdata;
  int rc = ctl_wire_send(self->wire, text, len, message);
  if (rc != 0 && rc != MCP_ERR_CLOSED) {
    ctl_report(0, "a message was not sent to the server: %s",
               mcp_error_text(rc));
    keep_end(self); /* a client would wait for its answer */
  }
}

/* ---- the run ----------------------------------------------------------- */

/* Goes on to the state that the events of this turn lead to. */
static void keep_advance(keep *self) {
  ctl_peers_sweep(&self->peers);
  if (ctl_interrupt_has_come() || idle_left_ms(self) == 0) {
    keep_end(self);
  }
  if (self->is_wire_closed && self->over_ns == 0) {
    self->state = ENDING;
    stop_listening(self);
    tell_exit(self);
    close_peers(self);
  }
  if (self->over_ns != 0 &&
      (self->peers.count == 0 || ctl_now_ns() >= self->over_ns)) {
    self->state = OVER;
  }
}

/* How long to wait for the next event; -1: without a limit. */
static int wait_ms(const keep *self) {
  int64_t left_ms = idle_left_ms(self);
  if (self->over_ns != 0) {
    left_ms = ms_until(self->over_ns);
  }
  return left_ms > INT32_MAX ? INT32_MAX : (int)left_ms;
}

static void keep_loop(keep *self) {
  while (self->state != OVER) {
    mcp_loop_step(self->loop);
    keep_advance(self);
    if (self->state != OVER &&
        ctl_wait(self->loop, self->listener, wait_ms(self)) &&
        self->listener >= 0) {
      keep_accept(self);
    }
  }
}

static int keep_open(keep *self, int fd, mcp_error *err) {
  const ctl_wire_events wire = {.on_message = keep_on_message,
                                .on_failed = keep_on_failed,
                                .on_junk = keep_on_junk,
                                .on_closed = keep_on_closed,
                                .on_stderr = keep_on_stderr,
                                .on_error = keep_on_error,
                                .userdata = self};
  const ctl_route_events route = {keep_to_server, keep_to_client, self};
  self->peers = (ctl_peers){.loop = self->loop,
                            .on_message = peer_says,
                            .on_gone = peer_gone,
                            .userdata = self};
  const ctl_peer *starter = ctl_peers_add(&self->peers, fd);
  self->route = ctl_route_new(&route, self->roots);
  if (starter == NULL || self->route == NULL) {
    return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  self->starter = starter->number;
  self->wire = ctl_wire_open(self->loop, self->options, &wire, err);
  return self->wire != NULL ? 0 : err->code;
}

/* SIGTERM does what SIGINT does, whatever the shell has set for that one. */
static int keep_catch_signals(void) {
  struct sigaction action;
  signal(SIGINT, SIG_DFL);
  signal(SIGHUP, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  if (ctl_interrupt_setup() != 0 || sigaction(SIGINT, NULL, &action) != 0) {
    return -1;
  }
  return sigaction(SIGTERM, &action, NULL);
}

static int keep_with_loop(keep *self, int fd) {
  mcp_error err = {0};
  int code = CTL_OK;
  if (keep_open(self, fd, &err) == 0) {
    keep_loop(self);
  } else {
    code = ctl_report(CTL_FAILED, "%s", err.message);
  }
  ctl_peers_deinit(&self->peers);
  ctl_route_free(self->route);
  ctl_wire_free(self->wire);
  return code;
}

int ctl_keep_run(const ctl_options *options, const ctl_keep_path *path,
                 int fd) {
  keep self = {.options = options, .path = path, .listener = -1};
  mcp_error err = {0};
  ctl_keep_log_open(&self.log, path->log);
  self.started_at = time(NULL);
  self.idle_ns = ctl_now_ns();
  self.roots =
      options->roots[0] != NULL ? ctl_roots_json(options->roots) : NULL;
  self.loop = keep_catch_signals() == 0 ? mcp_loop_new(NULL, &err) : NULL;
  if (self.loop == NULL) {
    free(self.roots);
    return ctl_report(CTL_USAGE, "cannot start: %s",
                      err.code != 0 ? err.message : strerror(errno));
  }
  int code = keep_with_loop(&self, fd);
  mcp_loop_free(self.loop);
  free(self.roots);
  return code;
}
