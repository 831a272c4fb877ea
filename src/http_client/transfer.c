/* SPDX-License-Identifier: MIT */
#include "http_client/transfer.h"

#include "base/buf.h"
#include "core/redact.h"
#include "fetch/curl/limits.h"
#include "http_client/cloexec.h"
#include <string.h>

enum {
  /* Room besides the longest message. */
  INPUT_SLACK = 4 * 1024 * 1024
};

/* without this, libcurl would wait for the server's consent before it sends a
 * long body */
static const struct curl_slist no_expect = {(char *)(uintptr_t) "Expect:",
                                            NULL};
const struct curl_slist mcpi_transfer_json[] = {
    {(char *)(uintptr_t) "Content-Type: application/json",
     (struct curl_slist *)(uintptr_t)&no_expect}};

/* --- options -------------------------------------------------------------- */

/* libcurl's limits are of type long, which has 32 bits on some systems. */
static long transfer_limit_ms(uint32_t ms) {
  return ms < INT32_MAX ? (long)ms : INT32_MAX;
}

int mcpi_easy_set_string(CURL *easy, CURLoption option, const char *value) {
  return value == NULL || curl_easy_setopt(easy, option, value) == CURLE_OK
             ? 0
             : MCP_ERR_NOMEM;
}

static int set_strings(CURL *easy, const mcpi_curl_options *options,
                       const char *url) {
  const struct {
    CURLoption option;
    const char *value;
  } strings[] = {
      {CURLOPT_URL, url},
      {CURLOPT_USERAGENT, "libmcp"},
      {CURLOPT_USERNAME, options->user},
      {CURLOPT_PASSWORD, options->password},
      {CURLOPT_SSLCERT, options->cert_file},
      {CURLOPT_SSLKEY,
       options->key_file != NULL ? options->key_file : options->cert_file},
      {CURLOPT_PROXY, options->proxy},
  };
  int rc = 0;
  for (size_t i = 0; rc == 0 && i < sizeof(strings) / sizeof(strings[0]); i++) {
    rc = mcpi_easy_set_string(easy, strings[i].option, strings[i].value);
  }
  return rc;
}

static int set_connection(CURL *easy, const mcpi_curl_options *options,
                          const char *url) {
  long verify = !options->given.trust_any_certificate;
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, verify);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, verify ? 2L : 0L);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                   transfer_limit_ms(options->given.connect_timeout_ms));
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, mcpi_cloexec_socket);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  return mcpi_curl_limit(easy) == CURLE_OK &&
                 mcpi_curl_trust(easy, options->ca_file) == CURLE_OK
             ? set_strings(easy, options, url)
             : MCP_ERR_NOMEM;
}

int mcpi_slist_append_all(struct curl_slist **to,
                          const struct curl_slist *from) {
  for (; from != NULL; from = from->next) {
    struct curl_slist *longer = curl_slist_append(*to, from->data);
    if (longer == NULL) {
      return MCP_ERR_NOMEM;
    }
    *to = longer;
  }
  return 0;
}

/* --- the answer ----------------------------------------------------------- */

static size_t transfer_take_head(char *bytes, size_t size, size_t count,
                                 void *userdata) {
  mcpi_transfer *transfer = userdata;
  mcpi_answer_take_line(&transfer->answer,
                        mcpi_transfer_line(bytes, size * count),
                        transfer->headers);
  return transfer->on_head != NULL
             ? transfer->on_head(bytes, size, count, transfer->head_owner)
             : size * count;
}

static size_t transfer_take_body(char *bytes, size_t size, size_t count,
                                 void *userdata) {
  mcpi_transfer *transfer = userdata;
  mcpi_answer_take_body(&transfer->answer, bytes, size * count);
  return transfer->on_body(bytes, size, count, transfer->body_owner);
}

static void set_head_callback(mcpi_transfer *transfer) {
  curl_easy_setopt(transfer->easy, CURLOPT_HEADERFUNCTION, transfer_take_head);
  curl_easy_setopt(transfer->easy, CURLOPT_HEADERDATA, transfer);
}

void mcpi_transfer_on_head(mcpi_transfer *transfer, mcpi_transfer_cb *on_head,
                           void *owner) {
  transfer->on_head = on_head;
  transfer->head_owner = owner;
  set_head_callback(transfer);
}

void mcpi_transfer_on_body(mcpi_transfer *transfer, mcpi_transfer_cb *on_body,
                           void *owner) {
  transfer->on_body = on_body;
  transfer->body_owner = owner;
  curl_easy_setopt(transfer->easy, CURLOPT_WRITEFUNCTION, transfer_take_body);
  curl_easy_setopt(transfer->easy, CURLOPT_WRITEDATA, transfer);
}

void mcpi_transfer_end(mcpi_transfer *transfer, CURLcode result) {
  curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &transfer->status);
  transfer->is_done = 1;
  transfer->result = result;
  mcpi_answer_end(&transfer->answer, transfer->headers);
}

/* --- life ----------------------------------------------------------------- */

