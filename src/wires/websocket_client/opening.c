/* SPDX-License-Identifier: MIT */
/* How a client opens a WebSocket (RFC 6455, 4.1). */
#include "wires/websocket_client/opening.h"

#include "base/base64.h"
#include "codec/http_value.h"
#include "http_client/authorization.h"
#include "http_client/redirect.h"

#include <stdio.h>

enum {
  /* The limit of an answer's head. */
  MAX_HEAD = 16 * 1024
};

void mcpi_ws_opening_init(mcpi_ws_opening *opening,
                          const mcpi_curl_options *options,
                          const mcp_allocator *allocator) {
  *opening = (mcpi_ws_opening){.options = options};
  mcpi_buf_init(&opening->head, allocator, MAX_HEAD);
}

void mcpi_ws_opening_deinit(mcpi_ws_opening *opening) {
  mcpi_buf_deinit(&opening->head);
}

/* --- the request --------------------------------------------------------- */

static void ws_opening_put(mcpi_buf *out, const char *text) {
  mcpi_buf_puts(out, mcpi_str_z(text));
}

/* Absent: the default. */
static void put_part(mcpi_buf *out, CURLU *url, CURLUPart what,
                     const char *before) {
  char *part = NULL;
  if (curl_url_get(url, what, &part, 0) == CURLUE_OK) {
    ws_opening_put(out, before);
    ws_opening_put(out, part);
    curl_free(part);
  }
}

static int put_target(mcpi_buf *out, const mcpi_curl_options *options) {
  CURLU *url = curl_url();
  if (url == NULL ||
      curl_url_set(url, CURLUPART_URL, options->url, 0) != CURLUE_OK) {
    curl_url_cleanup(url);
    return MCP_ERR_NOMEM;
  }
  mcpi_buf_lit(out, "GET ");
  put_part(out, url, CURLUPART_PATH, "");
  put_part(out, url, CURLUPART_QUERY, "?");
  mcpi_buf_lit(out, " HTTP/1.1\r\n");
  if (!mcpi_curl_options_has_header(options, MCPI_STR("Host"))) {
    put_part(out, url, CURLUPART_HOST, "Host: ");
    put_part(out, url, CURLUPART_PORT, ":");
    mcpi_buf_lit(out, "\r\n");
  }
  curl_url_cleanup(url);
  return 0;
}

static void put_user(mcpi_buf *out, const mcpi_curl_options *options) {
  mcpi_buf text;
  if (options->user == NULL ||
      mcpi_curl_options_has_header(options, MCPI_STR("Authorization"))) {
    return;
  }
  mcpi_buf_init(&text, out->allocator, SIZE_MAX);
  ws_opening_put(&text, options->user);
  mcpi_buf_putc(&text, ':');
  ws_opening_put(&text, options->password);
  mcpi_buf_lit(out, "Authorization: Basic ");
  mcpi_base64_put(out, text.data, text.len);
  mcpi_buf_lit(out, "\r\n");
  out->error = text.error != 0 ? text.error : out->error;
  mcpi_buf_deinit(&text);
}

/* In libcurl's lists a header with an empty value is written "Name;". */
static void put_headers(mcpi_buf *out, const struct curl_slist *line) {
  for (; line != NULL; line = line->next) {
    mcpi_str text = mcpi_str_z(line->data);
    if (text.ptr[text.len - 1] == ';' && strchr(text.ptr, ':') == NULL) {
      mcpi_buf_put(out, text.ptr, text.len - 1);
      mcpi_buf_putc(out, ':');
    } else {
      mcpi_buf_puts(out, text);
    }
    mcpi_buf_lit(out, "\r\n");
  }
}

static int ws_opening_make_key(mcpi_ws_opening *opening,
                               const mcp_platform *platform,
                               char key[MCPI_WS_KEY_SIZE]) {
  unsigned char bytes[MCPI_WS_KEY_BYTES];
  if (platform->random == NULL ||
      platform->random(platform->userdata, bytes, sizeof(bytes)) != 0) {
    return MCP_ERR_PLATFORM;
  }
  mcpi_ws_make_key(bytes, key);
  mcpi_ws_accept(key, opening->accept);
  return 0;
}

