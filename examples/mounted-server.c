/* SPDX-License-Identifier: MIT */
/* An endpoint inside another web server: libmicrohttpd owns the sockets, reads
 * the requests and serves its own page. The program passes requests to /mcp on
 * to libmcp. Both run in one poll loop, on one thread. Try it:
 *
 *     build/bin/mounted-server 8080
 *
 * The program suspends a request that has no answer yet. libmicrohttpd then
 * does nothing for the request, and does not watch its socket either. So the
 * poll loop watches for clients that leave. */
#define _GNU_SOURCE
#include <mcp/call.h>
#include <mcp/http.h>
#include <mcp/loop.h>
#include <mcp/server.h>

#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  MAX_BODY = 4 * 1024 * 1024,
  MAX_QUEUE = 16 * 1024 * 1024,
  MAX_HEADERS = 100,
  MAX_REQUESTS = 1000
};

/* Bytes that were written and that libmicrohttpd has not taken yet. */
typedef struct bytes {
  char *start;
  size_t len;
} bytes;

/* A request to the endpoint, from its first line to the end of its answer. */
typedef struct request {
  struct request *next;
  struct MHD_Connection *connection;
  char *target;
  mcp_http_request head;
  mcp_http_header headers[MAX_HEADERS];
  mcp_http_exchange *exchange; /* NULL: answered, or not begun */
  struct MHD_Response *response;
  int status;
  bytes body;
  bytes queue; /* of an answer in pieces */
  int has_begun;
  int is_elsewhere; /* for the page, not for the endpoint */
  int has_body;
  int has_ended;
  int is_broken; /* the connection must be cut */
  int is_suspended;
} request;

static struct {
  mcp_http *http;
  request *requests;
} site;

static volatile sig_atomic_t is_stopped;

static int append(bytes *to, const char *from, size_t len, size_t max) {
  char *start =
      len <= max - to->len ? realloc(to->start, to->len + len + 1) : NULL;
  if (start == NULL) {
    return 0;
  }
  if (len > 0) {
    memcpy(start + to->len, from, len);
  }
  to->start = start;
  to->len += len;
  return 1;
}

static void suspend(request *self) {
  self->is_suspended = 1;
  MHD_suspend_connection(self->connection);
}

static void resume(request *self) {
  if (self->is_suspended) {
    self->is_suspended = 0;
    MHD_resume_connection(self->connection);
  }
}

/* --- what the endpoint calls: the responder ------------------------------ */

static void set_response(request *self, struct MHD_Response *response,
                         int status, const mcp_http_header *headers,
                         size_t header_count) {
  for (size_t i = 0; response != NULL && i < header_count; i++) {
    MHD_add_response_header(response, headers[i].name, headers[i].value);
  }
  self->response = response;
  self->status = status;
  self->is_broken |= response == NULL;
  resume(self);
}

static void respond(void *exchange, int status, const mcp_http_header *headers,
                    size_t header_count, const char *body, size_t len) {
  request *self = exchange;
  self->exchange = NULL;
  self->has_ended = 1;
  struct MHD_Response *response = MHD_create_response_from_buffer(
      len, (void *)(uintptr_t)body, MHD_RESPMEM_MUST_COPY);
  set_response(self, response, status, headers, header_count);
}

/* libmicrohttpd asks for more bytes of an answer in pieces. If there are none,
 * the program suspends the request until more are written. */
static ssize_t take(void *userdata, uint64_t position, char *to, size_t max) {
  request *self = userdata;
  bytes *queue = &self->queue;
  (void)position;
  if (self->is_broken) {
    return MHD_CONTENT_READER_END_WITH_ERROR;
  }
  if (queue->len == 0 && self->has_ended) {
    return MHD_CONTENT_READER_END_OF_STREAM;
  }
  if (queue->len == 0) {
    suspend(self);
    return 0;
  }
  size_t len = queue->len < max ? queue->len : max;
  memcpy(to, queue->start, len);
  queue->len -= len;
  memmove(queue->start, queue->start + len, queue->len);
  return (ssize_t)len;
}

