/* SPDX-License-Identifier: MIT */
/* The Streamable HTTP client, as its parts see it:
 *
 *   streamable.c  the transport: sending, closing
 *   session.c     the session: messages that wait, its stream, the next session
 *   job.c         one message on its way: its HTTP requests, its stream
 *   judge.c       what becomes of a job, by what the server has answered
 *   fallback.c    a server that speaks HTTP+SSE: another transport (sse.h)
 *                 takes over
 *
 * and, for this and the other transports (sse.h, wires/plain_post):
 *
 *   options.c         what the program says of its connections
 *   multi.c           libcurl on the loop
 *   transfer.c        one HTTP request
 *   answer.c          shows the program what came back
 *   authorization.c   the headers with which it is authorized, and the wait
 *   curl_transport.c  the life of a transport
 *   redirect.c        which redirects are followed, and what is said of others
 *   cloexec.c         keeps libcurl's descriptors from child processes
 *   connect_url.c     connecting a client by a URL */
#ifndef MCPI_HTTP_CLIENT_STREAMABLE_H
#define MCPI_HTTP_CLIENT_STREAMABLE_H

#include "codec/sse.h"
#include "http_client/curl_transport.h"

typedef struct mcpi_streamable mcpi_streamable;

/* --- a job ---------------------------------------------------------------- */

typedef enum mcpi_job_kind {
  MCPI_JOB_REQUEST, /* a POST that expects an answer */
  /* A POST that expects no answer: a notification or response. */
  MCPI_JOB_ONE_WAY,
  MCPI_JOB_STREAM, /* a GET: the session's stream */
  MCPI_JOB_DELETE  /* the end of the session */
} mcpi_job_kind;

/* The role of its message in the session. */
typedef enum mcpi_job_role {
  MCPI_JOB_ORDINARY,
  MCPI_JOB_INITIALIZE,
  MCPI_JOB_INITIALIZED /* notifications/initialized */
} mcpi_job_role;

/* A job is done by one HTTP request, or by several: when the server redirects
 * it, when its stream breaks and is taken up again, and when the server demands
 * authorization.
 *
 *              .------ redirect, 401, 403 -----.
 *              v                               |
 *     NEW -> SENT -> HEADED -> ANSWERED -------+--> OVER
 *              |  ^               |     \
 *              v  |               v      `-> REFUSED -> OVER
 *             PAUSED <------------'
 *
 * Each edge to SENT leads through WAITING if the job's token is not there yet.
 *
 * OVER is reached from each state, when the job is dropped. A REFUSED job waits
 * until its session is renewed, and then fails. The initialize of a server that
 * may speak HTTP+SSE stays NEW or ANSWERED while fallback.c tries. */
typedef enum mcpi_job_state {
  MCPI_JOB_NEW,      /* not sent yet; perhaps it is held */
  MCPI_JOB_SENT,     /* the head of the answer has not come */
  MCPI_JOB_HEADED,   /* the head has come, and is to be judged */
  MCPI_JOB_ANSWERED, /* the head has been judged; the body comes */
  MCPI_JOB_PAUSED,   /* sent again at retry_at_ms */
  MCPI_JOB_WAITING,  /* for authorization; then it is sent */
  MCPI_JOB_REFUSED,  /* the server does not know the session */
  MCPI_JOB_OVER      /* only the memory remains */
} mcpi_job_state;

typedef enum mcpi_job_content {
  MCPI_JOB_OTHER, /* no role */
  MCPI_JOB_JSON,
  MCPI_JOB_EVENTS
} mcpi_job_content;

/* The transport holds a job in one of its two lists. The judge, who calls out,
 * holds it too (is_judged): a job that is dropped meanwhile is OVER, and the
 * judge frees it. All on the loop's thread. */
