/* SPDX-License-Identifier: MIT */
/* Secrets in an answer are those that this side has sent, since some servers
 * repeat them; cookies and the session's id; and what a redactor finds. */
#include "http_client/answer.h"

#include "base/base64.h"
#include "base/printable.h"
#include "codec/http_value.h"
#include "core/redact.h"
#include <mcp/http_client.h>

enum {
  /* What is kept of a body. Less is shown: the part of a secret that was cut
   * off would not be found. */
  BODY_KEPT = 8192,
  BODY_SHOWN = 4096,
  /* Longer than the heads that libcurl accepts from most servers. */
  HEAD_MAX = 65536,
  /* A shorter text is found in other words, and is not a secret. */
  SHORTEST_SECRET = 6
};

void mcpi_answer_init(mcpi_answer *answer, const mcpi_curl_options *options) {
  *answer = (mcpi_answer){0};
  if (options->given.on_answer != NULL) {
    answer->options = options;
    mcpi_buf_init_secret(&answer->head, options->allocator, HEAD_MAX);
    mcpi_buf_init_secret(&answer->body, options->allocator, BODY_KEPT);
  }
}

void mcpi_answer_deinit(mcpi_answer *answer) {
  if (answer->options != NULL) {
    mcpi_buf_deinit(&answer->head);
    mcpi_buf_deinit(&answer->body);
  }
  *answer = (mcpi_answer){0};
}

/* --- hiding what was sent ------------------------------------------------- */

/* Replaces each occurrence of a secret. */
static void answer_hide(mcpi_buf *text, mcpi_str secret) {
  static const char mask[SHORTEST_SECRET] = {'.', '.', '.', '.', '.', '.'};
  size_t kept = 0;
  if (secret.len < SHORTEST_SECRET || text->error != 0) {
    return;
  }
  for (size_t at = 0; at < text->len;) {
    if (text->len - at >= secret.len &&
        memcmp(text->data + at, secret.ptr, secret.len) == 0) {
      memcpy(text->data + kept, mask, sizeof(mask));
      kept += sizeof(mask);
      at += secret.len;
    } else {
      text->data[kept++] = text->data[at++];
    }
  }
  mcpi_buf_rewind(text, kept);
}

/* Headers that say what kind of request it is. */
static int is_harmless_header(mcpi_str line) {
  static const char *const names[] = {"Accept",     "Content-Type",
                                      "Expect",     "MCP-Protocol-Version",
                                      "Mcp-Method", "Mcp-Name"};
  mcpi_str value;
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
    if (mcpi_header_is_named(line, names[i], &value)) {
      return 1;
    }
  }
  return 0;
}

/* Hides the user and the password of the URL as Basic authentication writes
 * them, and the password alone. */
static void answer_hide_user(mcpi_buf *text, const mcpi_curl_options *options) {
  mcpi_buf plain;
  mcpi_buf basic;
  if (options->user == NULL || options->password == NULL) {
    return;
  }
  mcpi_buf_init_secret(&plain, options->allocator, SIZE_MAX);
  mcpi_buf_init_secret(&basic, options->allocator, SIZE_MAX);
  mcpi_buf_puts(&plain, mcpi_str_z(options->user));
  mcpi_buf_putc(&plain, ':');
  mcpi_buf_puts(&plain, mcpi_str_z(options->password));
  mcpi_base64_put(&basic, plain.data, plain.len);
  if (plain.error == 0 && basic.error == 0) {
    answer_hide(text, mcpi_buf_str(&basic));
    answer_hide(text, mcpi_str_z(options->password));
  } else {
    mcpi_buf_clear(text); /* nothing is better than a secret */
  }
  mcpi_buf_deinit(&plain);
  mcpi_buf_deinit(&basic);
}

/* Hides the value, and what follows its last blank: the token after its
 * scheme. */
void mcpi_answer_hide_sent(mcpi_buf *text, const mcpi_curl_options *options,
                           const struct curl_slist *sent) {
  for (; sent != NULL; sent = sent->next) {
    mcpi_str line = mcpi_str_z(sent->data);
    const char *colon = strchr(sent->data, ':');
    if (colon == NULL || is_harmless_header(line)) {
      continue;
    }
    const char *blank = strrchr(colon, ' ');
    answer_hide(text, mcpi_header_trim(mcpi_str_z(colon + 1)));
    answer_hide(text, mcpi_str_z(blank != NULL ? blank + 1 : colon + 1));
  }
  answer_hide_user(text, options);
}

/* --- what is shown -------------------------------------------------------- */

/* The query of a URL may be secret. */
static void put_location(mcpi_buf *out, mcpi_str line) {
  const char *query = memchr(line.ptr, '?', line.len);
  size_t len = query != NULL ? (size_t)(query - line.ptr) : line.len;
  mcpi_redact_put(out, mcpi_str_n(line.ptr, len));
  if (query != NULL) {
    mcpi_buf_lit(out, "?[redacted]");
  }
}

/* A challenge has no secrets: what looks like a token after "Bearer" is a
 * parameter. */
