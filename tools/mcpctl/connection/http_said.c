/* SPDX-License-Identifier: MIT */
#include "connection/http_said.h"
#include "common/copy.h"
#include "common/json.h"
#include "common/report.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void ctl_http_said_forget(ctl_http_said *said) {
  free(said->head);
  free(said->body);
  *said = (ctl_http_said){0};
}

void ctl_http_said_take(ctl_http_said *said, const mcp_http_answer *answer) {
  if (answer->status < 300) {
    return;
  }
  ctl_http_said_forget(said);
  said->status = answer->status;
  said->head = ctl_copy(answer->head, answer->head_len);
  said->body =
      answer->body_len > 0 ? ctl_copy(answer->body, answer->body_len) : NULL;
}

/* ---- the body ---------------------------------------------------------- */

/* The text for people in an answer of JSON; NULL: there is none. */
static const char *said_find_words(const mcp_json *root) {
  static const char *const members[] = {"message", "error_description",
                                        "detail", "title"};
  const mcp_json *error = mcp_json_get(root, "error");
  const char *words = ctl_json_member(error, "message");
  for (size_t i = 0; words == NULL && i < sizeof(members) / sizeof(*members);
       i++) {
    words = ctl_json_member(root, members[i]);
  }
  return words != NULL ? words : mcp_json_string(error);
}

/* Whether the message quotes the line, perhaps only its beginning. */
static int is_quoted(const char *message, const char *line, size_t len) {
  const size_t enough = 60;
  char *begin = ctl_copy(line, len < enough ? len : enough);
  int found = begin != NULL && strstr(message, begin) != NULL;
  free(begin);
  return found;
}

static void report_first_line(const char *text, const char *message) {
  text += strspn(text, " \t\r\n");
  size_t len = strcspn(text, "\r\n");
  if (len > 0 && text[0] != '<' && !is_quoted(message, text, len)) {
    ctl_report(0, "the server said: %.*s", (int)len, text);
  }
}

static int has_more_lines(const char *text) {
  text += strspn(text, " \t\r\n");
  text += strcspn(text, "\r\n");
  return text[strspn(text, " \t\r\n")] != '\0';
}

/* JSON without words for people is shown whole: of its lines, the first may be
 * a bracket. */
static void report_body(const char *body, const char *message) {
  mcp_doc *doc = mcp_doc_parse(body, strlen(body), NULL, NULL, NULL);
  const char *words = said_find_words(mcp_doc_root(doc));
  char *line = doc != NULL && words == NULL && has_more_lines(body)
                   ? ctl_json_text(mcp_doc_root(doc))
                   : NULL;
  if (words == NULL) {
    words = line != NULL ? line : body;
  }
  report_first_line(words, message);
  free(line);
  mcp_doc_free(doc);
}

/* ---- the head ---------------------------------------------------------- */

/* A header and the statuses with which it says what to do. */
static const struct header {
  const char *name;
  int least;
  int most;
} headers[] = {
    {"WWW-Authenticate", 401, 403},
    {"Location", 300, 399},
    {"Retry-After", 400, 599},
};

static void report_header(const struct header *header, const char *line,
                          const char *message) {
  size_t name_len = strlen(header->name);
  if (strncasecmp(line, header->name, name_len) != 0 || line[name_len] != ':') {
    return;
  }
  const char *value = line + name_len + 1;
  value += strspn(value, " \t");
  size_t len = strcspn(value, "\r\n");
  if (len > 0 && (header->most >= 400 || !is_quoted(message, value, len))) {
    ctl_report(0, "%s: %.*s", header->name, (int)len, value);
  }
}

static void report_head(const ctl_http_said *said, const char *message) {
  for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++) {
    const char *line = said->head;
    while (said->status >= headers[i].least &&
           said->status <= headers[i].most && line != NULL && *line != '\0') {
      report_header(&headers[i], line, message);
      line = strchr(line, '\n');
      line = line != NULL ? line + 1 : NULL;
    }
  }
}

void ctl_http_said_report(const ctl_http_said *said, const mcp_error *err) {
  if (said->status == 0 || err->status != said->status) {
    return;
  }
  if (said->body != NULL) {
    report_body(said->body, err->message);
  }
  report_head(said, err->message);
}
