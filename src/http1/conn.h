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
 * ENDING writes what waits; LINGERING has shut our side and drops what still
 * comes, because closing a socket with unread bytes makes the far side lose the
 * answer. From any stage CLOSED follows at once when the client is gone.
 *
 * The application is called only from what libuv calls, never from inside a
 * call of the responder: what such a call makes possible or necessary is put
 * off to the loop's next turn by mcpi_http1_kick. */
#ifndef MCPI_HTTP1_CONN_H
#define MCPI_HTTP1_CONN_H

#include "base/blockbuf.h"
#include "base/list.h"
#include "http1/grammar.h"
#include "http1/http1.h"
#include "platform/uv_loop.h"
#include <stdatomic.h>
#include <sys/uio.h>

enum {
  /* What a client may send ahead while an answer is awaited; then reading
   * stops. */
  MCPI_HTTP1_AHEAD = 64 * 1024,
  /* The rest of a body that nobody wants: up to so much is read and dropped to
   * keep the connection. */
  MCPI_HTTP1_SKIP = 64 * 1024,
  /* Lingering: so long, and so many bytes, which is some bodies of the longest
   * kind. */
  MCPI_HTTP1_LINGER_MS = 2000,
  MCPI_HTTP1_LINGER_BYTES = 16 * 1024 * 1024,
  /* TLS records without data, such as key updates, that a client may send after
   * its handshake. Each read that brings data allows one more. A record costs
   * us as much as a request, and a client has no use for many. */
  MCPI_HTTP1_TLS_RECORDS = 32
};

/* --- clocks -------------------------------------------------------------- */

/* Alarms of one kind all wait equally long, so that a list in the order of
 * their start is in the order of their ends: starting and stopping one costs
 * four pointers, and no timer of libuv's. */
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
  mcpi_http_app app;
  mcp_http_responder responder;
  mcpi_tls *tls; /* of connections from now on; NULL: they are plain */
  const mcpi_tls_engine *engine; /* NULL: there never was one */
  const mcpi_http1_grammar *grammar;
  llhttp_settings_t settings;
  mcpi_list conns;
  atomic_size_t conn_count; /* other threads may read it */
  size_t open_handles;      /* libuv's: the timer and one for each connection */
  mcpi_quota *waiting;      /* of all connections: waiting.c */
  int is_draining;
  void (*on_drained)(void *userdata); /* NULL: nobody wants to know */
  void *on_drained_userdata;
  int is_freed; /* waits for its handles */

  mcpi_list clocks[MCPI_HTTP1_CLOCKS];
  uint64_t timer_due_ms; /* UINT64_MAX: it does not run */
  uv_timer_t timer;

  mcpi_buf scratch;  /* an answer while it is put together */
  int64_t corked_ms; /* when the first piece was held back */
  int64_t date_s;    /* the second that the field in `date` tells */
  size_t date_len;
  char date[96]; /* more than the field needs, as the compiler reckons */
};

/* --- a connection -------------------------------------------------------- */

typedef enum mcpi_http1_stage {
  MCPI_HTTP1_IDLE,
  MCPI_HTTP1_HEAD,
  MCPI_HTTP1_BODY,      /* collected for the application, or skipped */
  MCPI_HTTP1_ANSWERING, /* the request is whole, its answer is not */
  MCPI_HTTP1_UPGRADED,  /* there are no requests any more */
  MCPI_HTTP1_ENDING,
  MCPI_HTTP1_LINGERING,
  MCPI_HTTP1_CLOSED
} mcpi_http1_stage;

/* Where the parser is in the request line. */
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

/* What an upgraded connection gives its bytes to. It may close the connection
 * from inside each. */
typedef struct mcpi_http1_upgraded {
  /* Bytes have come, borrowed until return. */
  void (*input)(void *self, const char *bytes, size_t len);
  /* Nothing waits to be written any more. */
  void (*drained)(void *self);
  /* The connection is about to end: the far side may be told. */
  void (*leave)(void *self);
  /* It has ended. The last call. */
  void (*gone)(void *self);
} mcpi_http1_upgraded;