static void answer_put_line(mcpi_buf *out, mcpi_str line) {
  mcpi_str value;
  if (mcpi_header_is_named(line, "WWW-Authenticate", &value) ||
      mcpi_header_is_named(line, "Proxy-Authenticate", &value)) {
    mcpi_put_printable(out, line);
  } else if (mcpi_header_is_named(line, "Mcp-Session-Id", &value)) {
    mcpi_buf_lit(out, "Mcp-Session-Id: [redacted]");
  } else if (mcpi_header_is_named(line, "Location", &value) ||
             mcpi_header_is_named(line, "Content-Location", &value)) {
    put_location(out, line);
  } else {
    mcpi_redact_put(out, line);
  }
}

/* Takes the next line from the text, without its end. */
static mcpi_str answer_next_line(mcpi_str *text) {
  const char *end = memchr(text->ptr, '\n', text->len);
  size_t len = end != NULL ? (size_t)(end - text->ptr) : text->len;
  size_t used = end != NULL ? len + 1 : len;
  mcpi_str line = {text->ptr, len};
  while (line.len > 0 && line.ptr[line.len - 1] == '\r') {
    line.len--;
  }
  *text = mcpi_str_n(text->ptr + used, text->len - used);
  return line;
}

static void put_head(mcpi_buf *out, mcpi_str head) {
  while (head.len > 0) {
    answer_put_line(out, answer_next_line(&head));
    mcpi_buf_putc(out, '\n');
  }
}

/* Ends at the end of a character. */
static void put_body(mcpi_buf *out, mcpi_str body) {
  size_t len = body.len;
  if (len > BODY_SHOWN) {
    for (len = BODY_SHOWN; (body.ptr[len] & 0xC0) == 0x80 && len > 0;) {
      len--;
    }
  }
  mcpi_str rest = mcpi_str_n(body.ptr, len);
  while (rest.len > 0) {
    mcpi_redact_put(out, answer_next_line(&rest));
    mcpi_buf_putc(out, '\n');
  }
}

static int answer_is_refusal(const mcpi_answer *answer) {
  return answer->status >= 300;
}

/* Nothing is shown if there is no memory, or if the head is too long. */
static void answer_show(mcpi_answer *answer, const struct curl_slist *sent) {
  const mcp_http_client_options *given = &answer->options->given;
  if (answer->head.error != 0 || answer->body.error != 0) {
    return; /* no secrets can be hidden in it */
  }
  mcpi_buf head;
  mcpi_buf body;
  mcpi_buf_init(&head, answer->options->allocator, SIZE_MAX);
  mcpi_buf_init(&body, answer->options->allocator, SIZE_MAX);
  mcpi_answer_hide_sent(&answer->head, answer->options, sent);
  mcpi_answer_hide_sent(&answer->body, answer->options, sent);
  put_head(&head, mcpi_buf_str(&answer->head));
  if (answer_is_refusal(answer)) {
    put_body(&body, mcpi_buf_str(&answer->body));
  }
  if (head.error == 0 && body.error == 0) {
    const mcp_http_answer shown = {.size = sizeof(shown),
                                   .status = (int32_t)answer->status,
                                   .head = head.data,
                                   .head_len = head.len,
                                   .body = body.data,
                                   .body_len = body.len};
    given->on_answer(&shown, given->answer_userdata);
  }
  mcpi_buf_deinit(&head);
  mcpi_buf_deinit(&body);
}

/* --- while it comes ------------------------------------------------------- */

/* 0: the line is not the first of a head. */
static long answer_read_status(mcpi_str line) {
  const char *blank = line.len > 5 && memcmp(line.ptr, "HTTP/", 5) == 0
                          ? memchr(line.ptr, ' ', line.len)
                          : NULL;
  long status = 0;
  if (blank == NULL || line.ptr + line.len - blank < 4) {
    return 0;
  }
  for (int i = 1; i <= 3 && blank[i] >= '0' && blank[i] <= '9'; i++) {
    status = 10 * status + (blank[i] - '0');
  }
  return status;
}

/* Heads before the last one (100, 103) are forgotten. A switch to another
 * protocol is the last one. */
static void answer_end_head(mcpi_answer *answer,
                            const struct curl_slist *sent) {
  mcpi_str head = mcpi_buf_str(&answer->head);
  long status = head.len > 0 ? answer_read_status(answer_next_line(&head)) : 0;
  if (status < 200 && status != 101) {
    return;
  }
  answer->status = status;
  if (!answer_is_refusal(answer)) {
    answer_show(answer, sent);
  }
}

void mcpi_answer_take_line(mcpi_answer *answer, mcpi_str line,
                           const struct curl_slist *sent) {
  if (answer->options == NULL || answer->status != 0) {
    return;
  }
  if (line.len == 0) {
    answer_end_head(answer, sent);
    return;
  }
  if (answer_read_status(line) != 0) {
    mcpi_buf_clear(&answer->head);
  }
  mcpi_buf_puts(&answer->head, line);
  mcpi_buf_putc(&answer->head, '\n');
}

void mcpi_answer_take_body(mcpi_answer *answer, const char *bytes, size_t len) {
  size_t room = BODY_KEPT - answer->body.len;
  if (answer->options != NULL && answer_is_refusal(answer) && room > 0) {
    mcpi_buf_put(&answer->body, bytes, len < room ? len : room);
  }
}

void mcpi_answer_end(mcpi_answer *answer, const struct curl_slist *sent) {
  if (answer->options != NULL && answer_is_refusal(answer)) {
    answer_show(answer, sent);
    answer->status = 0;
  }
}
