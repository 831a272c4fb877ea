/* SPDX-License-Identifier: MIT */
/* Connections that a transcript cannot play: one that is reset, and one that is
 * never made. */
#include "unit/http_client/kit.h"

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
