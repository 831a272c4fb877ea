/* SPDX-License-Identifier: MIT */
/* One connection of the HTTP/1.1 server, as its parts see it: http1.c (sockets,
 * beginning and end), clock.c (deadlines), waiting.c (bytes that wait), parse.c
 * (bytes to requests), check.c (what the parser leaves to us), write.c
 * (answers), tls.c, and http1/websocket/upgrade.c.
 *
 *     IDLE -> HEAD -> BODY -> ANSWERING -> IDLE      the next request
 *       \       \       \         \  `-> UPGRADED    a WebSocket
 *        `-------`-------`---------`-------`-> ENDING -> LINGERING -> CLOSED
 *
 * ENDING writes the waiting bytes. LINGERING has shut down our side and drops
 * further input, because closing a socket with unread bytes makes the client
 * lose the answer. Any stage becomes CLOSED at once when the client is gone.
 *
 * The application is called only from callbacks of libuv, never from inside a
 * call of the responder: mcpi_http1_kick puts off further work to the loop's
 * next turn. */
#ifndef MCPI_HTTP1_CONN_H
#define MCPI_HTTP1_CONN_H

#include "base/blockbuf.h"
#include "base/list.h"
#include "http1/grammar.h"
#include "http1/http1.h"
#include "platform/socket_types.h"
#include "platform/uv_loop.h"
#include <stdatomic.h>

enum {
  /* What a client may send early while an answer is pending; then reading
   * stops. */
  MCPI_HTTP1_AHEAD = 64 * 1024,
  /* The rest of a body that the application does not want: up to this many
   * bytes are read and dropped to keep the connection. */
  MCPI_HTTP1_SKIP = 64 * 1024,
  /* The limits of lingering: this long, and a number of bytes that is several
   * of the longest bodies. */
  MCPI_HTTP1_LINGER_MS = 2000,
  MCPI_HTTP1_LINGER_BYTES = 16 * 1024 * 1024,
  /* TLS records without data, such as key updates, that a client may send after
   * its handshake. Each read that brings data allows one more. A record costs
   * the server as much as a request, and a client has no use for many. */
  MCPI_HTTP1_TLS_RECORDS = 32
};

/* --- clocks -------------------------------------------------------------- */

/* Alarms of one kind all wait equally long, so a list in the order of their
 * start is also in the order of their ends. Starting and stopping one costs
 * four pointers, and no libuv timer. */
typedef struct mcpi_http1_alarm {
  mcpi_list link;
  uint64_t due_ms;
} mcpi_http1_alarm;

typedef enum mcpi_http1_clock {
  MCPI_HTTP1_KICK, /* at once, in the next turn */
  MCPI_HTTP1_IDLE_CLOCK,
  MCPI_HTTP1_HEAD_CLOCK,
  MCPI_HTTP1_BODY_CLOCK,
  MCPI_HTTP1_LINGER_CLOCK,
  MCPI_HTTP1_WRITE_CLOCK,
  MCPI_HTTP1_CLOCKS
} mcpi_http1_clock;

/* --- the connections of a loop ------------------------------------------- */

struct mcpi_http1 {
  mcpi_uv *uv;
  mcpi_http1_limits limits;
  mcpi_http1_app app;
  mcp_http_responder responder;
  mcpi_tls *tls;                 /* for new connections; NULL: they are plain */
  const mcpi_tls_engine *engine; /* NULL: never set */
  const mcpi_http1_grammar *grammar;
  llhttp_settings_t settings;
  mcpi_list conns;
  atomic_size_t conn_count; /* other threads may read it */
  /* Libuv's handles: the timer and one for each connection. */
  size_t open_handles;
  mcpi_quota *waiting; /* of all connections together: waiting.c */
  int is_draining;
  void (*on_drained)(void *userdata); /* NULL: no callback */
  void *on_drained_userdata;
  int is_freed; /* it waits for its handles to close */

