/* SPDX-License-Identifier: MIT */
/* What lies between client and server: limits of time and size, statuses,
 * redirects, a proxy. */
#include "unit/http_client/kit.h"

/* --- statuses ------------------------------------------------------------- */

static int status_of_test;
static const char *body_of_test;

static void answer_status(request *asked) {
  if (asks(asked, "tools/list")) {
    respond(asked, status_of_test, body_of_test);
  } else {
    answer_modern(asked);
  }
}

WEB_TEST(each_status_is_an_error_of_its_own) {
  static const struct {
    int status;
    int code;
  } rows[] = {
      {301, MCP_ERR_PROTOCOL}, {400, MCP_ERR_PROTOCOL}, {401, MCP_ERR_REFUSED},
      {403, MCP_ERR_REFUSED},  {404, MCP_ERR_PROTOCOL}, {405, MCP_ERR_PROTOCOL},
      {408, MCP_ERR_IO},       {413, MCP_ERR_PROTOCOL}, {429, MCP_ERR_IO},
      {500, MCP_ERR_IO},       {502, MCP_ERR_IO},       {503, MCP_ERR_IO},
  };
  char number[32];
  body_of_test = "<html>secret</html>";
  must_connect(MCP_POLICY_AUTO, answer_status);
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    mcp_error err = {0};
    status_of_test = rows[i].status;
    snprintf(number, sizeof(number), " answered HTTP %d", rows[i].status);
    assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, &err),
                     rows[i].code);
    assert_int_equal(err.status, rows[i].status);
    assert_non_null(strstr(err.message, number));
    assert_null(strstr(err.message, "secret"));
  }
  assert_int_equal(mcp_sync_call_tool(client, "a", NULL, NULL, NULL, NULL), 0);
}

static void answer_note(request *asked) {
  static const mcp_http_header page[] = {{"Content-Type", "text/html"}};
  if (!asks(asked, "notifications/tools")) {
    answer_legacy(asked);
  } else if (status_of_test == 200) {
    asked->responder->respond(asked->exchange, 200, page, 1, "fine", 4);
  } else {
    asked->responder->respond(asked->exchange, status_of_test, NULL, 0, NULL,
                              0);
  }
}

WEB_TEST(any_2xx_accepts_a_notification) {
  static const int statuses[] = {200, 202, 204};
  must_connect(MCP_POLICY_LEGACY, answer_note);
  for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
    size_t before = fake.count;
    status_of_test = statuses[i];
    assert_int_equal(
        mcp_client_notify(client, "notifications/tools", NULL, NULL), 0);
    WAIT_UNTIL(fake.loop, fake.count == before + 1);
    assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, NULL), 0);
  }
  assert_int_equal(error_count, 0);
}

/* --- size ----------------------------------------------------------------- */

enum { SMALL = 1000 };

static char *padded(const char *begin, size_t len, const char *end) {
  size_t used = strlen(begin);
  char *text = malloc(len + 1);
  assert_non_null(text);
  memcpy(text, begin, used);
  memset(text + used, 'x', len - used - strlen(end));
  strcpy(text + len - strlen(end), end);
  return text;
}

static size_t answer_len;
static int answer_streams;

/* A JSON-RPC answer of that many bytes. */
static char *long_answer(const request *asked) {
  char begin_text[128];
  snprintf(begin_text, sizeof(begin_text),
           "{\"jsonrpc\":\"2.0\",\"id\":%lu,\"result\":{\"tools\":[],\"x\":\"",
           id_of(asked));
  return padded(begin_text, answer_len, "\"}}");
}

static void answer_long(request *asked) {
  if (!asks(asked, "tools/list")) {
    answer_modern(asked);
    return;
  }
  char *text = long_answer(asked);
  if (answer_streams) {
    asked->responder->begin(asked->exchange, 200, event_type, 1);
    asked->responder->write(asked->exchange, "data: ", 6);
    asked->responder->write(asked->exchange, text, strlen(text));
    asked->responder->write(asked->exchange, "\n\n", 2);
    asked->responder->end(asked->exchange);
  } else {
    respond(asked, 200, text);
  }
  free(text);
}

