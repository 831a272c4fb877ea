/* SPDX-License-Identifier: MIT */
/* The POSTs of HTTP+SSE (PROTOCOL 3.3): one behind the other, as several at once
 * might arrive in another order. Their answers say only whether they have. */
#include "web/sse.h"

#include "web/easy.h"

void mcpi_sse_letter_drop(mcpi_sse *sse, mcpi_sse_letter *letter) {
  mcpi_list_remove(&letter->link);
  sse->queued -= letter->len;
  mcpi_free(&sse->loop->allocator, letter, sizeof(*letter) + letter->len);
}

static mcpi_sse_letter *first(const mcpi_sse *sse) {
  return MCPI_CONTAINER(sse->letters.next, mcpi_sse_letter, link);
}

/* --- the HTTP request ----------------------------------------------------- */

static size_t on_body(char *bytes, size_t size, size_t count, void *owner) {
  (void)bytes;
  (void)owner;
  return size * count;
}

static int add_version(mcpi_sse *sse) {
  return sse->version[0] != '\0'
             ? mcpi_web_add_header(&sse->post.headers, &sse->loop->allocator,
                                   "MCP-Protocol-Version", sse->version,
                                   strlen(sse->version))
             : 0;
}

static int start(mcpi_sse *sse, const mcpi_sse_letter *letter) {
  static const struct curl_slist expect = {(char *)(uintptr_t) "Expect:", NULL};
  static const struct curl_slist type = {
      (char *)(uintptr_t) "Content-Type: application/json",
      (struct curl_slist *)(uintptr_t)&expect};
  int rc = mcpi_sse_trip_begin(sse, &sse->post, sse->endpoint, &type);
  rc = rc == 0 ? add_version(sse) : rc;
  if (rc != 0) {
    return rc;
  }
  CURL *easy = sse->post.easy;
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(easy, CURLOPT_POST, 1L);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, (const char *)letter->bytes);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)letter->len);
  mcpi_easy_set_timeout(easy, sse->options->given.notify_timeout_ms);
  return mcpi_sse_trip_start(sse, &sse->post);
}

int mcpi_sse_post_begin(mcpi_sse *sse) {
  int rc = start(sse, first(sse));
  if (rc != 0) {
    mcpi_sse_trip_stop(sse, &sse->post);
  }
  return rc;
}

/* --- what becomes of one -------------------------------------------------- */

/* A request ends with an error of its own; of the rest it is reported. */
static void fail(mcpi_sse *sse, const mcp_error *err) {
  mcp_transport *base = &sse->base;
  uint64_t request = first(sse)->request;
  mcpi_sse_letter_drop(sse, first(sse));
  if (request != 0) {
    base->on_request_failed(base, request, err);
  } else {
    base->on_error(base, err);
  }
}

void mcpi_sse_post_next(mcpi_sse *sse) {
  mcpi_guard guard;
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_NOMEM, "out of memory");
  mcpi_guard_enter(&sse->guard, &guard);
  while (!guard.is_gone && !sse->is_ended && sse->post.easy == NULL &&
         !mcpi_list_is_empty(&sse->letters) && mcpi_sse_post_begin(sse) != 0) {
    fail(sse, &err);
  }
  mcpi_guard_leave(&sse->guard, &guard);
}

static int is_fine(const mcpi_sse_trip *trip) {
  long status = 0;
  curl_easy_getinfo(trip->easy, CURLINFO_RESPONSE_CODE, &status);
  return trip->result == CURLE_OK && status >= 200 && status < 300;
}

static void go_on(mcpi_sse *sse) {
  if (sse->is_closing && mcpi_list_is_empty(&sse->letters)) {
    mcpi_sse_end(sse, NULL);
  } else {
    mcpi_sse_post_next(sse);
  }
}

void mcpi_sse_post_judge(mcpi_sse *sse) {
  mcpi_guard guard;
  mcp_error err;
  int was_fine = is_fine(&sse->post);
  mcpi_sse_trip_error(sse, &sse->post, &err);
  mcpi_sse_trip_stop(sse, &sse->post);
  mcpi_guard_enter(&sse->guard, &guard);
  if (was_fine) {
    mcpi_sse_letter_drop(sse, first(sse));
  } else {
    fail(sse, &err);
  }
  if (mcpi_guard_leave(&sse->guard, &guard) && !sse->is_ended) {
    go_on(sse);
  }
}