int mcpi_ws_opening_put(mcpi_ws_opening *opening, const mcp_platform *platform,
                        const struct curl_slist *headers, mcpi_buf *out) {
  const mcpi_curl_options *options = opening->options;
  char key[MCPI_WS_KEY_SIZE];
  int rc = ws_opening_make_key(opening, platform, key);
  rc = rc != 0 ? rc : put_target(out, options);
  if (rc != 0) {
    return rc;
  }
  mcpi_buf_lit(out, "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                    "Sec-WebSocket-Version: " MCPI_WS_VERSION "\r\n"
                    "Sec-WebSocket-Protocol: " MCPI_WS_PROTOCOL "\r\n"
                    "Sec-WebSocket-Key: ");
  ws_opening_put(out, key);
  mcpi_buf_lit(out, "\r\n");
  put_user(out, options);
  put_headers(out, headers);
  mcpi_buf_lit(out, "\r\n");
  return out->error;
}

/* --- the answer ---------------------------------------------------------- */

static int wrong(const mcpi_ws_opening *opening, mcp_error *err,
                 const char *what) {
  return mcp_error_set(err, MCP_ERR_PROTOCOL, "%s: %s", opening->options->shown,
                       what);
}

/* Returns the rest of the head after its next line, which has an end. */
static mcpi_str next_line(mcpi_str *head) {
  const char *feed = memchr(head->ptr, '\n', head->len);
  size_t len = (size_t)(feed - head->ptr);
  mcpi_str line = mcpi_str_n(head->ptr, len);
  *head = mcpi_str_n(feed + 1, head->len - len - 1);
  if (line.len > 0 && line.ptr[line.len - 1] == '\r') {
    line.len--;
  }
  return line;
}

/* Reads "HTTP/1.1 101 ...". Returns 0 if the line is not valid. */
static int read_status(mcpi_str line) {
  int status = 0;
  if (line.len < 12 || memcmp(line.ptr, "HTTP/1.1 ", 9) != 0 ||
      (line.len > 12 && line.ptr[12] != ' ')) {
    return 0;
  }
  for (int i = 9; i < 12; i++) {
    if (line.ptr[i] < '0' || line.ptr[i] > '9') {
      return 0;
    }
    status = status * 10 + (line.ptr[i] - '0');
  }
  return status;
}

typedef struct answer {
  int is_upgraded;
  int is_connected;
  size_t accepts; /* how often the key was answered ... */
  int is_wrong;   /* ... and whether the answer was wrong */
  /* A subprotocol or an extension that the request did not name. */
  int is_foreign;
} answer;

static void ws_opening_read_header(const mcpi_ws_opening *opening,
                                   mcpi_str line, answer *a) {
  mcpi_str value;
  if (mcpi_header_is_named(line, "Upgrade", &value)) {
    a->is_upgraded |= mcpi_header_lists(value, MCPI_STR("websocket"));
  } else if (mcpi_header_is_named(line, "Connection", &value)) {
    a->is_connected |= mcpi_header_lists(value, MCPI_STR("upgrade"));
  } else if (mcpi_header_is_named(line, "Sec-WebSocket-Accept", &value)) {
    a->accepts++;
    a->is_wrong |= !mcpi_str_eq(value, mcpi_str_z(opening->accept));
  } else if (mcpi_header_is_named(line, "Sec-WebSocket-Protocol", &value)) {
    a->is_foreign |= !mcpi_str_eq(value, MCPI_STR(MCPI_WS_PROTOCOL));
  } else if (mcpi_header_is_named(line, "Sec-WebSocket-Extensions", &value)) {
    a->is_foreign |= value.len > 0;
  }
}