static const mcp_http_client_options small = {
    .size = sizeof(mcp_http_client_options), .max_message = SMALL};

static int list_of(size_t len, int streams) {
  mcp_error err = {0};
  answer_len = len;
  answer_streams = streams;
  int rc = mcp_sync_list_tools(client, NULL, NULL, &err);
  if (rc != 0) {
    assert_non_null(strstr(err.message, "max_message"));
  }
  return rc;
}

WEB_TEST(an_answer_has_a_limit) {
  assert_int_equal(connect_with(MCP_POLICY_MODERN, answer_long, &small, NULL),
                   0);
  assert_int_equal(list_of(SMALL, 0), 0);
  assert_int_equal(list_of(SMALL + 1, 0), MCP_ERR_LIMIT);
  assert_int_equal(list_of(SMALL, 0), 0);
}

/* An event's line has a name as well. */
WEB_TEST(an_event_has_a_limit) {
  const size_t name = strlen("data: ");
  assert_int_equal(connect_with(MCP_POLICY_MODERN, answer_long, &small, NULL),
                   0);
  assert_int_equal(list_of(SMALL - name, 1), 0);
  assert_int_equal(list_of(SMALL + 1, 1), MCP_ERR_LIMIT);
  assert_int_equal(list_of(SMALL - name, 1), 0);
}

static void answer_long_and_on(request *asked) {
  if (!asks(asked, "tools/list")) {
    answer_modern(asked);
    return;
  }
  char *text = padded("data: ", SMALL + 1, "");
  stream(asked, text, 0);
  free(text);
}

/* Neither the event nor the stream ends. */
WEB_TEST(a_long_event_ends_its_request_at_once) {
  assert_int_equal(
      connect_with(MCP_POLICY_MODERN, answer_long_and_on, &small, NULL), 0);
  ended.size = 0;
  mcp_client_list_tools(client, NULL, note_done, NULL, NULL);
  WAIT_UNTIL(fake.loop, ended.size != 0);
  assert_int_equal(ended.status, MCP_ERR_LIMIT);
  WAIT_UNTIL(fake.loop, last_asked()->is_gone);
}

WEB_TEST(a_long_error_is_its_status) {
  mcp_error err = {0};
  char *page = padded("<html>", 4 * (size_t)SMALL, "</html>");
  body_of_test = page;
  status_of_test = 502;
  assert_int_equal(connect_with(MCP_POLICY_MODERN, answer_status, &small, NULL),
                   0);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, &err), MCP_ERR_IO);
  assert_int_equal(err.status, 502);
  free(page);
}

WEB_TEST(what_waits_has_a_limit) {
  const mcp_http_client_options options = {
      .size = sizeof(mcp_http_client_options), .max_queue = 2 * SMALL};
  char *text = padded("{\"x\":\"", 2 * (size_t)SMALL, "\"}");
  assert_int_equal(
      connect_with(MCP_POLICY_MODERN, answer_modern, &options, NULL), 0);
  assert_int_equal(mcp_sync_call_tool(client, "a", text, NULL, NULL, NULL),
                   MCP_ERR_LIMIT);
  assert_int_equal(mcp_sync_call_tool(client, "a", NULL, NULL, NULL, NULL), 0);
  free(text);
}

/* --- a connection that breaks --------------------------------------------- */

static int raw_fd;
static char refusal[256];

static void note_refusal(mcp_client *self, const mcp_outcome *outcome,
                         void *userdata) {
  snprintf(refusal, sizeof(refusal), "%s", outcome->error->message);
}

static void on_raw(uv_poll_t *poll, int status, int events) {
  raw_fd = accept4(fake.fd, NULL, NULL, SOCK_CLOEXEC);
}

/* A server that closes a socket with unread bytes resets the connection: the
 * answer and the reset are there before the client looks again. */