  mcpi_list clocks[MCPI_HTTP1_CLOCKS];
  uint64_t timer_due_ms; /* UINT64_MAX: the timer does not run */
  uv_timer_t timer;

  mcpi_buf scratch;  /* for assembling an answer */
  int64_t corked_ms; /* the time when the first piece was held back */
  int64_t date_s;    /* the second that `date` shows */
  size_t date_len;
  char date[96]; /* larger than the field, for the compiler's estimate */
};

/* --- a connection -------------------------------------------------------- */

typedef enum mcpi_http1_stage {
  MCPI_HTTP1_IDLE,
  MCPI_HTTP1_HEAD,
  MCPI_HTTP1_BODY,      /* collected for the application, or skipped */
  MCPI_HTTP1_ANSWERING, /* the request is complete, its answer is not */
  MCPI_HTTP1_UPGRADED,  /* no request follows */
  MCPI_HTTP1_ENDING,
  MCPI_HTTP1_LINGERING,
  MCPI_HTTP1_CLOSED
} mcpi_http1_stage;

/* The place of the parser in the request line. */
typedef enum mcpi_http1_line {
  MCPI_HTTP1_BEFORE_LINE, /* empty lines may come first */
  MCPI_HTTP1_IN_LINE,
  MCPI_HTTP1_AFTER_LINE
} mcpi_http1_line;

typedef enum mcpi_http1_answer {
  MCPI_HTTP1_NO_EXCHANGE,
  MCPI_HTTP1_UNANSWERED,
  MCPI_HTTP1_STREAMING, /* begun, not ended */
  MCPI_HTTP1_ANSWERED
} mcpi_http1_answer;

/* The receiver of an upgraded connection's bytes. It may close the connection
 * from inside each function. */
typedef struct mcpi_http1_upgraded {
  /* Bytes have come, borrowed until return. */
  void (*input)(void *self, const char *bytes, size_t len);
  /* Nothing waits to be written any more. */
  void (*drained)(void *self);
  /* The connection is about to end: the receiver may notify the peer. */
  void (*leave)(void *self);
  /* It has ended. The last call. */
  void (*gone)(void *self);
} mcpi_http1_upgraded;

/* The application is the endpoint, or a relay. A request has an object on each
 * side, and each side holds a pointer to the other's:
 *
 *     http1                      the endpoint             the relay
 *     mcpi_http1_conn            mcp_http_exchange        passage
 *       handle               ->  the object itself        the object itself
 *       the object itself   <-   responder_exchange       connection
 *
 * In the functions of the responder, the parameter `exchange` is the
 * mcpi_http1_conn. In those of the application, `handle` is its own object. */
