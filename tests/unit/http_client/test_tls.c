/* SPDX-License-Identifier: MIT */
/* HTTPS: whom the client trusts, whom it shows itself to be, and a proxy
 * between. Certificates are made for each run. */
#include "support/libmcp/certs.h"
#include "unit/http_client/kit.h"

#include <mcp/server.h>
#include <openssl/ssl.h>
#include <poll.h>

static char url[64];

/* --- the two ends --------------------------------------------------------- */

static void serve_as(const char *name, const char *client_ca) {
  mcpi_tls *tls = tls_of(name, client_ca);
  mcpi_http1_set_tls(fake.http1, tls);
  mcpi_tls_unref(tls);
  snprintf(url, sizeof(url), "https:%s", strchr(fake.url, '/'));
  fake.answer = answer_modern;
}

static int try_url(const mcp_http_client_options *options, mcp_error *err) {
  begin_client(MCP_POLICY_MODERN);
  int rc = mcp_sync_connect_url(client, url, options, err);
  mcp_sync_close(client);
  mcp_client_free(client);
  client = NULL;
  return rc;
}

/* --- whom it trusts ------------------------------------------------------- */

WEB_TEST(a_certificate_must_be_known) {
  mcp_http_client_options options = {.size = sizeof(mcp_http_client_options)};
  mcp_error err = {0};
  serve_as("server", NULL);
  assert_int_equal(try_url(&options, &err), MCP_ERR_IO);
  assert_non_null(strstr(err.message, "certificate"));
  assert_int_equal(fake.count, 0);
  options.ca_file = in_folder("server.crt");
  assert_int_equal(try_url(&options, &err), 0);
  options.ca_file = in_folder("other.crt");
  assert_int_equal(try_url(&options, &err), MCP_ERR_IO);
  options.trust_any_certificate = 1;
  assert_int_equal(try_url(&options, &err), 0);
}

static void answer_tool(request *asked) {
  respond_result(asked, "{\"content\":[{\"type\":\"text\",\"text\":\"5\"}]}");
}

/* A line of the mcp-core dialect's checklist for HTTP. */
WEB_TEST(http_tls_certificates_are_validated) {
  mcp_http_client_options options = {.size = sizeof(mcp_http_client_options),
                                     .dialect = MCP_DIALECT_MCP_CORE};
  serve_as("server", NULL);
  fake.answer = answer_tool;
  for (int is_known = 0; is_known < 2; is_known++) {
    mcp_result *result = NULL;
    mcp_error err = {0};
    options.ca_file = is_known ? in_folder("server.crt") : NULL;
    begin_client(MCP_POLICY_AUTO);
    assert_int_equal(mcp_sync_connect_url(client, url, &options, &err), 0);
    int rc = mcp_sync_call_tool(client, "add", NULL, NULL, &result, &err);
    assert_int_equal(rc, is_known ? 0 : MCP_ERR_IO);
    assert_int_equal(fake.count, is_known ? 1 : 0);
    assert_int_equal(strstr(err.message, "certificate") != NULL, !is_known);
    mcp_result_unref(result);
    mcp_sync_close(client);
    mcp_client_free(client);
    client = NULL;
  }
}

WEB_TEST(a_certificate_must_be_for_the_name) {
  mcp_http_client_options options = {.size = sizeof(mcp_http_client_options),
                                     .ca_file = in_folder("other.crt")};
  mcp_error err = {0};
  serve_as("other", NULL);
  assert_int_equal(try_url(&options, &err), MCP_ERR_IO);
  assert_non_null(strstr(err.message, "127.0.0.1"));
  assert_int_equal(fake.count, 0);
  options.trust_any_certificate = 1;
  assert_int_equal(try_url(&options, &err), 0);
}

/* Tries a server that speaks TLS 1.2 with such ciphers alone. */
static int try_ciphers(const char *ciphers) {
  mcp_http_client_options options = {.size = sizeof(mcp_http_client_options)};
  mcp_error err = {0};
  mcpi_tls *tls = tls_of("server", NULL);
  assert_int_equal(SSL_CTX_set_max_proto_version(tls, TLS1_2_VERSION), 1);
  assert_int_equal(SSL_CTX_set_cipher_list(tls, ciphers), 1);
  mcpi_http1_set_tls(fake.http1, tls);
  mcpi_tls_unref(tls);
  options.ca_file = in_folder("server.crt");
  return try_url(&options, &err);
}

WEB_TEST(ciphers_without_ecdhe_and_aead_are_refused) {
  static const char *const weak[] = {"ECDHE+AES:!AESGCM:!AESCCM",
                                     "RSA+AES:DHE+AES:kECDH", "AESCCM8"};
  serve_as("server", NULL);
  for (size_t i = 0; i < sizeof(weak) / sizeof(weak[0]); i++) {
    assert_int_equal(try_ciphers(weak[i]), MCP_ERR_IO);
    assert_int_equal(fake.count, 0);
  }
  assert_int_equal(try_ciphers("ECDHE+AESGCM"), 0);
}

