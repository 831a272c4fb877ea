/* SPDX-License-Identifier: MIT */
/* The POSTs of HTTP+SSE (MCP 2024-11-05, Transports: HTTP with SSE). Their
 * answers say only whether they have arrived.
 *
 * They are sent one after another, because several at once might arrive in
 * another order. But a server may hold the POST of a request until its result
 * is ready, and may need our answer to a question for that result. So a request
 * delays the next message only until its last byte is sent. Every other message
 * delays all later ones until it has arrived; for notifications/initialized
 * this is essential. */
#include "http_client/sse.h"

#include "base/error.h"
#include "core/outgoing.h"

enum {
  /* Requests whose POSTs the server may hold at once: each has a connection,
   * which with the stream's and one more makes the six that a browser would
   * open. Later requests wait; other messages pass them. */
  MAX_HELD = 4
};

static mcpi_sse_letter *letter_of(mcpi_list *link) {
  return MCPI_CONTAINER(link, mcpi_sse_letter, link);
}

static mcpi_sse_letter *letter_new(mcpi_sse *sse, const char *message,
                                   size_t len, uint64_t request) {
  mcpi_sse_letter *letter =
      mcpi_alloc(&sse->curl.loop->allocator, sizeof(*letter) + len);
  if (letter == NULL) {
    return NULL;
  }
  mcpi_transfer_init(&letter->transfer, letter);
  mcpi_authorization_init(&letter->authorization, &sse->curl.authorizer);
  letter->request = request;
  letter->cancels = 0;
  letter->may_repeat = 0;
  letter->len = len;
  memcpy(letter->bytes, message, len);
  mcpi_list_init(&letter->link);
  mcpi_list_append(&sse->waiting, &letter->link);
  sse->note_count += request == 0;
  sse->curl.queued += len;
  return letter;
}

static void drop(mcpi_sse *sse, mcpi_sse_letter *letter, int is_waiting) {
  mcpi_transfer_stop(&letter->transfer, sse->curl.multi);
  mcpi_authorization_deinit(&letter->authorization);
  mcpi_list_remove(&letter->link);
  sse->note_count -= is_waiting && letter->request == 0;
  sse->curl.queued -= letter->len;
  mcpi_free(&sse->curl.loop->allocator, letter, sizeof(*letter) + letter->len);
}

void mcpi_sse_post_drop_all(mcpi_sse *sse) {
  while (!mcpi_list_is_empty(&sse->waiting)) {
    drop(sse, letter_of(sse->waiting.next), 1);
  }
  while (!mcpi_list_is_empty(&sse->posted)) {
    drop(sse, letter_of(sse->posted.next), 0);
  }
}

/* --- whose turn it is ----------------------------------------------------- */

/* A letter that waits for authorization has not been sent, or not in vain. */
static int is_sent(const mcpi_sse_letter *letter) {
  curl_off_t sent = 0;
  if (letter->transfer.easy == NULL) {
    return 0;
  }
  curl_easy_getinfo(letter->transfer.easy, CURLINFO_SIZE_UPLOAD_T, &sent);
  return (uint64_t)sent >= letter->len;
}

static int holds_up(const mcpi_sse_letter *letter) {
  return letter->request == 0 || !is_sent(letter);
}

/* Returns how many requests the server holds; -1: another message must arrive
 * first. */
static int sse_post_count_held(const mcpi_sse *sse) {
  int count = 0;
  mcpi_list *link = sse->posted.next;
  for (; link != &sse->posted; link = link->next, count++) {
    if (holds_up(letter_of(link))) {
      return -1;
    }
  }
  return count;
}

/* NULL: no message may be sent now. */
static mcpi_sse_letter *sse_post_find_next(const mcpi_sse *sse) {
  int held = sse->endpoint != NULL ? sse_post_count_held(sse) : -1;
  if (held < 0 || (held >= MAX_HELD && sse->note_count == 0)) {
    return NULL;
  }
  mcpi_list *link = sse->waiting.next;
  for (; link != &sse->waiting; link = link->next) {
    if (held < MAX_HELD || letter_of(link)->request == 0) {
      return letter_of(link);
    }
  }
  return NULL;
}

/* No request waits for its answer any longer, and no message for the
 * endpoint. */