typedef struct mcpi_http1_conn {
  mcpi_http1 *http1;
  mcpi_list link; /* in http1->conns */
  uv_poll_t poll;
  int fd;
  int polled; /* events that libuv waits for */
  mcpi_http1_stage stage;
  mcpi_http1_answer answer;
  mcpi_http1_alarm phase_alarm; /* limits the time of the stage */
  mcpi_http1_alarm kick_alarm;
  mcpi_http1_alarm write_alarm;

  /* Input. `ahead` and `head` are secret, because they may have a token. */
  llhttp_t parser;
  mcpi_blockbuf ahead; /* read and not parsed yet */
  mcpi_blockbuf head;  /* target, names and values; then the request */
  mcpi_blockbuf body;
  const char *whole_body; /* not copied: points into the bytes just read */
  mcp_http_request *request;
  uint64_t content_len;
  size_t head_len;    /* bytes of the head so far */
  size_t body_len;    /* bytes of the body so far, without its framing */
  size_t ignored_len; /* bytes of a chunked body's extensions and trailer */
  size_t linger_len;  /* bytes dropped while lingering */
  uint32_t header_count;
  mcpi_http1_line line;
  uint32_t line_blanks; /* the number of blanks so far */

  /* The answer. */
  void *handle; /* the application's; NULL: it expects no more calls */
  const mcpi_http1_upgraded *upgraded;
  void *upgraded_self; /* NULL: not upgraded, or released */
  mcpi_blockbuf out;
  /* The bytes of `out` up to the end of TLS's own answers: nothing is read
   * until they have been sent. */
  size_t tls_waiting;
  mcpi_share share;   /* of the bytes that wait in ahead, body and out, ... */
  size_t kept_bytes;  /* ... and of those that the upgraded side keeps */
  int refused_status; /* set by a callback of the parser; 0: not refused */
  const char *refused_text;

  unsigned is_parsing : 1;    /* http1_parse_all is on the stack */
  unsigned has_target : 1;    /* the request's target is whole */
  unsigned is_head : 1;       /* HEAD: the answer has no body */
  unsigned is_http10 : 1;     /* HTTP/1.0: neither chunked nor kept open */
  unsigned keeps_alive : 1;   /* the client would send another request */
  unsigned expects_100 : 1;   /* it waits for 100 (Continue) */
  unsigned asks_upgrade : 1;  /* the request has the header Upgrade */
  unsigned wants_close : 1;   /* the answer said "close" */
  unsigned is_chunked : 1;    /* the answer is chunked */
  unsigned is_bodiless : 1;   /* the answer has no body */
  unsigned is_input_over : 1; /* the client has shut down its side */
  unsigned must_linger : 1;
  /* The pieces of a streamed answer are held back while input is read
   * (write.c). A whole answer is not. */
  unsigned is_corked : 1;
  unsigned is_broken : 1; /* writing failed: the next turn ends it */

  mcpi_tls_session *tls; /* NULL: a plain connection */
  uint32_t tls_records;  /* the count that MCPI_HTTP1_TLS_RECORDS limits */
  char *principal;       /* the name in the client's certificate, or NULL */

  size_t size; /* the size of this allocation */
  char peer[]; /* NUL-terminated */
} mcpi_http1_conn;

static inline mcpi_pool *mcpi_http1_pool(const mcpi_http1_conn *conn) {
  return &conn->http1->uv->loop->pool;
}

/* http1.c */

/* Polls for what the connection now waits for. */
void mcpi_http1_poll(mcpi_http1_conn *conn);
/* Writes what waits, then shuts the connection. */
void mcpi_http1_end(mcpi_http1_conn *conn);
/* All waiting bytes have been written. */
void mcpi_http1_drained(mcpi_http1_conn *conn);
/* The exchange is over: continues with the bytes that were sent early. */
void mcpi_http1_next(mcpi_http1_conn *conn);
/* Closes a connection without an exchange. */
void mcpi_http1_close_idle(mcpi_http1_conn *conn);
/* Closes the connection at once, without a call to the application. */
void mcpi_http1_close(mcpi_http1_conn *conn);
/* Closes the connection at once, and calls on_gone if the application expects
 * it. */
void mcpi_http1_lose(mcpi_http1_conn *conn);
/* Continues with the connection in the next turn, or at once inside a callback
 * of libuv. */
void mcpi_http1_kick(mcpi_http1_conn *conn);
void mcpi_http1_go_on(mcpi_http1_conn *conn);

/* clock.c */

void mcpi_http1_clocks_init(mcpi_http1 *http1);
/* Starts or restarts an alarm. Removing it from its list stops it. */
void mcpi_http1_start(mcpi_http1 *http1, mcpi_http1_alarm *alarm,
                      mcpi_http1_clock clock);

/* waiting.c: for ahead, body and out, instead of mcpi_blockbuf_put and
 * _take. */

/* Returns 0. If it adds nothing: MCP_ERR_LIMIT (too much waits) or
 * MCP_ERR_NOMEM. */
int mcpi_http1_keep(mcpi_http1_conn *conn, mcpi_blockbuf *buf,
                    const void *bytes, size_t len);