WEB_TEST(an_answer_before_a_reset_is_heard) {
  static const char answer[] = "HTTP/1.1 501 Not Implemented\r\n"
                               "Content-Length: 0\r\n\r\n";
  char byte;
  raw_fd = -1;
  uv_poll_start(&fake.poll, UV_READABLE, on_raw);
  begin_client(MCP_POLICY_MODERN);
  refusal[0] = '\0';
  assert_int_equal(
      mcp_client_connect_url(client, fake.url, NULL, note_refusal, NULL, NULL),
      0);
  WAIT_UNTIL(fake.loop, raw_fd >= 0 && recv(raw_fd, &byte, 1,
                                            MSG_PEEK | MSG_DONTWAIT) == 1);
  assert_int_equal(send(raw_fd, answer, strlen(answer), MSG_NOSIGNAL),
                   strlen(answer));
  close(raw_fd);
  WAIT_UNTIL(fake.loop, refusal[0] != '\0');
  assert_non_null(strstr(refusal, "answered HTTP 501"));
}

/* --- time ----------------------------------------------------------------- */

/* A socket that takes no connection any more: its queue is full, and Linux then
 * does not answer. */
typedef struct deaf {
  int fds[4];
  char url[64];
} deaf;

static void deaf_init(deaf *d) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t len = sizeof(address);
  for (int i = 0; i < 4; i++) {
    d->fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  }
  assert_int_equal(bind(d->fds[0], (struct sockaddr *)&address, len), 0);
  assert_int_equal(listen(d->fds[0], 0), 0);
  getsockname(d->fds[0], (struct sockaddr *)&address, &len);
  for (int i = 1; i < 4; i++) {
    connect(d->fds[i], (struct sockaddr *)&address, len);
  }
  snprintf(d->url, sizeof(d->url), "http://127.0.0.1:%d/",
           ntohs(address.sin_port));
}

static void deaf_deinit(deaf *d) {
  for (int i = 0; i < 4; i++) {
    close(d->fds[i]);
  }
}

WEB_TEST(connecting_has_a_limit) {
  mcp_error err = {0};
  const mcp_http_client_options options = {
      .size = sizeof(mcp_http_client_options), .connect_timeout_ms = 100};
  deaf d;
  deaf_init(&d);
  begin_client(MCP_POLICY_AUTO);
  assert_int_equal(mcp_sync_connect_url(client, d.url, &options, &err),
                   MCP_ERR_TIMEOUT);
  assert_non_null(strstr(err.message, d.url));
  deaf_deinit(&d);
}

WEB_TEST(no_limit_is_as_long_as_it_gets) {
  const mcp_http_client_options options = {.size =
                                               sizeof(mcp_http_client_options),
                                           .connect_timeout_ms = UINT32_MAX,
                                           .notify_timeout_ms = UINT32_MAX,
                                           .request_timeout_ms = UINT32_MAX};
  assert_int_equal(connect_with(MCP_POLICY_AUTO, answer_modern, &options, NULL),
                   0);
}

static void answer_slowly(request *asked) {
  if (asks(asked, "tools/list")) {
    stream(asked, "id: e-1\nretry: 1\ndata:\n\n", 0);
  } else if (asked->last_id[0] != '\0') {
    stream(asked, ": wait\n\n", 0);
  } else {
    answer_legacy(asked);
  }
}

/* Whether the answer has begun or not, and however it could be taken up. */
WEB_TEST(a_stream_has_the_limit_of_its_request) {
  mcp_error err = {0};
  const mcp_http_client_options options = {
      .size = sizeof(mcp_http_client_options), .request_timeout_ms = 300};
  assert_int_equal(
      connect_with(MCP_POLICY_LEGACY, answer_slowly, &options, NULL), 0);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL, &err),
                   MCP_ERR_TIMEOUT);
  assert_string_equal(last_asked()->last_id, "");
}

static void answer_no_note(request *asked) {
  if (!asks(asked, "notifications/tools")) {
    answer_legacy(asked);
  }
}

WEB_TEST(a_notification_has_a_limit) {
  const mcp_http_client_options options = {
      .size = sizeof(mcp_http_client_options), .notify_timeout_ms = 100};
  assert_int_equal(
      connect_with(MCP_POLICY_LEGACY, answer_no_note, &options, NULL), 0);
  assert_int_equal(mcp_client_notify(client, "notifications/tools", NULL, NULL),
                   0);
  WAIT_UNTIL(fake.loop, error_count > 0);
  assert_int_equal(last_error.code, MCP_ERR_TIMEOUT);
}