static void begin(void *exchange, int status, const mcp_http_header *headers,
                  size_t header_count) {
  request *self = exchange;
  struct MHD_Response *response = MHD_create_response_from_callback(
      MHD_SIZE_UNKNOWN, 16 * 1024, take, self, NULL);
  set_response(self, response, status, headers, header_count);
}

static void write_piece(void *exchange, const char *piece, size_t len) {
  request *self = exchange;
  self->is_broken |= !append(&self->queue, piece, len, MAX_QUEUE);
  resume(self);
}

static void end(void *exchange) {
  request *self = exchange;
  self->exchange = NULL;
  self->has_ended = 1;
  resume(self);
}

static void break_off(void *exchange) {
  request *self = exchange;
  self->is_broken = 1;
  end(self);
}

static size_t queued(void *exchange) {
  const request *self = exchange;
  return self->queue.len;
}

static const mcp_http_responder responder = {.size = sizeof(mcp_http_responder),
                                             .respond = respond,
                                             .begin = begin,
                                             .write = write_piece,
                                             .end = end,
                                             .queued = queued,
                                             .abort = break_off};

/* --- what the endpoint learns -------------------------------------------- */

static enum MHD_Result add_header(void *userdata, enum MHD_ValueKind kind,
                                  const char *name, const char *value) {
  request *self = userdata;
  (void)kind;
  if (self->head.header_count == MAX_HEADERS) {
    return MHD_NO;
  }
  self->headers[self->head.header_count++] =
      (mcp_http_header){name, value != NULL ? value : ""};
  return MHD_YES;
}

/* The endpoint reads the head only until the body is there. */
static void begin_request(request *self, const char *method) {
  self->head = (mcp_http_request){.size = sizeof(mcp_http_request),
                                  .method = method,
                                  .target = self->target,
                                  .headers = self->headers};
  MHD_get_connection_values(self->connection, MHD_HEADER_KIND, add_header,
                            self);
  mcp_http_exchange *exchange =
      mcp_http_begin(site.http, &self->head, &responder, self);
  self->exchange = self->has_ended ? NULL : exchange;
}

static void end_of_body(request *self) {
  self->has_body = 1;
  if (self->exchange != NULL) {
    mcp_http_body(self->exchange, self->body.start, self->body.len);
  }
}

/* The client cannot receive any more. */
static void gone(request *self) {
  mcp_http_exchange *exchange = self->exchange;
  self->exchange = NULL;
  self->has_ended = 1;
  self->is_broken = 1;
  if (exchange != NULL) {
    mcp_http_gone(exchange);
  }
}

/* --- what libmicrohttpd calls -------------------------------------------- */

/* libmicrohttpd has read the first line of a request. It passes the returned
 * pointer as *context from then on. */
static void *on_line(void *userdata, const char *target,
                     struct MHD_Connection *connection) {
  (void)userdata;
  request *self = calloc(1, sizeof *self);
  if (self == NULL) {
    return NULL;
  }
  self->connection = connection;
  self->target = strdup(target);
  self->next = site.requests;
  site.requests = self;
  return self;
}

static enum MHD_Result show_page(struct MHD_Connection *connection) {
  static char text[] = "the site's own page\n";
  struct MHD_Response *response = MHD_create_response_from_buffer(
      sizeof text - 1, text, MHD_RESPMEM_PERSISTENT);
  enum MHD_Result result = MHD_queue_response(connection, 200, response);
  MHD_destroy_response(response);
  return result;
}

/* libmicrohttpd calls this with the head, with each piece of the body, at its
 * end, and whenever a request without an answer is resumed. MHD_NO cuts the
 * connection. */