/* Drops the first `len` bytes of the buffer. */
void mcpi_http1_drop(mcpi_http1_conn *conn, mcpi_blockbuf *buf, size_t len);
/* The upgraded side now keeps this many bytes. Returns 0, or MCP_ERR_LIMIT:
 * then it must not. */
int mcpi_http1_note_kept(mcpi_http1_conn *conn, size_t len);

/* parse.c */

void mcpi_http1_parser_settings(llhttp_settings_t *settings);
/* Parses bytes, up to the end of a request. Returns how many it has parsed. */
size_t mcpi_http1_parse(mcpi_http1_conn *conn, const char *bytes, size_t len);
/* Drops the head of the request that is being answered. */
void mcpi_http1_release_head(mcpi_http1_conn *conn);
/* Answers with an error, and ends the connection. An answer that has begun ends
 * incomplete. */
void mcpi_http1_refuse(mcpi_http1_conn *conn, int status, const char *text);

/* check.c */

/* Whether the request may go to the application. Returns 0, or the status that
 * refuses it and why. Stores what the connection must know of it. */
int mcpi_http1_check(mcpi_http1_conn *conn, const char **text);

/* write.c */

void mcpi_http1_responder(mcp_http_responder *responder);
/* Writes the bytes, or keeps them. Changes the parts. */
void mcpi_http1_send(mcpi_http1_conn *conn, struct iovec *parts, int count);
/* Writes as many of the waiting bytes as possible. */
void mcpi_http1_flush(mcpi_http1_conn *conn);
/* Stops holding back bytes while input is read. */
void mcpi_http1_uncork(mcpi_http1_conn *conn);
/* Writes the records that TLS has made of an answer. */
void mcpi_http1_pump(mcpi_http1_conn *conn);
/* Writes TLS's own records. They count in max_queue, and while some of them
 * wait nothing is read. */
void mcpi_http1_pump_control(mcpi_http1_conn *conn);
void mcpi_http1_send_100(mcpi_http1_conn *conn);
void mcpi_http1_send_101(mcpi_http1_conn *conn, const mcp_http_header *headers,
                         size_t count);
void mcpi_http1_send_error(mcpi_http1_conn *conn, int status, const char *text);

/* tls.c: all but the first three are only for connections with TLS. */

/* Returns 0 or MCP_ERR_NOMEM. */
int mcpi_http1_tls_begin(mcpi_http1_conn *conn);
void mcpi_http1_tls_deinit(mcpi_http1_conn *conn);
/* Whether requests and answers can pass. */
int mcpi_http1_tls_is_ready(const mcpi_http1_conn *conn);
/* Whether a client's first bytes are a request without TLS. */
int mcpi_http1_tls_is_plain(const mcpi_http1_conn *conn, const char *bytes);
/* Takes bytes from the socket. Returns 0; otherwise the connection ends. */
int mcpi_http1_tls_input(mcpi_http1_conn *conn, const char *bytes, size_t len);
/* Decrypts data of the client: all that there is, or that fits. Returns 0,
 * MCP_ERR_CLOSED (the client has ended its side), MCP_ERR_LIMIT (too many
 * records without data) or MCP_ERR_IO. */
int mcpi_http1_tls_read(mcpi_http1_conn *conn, char *to, size_t size,
                        size_t *len);
/* The first encrypts bytes; the second returns the encrypted bytes for the
 * socket. */
int mcpi_http1_tls_encrypt(mcpi_http1_conn *conn, const struct iovec *parts,
                           int count);
size_t mcpi_http1_tls_output(mcpi_http1_conn *conn, char **bytes);
/* `len` of those bytes were taken. */
void mcpi_http1_tls_forget_output(mcpi_http1_conn *conn, size_t len);
/* Tells the client that the server will not send anything else. */
void mcpi_http1_tls_end(mcpi_http1_conn *conn);

#endif