void mcpi_transfer_init(mcpi_transfer *transfer, void *owner) {
  *transfer = (mcpi_transfer){.owner = owner};
  mcpi_list_init(&transfer->ready);
}

int mcpi_transfer_prepare(mcpi_transfer *transfer, mcpi_multi *multi,
                          const mcpi_curl_options *options, const char *url,
                          const struct curl_slist *headers) {
  mcpi_transfer_stop(transfer, multi);
  mcpi_transfer_init(transfer, transfer->owner);
  transfer->easy = curl_easy_init();
  if (transfer->easy == NULL ||
      mcpi_slist_append_all(&transfer->headers, options->headers) != 0 ||
      mcpi_slist_append_all(&transfer->headers, headers) != 0 ||
      set_connection(transfer->easy, options, url) != 0) {
    return MCP_ERR_NOMEM;
  }
  curl_easy_setopt(transfer->easy, CURLOPT_PRIVATE, transfer);
  curl_easy_setopt(transfer->easy, CURLOPT_ERRORBUFFER, transfer->trouble);
  mcpi_answer_init(&transfer->answer, options);
  if (transfer->answer.options != NULL) {
    set_head_callback(transfer);
  }
  return 0;
}

int mcpi_transfer_add_secret(mcpi_transfer *transfer,
                             const mcp_allocator *allocator, const char *name,
                             mcpi_str value) {
  if (value.ptr == NULL) {
    return 0;
  }
  transfer->has_secret = 1;
  return mcpi_slist_add_secret(&transfer->headers, allocator, name, value);
}

/* CURLOPT_PREREQFUNCTION exists since libcurl 7.80. An older one gets a new
 * connection, which it does not try again. */
#if LIBCURL_VERSION_NUM >= 0x075000
static int transfer_on_attempt(void *userdata, char *remote_ip, char *local_ip,
                               int remote_port, int local_port) {
  mcpi_transfer *transfer = userdata;
  (void)remote_ip;
  (void)local_ip;
  (void)remote_port;
  (void)local_port;
  return transfer->attempts++ == 0 ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

static void set_once(mcpi_transfer *transfer) {
  curl_easy_setopt(transfer->easy, CURLOPT_PREREQFUNCTION, transfer_on_attempt);
  curl_easy_setopt(transfer->easy, CURLOPT_PREREQDATA, transfer);
}
#else
static void set_once(mcpi_transfer *transfer) {
  curl_easy_setopt(transfer->easy, CURLOPT_FRESH_CONNECT, 1L);
}
#endif

void mcpi_transfer_set_body(mcpi_transfer *transfer, const char *bytes,
                            size_t len, int may_repeat) {
  curl_easy_setopt(transfer->easy, CURLOPT_POST, 1L);
  curl_easy_setopt(transfer->easy, CURLOPT_POSTFIELDS, bytes);
  curl_easy_setopt(transfer->easy, CURLOPT_POSTFIELDSIZE_LARGE,
                   (curl_off_t)len);
  if (!may_repeat) {
    set_once(transfer);
  }
}

void mcpi_transfer_set_timeout(mcpi_transfer *transfer, uint32_t timeout_ms) {
  curl_easy_setopt(transfer->easy, CURLOPT_TIMEOUT_MS,
                   transfer_limit_ms(timeout_ms));
}

int mcpi_transfer_start(mcpi_transfer *transfer, mcpi_multi *multi) {
  curl_easy_setopt(transfer->easy, CURLOPT_HTTPHEADER, transfer->headers);
  return mcpi_multi_add(multi, transfer->easy);
}

/* libcurl does not know a transfer that was not started. */
void mcpi_transfer_stop(mcpi_transfer *transfer, mcpi_multi *multi) {
  if (transfer->easy != NULL) {
    mcpi_multi_remove(multi, transfer->easy);
    curl_easy_cleanup(transfer->easy);
  }
  if (transfer->has_secret) {
    mcpi_slist_free_secret(transfer->headers);
  } else {
    curl_slist_free_all(transfer->headers);
  }
  transfer->easy = NULL;
  transfer->headers = NULL;
  transfer->has_secret = 0;
  transfer->is_done = 0;
  mcpi_answer_deinit(&transfer->answer);
  mcpi_list_remove(&transfer->ready);
}

/* --- what came of it ------------------------------------------------------ */

mcpi_transfer *mcpi_transfer_of(CURL *easy) {
  char *owner = NULL;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &owner);
  return (mcpi_transfer *)(void *)owner;
}

static const char *words_of(const mcpi_transfer *transfer) {
  const char *trouble = transfer->trouble;
  int is_fit = trouble[0] != '\0' && strchr(trouble, '@') == NULL;
  return is_fit ? trouble : curl_easy_strerror(transfer->result);
}

/* Whether it has ended because libcurl wanted to send it again. */
static int was_repeated(const mcpi_transfer *transfer) {
  return transfer->attempts > 1;
}