static enum MHD_Result on_request(void *userdata,
                                  struct MHD_Connection *connection,
                                  const char *path, const char *method,
                                  const char *version, const char *body,
                                  size_t *len, void **context) {
  request *self = *context;
  (void)userdata;
  (void)version;
  if (self == NULL || self->target == NULL || self->is_broken) {
    return MHD_NO;
  }
  if (!self->has_begun) {
    self->has_begun = 1;
    self->is_elsewhere = strcmp(path, "/mcp") != 0;
    if (!self->is_elsewhere) {
      begin_request(self, method);
    }
    return MHD_YES;
  }
  if (*len > 0) {
    int is_taken = append(&self->body, body, *len, MAX_BODY);
    *len = 0;
    return is_taken ? MHD_YES : MHD_NO;
  }
  if (self->is_elsewhere) {
    return show_page(connection);
  }
  if (!self->has_body) {
    end_of_body(self);
  }
  if (self->response != NULL) {
    return MHD_queue_response(connection, (unsigned)self->status,
                              self->response);
  }
  suspend(self);
  return MHD_YES;
}

static void on_completed(void *userdata, struct MHD_Connection *connection,
                         void **context,
                         enum MHD_RequestTerminationCode reason) {
  request *self = *context;
  (void)userdata;
  (void)connection;
  (void)reason;
  if (self == NULL) {
    return;
  }
  gone(self);
  request **link = &site.requests;
  while (*link != self) {
    link = &(*link)->next;
  }
  *link = self->next;
  if (self->response != NULL) {
    MHD_destroy_response(self->response);
  }
  free(self->body.start);
  free(self->queue.start);
  free(self->target);
  free(self);
  *context = NULL;
}

/* --- one loop for both --------------------------------------------------- */

static int shorter(int one_ms, int other_ms) {
  return one_ms < 0 || (other_ms >= 0 && other_ms < one_ms) ? other_ms : one_ms;
}

static int web_timeout_ms(struct MHD_Daemon *web) {
  MHD_UNSIGNED_LONG_LONG left_ms;
  if (MHD_get_timeout(web, &left_ms) == MHD_NO) {
    return -1;
  }
  return left_ms > 60000 ? 60000 : (int)left_ms;
}

/* Lists the sockets of all suspended requests. A request whose client has left
 * is resumed, so that it ends. */