/* --- whom it shows itself to be ------------------------------------------- */

WEB_TEST(a_client_certificate_is_shown) {
  mcp_http_client_options options = {.size = sizeof(mcp_http_client_options),
                                     .ca_file = in_folder("server.crt")};
  mcp_error err = {0};
  serve_as("server", "client.crt");
  assert_int_equal(try_url(&options, &err), MCP_ERR_IO);
  assert_int_equal(fake.count, 0);
  options.cert_file = in_folder("client.pem");
  assert_int_equal(try_url(&options, &err), 0);
  options.cert_file = in_folder("client.crt");
  options.key_file = in_folder("client.key");
  assert_int_equal(try_url(&options, &err), 0);
  options.cert_file = in_folder("other.crt");
  options.key_file = in_folder("other.key");
  assert_int_equal(try_url(&options, &err), MCP_ERR_IO);
}

WEB_TEST(a_file_that_is_not_there_is_an_error) {
  mcp_http_client_options options = {.size = sizeof(mcp_http_client_options),
                                     .ca_file = in_folder("none.crt")};
  mcp_error err = {0};
  serve_as("server", NULL);
  assert_int_equal(try_url(&options, &err), MCP_ERR_IO);
  options.ca_file = in_folder("server.crt");
  options.cert_file = in_folder("none.crt");
  assert_int_equal(try_url(&options, &err), MCP_ERR_IO);
  assert_int_equal(fake.count, 0);
}

/* --- a proxy between ------------------------------------------------------ */

/* In a thread of its own: takes one connection, and makes a tunnel of it, or
 * refuses. */
static struct proxy {
  uv_thread_t thread;
  int fd;
  int refuses;
  char url[64];
  char head[1024]; /* what it was asked */
} proxy;

static int dial(void) {
  struct sockaddr_in address = {
      .sin_family = AF_INET,
      .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
      .sin_port = htons((uint16_t)atoi(strrchr(url, ':') + 1))};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  connect(fd, (struct sockaddr *)&address, sizeof(address));
  return fd;
}

/* Until one side has ended. */
static void relay(int a, int b) {
  char bytes[4096];
  struct pollfd fds[] = {{.fd = a, .events = POLLIN},
                         {.fd = b, .events = POLLIN}};
  ssize_t len = 1;
  while (len > 0 && poll(fds, 2, -1) > 0) {
    int from = fds[0].revents != 0 ? a : b;
    len = read(from, bytes, sizeof(bytes));
    if (len > 0) {
      len = send(from == a ? b : a, bytes, (size_t)len, MSG_NOSIGNAL);
    }
  }
}

static void read_head(int fd) {
  size_t used = 0;
  ssize_t len = 1;
  while (len > 0 && strstr(proxy.head, "\r\n\r\n") == NULL) {
    len = read(fd, proxy.head + used, sizeof(proxy.head) - 1 - used);
    used += len > 0 ? (size_t)len : 0;
  }
}

static void run_proxy(void *argument) {
  static const char yes[] = "HTTP/1.1 200 OK\r\n\r\n";
  static const char no[] = "HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n";
  const char *said = proxy.refuses ? no : yes;
  int near = accept(proxy.fd, NULL, NULL);
  read_head(near);
  int far = dial();
  if (write(near, said, strlen(said)) > 0 && !proxy.refuses) {
    relay(near, far);
  }
  close(far);
  close(near);
}

static void begin_proxy(int refuses) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t len = sizeof(address);
  proxy = (struct proxy){.refuses = refuses};
  proxy.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_int_equal(bind(proxy.fd, (struct sockaddr *)&address, len), 0);
  assert_int_equal(listen(proxy.fd, 4), 0);
  getsockname(proxy.fd, (struct sockaddr *)&address, &len);
  snprintf(proxy.url, sizeof(proxy.url), "http://user:word@127.0.0.1:%d",
           ntohs(address.sin_port));
  assert_int_equal(uv_thread_create(&proxy.thread, run_proxy, NULL), 0);
}

static void end_proxy(void) {
  uv_thread_join(&proxy.thread);
  close(proxy.fd);
}

static int try_by_proxy(int refuses, mcp_error *err) {
  const char *const token[] = {"Authorization: Bearer secret", NULL};
  serve_as("server", NULL);
  begin_proxy(refuses);
  const mcp_http_client_options options = {.size =
                                               sizeof(mcp_http_client_options),
                                           .headers = token,
                                           .proxy = proxy.url,
                                           .ca_file = in_folder("server.crt")};
  int rc = try_url(&options, err);
  end_proxy();
  return rc;
}

/* It sees where to, and its own password, and nothing that is for the server.
 */