int mcpi_transfer_failure(const mcpi_transfer *transfer, const char **why) {
  if (transfer->error == MCP_ERR_LIMIT) {
    *why = "the answer is longer than max_message";
    return MCP_ERR_LIMIT;
  }
  if (transfer->error == 0 && was_repeated(transfer)) {
    *why = "the connection broke before the answer came";
    return MCP_ERR_IO;
  }
  if (transfer->error != 0 || transfer->result == CURLE_OUT_OF_MEMORY ||
      transfer->result == CURLE_ABORTED_BY_CALLBACK) {
    *why = "out of memory";
    return MCP_ERR_NOMEM;
  }
  *why = words_of(transfer);
  return transfer->result == CURLE_OPERATION_TIMEDOUT ? MCP_ERR_TIMEOUT
                                                      : MCP_ERR_IO;
}

/* A TLS handshake that fails counts as permanent: libcurl reports one that only
 * broke off in the same way. */
int mcpi_transfer_may_pass(const mcpi_transfer *transfer) {
  if (transfer->error != 0) {
    return 0;
  }
  switch (transfer->result) {
  case CURLE_COULDNT_RESOLVE_PROXY:
  case CURLE_COULDNT_RESOLVE_HOST:
  case CURLE_COULDNT_CONNECT:
  case CURLE_OPERATION_TIMEDOUT:
  case CURLE_SEND_ERROR:
  case CURLE_RECV_ERROR:
  case CURLE_GOT_NOTHING:
  case CURLE_PARTIAL_FILE:
  case CURLE_HTTP2:
  case CURLE_HTTP2_STREAM:
    return 1;
  default:
    return 0;
  }
}

void mcpi_transfer_init_input(mcpi_buf *in, const mcp_allocator *allocator,
                              size_t max_message) {
  mcpi_buf_init(in, allocator,
                max_message < SIZE_MAX - INPUT_SLACK ? max_message + INPUT_SLACK
                                                     : max_message);
}

int mcpi_status_is_fine(long status) {
  return status >= 200 && status < 300;
}

int mcpi_status_error(long status) {
  switch (status) {
  case 401:
  case 403:
    return MCP_ERR_REFUSED;
  case 408:
  case 429:
    return MCP_ERR_IO;
  default:
    return status >= 500 ? MCP_ERR_IO : MCP_ERR_PROTOCOL;
  }
}

mcpi_str mcpi_transfer_line(const char *bytes, size_t len) {
  while (len > 0 && (bytes[len - 1] == '\r' || bytes[len - 1] == '\n')) {
    len--;
  }
  return mcpi_str_n(bytes, len);
}

static int is_blank(char byte) {
  return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

static mcpi_str refusal_trim(mcpi_str text) {
  while (text.len > 0 && is_blank(text.ptr[0])) {
    text = mcpi_str_n(text.ptr + 1, text.len - 1);
  }
  while (text.len > 0 && is_blank(text.ptr[text.len - 1])) {
    text.len--;
  }
  return text;
}

/* The text for people in an answer of JSON. NULL: there is none. */
static const mcp_json *refusal_find_words(const mcp_json *root) {
  static const char *const pointers[] = {"/error/message", "/message",
                                         "/error_description"};
  for (size_t i = 0; i < sizeof(pointers) / sizeof(*pointers); i++) {
    const mcp_json *words = mcp_json_pointer(root, pointers[i]);
    if (mcp_json_type(words) == MCP_JSON_STRING) {
      return words;
    }
  }
  return NULL;
}

/* Quotes the first line. */
static void refusal_quote_line(const mcpi_transfer *transfer,
                               const mcpi_curl_options *options, mcpi_str text,
                               mcp_error *err) {
  mcpi_buf line;
  mcpi_buf_init(&line, options->allocator, SIZE_MAX);
  text = refusal_trim(text);
  const char *end = text.len > 0 ? memchr(text.ptr, '\n', text.len) : NULL;
  mcpi_buf_puts(
      &line,
      mcpi_str_n(text.ptr, end != NULL ? (size_t)(end - text.ptr) : text.len));
  mcpi_answer_hide_sent(&line, options, transfer->headers);
  if (line.error == 0) {
    mcpi_redact_quote(options->allocator, refusal_trim(mcpi_buf_str(&line)),
                      err);
  }
  mcpi_buf_deinit(&line);
}

void mcpi_refusal_quote(const mcpi_transfer *transfer,
                        const mcpi_curl_options *options, mcpi_str body,
                        mcp_error *err) {
  body = refusal_trim(body);
  if (transfer->status < 400 || body.len == 0 || body.ptr[0] == '<') {
    return;
  }
  mcp_doc *doc =
      mcp_doc_parse(body.ptr, body.len, NULL, options->allocator, NULL);
  size_t len = 0;
  const char *said =
      mcp_json_string_n(refusal_find_words(mcp_doc_root(doc)), &len);
  refusal_quote_line(transfer, options,
                     said != NULL ? mcpi_str_n(said, len) : body, err);
  mcp_doc_free(doc);
}
