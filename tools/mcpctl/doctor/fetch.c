/* SPDX-License-Identifier: MIT */
/* With libcurl, which waits until the answer is there. */
#include "doctor/fetch.h"
#include "connection/certificates.h"
#include "platform/interrupt.h"

#include <curl/curl.h>
#include <mcp/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_HEAD = 64 * 1024, MAX_BODY = 1024 * 1024 };

typedef struct fetch {
  const ctl_doctor_request *request;
  ctl_doctor_answer *answer;
  int has_head; /* the head is complete */
  int is_done;  /* what was wanted has come */
} fetch;

/* Appends bytes and a NUL. Returns 0, or -1: out of memory, or too much. */
static int append(char **text, size_t *len, const char *bytes, size_t count,
                  size_t max) {
  char *grown = *len + count < max ? realloc(*text, *len + count + 1) : NULL;
  if (grown == NULL) {
    return -1;
  }
  memcpy(grown + *len, bytes, count);
  *text = grown;
  *len += count;
  grown[*len] = '\0';
  return 0;
}

/* Each line keeps a NUL. An interim answer (100) has a head, too. */
static size_t on_header(char *line, size_t size, size_t count, void *userdata) {
  fetch *self = userdata;
  ctl_doctor_answer *answer = self->answer;
  size_t len = size * count;
  size_t shown = len;
  while (shown > 0 && (line[shown - 1] == '\n' || line[shown - 1] == '\r')) {
    shown--;
  }
  if (len >= 5 && memcmp(line, "HTTP/", 5) == 0) {
    answer->head_len = 0;
    self->has_head = 0;
  }
  if (append(&answer->head, &answer->head_len, line, shown, MAX_HEAD) != 0) {
    return 0;
  }
  answer->head_len++; /* the NUL */
  self->has_head = shown == 0;
  return len;
}

/* Whether the stream has a whole event with a response, or the first event of
 * all. */
static int has_event(const fetch *self) {
  const char *body = self->answer->body;
  const char *from = body;
  if (!self->request->wants_event) {
    from = strstr(body, "\"result\"");
    from = from != NULL ? from : strstr(body, "\"error\"");
  }
  return from != NULL &&
         (strstr(from, "\n\n") != NULL || strstr(from, "\r\n\r\n") != NULL);
}

static int is_get(const fetch *self) {
  return strcmp(self->request->method, "GET") == 0;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *userdata) {
  fetch *self = userdata;
  ctl_doctor_answer *answer = self->answer;
  size_t len = size * count;
  if (append(&answer->body, &answer->body_len, bytes, len, MAX_BODY) != 0) {
    return 0;
  }
  self->is_done = ctl_doctor_is_stream(answer) && has_event(self);
  return self->is_done ? 0 : len;
}

/* A stream that a GET has opened may stay silent. */
static int on_progress(void *userdata, curl_off_t a, curl_off_t b, curl_off_t c,
                       curl_off_t d) {
  fetch *self = userdata;
  (void)a;
  (void)b;
  (void)c;
  (void)d;
  if (self->has_head && is_get(self) && !self->request->wants_event &&
      ctl_doctor_is_stream(self->answer)) {
    self->is_done = 1;
  }
  return self->is_done || ctl_interrupt_has_come();
}

/* Only Windows needs to be asked. */
static void trust_system(CURL *curl) {
#if LIBCURL_VERSION_NUM >= 0x074700
  curl_easy_setopt(curl, CURLOPT_SSL_OPTIONS, (long)CURLSSLOPT_NATIVE_CA);
#else
  (void)curl;
#endif
}

static void set_safety(CURL *curl, const ctl_options *options) {
  if (options->is_insecure) {
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 0L);
  }
  const char *certificates = ctl_certificates(options);
  if (certificates != NULL) {
    curl_easy_setopt(curl, CURLOPT_CAINFO, certificates);
  } else {
    trust_system(curl);
  }
  if (options->cert != NULL) {
    curl_easy_setopt(curl, CURLOPT_SSLCERT, options->cert);
    curl_easy_setopt(curl, CURLOPT_SSLKEY, options->cert);
  }
}

/* A server may name any URL, as that of its metadata. */
static void allow_http_only(CURL *curl) {
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS,
                   (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

static void set_request(CURL *curl, const ctl_doctor_request *request,
                        struct curl_slist *headers, uint32_t limit_ms) {
  curl_easy_setopt(curl, CURLOPT_URL, request->url);
  allow_http_only(curl);
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_NOPROXY, "localhost,127.0.0.1,::1");
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)limit_ms);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
  if (request->body != NULL) {
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->body);
  }
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);
}

static void set_callbacks(CURL *curl, fetch *self) {
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, self);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, self);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, self);
}

static struct curl_slist *header_list(const char **headers) {
  struct curl_slist *list = curl_slist_append(NULL, "Expect:");
  for (; *headers != NULL; headers++) {
    list = curl_slist_append(list, *headers);
  }
  return list;
}

void ctl_doctor_fetch(ctl_doctor_answer *answer, const ctl_options *options,
                      const ctl_doctor_request *request, uint32_t limit_ms) {
  fetch self = {.request = request, .answer = answer};
  struct curl_slist *headers = header_list(request->headers);
  CURL *curl = curl_easy_init();
  long status = 0;
  *answer = (ctl_doctor_answer){0};
  if (curl == NULL) {
    snprintf(answer->why, sizeof(answer->why), "out of memory");
    curl_slist_free_all(headers);
    return;
  }
  set_safety(curl, options);
  set_request(curl, request, headers, limit_ms);
  set_callbacks(curl, &self);
  CURLcode rc = curl_easy_perform(curl);
  if (rc == CURLE_OK || self.has_head) {
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    answer->status = (int)status;
  } else {
    snprintf(answer->why, sizeof(answer->why), "%s", curl_easy_strerror(rc));
  }
  curl_easy_cleanup(curl);
  curl_slist_free_all(headers);
}
