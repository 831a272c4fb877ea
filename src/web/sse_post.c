/* SPDX-License-Identifier: MIT */
/* The POSTs of HTTP+SSE (PROTOCOL 3.3): one behind the other, as several at once
 * might arrive in another order. Their answers say only whether they have. */
#include "web/sse.h"

void mcpi_sse_letter_drop(mcpi_sse *sse, mcpi_sse_letter *letter) {
  mcpi_list_remove(&letter->link);
  sse->curl.queued -= letter->len;
  mcpi_free(&sse->curl.loop->allocator, letter, sizeof(*letter) + letter->len);
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
             ? mcpi_web_add_header(
                   &sse->post.headers, &sse->curl.loop->allocator,
                   "MCP-Protocol-Version", sse->version, strlen(sse->version))
             : 0;
}

static int start(mcpi_sse *sse, const mcpi_sse_letter *letter) {
  mcpi_transfer *post = &sse->post;
  const mcpi_curl *curl = &sse->curl;
  int rc = mcpi_transfer_prepare(post, curl->multi, curl->options,
                                 sse->endpoint, mcpi_transfer_json);
  rc = rc == 0 ? add_version(sse) : rc;
  if (rc == 0) {
    curl_easy_setopt(post->easy, CURLOPT_WRITEFUNCTION, on_body);
    mcpi_transfer_set_body(post, letter->bytes, letter->len);
    mcpi_transfer_set_timeout(post, curl->options->given.notify_timeout_ms);
    rc = mcpi_transfer_start(post, curl->multi);
  }
  return rc;
}

int mcpi_sse_post_begin(mcpi_sse *sse) {
  int rc = start(sse, first(sse));
  if (rc != 0) {
    mcpi_transfer_stop(&sse->post, sse->curl.multi);
  }
  return rc;
}

/* --- what becomes of one -------------------------------------------------- */

/* A request ends with an error of its own; of the rest it is reported. */
static void fail(mcpi_sse *sse, const mcp_error *err) {
  mcp_transport *base = &sse->curl.base;
  uint64_t request = first(sse)->request;
  mcpi_sse_letter_drop(sse, first(sse));
  if (request != 0) {
    base->on_request_failed(base, request, err);
  } else {
    base->on_error(base, err);
  }
}

void mcpi_sse_post_next(mcpi_sse *sse) {
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_NOMEM, "out of memory");
  while (!sse->curl.is_ended && sse->post.easy == NULL &&
         !mcpi_list_is_empty(&sse->letters) && mcpi_sse_post_begin(sse) != 0) {
    fail(sse, &err);
  }
}

void mcpi_sse_post_judge(mcpi_sse *sse) {
  mcpi_transfer *post = &sse->post;
  mcp_error err;
  int was_fine = post->result == CURLE_OK && mcpi_status_is_fine(post->status);
  mcpi_sse_error(sse, post, &err);
  mcpi_transfer_stop(post, sse->curl.multi);
  if (was_fine) {
    mcpi_sse_letter_drop(sse, first(sse));
  } else {
    fail(sse, &err);
  }
  mcpi_sse_post_next(sse);
}
