/* SPDX-License-Identifier: MIT */
/* One HTTP request with libcurl. This file may call only libcurl and the C
 * library: it is a separate library that knows none of our symbols.
 *
 * libcurl follows no redirects here: it would look at the whole URL, but a
 * redirect must stay within the origin. */
#include "fetch/fetch.h"

#include "fetch/curl/limits.h"
#include "fetch/curl/system.h"
#include "fetch/curl/url.h"
#include <curl/curl.h>
#include <stdio.h>
#include <string.h>

enum {
  REDIRECTS_MAX = 5,
  /* How often a request looks whether it is to end. */
  LOOK_MS = 100
};

typedef struct transfer {
  const mcpi_fetch_job *job;
  CURLM *multi;
  CURL *easy;
  struct curl_slist *headers;
  char trouble[CURL_ERROR_SIZE];
  int64_t deadline_ms;
  int redirects;
  int has_proxy; /* known only if the request is_public_only */
  enum {
    AT_START, /* a status line comes next */
    IN_HEAD,
    AFTER_HEAD, /* of an interim answer, and another head comes; or of the
                   answer */
    IN_BODY     /* a trailer may follow */
  } place;
  int stop; /* MCP_ERR_* with which a callback has ended it; else 0 */
  CURLcode result;
} transfer;

/* --- the address ---------------------------------------------------------- */

/* The address in 16 bytes; IPv4 is mapped. Returns 0 for other families. */
static int address_bytes(const struct curl_sockaddr *address, uint8_t out[16]) {
  memset(out, 0, 16);
  if (address->family == AF_INET) {
    struct sockaddr_in v4;
    memcpy(&v4, &address->addr, sizeof(v4));
    out[10] = 0xff;
    out[11] = 0xff;
    memcpy(out + 12, &v4.sin_addr, 4);
    return 1;
  }
  if (address->family == AF_INET6) {
    struct sockaddr_in6 v6;
    memcpy(&v6, &address->addr, sizeof(v6));
    memcpy(out, &v6.sin6_addr, 16);
    return 1;
  }
  return 0;
}

/* libcurl has looked the name up, and connects to just this address. */
static curl_socket_t on_socket(void *owner, curlsocktype purpose,
                               struct curl_sockaddr *address) {
  transfer *self = owner;
  const mcpi_fetch_job *job = self->job;
  uint8_t bytes[16];
  (void)purpose;
  if (job->request->is_public_only && !self->has_proxy &&
      (!address_bytes(address, bytes) || !job->admits(job->owner, bytes))) {
    self->stop = MCP_ERR_REFUSED;
    return CURL_SOCKET_BAD;
  }
  return mcpi_fetch_socket(address);
}

/* When an address is refused, libcurl tries the name's next one. This ends the
 * request before anything is sent there. CURLOPT_PREREQFUNCTION exists since
 * libcurl 7.80; before, on_header ends it. */
