/* SPDX-License-Identifier: MIT */
#include "login/redirect/redirect.h"

#include "support/cm.h"
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Stands for mcp_auth: takes what browsers bring, as each test says. */
static struct {
  mcp_loop *loop;
  mcpi_login_host *host;
  uint64_t login;
  char query[8192];
  int calls;
  int refuses;      /* the URL does not belong to the login */
  int ends_at_once; /* the login ends inside the call */
  int asks_at_once; /* the login asks the user again inside the call */
  const mcp_error *end;
} asked;

static int take_return(mcp_auth *auth, uint64_t login, const char *query,
                       mcp_error *err) {
  asked.calls++;
  asked.login = login;
  snprintf(asked.query, sizeof(asked.query), "%s", query);
  if (asked.refuses) {
    return mcp_error_set(err, MCP_ERR_INVALID, "<another> login & more");
  }
  if (asked.asks_at_once) {
    mcpi_redirect_await(asked.host, login);
  }
  if (asked.ends_at_once) {
    mcpi_redirect_close(asked.host, login, asked.end);
  }
  return 0;
}

static int set_up(void **state) {
  memset(&asked, 0, sizeof(asked));
  asked.loop = mcp_loop_new(NULL, NULL);
  asked.host = mcpi_login_host_new(asked.loop, NULL);
  asked.host->on_redirect = take_return;
  return asked.loop == NULL || asked.host == NULL;
}

static int tear_down(void **state) {
  mcpi_login_host_table.release(asked.host);
  mcp_loop_free(asked.loop);
  return 0;
}

#define REDIRECT_TEST(name) TEST_WITH(name, set_up, tear_down)

static const char *open_redirect(uint64_t login, const char *wish) {
  mcp_error err;
  const char *url = mcpi_redirect_open(asked.host, NULL, login, wish, &err);
  assert_non_null(url);
  return url;
}

static int port_of(const char *url) {
  int port = 0;
  assert_int_equal(sscanf(url, "http://127.0.0.1:%d/callback", &port), 1);
  return port;
}

/* --- a browser ------------------------------------------------------------ */

/* Returns a socket, or -1. */
static int try_connect(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr = {htonl(INADDR_LOOPBACK)}};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_true(fd >= 0);
  if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
    close(fd);
    return -1;
  }
  return fd;
}

static int browser_send(const char *url, const char *method,
                        const char *target) {
  char request[20000];
  int fd = try_connect(port_of(url));
  assert_true(fd >= 0);
  int len =
      snprintf(request, sizeof(request),
               "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", method, target);
  assert_int_equal(write(fd, request, (size_t)len), len);
  return fd;
}

static void turn_until_called(int calls) {
  for (int i = 0; asked.calls < calls && i < 1000; i++) {
    mcp_loop_wait(asked.loop, 10);
  }
  assert_int_equal(asked.calls, calls);
}

/* Reads until the whole answer is there. */
static char *browser_read(int fd) {
  static char answer[20000];
  size_t len = 0;
  for (int i = 0; i < 1000; i++) {
    mcp_loop_wait(asked.loop, 10);
    ssize_t got =
        recv(fd, answer + len, sizeof(answer) - 1 - len, MSG_DONTWAIT);
    len += got > 0 ? (size_t)got : 0;
    answer[len] = '\0';
    if (strstr(answer, "</html>\n") != NULL || got == 0) {
      break;
    }
  }
  close(fd);
  return answer;
}

static void assert_has(const char *text, const char *part) {
  if (strstr(text, part) == NULL) {
    fail_msg("\"%s\" is not in:\n%s", part, text);
  }
}

/* --- tests ---------------------------------------------------------------- */

