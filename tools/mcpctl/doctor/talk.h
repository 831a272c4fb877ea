/* SPDX-License-Identifier: MIT */
/* A connection of `doctor`, on which it asks and waits for the answer. What is
 * wrong with messages as such, it reports by itself. */
#ifndef CTL_DOCTOR_TALK_H
#define CTL_DOCTOR_TALK_H

#include "connection/tail.h"
#include "connection/wire.h"
#include "doctor/doctor.h"
#include "doctor/words.h"

/* The id of a request in an array. */
#define CTL_DOCTOR_BATCH_ID "batch"

typedef struct ctl_doctor_talk {
  ctl_doctor *doctor;
  const char *revision;
  const char *named; /* the revision that requests name; NULL: that one */
  int is_modern;
  int is_process; /* the server is a command */
  int is_lines;   /* a message is a line; over HTTP and WebSocket it is not */
  ctl_wire *wire; /* owned; NULL: not connected */
  int is_closed;
  mcp_error why; /* it is closed: as in ctl_wire_events */
  int64_t last_id;
  mcp_doc *answer;   /* to what was asked last, owned */
  size_t answer_len; /* of its text, in bytes */
  int is_made;       /* the wire has made the answer */
  char *asked;       /* the text of the id that is waited for, owned */
  mcp_doc *asked_id; /* owned */
  int has_answer;
  int has_handshake; /* the server has accepted the handshake */
  int has_told;      /* a notification was sent after the last answer */
  int allows_batch;  /* the server may answer by an array */
  int has_batch;     /* it has answered one */
  int reopened;      /* how often it was connected again */
  int expects_parse_error;
  int has_parse_error;
  int may_log;        /* the server has declared logging */
  char *early_log;    /* a log message that came before it was known whether the
                       * server declares logging, in words, owned; NULL: none */
  mcp_doc *handshake; /* the answer to initialize or server/discover, owned */
  int64_t first_ns;   /* from the start to the first answer */
  ctl_tail tail;      /* the end of the server's standard error */
} ctl_doctor_talk;

/* Opens the connection and shakes hands, without a report of how that went.
 * The caller calls ctl_doctor_talk_close in each case. Returns the answer, or
 * NULL: there was none, and talk->why says why. */
const mcp_json *ctl_doctor_talk_open(ctl_doctor_talk *talk);
/* After an answer that the client accepts. */
void ctl_doctor_talk_accept(ctl_doctor_talk *talk);
/* Ends the connection, checks how a command ends, and frees all. */
void ctl_doctor_talk_close(ctl_doctor_talk *talk);

/* Sends a request and waits for the answer, the whole message. `params` is the
 * JSON text of an object, NULL: none. Borrowed until the next request. NULL:
 * there was none, which is reported; the connection is a new one, or none. */
const mcp_json *ctl_doctor_ask(ctl_doctor_talk *talk, const char *method,
                               const char *params);
/* The same for a request whose id has this JSON text. */
const mcp_json *ctl_doctor_ask_by(ctl_doctor_talk *talk, const char *id,
                                  const char *method, const char *params);
/* Sends a message as it is, and does not wait. */
void ctl_doctor_tell(ctl_doctor_talk *talk, const char *text);
/* Sends a notification without a meaning. */
void ctl_doctor_notify(ctl_doctor_talk *talk, const char *method);
/* Waits for the answer to a message that ctl_doctor_tell has sent. */
const mcp_json *ctl_doctor_await(ctl_doctor_talk *talk, const char *id,
                                 uint32_t limit_ms);
/* Connects again, after the server has ended or is stuck. */
void ctl_doctor_reopen(ctl_doctor_talk *talk);
/* Whether requests can be sent. */
int ctl_doctor_is_open(const ctl_doctor_talk *talk);

#endif