int mcpi_sse_has_post(const mcpi_sse *sse) {
  if (sse->endpoint == NULL) {
    return sse->note_count > 0;
  }
  return !mcpi_list_is_empty(&sse->waiting) || sse_post_count_held(sse) < 0;
}

/* --- the HTTP request ----------------------------------------------------- */

static size_t sse_post_on_body(char *bytes, size_t size, size_t count,
                               void *owner) {
  (void)bytes;
  (void)owner;
  return size * count;
}

static int add_version(const mcpi_sse *sse, mcpi_transfer *transfer) {
  return sse->version[0] != '\0'
             ? mcpi_slist_add_header(
                   &transfer->headers, &sse->curl.loop->allocator,
                   "MCP-Protocol-Version", sse->version, strlen(sse->version))
             : 0;
}

/* Returns 0, MCP_PENDING or MCP_ERR_NOMEM. */
static int sse_post_prepare(mcpi_sse *sse, mcpi_sse_letter *letter) {
  mcpi_transfer *transfer = &letter->transfer;
  const mcpi_curl *curl = &sse->curl;
  int rc = mcpi_transfer_prepare(transfer, curl->multi, curl->options,
                                 sse->endpoint, mcpi_transfer_json);
  if (rc == 0) {
    rc = add_version(sse, transfer);
  }
  if (rc == 0) {
    rc = mcpi_authorization_prepare(&letter->authorization, transfer, "POST",
                                    sse->endpoint);
  }
  return rc;
}

/* Sends the POST, or lets it wait for authorization. 0 or MCP_ERR_NOMEM. */
static int sse_post_send(mcpi_sse *sse, mcpi_sse_letter *letter) {
  mcpi_transfer *transfer = &letter->transfer;
  const mcpi_curl *curl = &sse->curl;
  int rc = sse_post_prepare(sse, letter);
  if (rc == MCP_PENDING) {
    mcpi_transfer_stop(transfer, curl->multi);
    return 0;
  }
  if (rc != 0) {
    return rc;
  }
  mcpi_authorization_listen(&letter->authorization, transfer);
  mcpi_transfer_on_body(transfer, sse_post_on_body, NULL);
  mcpi_transfer_set_body(transfer, letter->bytes, letter->len,
                         letter->may_repeat);
  mcpi_transfer_set_timeout(transfer, curl->options->given.notify_timeout_ms);
  return mcpi_transfer_start(transfer, curl->multi);
}

/* It is the letter's turn. 0 or MCP_ERR_NOMEM. */
static int sse_post_begin(mcpi_sse *sse, mcpi_sse_letter *letter) {
  int rc = sse_post_send(sse, letter);
  if (rc == 0) {
    mcpi_list_remove(&letter->link);
    mcpi_list_append(&sse->posted, &letter->link);
    sse->note_count -= letter->request == 0;
  }
  return rc;
}

/* --- what becomes of one -------------------------------------------------- */

/* A request completes with the error; the failure of another message is
 * reported. */
static void sse_post_fail(mcpi_sse *sse, uint64_t request,
                          const mcp_error *err) {
  mcp_transport *base = &sse->curl.base;
  if (request != 0) {
    base->on_request_failed(base, request, err);
  } else {
    base->on_error(base, err);
  }
}

static mcpi_sse_letter *find_request(const mcpi_list *list, uint64_t request) {
  mcpi_list *link = list->next;
  for (; link != list; link = link->next) {
    if (letter_of(link)->request == request) {
      return letter_of(link);
    }
  }
  return NULL;
}

/* The server may hold the POST of a cancelled request indefinitely: its place
 * becomes free. */
static void sse_post_release(mcpi_sse *sse, uint64_t request) {
  mcpi_sse_letter *letter =
      request != 0 ? find_request(&sse->posted, request) : NULL;
  if (letter != NULL) {
    drop(sse, letter, 0);
  }
}

static void sse_post_fail_letter(mcpi_sse *sse, mcpi_sse_letter *letter,
                                 const mcp_error *err) {
  uint64_t request = letter->request;
  sse_post_release(sse, letter->cancels);
  drop(sse, letter, 0);
  sse_post_fail(sse, request, err);
}

