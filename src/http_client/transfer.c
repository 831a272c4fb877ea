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
      {CURLOPT_CAINFO, options->ca_file},
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
  return mcpi_curl_limit(easy) == CURLE_OK ? set_strings(easy, options, url)
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

void mcpi_refusal_quote(long status, mcpi_str body,
                        const mcp_allocator *allocator, mcp_error *err) {
  while (body.len > 0 && is_blank(body.ptr[0])) {
    body = mcpi_str_n(body.ptr + 1, body.len - 1);
  }
  while (body.len > 0 && is_blank(body.ptr[body.len - 1])) {
    body.len--;
  }
  if (status >= 400 && body.len > 0 && body.ptr[0] != '<') {
    mcpi_redact_quote(allocator, body, err);
  }
}