static size_t watch(struct pollfd *files, request **whose) {
  size_t count = 0;
  for (request *one = site.requests; one != NULL; one = one->next) {
    if (one->is_suspended && count < MAX_REQUESTS) {
      const union MHD_ConnectionInfo *info = MHD_get_connection_info(
          one->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
      files[count] =
          (struct pollfd){.fd = info->connect_fd, .events = POLLRDHUP};
      whose[count++] = one;
    }
  }
  return count;
}

static void run(mcp_loop *loop, struct MHD_Daemon *web) {
  static struct pollfd files[2 + MAX_REQUESTS];
  static request *whose[MAX_REQUESTS];
  sigset_t no_signals;
  sigemptyset(&no_signals);
  const union MHD_DaemonInfo *info =
      MHD_get_daemon_info(web, MHD_DAEMON_INFO_EPOLL_FD);
  while (!is_stopped) {
    files[0] = (struct pollfd){.fd = mcp_loop_fd(loop), .events = POLLIN};
    files[1] = (struct pollfd){.fd = info->epoll_fd, .events = POLLIN};
    size_t count = watch(files + 2, whose);
    int wait_ms = shorter(mcp_loop_timeout_ms(loop), web_timeout_ms(web));
    struct timespec wait = {wait_ms / 1000, wait_ms % 1000 * 1000000L};
    if (ppoll(files, 2 + count, wait_ms < 0 ? NULL : &wait, &no_signals) < 0) {
      continue; /* a signal */
    }
    for (size_t i = 0; i < count; i++) {
      if (files[2 + i].revents != 0) {
        gone(whose[i]);
        resume(whose[i]);
      }
    }
    mcp_loop_step(loop);
    MHD_run(web);
  }
}

/* --- the server ---------------------------------------------------------- */

static int on_add(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_number(call, mcp_call_number(call, "a") +
                                         mcp_call_number(call, "b"));
}

/* Runs on a thread of the loop's pool, so it may block. */
static int on_count(mcp_call *call, void *userdata) {
  (void)userdata;
  int64_t to = mcp_call_int(call, "to");
  for (int64_t i = 1; i <= to; i++) {
    if (mcp_call_is_cancelled(call)) {
      fprintf(stderr, "nobody waits for the count\n");
      break;
    }
    mcp_call_progress(call, (double)i, (double)to, NULL);
    nanosleep(&(struct timespec){0, 20000000}, NULL);
  }
  return mcp_call_reply_text(call, "counted");
}

static mcp_server *make_server(void) {
  mcp_server *server = mcp_server_new("mounted", "1.0.0", NULL, NULL);
  mcp_server_add_tool(
      server,
      &(mcp_tool){.size = sizeof(mcp_tool),
                  .name = "add",
                  .description = "Adds two numbers",
                  .input = MCP_OBJECT(MCP_NUMBER("a", "The first"),
                                      MCP_NUMBER("b", "The second")),
                  .handler = on_add},
      NULL);
  mcp_server_add_tool(
      server,
      &(mcp_tool){.size = sizeof(mcp_tool),
                  .name = "count",
                  .description = "Counts, and tells how far it has come",
                  .input = MCP_OBJECT(MCP_INTEGER("to", "The last number")),
                  .is_blocking = 1,
                  .handler = on_count},
      NULL);
  return server;
}

static struct MHD_Daemon *listen_on(uint16_t port) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons(port),
                                .sin_addr = {htonl(INADDR_LOOPBACK)}};
  struct MHD_Daemon *web = MHD_start_daemon(
      MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, port, NULL, NULL, on_request,
      NULL, MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_URI_LOG_CALLBACK,
      on_line, NULL, MHD_OPTION_NOTIFY_COMPLETED, on_completed, NULL,
      MHD_OPTION_CONNECTION_TIMEOUT, 75U, MHD_OPTION_CONNECTION_LIMIT,
      (unsigned)MAX_REQUESTS, MHD_OPTION_END);
  if (web != NULL) {
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(web, MHD_DAEMON_INFO_BIND_PORT);
    fprintf(stderr, "listening on http://127.0.0.1:%u/mcp\n",
            (unsigned)info->port);
  }
  return web;
}

/* libmicrohttpd must not end while requests are suspended: this cuts them
 * off. */
static void end_all(struct MHD_Daemon *web) {
  for (request *one = site.requests; one != NULL; one = one->next) {
    gone(one);
    resume(one);
  }
  MHD_run(web);
  MHD_stop_daemon(web);
}

static void on_signal(int number) {
  (void)number;
  is_stopped = 1;
}

/* Signals arrive while the loop waits, and at no other time. */
static void catch_signals(void) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  sigprocmask(SIG_BLOCK, &ends, NULL);
  sigaction(SIGINT, &(struct sigaction){.sa_handler = on_signal}, NULL);
  sigaction(SIGTERM, &(struct sigaction){.sa_handler = on_signal}, NULL);
  signal(SIGPIPE, SIG_IGN);
}

int main(int argc, char **argv) {
  catch_signals();
  mcp_error err = {0};
  mcp_server *server = make_server();
  mcp_loop *loop = mcp_loop_new(NULL, &err);
  site.http = loop != NULL ? mcp_http_new(server, loop, NULL, &err) : NULL;
  struct MHD_Daemon *web = NULL;
  if (site.http != NULL) {
    web = listen_on((uint16_t)(argc > 1 ? atoi(argv[1]) : 8080));
  }
  if (web != NULL) {
    run(loop, web);
    end_all(web);
  } else {
    fprintf(stderr, "cannot serve: %s\n",
            err.code != 0 ? err.message : strerror(errno));
  }
  mcp_http_free(site.http);
  mcp_server_free(server);
  mcp_loop_free(loop);
  return web != NULL ? 0 : 1;
}