#if LIBCURL_VERSION_NUM >= 0x075000
static int on_connected(void *owner, char *remote_ip, char *local_ip,
                        int remote_port, int local_port) {
  const transfer *self = owner;
  (void)remote_ip;
  (void)local_ip;
  (void)remote_port;
  (void)local_port;
  return self->stop == 0 ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

static void set_prerequisite(transfer *self) {
  curl_easy_setopt(self->easy, CURLOPT_PREREQFUNCTION, on_connected);
  curl_easy_setopt(self->easy, CURLOPT_PREREQDATA, self);
}
#else
static void set_prerequisite(transfer *self) {
  (void)self;
}
#endif

/* --- the answer ----------------------------------------------------------- */

/* Takes a line without its end. Lines of a trailer do not count. */
static void transfer_take_line(transfer *self, const char *line, size_t len) {
  const mcpi_fetch_job *job = self->job;
  if (self->place == IN_HEAD) {
    if (len == 0) {
      self->place = AFTER_HEAD;
    } else {
      self->stop = job->on_header(job->owner, line, len);
    }
  } else if (self->place != IN_BODY && len > 5 &&
             memcmp(line, "HTTP/", 5) == 0) {
    job->on_begin(job->owner);
    self->place = IN_HEAD;
  }
}

static size_t on_header(char *bytes, size_t size, size_t count, void *owner) {
  transfer *self = owner;
  size_t len = size * count;
  size_t shown = len;
  while (shown > 0 && (bytes[shown - 1] == '\r' || bytes[shown - 1] == '\n')) {
    shown--;
  }
  if (self->stop == 0) {
    transfer_take_line(self, bytes, shown);
  }
  return self->stop == 0 ? len : 0; /* 0 ends the transfer */
}

static size_t on_body(char *bytes, size_t size, size_t count, void *owner) {
  transfer *self = owner;
  size_t len = size * count;
  self->place = IN_BODY;
  if (self->stop == 0) {
    self->stop = self->job->on_body(self->job->owner, bytes, len);
  }
  return self->stop == 0 ? len : 0;
}

/* --- options -------------------------------------------------------------- */

/* Returns a CURLE_* code. */
static CURLcode set_strings(CURL *easy, const mcp_fetch_request *request) {
  const struct {
    CURLoption option;
    const char *value;
  } strings[] = {{CURLOPT_URL, request->url},
                 {CURLOPT_USERAGENT, "libmcp"},
                 {CURLOPT_PROXY, request->proxy}};
  CURLcode code = CURLE_OK;
  for (size_t i = 0;
       code == CURLE_OK && i < sizeof(strings) / sizeof(strings[0]); i++) {
    if (strings[i].value != NULL) {
      code = curl_easy_setopt(easy, strings[i].option, strings[i].value);
    }
  }
  return code;
}

/* Leaves libcurl no choice if the address counts. Redirects stay on the host.
 * Returns a CURLE_* code. */
static CURLcode set_proxy(transfer *self) {
  const mcp_fetch_request *request = self->job->request;
  if (!request->is_public_only && !mcpi_fetch_is_loopback(request->url)) {
    return CURLE_OK;
  }
  const char *proxy = mcpi_fetch_choose_proxy(request->proxy, request->url);
  self->has_proxy = proxy[0] != '\0';
  CURLcode code = curl_easy_setopt(self->easy, CURLOPT_PROXY, proxy);
  return code == CURLE_OK ? curl_easy_setopt(self->easy, CURLOPT_NOPROXY, "")
                          : code;
}

/* Since 7.87 libcurl can leave a look-up of a name to its thread. Before, the
 * end of a request waits for the look-up. */
static void set_quick_end(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#else
  (void)easy;
#endif
}

static void set_callbacks(transfer *self) {
  CURL *easy = self->easy;
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_socket);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, self);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, self);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, self);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, self->trouble);
}

static int add_headers(transfer *self) {
  self->headers = curl_slist_append(NULL, "Expect:");
  for (const char *const *line = self->job->header_lines;
       self->headers != NULL && *line != NULL; line++) {
    struct curl_slist *longer = curl_slist_append(self->headers, *line);
    if (longer == NULL) {
      return 0;
    }
    self->headers = longer;
  }
  curl_easy_setopt(self->easy, CURLOPT_HTTPHEADER, self->headers);
  return self->headers != NULL;
}

static void set_body(transfer *self) {
  const mcp_fetch_request *request = self->job->request;
  if (strcmp(request->method, "POST") == 0) {
    curl_easy_setopt(self->easy, CURLOPT_POST, 1L);
    curl_easy_setopt(self->easy, CURLOPT_POSTFIELDS,
                     request->body_len > 0 ? request->body : "");
    curl_easy_setopt(self->easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     (curl_off_t)request->body_len);
  }
}