static void answer_no_delete(request *asked) {
  if (strcmp(asked->method, "DELETE") != 0) {
    answer_legacy(asked);
  }
}

WEB_TEST(closing_has_a_limit) {
  const mcp_http_client_options options = {
      .size = sizeof(mcp_http_client_options), .close_wait_ms = 50};
  assert_int_equal(
      connect_with(MCP_POLICY_LEGACY, answer_no_delete, &options, NULL), 0);
  mcp_sync_close(client);
  assert_int_equal(closed_count, 1);
  assert_string_equal(last_asked()->method, "DELETE");
}

/* --- redirects ------------------------------------------------------------ */

static char location[128];
static int redirect_status;

static void answer_elsewhere(request *asked) {
  const mcp_http_header headers[] = {{"Location", location}};
  if (strncmp(asked->target, "/mcp?", 5) == 0) {
    asked->responder->respond(asked->exchange, redirect_status, headers, 1,
                              NULL, 0);
  } else {
    answer_modern(asked);
  }
}

WEB_TEST(a_redirect_within_the_origin_is_followed) {
  for (redirect_status = 307; redirect_status <= 308; redirect_status++) {
    snprintf(location, sizeof(location), "/mcp/");
    must_connect(MCP_POLICY_MODERN, answer_elsewhere);
    assert_string_equal(last_asked()->target, "/mcp/");
    mcp_sync_close(client);
    mcp_client_free(client);
    client = NULL;
  }
}

/* A whole URL in Location names no user. */
WEB_TEST(a_redirect_keeps_the_urls_user) {
  const char *host = fake.url + strlen("http://");
  char url[128];
  redirect_status = 307;
  snprintf(location, sizeof(location), "http://%.*s/mcp/",
           (int)strcspn(host, "/"), host);
  snprintf(url, sizeof(url), "http://user:w%%40rd@%.80s", host);
  fake.answer = answer_elsewhere;
  begin_client(MCP_POLICY_MODERN);
  assert_int_equal(mcp_sync_connect_url(client, url, NULL, NULL), 0);
  assert_string_equal(fake.requests[0].secret, "Basic dXNlcjp3QHJk");
  assert_string_equal(last_asked()->target, "/mcp/");
  assert_string_equal(last_asked()->secret, "Basic dXNlcjp3QHJk");
}

/* Not even asked: what is sent to this server is for it alone. The name
 * differs, the address is the same. */
WEB_TEST(another_origin_hears_nothing) {
  const char *const token[] = {"Authorization: Bearer secret", NULL};
  const mcp_http_client_options options = {
      .size = sizeof(mcp_http_client_options), .headers = token};
  mcp_error err = {0};
  redirect_status = 307;
  snprintf(location, sizeof(location), "http://localhost:%s",
           strrchr(fake.url, ':') + 1);
  assert_int_equal(
      connect_with(MCP_POLICY_MODERN, answer_elsewhere, &options, &err),
      MCP_ERR_PROTOCOL);
  assert_int_equal(err.status, 307);
  assert_non_null(strstr(err.message, "answered HTTP 307: it leads to "
                                      "http://localhost:"));
  assert_non_null(strstr(err.message, "within the origin only"));
  assert_null(strstr(err.message, "secret"));
  assert_int_equal(fake.count, 1);
}

WEB_TEST(a_long_redirect_does_not_hide_the_reason) {
  mcp_error err = {0};
  redirect_status = 307;
  snprintf(location, sizeof(location), "http://localhost:1/%0100d", 0);
  assert_int_equal(
      connect_with(MCP_POLICY_MODERN, answer_elsewhere, NULL, &err),
      MCP_ERR_PROTOCOL);
  assert_non_null(strstr(err.message, "it leads to http://localhost:1/000"));
  assert_non_null(strstr(err.message, "use that URL if you trust it"));
}