static int ws_opening_judge(const mcpi_ws_opening *opening, mcpi_str head,
                            mcp_error *err) {
  answer a = {0};
  while (head.len > 0) {
    ws_opening_read_header(opening, next_line(&head), &a);
  }
  if (!a.is_upgraded || !a.is_connected) {
    return wrong(opening, err,
                 "the server answered 101, and upgrades to no "
                 "WebSocket");
  }
  if (a.accepts != 1 || a.is_wrong) {
    return wrong(opening, err,
                 "the server's Sec-WebSocket-Accept is not our key's");
  }
  if (a.is_foreign) {
    return wrong(opening, err,
                 "the server chose a subprotocol or an extension "
                 "that it was not offered");
  }
  return 1;
}

/* Writes the end of an error message, after the status: the target of the
 * answer, or nothing. `head`: its lines after the first. */
static void explain(const mcpi_ws_opening *opening, int status, mcpi_str head,
                    char text[MCPI_REDIRECT_TEXT_SIZE]) {
  const mcp_allocator *allocator = opening->head.allocator;
  char reference[1024];
  char base[sizeof(reference)];
  char *url = NULL;
  mcpi_str value;
  text[0] = '\0';
  if (!mcpi_status_is_redirect(status)) {
    return;
  }
  while (head.len > 0) {
    if (mcpi_header_is_named(next_line(&head), "Location", &value) &&
        value.len < sizeof(reference)) {
      snprintf(reference, sizeof(reference), "%.*s", (int)value.len, value.ptr);
      snprintf(base, sizeof(base), "ws%s", opening->options->url + 4);
      mcpi_strfree(allocator, url);
      mcpi_curl_resolve(base, reference, allocator, &url);
    }
  }
  mcpi_redirect_explain(status, url, MCPI_REDIRECT_NONE, opening->options,
                        allocator, text);
  mcpi_strfree(allocator, url);
}

/* The head is complete. */
static int read_head(mcpi_ws_opening *opening, mcp_error *err) {
  char where[MCPI_REDIRECT_TEXT_SIZE];
  mcpi_str head = mcpi_str_n(opening->head.data, opening->head.len);
  int status = read_status(next_line(&head));
  if (status == 0) {
    return wrong(opening, err, "the server does not speak HTTP/1.1");
  }
  if (status == 101) {
    return ws_opening_judge(opening, head, err);
  }
  if (status < 200) { /* another head follows */
    mcpi_buf_clear(&opening->head);
    return 0;
  }
  int code = status < 400 ? MCP_ERR_PROTOCOL : mcpi_status_error(status);
  explain(opening, status, head, where);
  mcp_error_set(err, code, "%s answered HTTP %d%s%s%s", opening->options->shown,
                status, mcpi_authorization_hint(status, opening->options),
                where[0] != '\0' ? ": " : "", where);
  err->status = status;
  return code;
}

int mcpi_ws_opening_each_line(const mcpi_ws_opening *opening,
                              int (*take)(void *owner, mcpi_str line),
                              void *owner) {
  mcpi_str head = mcpi_str_n(opening->head.data, opening->head.len);
  int rc = 0;
  while (rc == 0 && head.len > 0) {
    rc = take(owner, next_line(&head));
  }
  return rc;
}

static int is_whole(const mcpi_buf *head) {
  return (head->len >= 4 &&
          memcmp(head->data + head->len - 4, "\r\n\r\n", 4) == 0) ||
         (head->len >= 2 && memcmp(head->data + head->len - 2, "\n\n", 2) == 0);
}

int mcpi_ws_opening_read(mcpi_ws_opening *opening, const char **bytes,
                         size_t *len, mcp_error *err) {
  mcpi_buf *head = &opening->head;
  int rc = 0;
  while (rc == 0 && *len > 0) {
    mcpi_buf_putc(head, **bytes);
    (*bytes)++;
    (*len)--;
    if (head->error != 0) {
      return mcp_error_set(err, head->error, "%s: %s", opening->options->shown,
                           head->error == MCP_ERR_LIMIT
                               ? "the answer's headers are too long"
                               : "out of memory");
    }
    if (is_whole(head)) {
      rc = read_head(opening, err);
    }
  }
  return rc;
}