REDIRECT_TEST(the_page_says_how_the_login_ended) {
  const char *url = open_redirect(7, NULL);
  int fd = browser_send(url, "GET", "/callback?code=c&state=s");
  turn_until_called(1);
  assert_int_equal(asked.login, 7);
  assert_string_equal(asked.query, "code=c&state=s");
  mcpi_redirect_close(asked.host, 7, NULL);
  const char *answer = browser_read(fd);
  assert_has(answer, "HTTP/1.1 200 ");
  assert_has(answer, "<h1>You are logged in</h1>");
  assert_has(answer, "Cache-Control: no-store");
  assert_has(answer, "Referrer-Policy: no-referrer");
  assert_has(answer, "default-src 'none'");
}

REDIRECT_TEST(the_page_shows_an_error_as_text) {
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_REFUSED, "no <script>alert(1)</script> & so on");
  const char *url = open_redirect(1, NULL);
  int fd = browser_send(url, "GET", "/callback?error=access_denied&state=s");
  turn_until_called(1);
  mcpi_redirect_close(asked.host, 1, &err);
  const char *answer = browser_read(fd);
  assert_has(answer, "HTTP/1.1 400 ");
  assert_has(answer, "no &lt;script&gt;alert(1)&lt;/script&gt; &amp; so on");
}

REDIRECT_TEST(a_login_may_end_inside_the_return) {
  const char *url = open_redirect(1, NULL);
  asked.ends_at_once = 1;
  int fd = browser_send(url, "GET", "/callback?code=c&state=s");
  assert_has(browser_read(fd), "You are logged in");
}

REDIRECT_TEST(a_return_of_another_login_leaves_it_waiting) {
  const char *url = open_redirect(1, NULL);
  asked.refuses = 1;
  const char *answer =
      browser_read(browser_send(url, "GET", "/callback?code=c&state=wrong"));
  assert_has(answer, "HTTP/1.1 400 ");
  assert_has(answer, "&lt;another&gt; login &amp; more");
  asked.refuses = 0;
  asked.ends_at_once = 1;
  answer = browser_read(browser_send(url, "GET", "/callback?code=c&state=s"));
  assert_has(answer, "HTTP/1.1 200 ");
}

REDIRECT_TEST(only_one_return_is_taken) {
  const char *url = open_redirect(1, NULL);
  int first = browser_send(url, "GET", "/callback?code=c&state=s");
  turn_until_called(1);
  const char *answer =
      browser_read(browser_send(url, "GET", "/callback?code=d&state=s"));
  assert_has(answer, "HTTP/1.1 404 ");
  assert_int_equal(asked.calls, 1);
  mcpi_redirect_close(asked.host, 1, NULL);
  assert_has(browser_read(first), "You are logged in");
}

REDIRECT_TEST(a_login_may_return_twice) {
  const char *url = open_redirect(1, NULL);
  mcpi_redirect_await(asked.host, 1);
  int first = browser_send(url, "GET", "/callback?code=c&state=s");
  turn_until_called(1);
  mcpi_redirect_await(asked.host, 1);
  const char *answer = browser_read(first);
  assert_has(answer, "HTTP/1.1 200 ");
  assert_has(answer, "<h1>One more step</h1>");
  int second = browser_send(url, "GET", "/callback?code=d&state=t");
  turn_until_called(2);
  assert_string_equal(asked.query, "code=d&state=t");
  mcpi_redirect_close(asked.host, 1, NULL);
  assert_has(browser_read(second), "You are logged in");
}

REDIRECT_TEST(a_login_may_ask_again_inside_the_return) {
  const char *url = open_redirect(1, NULL);
  asked.asks_at_once = 1;
  const char *answer =
      browser_read(browser_send(url, "GET", "/callback?code=c&state=s"));
  assert_has(answer, "One more step");
  asked.asks_at_once = 0;
  asked.ends_at_once = 1;
  answer = browser_read(browser_send(url, "GET", "/callback?code=d&state=t"));
  assert_has(answer, "You are logged in");
}