WEB_TEST(other_redirects_are_not_followed) {
  for (redirect_status = 301; redirect_status <= 303; redirect_status++) {
    mcp_error err = {0};
    size_t before = fake.count;
    snprintf(location, sizeof(location), "/mcp/");
    assert_int_equal(
        connect_with(MCP_POLICY_MODERN, answer_elsewhere, NULL, &err),
        MCP_ERR_PROTOCOL);
    assert_int_equal(err.status, redirect_status);
    assert_non_null(strstr(err.message, "it leads to http://127.0.0.1:"));
    assert_non_null(strstr(err.message, "/mcp/: it would make a GET"));
    assert_null(strstr(err.message, "origin"));
    assert_int_equal(fake.count, before + 1);
    mcp_client_free(client);
    client = NULL;
  }
}

WEB_TEST(redirects_come_to_an_end) {
  mcp_error err = {0};
  redirect_status = 307;
  snprintf(location, sizeof(location), "/mcp?again");
  assert_int_equal(
      connect_with(MCP_POLICY_MODERN, answer_elsewhere, NULL, &err),
      MCP_ERR_PROTOCOL);
  assert_non_null(strstr(err.message, "more than 5 redirects"));
  assert_int_equal(fake.count, 6);
}

WEB_TEST(a_redirect_to_the_same_url_is_told) {
  mcp_error err = {0};
  redirect_status = 301;
  snprintf(location, sizeof(location), "%s", fake.url);
  assert_int_equal(
      connect_with(MCP_POLICY_MODERN, answer_elsewhere, NULL, &err),
      MCP_ERR_PROTOCOL);
  assert_non_null(strstr(err.message, "that is the same URL again"));
}

static void answer_nowhere(request *asked) {
  asked->responder->respond(asked->exchange, 301, NULL, 0, NULL, 0);
}

WEB_TEST(a_redirect_without_a_location_is_told) {
  mcp_error err = {0};
  assert_int_equal(connect_with(MCP_POLICY_MODERN, answer_nowhere, NULL, &err),
                   MCP_ERR_PROTOCOL);
  assert_non_null(
      strstr(err.message, "without a Location that is a valid URL"));
}

static void answer_get_elsewhere(request *asked) {
  const mcp_http_header headers[] = {{"Location", "/events"}};
  if (strcmp(asked->method, "GET") != 0) {
    answer_legacy(asked);
  } else if (strcmp(asked->target, "/events") == 0) {
    stream(asked,
           "data: {\"jsonrpc\":\"2.0\",\"method\":"
           "\"notifications/tools/list_changed\"}\n\n",
           0);
  } else {
    asked->responder->respond(asked->exchange, 301, headers, 1, NULL, 0);
  }
}

WEB_TEST(a_get_follows_any_redirect) {
  must_connect(MCP_POLICY_LEGACY, answer_get_elsewhere);
  WAIT_UNTIL(fake.loop, change_count == 1);
}

/* --- proxies -------------------------------------------------------------- */

/* The server plays the proxy. */
WEB_TEST(a_proxy_is_asked_instead) {
  mcp_http_client_options options = {.size = sizeof(mcp_http_client_options)};
  char proxy[64];
  snprintf(proxy, sizeof(proxy), "%.*s", (int)strcspn(fake.url, "?"), fake.url);
  *strrchr(proxy, '/') = '\0';
  options.proxy = proxy;
  fake.answer = answer_modern;
  begin_client(MCP_POLICY_MODERN);
  assert_int_equal(mcp_sync_connect_url(client, "http://server.invalid:81/mcp",
                                        &options, NULL),
                   0);
  assert_string_equal(last_asked()->host, "server.invalid:81");
}

WEB_TEST(a_proxys_password_is_not_told) {
  static const char *const proxies[] = {"odd://user:secret@127.0.0.1:1",
                                        "http://user:secret@127.0.0.1:x",
                                        "http://user:secret@127.0.0.1:1"};
  begin_client(MCP_POLICY_MODERN);
  for (size_t i = 0; i < sizeof(proxies) / sizeof(proxies[0]); i++) {
    const mcp_http_client_options options = {
        .size = sizeof(mcp_http_client_options), .proxy = proxies[i]};
    mcp_error err = {0};
    assert_int_equal(mcp_sync_connect_url(client, fake.url, &options, &err),
                     MCP_ERR_IO);
    assert_null(strstr(err.message, "secret"));
    WAIT_UNTIL(fake.loop, closed_count == i + 1);
  }
}
