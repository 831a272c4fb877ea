/* SPDX-License-Identifier: MIT */
#include "login/redirect/redirect.h"

#include "base/error.h"
#include "http1/http1.h"
#include "net/listener.h"
#include <stdio.h>

#define REDIRECT_PATH "/callback"

typedef enum redirect_state {
  REDIRECT_OPEN,
  REDIRECT_RETURNED, /* the browser waits for its page */
  REDIRECT_CLOSED
} redirect_state;

/* Held by the host's list until it is CLOSED, and by its HTTP server until that
 * has closed its last connection (on_end), in a later turn of the loop. */
typedef struct redirect {
  mcpi_list link;
  mcp_allocator allocator;
  mcpi_login_host *host; /* valid until it is CLOSED */
  mcp_auth *auth;
  uint64_t login;
  redirect_state state;
  mcpi_listener *listener;
  mcpi_http1 *http1;
  char *url;
  const mcp_http_responder *responder; /* RETURNED: of the browser's request */
  void *exchange;
} redirect;

/* The limits of a listener that serves one user. */
static const mcpi_http1_limits redirect_limits = {.max_connections = 16,
                                                  .max_head = 16 * 1024,
                                                  .max_headers = 100,
                                                  .max_body = 1024,
                                                  .max_queue = 64 * 1024,
                                                  .max_waiting = 64 * 1024,
                                                  .head_ms = 10000,
                                                  .body_ms = 10000,
                                                  .idle_ms = 10000,
                                                  .write_ms = 5000,
                                                  .ping_ms = UINT32_MAX,
                                                  .pong_ms = UINT32_MAX};

/* --- the page ------------------------------------------------------------- */

static void put_escaped(mcpi_buf *html, const char *text) {
  for (; *text != '\0'; text++) {
    switch (*text) {
    case '&':
      mcpi_buf_lit(html, "&amp;");
      break;
    case '<':
      mcpi_buf_lit(html, "&lt;");
      break;
    case '>':
      mcpi_buf_lit(html, "&gt;");
      break;
    default:
      mcpi_buf_putc(html, *text);
      break;
    }
  }
}

static void put_page(mcpi_buf *html, const char *title, const char *text) {
  mcpi_buf_lit(html, "<!doctype html>\n<html lang=\"en\"><head>"
                     "<meta charset=\"utf-8\"><title>");
  put_escaped(html, title);
  mcpi_buf_lit(html, "</title></head><body><h1>");
  put_escaped(html, title);
  mcpi_buf_lit(html, "</h1><p>");
  put_escaped(html, text);
  mcpi_buf_lit(html, "</p></body></html>\n");
}

/* The address of the page has the code, which must not go further. */
static void respond_page(const mcp_http_responder *responder, void *exchange,
                         const mcp_allocator *allocator, int status,
                         const char *title, const char *text) {
  static const mcp_http_header headers[] = {
      {"Content-Type", "text/html; charset=utf-8"},
      {"Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"},
      {"Cache-Control", "no-store"},
      {"Referrer-Policy", "no-referrer"}};
  mcpi_buf html;
  mcpi_buf_init(&html, allocator, SIZE_MAX);
  put_page(&html, title, text);
  if (html.error == 0) {
    responder->respond(exchange, status, headers, 4, html.data, html.len);
  } else {
    responder->respond(exchange, status, NULL, 0, NULL, 0);
  }
  mcpi_buf_deinit(&html);
}

/* Answers the browser, if it waits. */
static void redirect_respond(redirect *self, int status, const char *title,
                             const char *text) {
  const mcp_http_responder *responder = self->responder;
  self->responder = NULL;
  if (responder != NULL) {
    respond_page(responder, self->exchange, &self->allocator, status, title,
                 text);
  }
}

static void redirect_respond_end(redirect *self, const mcp_error *err) {
  if (err == NULL) {
    redirect_respond(self, 200, "You are logged in",
                     "You can close this page and go back to the program.");
  } else {
    redirect_respond(self, 400, "The login has failed", err->message);
  }
}

/* --- requests ------------------------------------------------------------- */

static int is_callback(const mcp_http_request *request) {
  const char *target = request->target;
  size_t len = strlen(REDIRECT_PATH);
  return strcmp(request->method, "GET") == 0 &&
         strncmp(target, REDIRECT_PATH, len) == 0 &&
         (target[len] == '?' || target[len] == '\0');
}

/* The login may end inside mcp_auth_redirected: then the request has been
 * answered when it returns. */
static void redirect_take(redirect *self, const mcp_http_request *request,
                          const mcp_http_responder *responder, void *exchange) {
  mcp_error err;
  const char *query = request->target + strlen(REDIRECT_PATH);
  query += *query == '?';
  self->state = REDIRECT_RETURNED;
  self->responder = responder;
  self->exchange = exchange;
  int rc = self->host->on_redirect(self->auth, self->login, query, &err);
  if (rc != 0 && self->state == REDIRECT_RETURNED) {
    self->state = REDIRECT_OPEN;
    redirect_respond_end(self, &err);
  }
}

static void *redirect_on_head(void *userdata, const mcp_http_request *request,
                              const mcp_http_responder *responder,
                              void *exchange) {
  redirect *self = userdata;
  if (self->state == REDIRECT_OPEN && is_callback(request)) {
    redirect_take(self, request, responder, exchange);
  } else {
    respond_page(responder, exchange, &self->allocator, 404,
                 "There is nothing here",
                 "This address only takes the return of a login.");
  }
  return self->responder == responder && self->exchange == exchange ? self
                                                                    : NULL;
}

