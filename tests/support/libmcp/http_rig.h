/* SPDX-License-Identifier: MIT */
/* An HTTP/1.1 server on one end of socket pairs, and on the other end a client
 * that speaks bytes. The server's application follows the test's settings, and
 * writes down the arguments of its calls. */
#ifndef MCP_TESTS_HTTP_RIG_H
#define MCP_TESTS_HTTP_RIG_H

#include "http1/http1.h"
#include "support/cm.h"
#include "support/failing_alloc.h"

/* What the application does with a request. */
typedef enum http_mode {
  HTTP_ECHO,   /* answers 200 with the body, in on_body */
  HTTP_DEFER,  /* answers when the test does so */
  HTTP_REFUSE, /* answers 403 in on_head */
  HTTP_MUTE    /* answers nothing in on_head, and returns NULL */
} http_mode;

enum { HTTP_HANDLES = 64 };

typedef struct http_rig {
  failing_alloc alloc;
  mcp_loop *loop;
  mcpi_http1 *http1; /* NULL once freed */
  mcpi_http1_limits limits;
  http_mode mode;
  /* Called in the callbacks, if set: after the application's own part in
   * on_head, before it in the others. */
  void (*in_head)(struct http_rig *rig);
  void (*in_body)(struct http_rig *rig);
  void (*in_gone)(struct http_rig *rig);

  const mcp_http_responder *responder; /* of the last request */
  void *exchange;
  size_t head_count;
  size_t body_count;
  size_t gone_count;
  size_t refused_count; /* connections */
  char refused[300];    /* why, of the last */
  size_t ended_count;   /* connections that the server closed with a report */
  char ended[300];      /* why, of the last */
  char *log; /* "METHOD TARGET|name=value|...|{body}\n" for each request */
  size_t log_len;
  size_t log_cap;

  char principal[64]; /* of the last request */

  int is_deaf; /* http_step leaves what comes to the test */
  int client;  /* the last connection's other end; -1: none */
  char *got;   /* what it has read, NUL-terminated */
  size_t got_len;
  int is_over;  /* it has read the end */
  int is_reset; /* ... which was a reset */
} http_rig;

/* Uses default limits, except that no test reaches any of the times. */
void http_rig_begin(http_rig *rig);
/* A new connection; the first one makes the server, with the limits that are in
 * the rig by then. */
void http_rig_connect(http_rig *rig);
/* The same from an address, such as "192.0.2.1:4711". */
void http_rig_connect_from(http_rig *rig, const char *peer);
/* The two halves of it, for those who connect themselves: 0 or MCP_ERR_NOMEM;
 * and the client's end of a connection (taken). */
int http_rig_make_server(http_rig *rig);
void http_rig_use(http_rig *rig, int fd);
/* The same over TCP, through the loopback interface. */
void http_rig_connect_tcp(http_rig *rig);
/* Frees the server and asserts that nothing is left. */
void http_rig_end(http_rig *rig);
void http_rig_free_server(http_rig *rig);

/* Quietly gives up when the server has closed. */
void http_send(http_rig *rig, const char *text);
void http_send_n(http_rig *rig, const char *bytes, size_t len);
/* Turns the loop without waiting, some times. */
void http_turn(http_rig *rig);
/* Waits until the condition holds; fails after 30 seconds. */
#define HTTP_WAIT(rig, condition)                                              \
  for (uint64_t started_ = uv_hrtime(); !(condition);) {                       \
    assert_true(uv_hrtime() - started_ < UINT64_C(30000000000));               \
    http_step(rig);                                                            \
  }
/* One turn of the loop, at most a few milliseconds; the client reads. */
void http_step(http_rig *rig);
/* Waits until the client has read a text, past what was expected before, and
 * drops all up to its end. */
void http_expect(http_rig *rig, const char *text);
/* Waits for the end of the connection; what has been read since is `text`. */
void http_expect_end(http_rig *rig, const char *text);
/* Waits for an answer of this status and for the end of the connection. */
void http_expect_refusal(http_rig *rig, int status);
void http_close_client(http_rig *rig);
/* Closes it so that the server sees a reset; TCP only. */
void http_reset_client(http_rig *rig);

/* Answers the last request. */
void http_answer(http_rig *rig, int status, const char *body);

#endif
