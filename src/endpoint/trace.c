/* SPDX-License-Identifier: MIT */
/* Shows the program its messages where they meet HTTP: as the body of a POST,
 * as the body of an answer, or as an event. So it sees messages that are
 * refused, and does not see messages that reach no client. */
#include "endpoint/trace.h"

#include "endpoint/endpoint.h"
#include "endpoint/session.h"
#include "endpoint/sse.h"

/* This many characters tell sessions apart, and do not let anyone use one. */
enum { SHOWN_ID_LEN = 8 };

/* A header may contain anything. */
static const char *shown_id(char shown[SHOWN_ID_LEN + 1], const char *id) {
  size_t len = 0;
  while (len < SHOWN_ID_LEN && id[len] > ' ' && id[len] < 0x7f) {
    shown[len] = id[len];
    len++;
  }
  shown[len] = '\0';
  return shown;
}

/* The headers are valid until the request has come. */
static const char *session_of(const mcp_http_exchange *exchange, int is_sent) {
  const mcpi_endpoint_stream *stream = exchange->stream;
  if (exchange->sse != NULL) {
    return exchange->sse->id;
  }
  if (!is_sent) {
    return exchange->path == MCPI_ENDPOINT_AT_MESSAGES
               ? mcpi_endpoint_sse_id(exchange->http, exchange->request->target)
               : exchange->head.session_id;
  }
  return stream != NULL && stream->session != NULL ? stream->session->id : NULL;
}

/* The program may free the endpoint, which ends the exchange. */
static int exchange_trace_show(mcp_http_exchange *exchange, int is_sent,
                               mcpi_str message) {
  mcp_http *http = exchange->http;
  const mcp_http_options *options = &http->options;
  char shown[SHOWN_ID_LEN + 1];
  const char *session = session_of(exchange, is_sent);
  const char *peer =
      exchange->peer_text.len > 0 ? exchange->peer_text.data : NULL;
  mcpi_str text = mcpi_redact(&http->redactor, message.ptr, message.len);
  if (text.ptr != NULL) {
    const mcp_traced_message traced = {
        .size = sizeof(mcp_traced_message),
        .is_sent = is_sent,
        .text = text.ptr,
        .len = text.len,
        .peer = peer,
        .session = session != NULL ? shown_id(shown, session) : NULL};
    options->on_trace(mcpi_server_handle(http->server), &traced,
                      options->userdata);
  }
  mcpi_redactor_trim(&http->redactor);
  return exchange->stage != MCPI_EXCHANGE_DONE;
}

int mcpi_endpoint_trace(mcp_http_exchange *exchange, int is_sent,
                        mcpi_str message) {
  if (exchange->http->options.on_trace == NULL || message.len == 0) {
    return 1;
  }
  exchange->refs++;
  int is_there = exchange_trace_show(exchange, is_sent, message);
  mcpi_endpoint_exchange_unref(exchange);
  return is_there;
}
