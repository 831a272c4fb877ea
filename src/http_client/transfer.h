/* SPDX-License-Identifier: MIT */
/* One HTTP request with libcurl: the part that all our requests share. */
#ifndef MCPI_HTTP_CLIENT_TRANSFER_H
#define MCPI_HTTP_CLIENT_TRANSFER_H

#include "base/list.h"
#include "http_client/answer.h"
#include "http_client/multi.h"
#include "http_client/options.h"

/* What libcurl calls for a line of the head and for bytes of the body: returns
 * how many it has taken; 0 ends the transfer. */
typedef size_t mcpi_transfer_cb(char *bytes, size_t size, size_t count,
                                void *owner);

typedef struct mcpi_transfer {
  void *owner; /* the structure it is part of */
  /* In the transport's list, until the transport looks at it. */
  mcpi_list ready;
  CURL *easy; /* NULL: no request is running */
  struct curl_slist *headers;
  int has_secret; /* the headers are overwritten before they are freed */
  char trouble[CURL_ERROR_SIZE];
  long status;
  /* MCP_ERR_LIMIT or MCP_ERR_NOMEM if this library has ended it; else 0. */
  int error;
  int is_done;
  uint32_t attempts; /* how often libcurl began to send it, if it must not be
                        sent twice */
  CURLcode result;   /* valid when it has ended */
  mcpi_answer answer;
  mcpi_transfer_cb *on_head; /* NULL: none */
  void *head_owner;
  mcpi_transfer_cb *on_body;
  void *body_owner;
} mcpi_transfer;

/* A POST of JSON. */
extern const struct curl_slist mcpi_transfer_json[];

void mcpi_transfer_init(mcpi_transfer *transfer, void *owner);
/* Makes a request for that URL, with the program's headers and then these
 * (NULL: none). Headers may be added until it is started. Stops the request
 * before. Returns 0 or MCP_ERR_NOMEM. */
int mcpi_transfer_prepare(mcpi_transfer *transfer, mcpi_multi *multi,
                          const mcpi_curl_options *options, const char *url,
                          const struct curl_slist *headers);
/* Adds a header whose value is secret; ptr NULL: adds none. Returns 0 or
 * MCP_ERR_NOMEM. */
int mcpi_transfer_add_secret(mcpi_transfer *transfer,
                             const mcp_allocator *allocator, const char *name,
                             mcpi_str value);
/* Makes it a POST; the bytes are borrowed until it is stopped. Unless it may
 * be repeated, libcurl is forbidden to send it again: it would do so if a
 * connection that it has kept breaks before the first byte of the answer, when
 * the server may already have carried out the request. */
void mcpi_transfer_set_body(mcpi_transfer *transfer, const char *bytes,
                            size_t len, int may_repeat);
/* Limits the time of the whole request; 0: no limit. */
void mcpi_transfer_set_timeout(mcpi_transfer *transfer, uint32_t timeout_ms);
/* Passes the head of the answer on, line by line. */
void mcpi_transfer_on_head(mcpi_transfer *transfer, mcpi_transfer_cb *on_head,
                           void *owner);
/* Passes the body of the answer on. */
void mcpi_transfer_on_body(mcpi_transfer *transfer, mcpi_transfer_cb *on_body,
                           void *owner);
/* libcurl has ended it. */
void mcpi_transfer_end(mcpi_transfer *transfer, CURLcode result);
/* Sends it. Returns 0 or MCP_ERR_NOMEM. */
int mcpi_transfer_start(mcpi_transfer *transfer, mcpi_multi *multi);
/* Ends it, started or not. The status and result stay. */
void mcpi_transfer_stop(mcpi_transfer *transfer, mcpi_multi *multi);

/* Returns the transfer of a libcurl handle. */
mcpi_transfer *mcpi_transfer_of(CURL *easy);
/* Says why a transfer had no answer, or only a part of one: MCP_ERR_LIMIT,
 * _NOMEM, _TIMEOUT or _IO. The message is libcurl's, unless that may name a
 * proxy with its password. */
int mcpi_transfer_failure(const mcpi_transfer *transfer, const char **why);
/* Whether that may pass with time: a server may start again, but a wrong
 * certificate, file or URL stays wrong. */
int mcpi_transfer_may_pass(const mcpi_transfer *transfer);

/* libcurl copies the string. NULL keeps the default. Returns 0 or
 * MCP_ERR_NOMEM. */
int mcpi_easy_set_string(CURL *easy, CURLoption option, const char *value);
/* Appends copies. Returns 0 or MCP_ERR_NOMEM. */
int mcpi_slist_append_all(struct curl_slist **to,
                          const struct curl_slist *from);
/* Prepares a buffer for bytes that are not read yet: the longest message, the
 * field names of its event, and the bytes that libcurl brings after it before
 * the turn reads. */
void mcpi_transfer_init_input(mcpi_buf *in, const mcp_allocator *allocator,
                              size_t max_message);
/* Returns a line of an answer's head, as libcurl passes it, without its end. */
mcpi_str mcpi_transfer_line(const char *bytes, size_t len);
/* Whether a status means success. */
int mcpi_status_is_fine(long status);
/* Returns the MCP_ERR_* for a status that refuses: whose fault it is, and what
 * it shows about the server's era. */
int mcpi_status_error(long status);
/* Appends what a refusal's body says to the error, in quotes: the beginning of
 * its first line; of JSON the message or error_description. Leaves out a web
 * page, which says nothing in its beginning, and what may be secret. */
void mcpi_refusal_quote(const mcpi_transfer *transfer,
                        const mcpi_curl_options *options, mcpi_str body,
                        mcp_error *err);

#endif