/* It is the `exchange` that the application knows, too. */
typedef struct mcpi_http1_conn {
  mcpi_http1 *http1;
  mcpi_list link; /* in http1->conns */
  uv_poll_t poll;
  int fd;
  int polled; /* events that libuv waits for */
  mcpi_http1_stage stage;
  mcpi_http1_answer answer;
  mcpi_http1_alarm phase_alarm; /* how long the stage may last */
  mcpi_http1_alarm kick_alarm;
  mcpi_http1_alarm write_alarm;

  /* What is read. */
  llhttp_t parser;
  mcpi_blockbuf ahead; /* read and not parsed yet */
  mcpi_blockbuf head;  /* target, names and values; then the request */
  mcpi_blockbuf body;
  const char *whole_body; /* not copied: in what has just been read */
  mcp_http_request *request;
  uint64_t content_len;
  size_t head_len;    /* bytes of the head that have come */
  size_t body_len;    /* of the body, without its framing */
  size_t ignored_len; /* of a chunked body's extensions and trailer */
  size_t linger_len;  /* bytes dropped at the end */
  uint32_t header_count;
  mcpi_http1_line line;
  uint32_t line_blanks; /* so far */

  /* The answer. */
  void *handle; /* the application's; NULL: it wants no more calls */
  const mcpi_http1_upgraded *upgraded;
  void *upgraded_self; /* NULL: it is not upgraded, or has let go */
  mcpi_blockbuf out;
  /* Bytes of out up to the end of TLS's own answers: nothing is read until they
   * have gone. */
  size_t tls_waiting;
  mcpi_share share;   /* of what waits in ahead, body and out, ... */
  size_t kept_bytes;  /* ... and by what it was upgraded to */
  int refused_status; /* by a callback of the parser; 0: not refused */
  const char *refused_text;

  unsigned is_parsing : 1;    /* process() is on the stack */
  unsigned has_target : 1;    /* the request's target is whole */
  unsigned is_head : 1;       /* HEAD: the answer has no body */
  unsigned is_http10 : 1;     /* neither chunked nor kept open */
  unsigned keeps_alive : 1;   /* the client would send another request */
  unsigned expects_100 : 1;   /* it waits for 100 (Continue) */
  unsigned wants_close : 1;   /* the answer said so */
  unsigned is_chunked : 1;    /* the answer */
  unsigned is_bodiless : 1;   /* the answer */
  unsigned is_input_over : 1; /* the client has shut its side */
  unsigned must_linger : 1;
  unsigned is_corked : 1; /* it is being read: see write.c */
  unsigned is_broken : 1; /* writing failed: the next turn ends it */

  mcpi_tls_session *tls; /* NULL: plain */
  uint32_t tls_records;  /* the count that MCPI_HTTP1_TLS_RECORDS limits */
  char *principal;       /* of the client's certificate, or NULL */

  size_t size; /* of this allocation */
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
/* What waited has been written. */
void mcpi_http1_drained(mcpi_http1_conn *conn);
/* The exchange is over: on with what has been sent ahead. */
void mcpi_http1_next(mcpi_http1_conn *conn);
/* Closes one that nobody waits for. */
void mcpi_http1_close_idle(mcpi_http1_conn *conn);
/* Closes it at once; the application learns nothing. */
void mcpi_http1_close(mcpi_http1_conn *conn);
/* Closes it at once, and says on_gone if somebody waits for it. */
void mcpi_http1_lose(mcpi_http1_conn *conn);
/* Goes on with it in the next turn; or now, by what libuv has called. */
void mcpi_http1_kick(mcpi_http1_conn *conn);
void mcpi_http1_go_on(mcpi_http1_conn *conn);

/* clock.c */

void mcpi_http1_clocks_init(mcpi_http1 *http1);
/* Starts an alarm, or starts it anew. It is stopped by taking it out of its
 * list. */
void mcpi_http1_start(mcpi_http1 *http1, mcpi_http1_alarm *alarm,
                      mcpi_http1_clock clock);

/* waiting.c: for ahead, body and out, in place of mcpi_blockbuf_put and
 * _take. */

/* 0; with nothing added MCP_ERR_LIMIT (too much waits) or MCP_ERR_NOMEM. */
int mcpi_http1_keep(mcpi_http1_conn *conn, mcpi_blockbuf *buf,
                    const void *bytes, size_t len);
void mcpi_http1_take(mcpi_http1_conn *conn, mcpi_blockbuf *buf, size_t len);
/* The upgraded side keeps so many bytes in place of those before. 0, or
 * MCP_ERR_LIMIT: then it may not. */
int mcpi_http1_note_kept(mcpi_http1_conn *conn, size_t len);

/* parse.c */

void mcpi_http1_parser_settings(llhttp_settings_t *settings);
/* Parses what has been read, up to the end of a request; how much of it. */
size_t mcpi_http1_parse(mcpi_http1_conn *conn, const char *bytes, size_t len);
/* Answers with an error of ours, and ends the connection. An answer that has
 * begun is broken off. */
void mcpi_http1_refuse(mcpi_http1_conn *conn, int status, const char *text);

/* check.c */

/* Whether the request may go to the application: 0, or the status to refuse it
 * with and why. Notes what the connection needs to know of it. */
int mcpi_http1_check(mcpi_http1_conn *conn, const char **text);

/* write.c */

void mcpi_http1_responder(mcp_http_responder *responder);
/* Writes the bytes, or keeps them. The parts are changed. */
void mcpi_http1_send(mcpi_http1_conn *conn, struct iovec *parts, int count);
/* Writes as much as goes of what waits. */
void mcpi_http1_flush(mcpi_http1_conn *conn);
/* Holds nothing back any more while it is being read. */
void mcpi_http1_uncork(mcpi_http1_conn *conn);
/* Writes the records that TLS has put together of an answer. */
void mcpi_http1_pump(mcpi_http1_conn *conn);
/* Writes TLS's own records. They count against max_queue, and while some of
 * them wait nothing is read. */
void mcpi_http1_pump_control(mcpi_http1_conn *conn);
void mcpi_http1_send_100(mcpi_http1_conn *conn);
void mcpi_http1_send_101(mcpi_http1_conn *conn, const mcp_http_header *headers,
                         size_t count);
void mcpi_http1_send_error(mcpi_http1_conn *conn, int status, const char *text);

/* tls.c: all but the first three are for connections with TLS alone. */

/* 0 or MCP_ERR_NOMEM. */
int mcpi_http1_tls_begin(mcpi_http1_conn *conn);
void mcpi_http1_tls_deinit(mcpi_http1_conn *conn);
/* Requests and answers can pass. */
int mcpi_http1_tls_is_ready(const mcpi_http1_conn *conn);
/* Whether a client's first bytes are a request without TLS. */
int mcpi_http1_tls_is_plain(const mcpi_http1_conn *conn, const char *bytes);
/* Takes what came from the socket. 0; else it is the end of the connection. */
int mcpi_http1_tls_input(mcpi_http1_conn *conn, const char *bytes, size_t len);
/* Decrypts data of the client: as much as there is, or fits. 0, MCP_ERR_CLOSED
 * (the client will send no more), MCP_ERR_LIMIT (too many records without data)
 * or MCP_ERR_IO. */
int mcpi_http1_tls_read(mcpi_http1_conn *conn, char *to, size_t size,
                        size_t *len);
/* Encrypts what is to be said, and what is in the way to the socket. */
int mcpi_http1_tls_encrypt(mcpi_http1_conn *conn, const struct iovec *parts,
                           int count);
size_t mcpi_http1_tls_output(mcpi_http1_conn *conn, char **bytes);
/* `len` bytes of it were taken. */
void mcpi_http1_tls_forget_output(mcpi_http1_conn *conn, size_t len);
/* Tells the client that no more is said. */
void mcpi_http1_tls_end(mcpi_http1_conn *conn);

#endif
