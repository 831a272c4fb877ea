/* SPDX-License-Identifier: MIT */
/* What mcp_http_client_options.on_answer shows. */
#include "http_client/answer.h"
#include "unit/http_client/kit.h"

#include <string.h>

static char head_shown[8192];
static char body_shown[8192];
static int32_t status_shown;
static int shown_count;

static void note_answer(const mcp_http_answer *shown, void *userdata) {
  assert_ptr_equal(userdata, &shown_count);
  assert_int_equal(shown->size, sizeof(*shown));
  snprintf(head_shown, sizeof(head_shown), "%.*s", (int)shown->head_len,
           shown->head != NULL ? shown->head : "");
  snprintf(body_shown, sizeof(body_shown), "%.*s", (int)shown->body_len,
           shown->body != NULL ? shown->body : "");
  status_shown = shown->status;
  shown_count++;
}

/* Passes the lines of a head, an empty one at its end, and the body. */
static void show(const char *const *lines, const char *body,
                 struct curl_slist *sent) {
  char user[] = "me";
  char password[] = "hunter22";
  const mcpi_curl_options options = {
      .given = {.on_answer = note_answer, .answer_userdata = &shown_count},
      .allocator = &fake.loop->allocator,
      .user = user,
      .password = password};
  mcpi_answer answer;
  head_shown[0] = body_shown[0] = '\0';
  shown_count = 0;
  mcpi_answer_init(&answer, &options);
  for (; *lines != NULL; lines++) {
    mcpi_answer_take_line(&answer, mcpi_str_z(*lines), sent);
  }
  mcpi_answer_take_body(&answer, body, strlen(body));
  mcpi_answer_end(&answer, sent);
  mcpi_answer_deinit(&answer);
}

WEB_TEST(an_answer_is_shown_at_the_end_of_its_last_head) {
  static const char *const lines[] = {"HTTP/1.1 100 Continue",
                                      "X: 1",
                                      "",
                                      "HTTP/1.1 200 OK",
                                      "Y: \033[1m",
                                      "",
                                      NULL};
  show(lines, "{}", NULL);
  assert_int_equal(shown_count, 1);
  assert_int_equal(status_shown, 200);
  assert_string_equal(head_shown, "HTTP/1.1 200 OK\nY: \\u001b[1m\n");
  assert_string_equal(body_shown, "");
}

WEB_TEST(a_refusal_is_shown_with_its_body) {
  static const char *const lines[] = {"HTTP/2 503 ", "Retry-After: 2", "",
                                      NULL};
  show(lines, "come\r\nback\033", NULL);
  assert_int_equal(shown_count, 1);
  assert_int_equal(status_shown, 503);
  assert_string_equal(head_shown, "HTTP/2 503 \nRetry-After: 2\n");
  assert_string_equal(body_shown, "come\nback\\u001b\n");
}

WEB_TEST(a_long_body_is_cut) {
  static const char *const lines[] = {"HTTP/1.1 400 No", "", NULL};
  char body[10000];
  memset(body, 'x', sizeof(body) - 1);
  body[sizeof(body) - 1] = '\0';
  memcpy(body + 4095, "\xc3\xa4", 2); /* a character at the limit */
  show(lines, body, NULL);
  assert_int_equal(strlen(body_shown), 4095 + 1);
}

WEB_TEST(secrets_are_not_shown) {
  static const char *const lines[] = {
      "HTTP/1.1 401 Who?",
      "WWW-Authenticate: Bearer realm=\"x\", error=\"invalid_token\"",
      "Set-Cookie: id=1234",
      "mcp-session-id: 5678",
      "Location: https://me:pass@a.example/b?code=9",
      "X-Sent: abcdef-token hunter22 bWU6aHVudGVyMjI=",
      "",
      NULL};
  struct curl_slist *sent = curl_slist_append(NULL, "Accept: text/plain");
  sent = curl_slist_append(sent, "Authorization: Bearer abcdef-token");
  show(lines, "text/plain: abcdef-token", sent);
  curl_slist_free_all(sent);
  assert_string_equal(
      head_shown,
      "HTTP/1.1 401 Who?\n"
      "WWW-Authenticate: Bearer realm=\"x\", error=\"invalid_token\"\n"
      "Set-Cookie: [redacted]\n"
      "Mcp-Session-Id: [redacted]\n"
      "Location: https://[redacted]@a.example/b?[redacted]\n"
      "X-Sent: ...... ...... ......\n");
  assert_string_equal(body_shown, "text/plain: ......\n");
}

WEB_TEST(a_head_that_is_too_long_is_not_shown) {
  char line[70000];
  const char *const lines[] = {"HTTP/1.1 401 Who?", line, "", NULL};
  memset(line, 'x', sizeof(line) - 1);
  line[sizeof(line) - 1] = '\0';
  show(lines, "", NULL);
  assert_int_equal(shown_count, 0);
}

WEB_TEST(an_answer_that_breaks_off_in_its_head_is_not_shown) {
  static const char *const lines[] = {"HTTP/1.1 401 Who?", NULL};
  show(lines, "", NULL);
  assert_int_equal(shown_count, 0);
}