typedef struct mcpi_http_client_job {
  mcpi_list link; /* in http->jobs or http->held */
  mcpi_transfer transfer;
  mcpi_authorization authorization;
  mcpi_streamable *http; /* NULL: it is OVER */
  const mcp_allocator *allocator;
  mcpi_job_kind kind;
  mcpi_job_role role;
  mcpi_job_state state;
  int is_judged;
  uint64_t request;        /* MCPI_JOB_REQUEST: its number */
  uint64_t cancels;        /* mcp_send_info.cancels */
  uint32_t session_number; /* the number of the session in which it was sent */
  int is_final;            /* mcp_send_info.is_final */
  int may_repeat;          /* libcurl may send it twice */
  int is_modern;
  char *body; /* owned */
  size_t body_len;
  /* Headers that repeat members of the message, MCP-Protocol-Version first. */
  struct curl_slist *mirror;

  /* The current HTTP request. */
  char *location; /* the redirect's target; NULL: the URL */
  int hops;
  int is_resume; /* a GET that resumes the stream of a request */

  /* The answer. */
  mcpi_job_content content;
  char *session; /* owned: the header Mcp-Session-Id */
  mcpi_buf in;   /* the part of the body that has not been read */
  mcpi_sse_reader sse;
  uint32_t retries;    /* in a row, without an event */
  uint32_t pauses;     /* in a row, without a message */
  int64_t begun_ms;    /* when the HTTP request began, by the loop's clock */
  int64_t retry_at_ms; /* INT64_MAX unless it is PAUSED */
} mcpi_http_client_job;

static inline int
mcpi_http_client_job_has_head(const mcpi_http_client_job *job) {
  return job->state == MCPI_JOB_HEADED || job->state == MCPI_JOB_ANSWERED;
}

/* --- the transport -------------------------------------------------------- */

/* What becomes of messages that are to be sent.
 *
 *       notifications/initialized is sent
 *     .------------------------------------> HOLDING
 *     |                                       |   |
 *     SENDING <-------------------------------'   |
 *     | | ^     its stream is open, or refused,   |
 *     | | |     or late                           |
 *     | | |                                       v
 *     | | `------------------------------- RENEWING
 *     | |   a new session begins            ^
 *     | |                                   |
 *     | `-----------------------------------'
 *     |     the server does not know the session
 *     |
 *     `-> DELETED   its last job when it closes: a DELETE
 *
 * A transport that closes goes to SENDING from each state. With HTTP+SSE the
 * other transport sends, and this one stays SENDING. */
typedef enum mcpi_streamable_state {
  MCPI_STREAMABLE_SENDING,  /* messages are sent at once */
  MCPI_STREAMABLE_HOLDING,  /* messages wait for the session's stream */
  MCPI_STREAMABLE_RENEWING, /* messages wait for another session */
  MCPI_STREAMABLE_DELETED   /* no message is sent any longer */
} mcpi_streamable_state;

/* Whether HTTP+SSE is tried (fallback.c).
 *
 *     UNTRIED <----------> TRYING ----> FOUND
 *       what the loop        |
 *       knew is stale        `--------> REFUSED   for good */
typedef enum mcpi_fallback_state {
  MCPI_FALLBACK_UNTRIED,
  MCPI_FALLBACK_TRYING, /* the other transport has our initialize */
  MCPI_FALLBACK_FOUND,  /* it has had an answer, or is closing */
  MCPI_FALLBACK_REFUSED /* the server does not speak that either */
} mcpi_fallback_state;

typedef struct mcpi_fallback {
  mcpi_fallback_state state;
  mcp_transport *transport; /* owned: it sends and receives instead of this
                               one; NULL unless TRYING or FOUND */
  mcpi_http_client_job
      *initialize; /* the job with `initialize`; NULL unless TRYING */
} mcpi_fallback;

/* Lifetime: curl_transport.h; it owns its jobs and the other transport. All on
 * the loop's thread. */
struct mcpi_streamable {
  mcpi_curl curl;
  mcpi_list jobs;                   /* jobs that have begun */
  mcpi_list held;                   /* messages that wait, unless SENDING */
  mcpi_http_client_job *stream_job; /* NULL: the session has no stream */
  mcpi_streamable_state state;
  int64_t until_ms; /* HOLDING and RENEWING: when that ends at the latest, by
                       the loop's clock; otherwise INT64_MAX */
  mcpi_fallback fallback;
  char *session; /* owned; NULL: there is no session */
  uint32_t session_number;
  /* Sessions in a row that answered nothing, and brought no stream. */
  uint32_t barren;
  /* A new session must not begin earlier unless it is needed. */
  int64_t may_renew_ms;
  int has_streamed; /* a GET was answered with events: it has that route */
  /* The session has no stream because its authorization failed: it is opened
   * when another request succeeds. */
  int lacks_stream;
  char version[16];
};

