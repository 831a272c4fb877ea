/* SPDX-License-Identifier: MIT */
/* The HTTP server of web transcripts: it writes down what a client over HTTP
 * asks, and answers what the transcript says. There is one at a time. */
#ifndef TESTS_WIRE_WEB_SIDE_H
#define TESTS_WIRE_WEB_SIDE_H

#include <stddef.h>

/* How the server answers by itself while a handshake is not shown. */
typedef enum web_manner {
  WEB_SILENT,  /* it does not: the transcript answers */
  WEB_LEGACY,  /* Streamable HTTP of 2025-11-25, with the session s-1 */
  WEB_MODERN,  /* Streamable HTTP of 2026-07-28 */
  WEB_STREAMS, /* as WEB_LEGACY; the GET stream is the request 0 */
  WEB_SSE,     /* HTTP+SSE; the GET stream is the request 0 */
  WEB_PLAIN    /* plain POSTs of 2025-06-18 */
} web_manner;

/* Listens on a free port of the loopback interface. */
void web_side_start(void);
/* "127.0.0.1:PORT" */
const char *web_side_host(void);
/* From now on requests are answered in this manner. Those that the transcript
 * does not answer are not counted. with_headers: headers that each request has
 * are shown, too. */
void web_side_behave(web_manner manner, int with_headers);
/* Reads what clients have sent, and calls web_side_asked for each line of it.
 * 1: there was something. */
int web_side_work(void);
/* Answers a request with the rest of a line "< N ...". 0: there is no such
 * request, or it has been answered. */
int web_side_answer(size_t number, const char *line);
size_t web_side_connection_count(void);
/* Ends all connections; the number of those that clients had left open. */
size_t web_side_hang_up(void);
void web_side_stop(void);

/* The runner's: "N" and what the client has sent. */
void web_side_asked(size_t number, const char *line);

#endif