static void sse_post_again(mcpi_sse *sse, mcpi_sse_letter *letter) {
  mcp_error err;
  if (sse_post_send(sse, letter) != 0) {
    mcpi_no_memory(&err);
    sse_post_fail_letter(sse, letter, &err);
  }
}

void mcpi_sse_post_authorized(mcpi_sse *sse, mcpi_sse_letter *letter,
                              const mcp_error *err) {
  if (err == NULL) {
    sse_post_again(sse, letter);
  } else {
    sse_post_fail_letter(sse, letter, err);
  }
}

/* Returns 1 if the answer is about authorization: the POST has begun again,
 * waits, or has failed. Meanwhile it holds up later letters. */
static int sse_post_authorize(mcpi_sse *sse, mcpi_sse_letter *letter) {
  mcp_error err;
  if (sse->curl.is_closing) {
    return 0;
  }
  int rc = mcpi_authorization_refused(&letter->authorization,
                                      letter->transfer.status,
                                      MCP_REVISION_2024_11_05, &err);
  switch (rc) {
  case 0:
    sse_post_again(sse, letter);
    break;
  case MCP_PENDING:
    mcpi_transfer_stop(&letter->transfer, sse->curl.multi);
    break;
  case MCP_ERR_NOT_FOUND:
    return 0;
  default:
    sse_post_fail_letter(sse, letter, &err);
    break;
  }
  return 1;
}

void mcpi_sse_post_next(mcpi_sse *sse) {
  mcpi_sse_letter *letter;
  mcp_error err;
  mcpi_no_memory(&err);
  while (!sse->curl.is_ended && (letter = sse_post_find_next(sse)) != NULL) {
    uint64_t request = letter->request;
    if (sse_post_begin(sse, letter) != 0) {
      drop(sse, letter, 1);
      sse_post_fail(sse, request, &err);
    }
  }
}

/* Only the status counts, even if the body fails. A request whose POST the
 * server held until our limit may still be answered. */
static int has_arrived(const mcpi_sse_letter *letter) {
  const mcpi_transfer *transfer = &letter->transfer;
  return mcpi_status_is_fine(transfer->status) ||
         (transfer->status < 200 &&
          transfer->result == CURLE_OPERATION_TIMEDOUT && !holds_up(letter));
}

void mcpi_sse_post_judge(mcpi_sse *sse, mcpi_sse_letter *letter) {
  mcp_error err;
  if (sse_post_authorize(sse, letter)) {
    return;
  }
  mcpi_sse_error(sse, &letter->transfer, &err);
  if (has_arrived(letter)) {
    sse_post_release(sse, letter->cancels);
    drop(sse, letter, 0);
  } else {
    sse_post_fail_letter(sse, letter, &err);
  }
}

/* --- from the transport --------------------------------------------------- */

/* Drops a request that is cancelled before it was posted; the server need not
 * learn of it. Returns 1 if it was dropped. */
static int sse_post_take_back(mcpi_sse *sse, uint64_t request) {
  mcpi_sse_letter *letter =
      request != 0 ? find_request(&sse->waiting, request) : NULL;
  if (letter != NULL) {
    drop(sse, letter, 1);
  }
  return letter != NULL;
}

int mcpi_sse_post(mcpi_sse *sse, const char *message, size_t len,
                  const mcp_send_info *info) {
  mcpi_outgoing outgoing;
  int rc = mcpi_outgoing_init(&outgoing, &sse->curl.loop->allocator, message,
                              len, info);
  uint64_t request = outgoing.info.request;
  uint64_t cancels = outgoing.info.cancels;
  int may_repeat = mcpi_outgoing_may_repeat(&outgoing);
  mcpi_outgoing_deinit(&outgoing);
  if (rc == MCP_ERR_NOMEM) {
    return rc;
  }
  if (sse_post_take_back(sse, cancels)) {
    return 0;
  }
  mcpi_sse_letter *letter = letter_new(sse, message, len, request);
  if (letter == NULL) {
    return MCP_ERR_NOMEM;
  }
  letter->cancels = cancels;
  letter->may_repeat = may_repeat;
  if (sse_post_find_next(sse) == letter && sse_post_begin(sse, letter) != 0) {
    drop(sse, letter, 1);
    return MCP_ERR_NOMEM;
  }
  return 0;
}