REDIRECT_TEST(a_login_without_a_browser_that_waits_can_ask_again) {
  const char *url = open_redirect(1, NULL);
  mcpi_redirect_await(asked.host, 2); /* there is no such login */
  close(browser_send(url, "GET", "/callback?code=c&state=s"));
  turn_until_called(1);
  for (int i = 0; i < 5; i++) {
    mcp_loop_wait(asked.loop, 10);
  }
  mcpi_redirect_await(asked.host, 1);
  asked.ends_at_once = 1;
  int fd = browser_send(url, "GET", "/callback?code=d&state=t");
  assert_has(browser_read(fd), "You are logged in");
}

REDIRECT_TEST(other_paths_and_methods_are_refused) {
  static const char *const requests[][2] = {{"GET", "/"},
                                            {"GET", "/callbacks?code=c"},
                                            {"GET", "/favicon.ico"},
                                            {"GET", "/callback/x"},
                                            {"DELETE", "/callback?code=c"}};
  const char *url = open_redirect(1, NULL);
  for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
    int fd = browser_send(url, requests[i][0], requests[i][1]);
    assert_has(browser_read(fd), "HTTP/1.1 404 ");
  }
  assert_int_equal(asked.calls, 0);
}

REDIRECT_TEST(the_listener_goes_when_the_login_has_ended) {
  int port = port_of(open_redirect(1, NULL));
  mcpi_redirect_close(asked.host, 1, NULL);
  mcp_loop_wait(asked.loop, 0);
  assert_int_equal(try_connect(port), -1);
}

REDIRECT_TEST(logins_at_once_do_not_disturb_each_other) {
  const char *first = open_redirect(1, NULL);
  const char *second = open_redirect(2, NULL);
  assert_int_not_equal(port_of(first), port_of(second));
  mcpi_redirect_close(asked.host, 1, NULL);
  asked.ends_at_once = 1;
  int fd = browser_send(second, "GET", "/callback?code=c&state=s");
  assert_has(browser_read(fd), "You are logged in");
  assert_int_equal(asked.login, 2);
}

REDIRECT_TEST(an_earlier_port_is_used_again_if_it_is_free) {
  char earlier[64];
  snprintf(earlier, sizeof(earlier), "%s", open_redirect(1, NULL));
  mcpi_redirect_close(asked.host, 1, NULL);
  mcp_loop_wait(asked.loop, 0);
  assert_string_equal(open_redirect(2, earlier), earlier);
  assert_string_not_equal(open_redirect(3, earlier), earlier);
}

REDIRECT_TEST(a_wish_that_is_not_ours_means_any_port) {
  static const char *const wishes[] = {
      "http://127.0.0.1:99999/callback", "http://127.0.0.1:80/other",
      "https://example.com/callback", "http://127.0.0.1:4000/callback?x", ""};
  for (size_t i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++) {
    assert_string_not_equal(open_redirect(i + 1, wishes[i]), wishes[i]);
  }
}

REDIRECT_TEST(a_browser_that_leaves_does_no_harm) {
  const char *url = open_redirect(1, NULL);
  close(browser_send(url, "GET", "/callback?code=c&state=s"));
  turn_until_called(1);
  for (int i = 0; i < 5; i++) {
    mcp_loop_wait(asked.loop, 10);
  }
  mcpi_redirect_close(asked.host, 1, NULL);
}

REDIRECT_TEST(the_host_can_go_while_a_browser_waits) {
  const char *url = open_redirect(1, NULL);
  int fd = browser_send(url, "GET", "/callback?code=c&state=s");
  turn_until_called(1);
  mcpi_redirect_close_all(asked.host);
  assert_has(browser_read(fd), "The program has ended the login.");
}

REDIRECT_TEST(a_request_that_is_too_long_is_refused) {
  static char target[17 * 1024];
  const char *url = open_redirect(1, NULL);
  memset(target, 'a', sizeof(target) - 1);
  memcpy(target, "/callback?code=", 15);
  assert_has(browser_read(browser_send(url, "GET", target)), "HTTP/1.1 414 ");
  assert_int_equal(asked.calls, 0);
}