/* --- job.c --- */

/* Makes a job with a copy of the message. Returns 0; MCP_ERR_NOMEM;
 * MCP_ERR_INVALID: not a message, or one that no header can repeat. */
int mcpi_http_client_job_of_message(mcpi_http_client_job **out,
                                    mcpi_streamable *http, const char *message,
                                    size_t len, const mcp_send_info *info);
/* Makes a job without a message. NULL when out of memory. */
mcpi_http_client_job *mcpi_http_client_job_new(mcpi_streamable *http,
                                               mcpi_job_kind kind);
/* Sends the HTTP request, or lets it wait for authorization. 0 or
 * MCP_ERR_NOMEM. */
int mcpi_http_client_job_begin(mcpi_http_client_job *job);
/* Ends its HTTP request. It is sent again when it is authorized. */
void mcpi_http_client_job_await(mcpi_http_client_job *job);
/* Ends its HTTP request. */
void mcpi_http_client_job_stop(mcpi_http_client_job *job);
/* Ends the job. */
void mcpi_http_client_job_drop(mcpi_http_client_job *job);

/* --- session.c --- */

/* Begins a job, now or, when there is no memory for it, later. */
void mcpi_streamable_begin(mcpi_http_client_job *job);
/* The request is cancelled by a message that was not sent yet. Returns 1 if the
 * request waits for authorization: it has been dropped, and the server need not
 * learn of it. */
int mcpi_streamable_take_back(mcpi_streamable *http, uint64_t request);
/* The client does not wait for the answer to that request any longer. */
void mcpi_streamable_drop_request(mcpi_streamable *http, uint64_t request);
void mcpi_streamable_drop_jobs(mcpi_streamable *http);
/* Sends the jobs that were held, from each state. */
void mcpi_streamable_send_held(mcpi_streamable *http);
/* The job with notifications/initialized has begun: later messages wait until
 * the session's stream is open, refused or late. */
void mcpi_streamable_hold(mcpi_http_client_job *job);
/* Opens the session's stream, and then sends the jobs that were held. */
void mcpi_streamable_open_stream(mcpi_streamable *http);
/* Sends the jobs that were held, if they wait for the session's stream. */
void mcpi_streamable_let_go(mcpi_streamable *http);
/* The server answered the job with 404: it does not know the session any
 * longer. A new session begins when the other requests of this one have been
 * answered, or soon. Returns 0 if the job must be judged as one without a
 * session, because too many sessions in a row brought nothing. */
int mcpi_streamable_end_session(mcpi_http_client_job *job);
/* Begins another session. Drops all jobs, and may end the transport. */
void mcpi_streamable_renew(mcpi_streamable *http);
/* Begins another session if one is to begin and nothing is waited for. */
void mcpi_streamable_end_turn(mcpi_streamable *http);

/* --- fallback.c --- */

/* The server refused the job, perhaps with a JSON-RPC error (or NULL). Returns
 * 1 if another transport tries; if that fails too, the job is judged again. */
int mcpi_streamable_fall_back(mcpi_http_client_job *job, const mcp_json *error);
/* Begins a job. Returns 1 if another transport takes it, as last time. */
int mcpi_streamable_begin_older(mcpi_http_client_job *job);

/* --- judge.c --- */

/* Reads what has come. The job may be gone afterwards. */
void mcpi_http_client_job_judge(mcpi_http_client_job *job);
/* Sends a job that is WAITING; or, with err, fails it, whatever its state is.
 * The job may be gone afterwards. */
void mcpi_http_client_job_authorized(mcpi_http_client_job *job,
                                     const mcp_error *err);

#endif