/* Returns 0 or MCP_ERR_NOMEM. */
static int transfer_prepare(transfer *self) {
  self->multi = curl_multi_init();
  self->easy = curl_easy_init();
  if (self->multi == NULL || self->easy == NULL || !add_headers(self) ||
      set_strings(self->easy, self->job->request) != CURLE_OK ||
      mcpi_curl_limit(self->easy) != CURLE_OK ||
      mcpi_curl_trust(self->easy, self->job->request->ca_file) != CURLE_OK ||
      set_proxy(self) != CURLE_OK) {
    return MCP_ERR_NOMEM;
  }
  curl_easy_setopt(self->easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(self->easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  curl_easy_setopt(self->easy, CURLOPT_FORBID_REUSE, 1L);
  set_quick_end(self->easy);
  set_callbacks(self);
  set_prerequisite(self);
  set_body(self);
  return 0;
}

/* libcurl's list of headers has secrets. */
static void free_headers(struct curl_slist *headers) {
  for (struct curl_slist *each = headers; each != NULL; each = each->next) {
    memset(each->data, 0, strlen(each->data));
  }
  curl_slist_free_all(headers);
}

static void transfer_free(transfer *self) {
  if (self->easy != NULL && self->multi != NULL) {
    curl_multi_remove_handle(self->multi, self->easy);
  }
  curl_easy_cleanup(self->easy);
  curl_multi_cleanup(self->multi);
  free_headers(self->headers);
}

/* --- running -------------------------------------------------------------- */

/* Whether it has ended; then self->result is set. */
static int transfer_is_done(transfer *self) {
  int waiting;
  const CURLMsg *message;
  while ((message = curl_multi_info_read(self->multi, &waiting)) != NULL) {
    if (message->msg == CURLMSG_DONE) {
      self->result = message->data.result;
      return 1;
    }
  }
  return 0;
}

/* Runs one HTTP request to its end. Returns 0, or an MCP_ERR_*: it was ended
 * here. */
static int transfer_run(transfer *self) {
  int running = 1;
  self->place = AT_START;
  if (curl_multi_add_handle(self->multi, self->easy) != CURLM_OK) {
    return MCP_ERR_NOMEM;
  }
  int rc = 0;
  while (rc == 0) {
    if (curl_multi_perform(self->multi, &running) != CURLM_OK) {
      rc = MCP_ERR_NOMEM;
    } else if (transfer_is_done(self) || self->stop != 0) {
      break;
    } else if (self->job->is_stopped(self->job->owner)) {
      rc = MCP_ERR_CANCELLED;
    } else if (mcpi_fetch_now_ms() >= self->deadline_ms) {
      rc = MCP_ERR_TIMEOUT;
    } else {
      curl_multi_poll(self->multi, NULL, 0, LOOK_MS, NULL);
    }
  }
  curl_multi_remove_handle(self->multi, self->easy);
  return rc;
}

/* --- redirects ------------------------------------------------------------ */

static int is_redirect(long status) {
  return status == 301 || status == 302 || status == 303 || status == 307 ||
         status == 308;
}

/* Prepares the next request if the answer is a redirect that may be
 * followed. */
static int transfer_redirect(transfer *self) {
  const mcp_fetch_request *request = self->job->request;
  char *target = NULL;
  long status = 0;
  curl_easy_getinfo(self->easy, CURLINFO_RESPONSE_CODE, &status);
  if (self->result != CURLE_OK || self->redirects == REDIRECTS_MAX ||
      strcmp(request->method, "GET") != 0 || !is_redirect(status)) {
    return 0;
  }
  curl_easy_getinfo(self->easy, CURLINFO_REDIRECT_URL, &target);
  if (target == NULL || !mcpi_fetch_is_same_origin(request->url, target)) {
    return 0;
  }
  self->redirects++;
  return curl_easy_setopt(self->easy, CURLOPT_URL, target) == CURLE_OK;
}

/* --- the outcome ---------------------------------------------------------- */

static void set_outcome(mcpi_fetch_outcome *out, int error, const char *why) {
  out->error = error;
  out->status = 0;
  snprintf(out->why, sizeof(out->why), "%s", why);
}

/* Why a callback, or this file, has ended the request. */
static const char *words_of_stop(int code) {
  switch (code) {
  case MCP_ERR_REFUSED:
    return "its address is not public";
  case MCP_ERR_LIMIT:
    return "the answer is too long";
  case MCP_ERR_TIMEOUT:
    return "no answer in time";
  case MCP_ERR_CANCELLED:
    return "cancelled";
  default:
    return "out of memory";
  }
}

/* libcurl's words may name a proxy with its password. */
static const char *words_of_curl(const transfer *self) {
  const char *words = self->trouble;
  return words[0] != '\0' && strchr(words, '@') == NULL &&
                 strchr(words, '?') == NULL
             ? words
             : curl_easy_strerror(self->result);
}

/* When a line of the head has more than 100 KB, libcurl 8.6 and later say
 * CURLE_TOO_LARGE; earlier ones say that they have no memory. */
static int is_head_too_long(const transfer *self) {
  enum { TOO_LARGE = 100 };
  curl_off_t first_byte_us = 0;
  curl_easy_getinfo(self->easy, CURLINFO_STARTTRANSFER_TIME_T, &first_byte_us);
  return ((int)self->result == TOO_LARGE ||
          (self->result == CURLE_OUT_OF_MEMORY && first_byte_us > 0)) &&
         self->place < AFTER_HEAD;
}

static void judge(const transfer *self, int ended, mcpi_fetch_outcome *out) {
  long status = 0;
  if (self->stop != 0) {
    set_outcome(out, self->stop, words_of_stop(self->stop));
  } else if (ended != 0) {
    set_outcome(out, ended, words_of_stop(ended));
  } else if (is_head_too_long(self)) {
    set_outcome(out, MCP_ERR_LIMIT, words_of_stop(MCP_ERR_LIMIT));
  } else if (self->result == CURLE_OUT_OF_MEMORY) {
    set_outcome(out, MCP_ERR_NOMEM, "out of memory");
  } else if (self->result != CURLE_OK) {
    set_outcome(out,
                self->result == CURLE_OPERATION_TIMEDOUT ? MCP_ERR_TIMEOUT
                                                         : MCP_ERR_IO,
                words_of_curl(self));
  } else if (self->place < AFTER_HEAD) {
    set_outcome(out, MCP_ERR_IO, "the server broke off in its headers");
  } else {
    curl_easy_getinfo(self->easy, CURLINFO_RESPONSE_CODE, &status);
    set_outcome(out, 0, "");
    out->status = (int)status;
  }
}

/* An address in the URL is checked also if only a proxy connects to it. */
static int url_is_refused(const mcpi_fetch_job *job) {
  uint8_t address[16];
  return job->request->is_public_only &&
         mcpi_fetch_url_address(job->request->url, address) &&
         !job->admits(job->owner, address);
}

static void perform(const mcpi_fetch_job *job, mcpi_fetch_outcome *out) {
  transfer self = {.job = job,
                   .deadline_ms =
                       mcpi_fetch_now_ms() + job->request->timeout_ms};
  if (url_is_refused(job)) {
    self.stop = MCP_ERR_REFUSED;
  }
  int ended = transfer_prepare(&self);
  int has_more = ended == 0 && self.stop == 0;
  while (has_more) {
    ended = transfer_run(&self);
    has_more = ended == 0 && self.stop == 0 && transfer_redirect(&self);
  }
  judge(&self, ended, out);
  transfer_free(&self);
}

const mcpi_fetch_engine *mcpi_fetch_curl(void) {
  static const mcpi_fetch_engine engine = {
      .head = {sizeof(engine), MCP_VERSION_STRING},
      .is_url = mcpi_fetch_is_url,
      .perform = perform};
  return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? &engine : NULL;
}