static void redirect_on_body(void *handle, const char *body, size_t len) {
  (void)handle;
  (void)body;
  (void)len;
}

static void redirect_on_gone(void *handle) {
  redirect *self = handle;
  self->responder = NULL;
}

/* --- life ----------------------------------------------------------------- */

static void redirect_on_end(void *userdata) {
  redirect *self = userdata;
  const mcp_allocator allocator = self->allocator;
  mcpi_strfree(&allocator, self->url);
  mcpi_free(&allocator, self, sizeof(*self));
}

static void redirect_on_drained(void *userdata) {
  redirect *self = userdata;
  mcpi_http1_free(self->http1);
}

/* Connections end when their answers are written, or late. */
static void redirect_close(redirect *self, const mcp_error *err) {
  self->state = REDIRECT_CLOSED;
  mcpi_list_remove(&self->link);
  redirect_respond_end(self, err);
  mcpi_listener_free(self->listener);
  mcpi_http1_drain(self->http1, redirect_on_drained, self);
}

static void redirect_on_connection(int fd, const char *peer, void *userdata) {
  redirect *self = userdata;
  /* The HTTP server closes a connection that it refuses. */
  mcpi_http1_serve(self->http1, fd, peer);
}

/* The port of an earlier login, if it was ours; 0: any. */
static unsigned wished_port(const char *wish) {
  unsigned port = 0;
  char end = '\0';
  if (wish == NULL || sscanf(wish, "http://127.0.0.1:%5u" REDIRECT_PATH "%c",
                             &port, &end) != 1) {
    return 0;
  }
  return port <= 65535 ? port : 0;
}

static mcpi_listener *listen_on(redirect *self, mcp_loop *loop, unsigned port,
                                mcp_error *err) {
  char address[32];
  snprintf(address, sizeof(address), "127.0.0.1:%u", port);
  return mcpi_listener_new(loop, address, 0, redirect_on_connection, self, err);
}

static int redirect_listen(redirect *self, mcp_loop *loop, const char *wish,
                           mcp_error *err) {
  unsigned port = wished_port(wish);
  if (port != 0) {
    self->listener = listen_on(self, loop, port, NULL);
  }
  if (self->listener == NULL) {
    self->listener = listen_on(self, loop, 0, err);
  }
  if (self->listener == NULL) {
    return err != NULL ? err->code : MCP_ERR_IO;
  }
  mcpi_buf url;
  mcpi_buf_init(&url, &self->allocator, SIZE_MAX);
  mcpi_buf_lit(&url, "http://");
  mcpi_buf_puts(&url, mcpi_str_z(mcpi_listener_address(self->listener)));
  mcpi_buf_lit(&url, REDIRECT_PATH);
  self->url = mcpi_buf_take_string(&url);
  return self->url != NULL ? 0 : mcpi_no_memory(err);
}

static int redirect_start(redirect *self, mcp_loop *loop, const char *wish,
                          mcp_error *err) {
  const mcpi_http1_app app = {.userdata = self,
                              .on_head = redirect_on_head,
                              .on_body = redirect_on_body,
                              .on_gone = redirect_on_gone,
                              .on_end = redirect_on_end};
  self->http1 = mcpi_http1_new(loop, &redirect_limits, &app, err);
  if (self->http1 == NULL) {
    return err != NULL ? err->code : MCP_ERR_IO;
  }
  return redirect_listen(self, loop, wish, err);
}

const char *mcpi_redirect_open(mcpi_login_host *host, mcp_auth *auth,
                               uint64_t login, const char *wish,
                               mcp_error *err) {
  const mcp_allocator *allocator = &host->loop->allocator;
  redirect *self = mcpi_calloc(allocator, 1, sizeof(*self));
  if (self == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  self->allocator = *allocator;
  self->host = host;
  self->auth = auth;
  self->login = login;
  mcpi_list_init(&self->link);
  if (redirect_start(self, host->loop, wish, err) == 0) {
    mcpi_list_append(&host->redirects, &self->link);
    return self->url;
  }
  mcpi_listener_free(self->listener);
  if (self->http1 != NULL) {
    mcpi_http1_free(self->http1); /* and on_end frees the rest */
  } else {
    redirect_on_end(self);
  }
  return NULL;
}

/* NULL: the login has none. */
static redirect *redirect_find(mcpi_login_host *host, uint64_t login) {
  for (mcpi_list *at = host->redirects.next; at != &host->redirects;
       at = at->next) {
    redirect *self = MCPI_CONTAINER(at, redirect, link);
    if (self->login == login) {
      return self;
    }
  }
  return NULL;
}

void mcpi_redirect_await(mcpi_login_host *host, uint64_t login) {
  redirect *self = redirect_find(host, login);
  if (self != NULL && self->state == REDIRECT_RETURNED) {
    self->state = REDIRECT_OPEN;
    redirect_respond(self, 200, "One more step",
                     "The server asks you to agree once more, on a new page. "
                     "You can close this one.");
  }
}

void mcpi_redirect_close(mcpi_login_host *host, uint64_t login,
                         const mcp_error *err) {
  redirect *self = redirect_find(host, login);
  if (self != NULL) {
    redirect_close(self, err);
  }
}

void mcpi_redirect_close_all(mcpi_login_host *host) {
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_CLOSED, "The program has ended the login.");
  while (!mcpi_list_is_empty(&host->redirects)) {
    redirect_close(MCPI_CONTAINER(host->redirects.next, redirect, link), &err);
  }
}
