/* SPDX-License-Identifier: MIT */
/* Shows the program what servers answer over HTTP (mcp_http_answer), without
 * secrets. */
#ifndef MCPI_HTTP_CLIENT_ANSWER_H
#define MCPI_HTTP_CLIENT_ANSWER_H

#include "base/buf.h"
#include "http_client/options.h"

/* The answer to one HTTP request while it comes. It is part of what carries the
 * request, which calls _deinit. All on the loop's thread. */
typedef struct mcpi_answer {
  const mcpi_curl_options *options; /* NULL: the program wants no answers */
  mcpi_buf head;                    /* the lines of the last head */
  mcpi_buf body;                    /* the beginning of a refusal's */
  long status;                      /* 0: its head is not complete */
} mcpi_answer;

void mcpi_answer_init(mcpi_answer *answer, const mcpi_curl_options *options);
void mcpi_answer_deinit(mcpi_answer *answer);

/* Takes a line of the head, without its end; an empty line, too, which ends the
 * head. `sent`: the headers of the request, some of which are secret. Shows an
 * answer that is not a refusal at the end of its head. */
void mcpi_answer_take_line(mcpi_answer *answer, mcpi_str line,
                           const struct curl_slist *sent);
void mcpi_answer_take_body(mcpi_answer *answer, const char *bytes, size_t len);
/* The answer is complete, or broke off: shows a refusal. */
void mcpi_answer_end(mcpi_answer *answer, const struct curl_slist *sent);

/* Hides in a server's text what the request had that may be secret: its headers
 * `sent`, and the password of the URL. */
void mcpi_answer_hide_sent(mcpi_buf *text, const mcpi_curl_options *options,
                           const struct curl_slist *sent);

#endif
