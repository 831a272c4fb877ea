/* SPDX-License-Identifier: MIT */
/* A child process must not have the client's connections: it could read what
 * other servers answer. */
#include "http_client/cloexec.h"
#include "support/libmcp/certs.h"
#include "unit/http_client/kit.h"

#include <fcntl.h>
#include <mcp/socket.h>
#include <mcp/transport.h>
#include <string.h>

enum { CONNECTIONS = 8 };

static recorder near[CONNECTIONS];
static recorder far[CONNECTIONS];
static size_t near_count;
static size_t far_count;
static recorder child;

/* --- the server ---------------------------------------------------------- */

static void answer_upgrade(request *asked) {
  mcp_transport *made = asked->responder->upgrade(asked->exchange, 100000);
  recorder_start(&far[far_count++], made);
}

static void answer_endpoint(request *asked) {
  stream(asked, "event: endpoint\ndata: /post\n\n", 0);
}

/* --- the client ---------------------------------------------------------- */

static int set_up(void **state) {
  memset(near, 0, sizeof(near));
  memset(far, 0, sizeof(far));
  near_count = 0;
  far_count = 0;
  child = (recorder){.keeps = 1};
  return begin(state);
}

static int tear_down(void **state) {
  for (size_t i = 0; i < near_count; i++) {
    mcp_transport_free(near[i].transport);
    recorder_deinit(&near[i]);
  }
  for (size_t i = 0; i < far_count; i++) {
    mcp_transport_free(far[i].transport);
    recorder_deinit(&far[i]);
  }
  mcp_transport_free(child.transport);
  recorder_deinit(&child);
  return end(state);
}

typedef mcp_transport *make_cb(mcp_loop *loop, const char *url,
                               const mcp_http_client_options *options,
                               mcp_error *err);

static recorder *start(make_cb *make, const char *scheme,
                       void (*answer)(request *asked)) {
  const mcp_http_client_options options = {
      .size = sizeof(mcp_http_client_options), .trust_any_certificate = 1};
  char url[80];
  recorder *made = &near[near_count++];
  snprintf(url, sizeof(url), "%s%s", scheme, strchr(fake.url, ':'));
  fake.answer = answer;
  recorder_start(made, make(fake.loop, url, &options, NULL));
  return made;
}

/* The connection stays open for the next request. */
static void open_http(make_cb *make, const char *scheme) {
  recorder *made = start(make, scheme, answer_modern);
  size_t before = fake.count;
  recorder_send(made, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}");
  WAIT_UNTIL(fake.loop, fake.count == before + 1);
}

static void open_websocket(const char *scheme) {
  size_t before = far_count;
  start(mcp_transport_websocket, scheme, answer_upgrade);
  WAIT_UNTIL(fake.loop, far_count == before + 1);
}

static void open_sse(void) {
  recorder *made = start(mcp_transport_sse, "http", answer_endpoint);
  WAIT_UNTIL(fake.loop, made->open_count == 1);
}

/* The other end may be anything. */
static void open_socket(void) {
  size_t before = fake.connection_count;
  char address[64];
  snprintf(address, sizeof(address), "127.0.0.1:%d",
           atoi(strrchr(fake.url, ':') + 1));
  recorder_start(&near[near_count++],
                 mcp_transport_socket(fake.loop, address, NULL, NULL));
  WAIT_UNTIL(fake.loop, fake.connection_count == before + 1);
}

static void open_process(void) {
  const char *const argv[] = {"cat", NULL};
  const mcp_process_options options = {
      .size = sizeof(mcp_process_options), .argv = argv, .stderr_fd = -1};
  recorder_start(&near[near_count++],
                 mcp_transport_process(fake.loop, &options, NULL));
}

/* --- the child ------------------------------------------------------------ */

/* Those of the test itself, which whatever started it may have left open. */
static void keep_from_children(int count) {
  for (int fd = 3; fd < count; fd++) {
    int flags = fcntl(fd, F_GETFD);
    if (flags >= 0) {
      fcntl(fd, F_SETFD, flags | FD_CLOEXEC);
    }
  }
}

/* The second command keeps the shell from becoming the first. */
TEST_WITH(a_child_has_no_connection_of_the_client, set_up, tear_down) {
  const char *const argv[] = {"sh", "-c", "ls -l /proc/$$/fd; exit 0", NULL};
  const mcp_process_options options = {
      .size = sizeof(mcp_process_options), .argv = argv, .stderr_fd = -1};
  keep_from_children(1024);
  open_http(mcp_transport_http, "http");
  open_http(mcp_transport_post, "http");
  open_websocket("ws");
  open_sse();
  open_socket();
  open_process();
  mcpi_tls *tls = tls_of("server", NULL);
  mcpi_http1_set_tls(fake.http1, tls);
  mcpi_tls_unref(tls);
  open_http(mcp_transport_http, "https");
  open_websocket("wss");
  recorder_start(&child, mcp_transport_process(fake.loop, &options, NULL));
  WAIT_UNTIL(fake.loop, child.close_count == 1);
  assert_true(child.message_count >= 3);
  for (size_t i = 0; i < child.message_count; i++) {
    const char *line = recorder_message(&child, i);
    const char *fd = strstr(line, " -> ");
    if (fd != NULL && (fd[-2] != ' ' || fd[-1] > '2')) {
      fail_msg("the child has %s", line);
    }
  }
}

/* --- single descriptors --------------------------------------------------- */

static int is_inherited(int fd) {
  return (fcntl(fd, F_GETFD) & FD_CLOEXEC) == 0;
}

/* Another thread may start a child before libcurl shows us the socket. */
TEST(a_socket_is_never_inheritable) {
  struct curl_sockaddr address = {.family = AF_INET, .socktype = SOCK_STREAM};
  int fd = mcpi_cloexec_socket(NULL, CURLSOCKTYPE_IPCXN, &address);
  assert_true(fd >= 0);
  assert_false(is_inherited(fd));
  close(fd);
}

TEST(the_programs_own_pair_stays_inheritable) {
  int fds[2];
  char byte;
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
  assert_int_equal(write(fds[0], "x", 1), 1);
  CURLM *multi = curl_multi_init();
  mcpi_cloexec_wakeup(multi);
  assert_true(is_inherited(fds[0]));
  assert_true(is_inherited(fds[1]));
  assert_int_equal(read(fds[1], &byte, 1), 1);
  curl_multi_cleanup(multi);
  close(fds[0]);
  close(fds[1]);
}

int main(void) {
  return tests_run(make_all, remove_all);
}
