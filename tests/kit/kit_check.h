/* SPDX-License-Identifier: MIT */
/* The parts of scenarios: checks, ends of a transport that record their
 * callbacks, and waiting. */
#ifndef MCP_TESTS_KIT_CHECK_H
#define MCP_TESTS_KIT_CHECK_H

#include "kit.h"

/* Ends the scenario when the condition does not hold. */
#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      kit_fail(__FILE__, __LINE__, #condition);                                \
    }                                                                          \
  } while (0)

_Noreturn void kit_fail(const char *file, int line, const char *what);

/* Turns the loop until the condition holds, for at most 60 seconds. */
#define WAIT_UNTIL(condition)                                                  \
  do {                                                                         \
    kit_begin_waiting();                                                       \
    while (!(condition)) {                                                     \
      kit_wait(__FILE__, __LINE__, #condition);                                \
    }                                                                          \
  } while (0)

void kit_begin_waiting(void);
void kit_wait(const char *file, int line, const char *what);

/* One end, and the events that it has seen. */
typedef struct kit_end {
  mcp_transport *transport; /* NULL: freed */
  /* Instructions: */
  int echoes;       /* sends every message back */
  size_t closes_at; /* closes inside message N, counted from 1; 0: never */
  /* Events: */
  int is_open;
  size_t message_count;
  char *last; /* the last message, NUL-terminated */
  size_t last_len;
  size_t expected; /* kit_number: the number that comes next */
  size_t error_count;
  mcp_error error;
  size_t end_count;
  size_t close_count;
} kit_end;

/* Memory of the scenario; freed when it has ended, also by a failure. */
typedef struct kit_scene {
  const kit_transport *kind;
  mcp_loop *loop;
  kit_end a;
  kit_end b;
  mcp_server *server;
  mcp_client *client;
  int fd; /* -1: none */
} kit_scene;

extern kit_scene scene;

/* Makes a pair, both ends started. `limits` may be NULL. */
void kit_open_pair(const kit_limits *limits);
/* Makes scene.a, and scene.fd, which speaks with it. */
void kit_open_raw(const kit_limits *limits);
/* Closes scene.fd, if it is open. */
void kit_end_input(void);
/* Closes the open ends and waits for on_close. */
void kit_close(void);

int kit_send(kit_end *end, const char *message, size_t len);
/* Message `number`: a JSON object of exactly `len` bytes, at least 32. Each end
 * checks that numbered messages arrive complete and in order. */
int kit_send_number(kit_end *end, size_t number, size_t len);

/* A server with tools, and a client that is connected to it. */
void kit_connect(mcp_server *server, const mcp_client_options *options);

/* scenes_messages.c, scenes_bytes.c, scenes_calls.c */
typedef struct kit_scenario {
  const char *name;
  void (*run)(void);
  uint32_t needs_none_of; /* KIT_* flags */
} kit_scenario;

extern const kit_scenario kit_message_scenes[];
extern const kit_scenario kit_byte_scenes[];
extern const kit_scenario kit_call_scenes[];

#endif