WEB_TEST(a_tunnel_is_dug_through_the_proxy) {
  mcp_error err = {0};
  assert_int_equal(try_by_proxy(0, &err), 0);
  assert_int_equal(strncmp(proxy.head, "CONNECT 127.0.0.1:", 18), 0);
  assert_non_null(strstr(proxy.head, "Proxy-Authorization: Basic "));
  assert_null(strstr(proxy.head, "secret"));
  assert_string_equal(last_asked()->secret, "Bearer secret");
}

WEB_TEST(a_proxy_that_refuses_is_told_of) {
  mcp_error err = {0};
  assert_int_equal(try_by_proxy(1, &err), MCP_ERR_IO);
  assert_non_null(strstr(err.message, "403"));
  assert_null(strstr(err.message, "word"));
  assert_int_equal(fake.count, 0);
}

/* --- WebSockets ----------------------------------------------------------- */

static mcp_server *server;

static void answer_upgrade(request *asked) {
  mcp_transport *transport = asked->responder->upgrade(asked->exchange, 100000);
  assert_non_null(transport);
  assert_int_equal(
      mcp_server_connect(server, fake.loop, transport, NULL, NULL, NULL), 0);
}

static recorder echo;

static void answer_echo(request *asked) {
  echo = (recorder){.echoes = 1};
  recorder_start(&echo, asked->responder->upgrade(asked->exchange, 100000));
}

static void serve_websockets(const char *client_ca) {
  server = mcp_server_new("test", "1", NULL, NULL);
  serve_as("server", client_ca);
  snprintf(url, sizeof(url), "wss:%s", strchr(fake.url, '/'));
  fake.answer = answer_upgrade;
}

WEB_TEST(a_websocket_is_as_careful) {
  mcp_http_client_options options = {.size = sizeof(mcp_http_client_options)};
  mcp_error err = {0};
  serve_websockets("client.crt");
  assert_int_not_equal(try_url(&options, &err), 0);
  assert_non_null(strstr(err.message, "certificate"));
  options.ca_file = in_folder("server.crt");
  assert_int_not_equal(try_url(&options, &err), 0);
  assert_int_equal(fake.count, 0);
  options.cert_file = in_folder("client.pem");
  assert_int_equal(try_url(&options, &err), 0);
  assert_int_equal(fake.count, 1);
  mcp_server_free(server);
}

/* More than its records have room for, and than the socket takes at once. */
WEB_TEST(much_goes_over_it) {
  enum { SIZE = 90000, COUNT = 50 };
  const mcp_http_client_options options = {.size =
                                               sizeof(mcp_http_client_options),
                                           .ca_file = in_folder("server.crt")};
  recorder near = {.keeps = 0};
  char *message = malloc(SIZE + 1);
  memset(message, 'x', SIZE);
  message[SIZE] = '\0';
  serve_websockets(NULL);
  fake.answer = answer_echo;
  recorder_start(&near,
                 mcp_transport_websocket(fake.loop, url, &options, NULL));
  for (int i = 0; i < COUNT; i++) {
    recorder_send(&near, message);
  }
  WAIT_UNTIL(fake.loop, near.message_count == COUNT);
  assert_int_equal(near.message_bytes, SIZE * COUNT);
  near.transport->close(near.transport);
  WAIT_UNTIL(fake.loop, near.close_count == 1 && echo.close_count == 1);
  assert_int_equal(near.close_error.code, 0);
  mcp_server_free(server);
  free(message);
}

/* A plain one has its tunnel too: a proxy could make nothing of it. */
WEB_TEST(a_tunnel_is_dug_for_it) {
  const char *const token[] = {"Authorization: Bearer secret", NULL};
  mcp_http_client_options options = {.size = sizeof(mcp_http_client_options),
                                     .headers = token,
                                     .ca_file = in_folder("server.crt")};
  mcp_error err = {0};
  for (int is_plain = 0; is_plain < 2; is_plain++) {
    serve_websockets(NULL);
    if (is_plain) {
      mcpi_http1_set_tls(fake.http1, NULL);
      snprintf(url, sizeof(url), "ws:%s", strchr(fake.url, '/'));
    }
    begin_proxy(0);
    options.proxy = proxy.url;
    assert_int_equal(try_url(&options, &err), 0);
    end_proxy();
    assert_int_equal(strncmp(proxy.head, "CONNECT 127.0.0.1:", 18), 0);
    assert_null(strstr(proxy.head, "secret"));
    assert_string_equal(last_asked()->secret, "Bearer secret");
    mcp_server_free(server);
  }
}

WEB_TEST(its_proxy_may_refuse) {
  mcp_http_client_options options = {.size = sizeof(mcp_http_client_options),
                                     .ca_file = in_folder("server.crt")};
  mcp_error err = {0};
  serve_websockets(NULL);
  begin_proxy(1);
  options.proxy = proxy.url;
  assert_int_not_equal(try_url(&options, &err), 0);
  end_proxy();
  assert_non_null(strstr(err.message, "403"));
  assert_null(strstr(err.message, "word"));
  mcp_server_free(server);
}

int main(void) {
  return tests_run(make_all, remove_all);
}
