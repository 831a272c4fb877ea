/* SPDX-License-Identifier: MIT */
#include "common/report.h"
#include "connection/http_said.h"

#include "support/cm.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In a block of its own size, so that a read past the end is seen. */
static char *block(const char *text, size_t len) {
  char *copy = malloc(len > 0 ? len : 1);
  memcpy(copy, text, len);
  return copy;
}

static void take_n(ctl_http_said *said, int status, const char *head,
                   const char *body, size_t body_len) {
  char *head_block = block(head, strlen(head));
  char *body_block = block(body, body_len);
  const mcp_http_answer answer = {.size = sizeof(answer),
                                  .status = status,
                                  .head = head_block,
                                  .head_len = strlen(head),
                                  .body = body_len > 0 ? body_block : NULL,
                                  .body_len = body_len};
  ctl_http_said_take(said, &answer);
  free(head_block);
  free(body_block);
}

/* Expects the lines that are reported beside an error of that message. */
static void expect_report(const ctl_http_said *said, int status,
                          const char *message, const char *lines) {
  mcp_error err = {0};
  mcp_error_set(&err, MCP_ERR_REFUSED, "%s", message);
  err.status = status;
  ctl_report_forget();
  ctl_http_said_report(said, &err);
  const char *notes = ctl_report_notes();
  assert_string_equal(notes != NULL ? notes : "", lines);
  ctl_report_forget();
}

static void expect_n(int status, const char *head, const char *body, size_t len,
                     const char *lines) {
  ctl_http_said said = {0};
  take_n(&said, status, head, body, len);
  expect_report(&said, status, "the server refused", lines);
  ctl_http_said_forget(&said);
}

static void expect_body(const char *body, const char *lines) {
  expect_n(403, "HTTP/1.1 403 Forbidden\n", body, strlen(body), lines);
}

static void expect_head(int status, const char *head, const char *lines) {
  expect_n(status, head, "", 0, lines);
}

TEST(the_words_of_json_are_found) {
  expect_body("{\"error\":{\"code\":1,\"message\":\"no seat\"}}\n",
              "the server said: no seat");
  expect_body("{\"error\":\"denied\",\"error_description\":\"too old\"}",
              "the server said: too old");
  expect_body("{\"error\":\"denied\"}", "the server said: denied");
  expect_body("{\"title\":\"Stop\",\"detail\":\"not\\nnow\"}",
              "the server said: not");
}

TEST(json_without_words_is_one_line) {
  expect_body("{\n  \"code\": 5\n}\n", "the server said: {\"code\":5}");
  expect_body("[\n  1\n]\n", "the server said: [1]");
  expect_body("{\"message\":5}", "the server said: {\"message\":5}");
  expect_body("{\"message\":\"a\\u0000b\"}",
              "the server said: {\"message\":\"a\\u0000b\"}");
}

TEST(the_first_line_of_a_text_is_shown) {
  expect_body("\r\n  no\r\nmore\n", "the server said: no");
  expect_body("{\"error\":\n", "the server said: {\"error\":");
  expect_n(403, "", "a\0b\n", 4, "the server said: a");
}

TEST(a_page_and_nothing_are_not_shown) {
  expect_body("<html>\nno\n", "");
  expect_body(" \r\n\t\n", "");
  expect_body("", "");
  expect_n(403, "", "\0\n", 2, "");
}

TEST(what_the_error_quotes_is_not_repeated) {
  static const char text[] = "a text of more than sixty bytes, of which the "
                             "error has only the beginning, as it does here";
  char message[100];
  ctl_http_said said = {0};
  take_n(&said, 403, "", text, strlen(text));
  snprintf(message, sizeof(message), "403: %.64s", text);
  expect_report(&said, 403, message, "");
  snprintf(message, sizeof(message), "403: %.50s", text);
  expect_report(&said, 403, message,
                "the server said: a text of more than sixty bytes, of which "
                "the error has only the beginning, as it does here");
  ctl_http_said_forget(&said);
}

TEST(json_that_the_error_quotes_is_not_repeated) {
  ctl_http_said said = {0};
  take_n(&said, 500, "", "{\"a\": 1}\n", 9);
  expect_report(&said, 500, "HTTP 500: \"{\"a\": 1}\"", "");
  ctl_http_said_forget(&said);
}

TEST(headers_that_say_what_to_do) {
  expect_head(401,
              "HTTP/1.1 401 Unauthorized\nRetry-After: 5\n"
              "www-authenticate: \t Basic\r\nWWW-Authenticate: Bearer\n",
              "WWW-Authenticate: Basic\nWWW-Authenticate: Bearer\n"
              "Retry-After: 5");
  expect_head(301, "Location: /there\nRetry-After: 5\n", "Location: /there");
  expect_head(503, "Location: /there\nretry-after: 5", "Retry-After: 5");
}

TEST(lines_that_are_like_headers) {
  expect_head(401, "WWW-Authenticate\nWWW-Authenticate :x\n", "");
  expect_head(401, "X-WWW-Authenticate: x\nWWW-Authenticate-2: x\n", "");
  expect_head(401, "WWW-Authenticate:\nWWW-Authenticate: \t\r\n", "");
  expect_head(401, "", "");
}

TEST(only_the_refusal_of_the_error_is_reported) {
  ctl_http_said said = {0};
  expect_report(&said, 403, "refused", "");
  take_n(&said, 200, "HTTP/1.1 200 OK\n", "fine", 4);
  expect_report(&said, 200, "refused", "");
  take_n(&said, 403, "", "first", 5);
  take_n(&said, 404, "", "second", 6);
  expect_report(&said, 403, "refused", "");
  expect_report(&said, 404, "refused", "the server said: second");
  take_n(&said, 204, "", "", 0); /* an answer in between forgets nothing */
  expect_report(&said, 404, "refused", "the server said: second");
  ctl_http_said_forget(&said);
  expect_report(&said, 404, "refused", "");
}

TEST(an_answer_without_anything) {
  const mcp_http_answer answer = {.size = sizeof(answer), .status = 502};
  ctl_http_said said = {0};
  ctl_http_said_take(&said, &answer);
  expect_report(&said, 502, "refused", "");
  ctl_http_said_forget(&said);
}
