/* SPDX-License-Identifier: MIT */
#include "kit_check.h"
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

kit_scene scene;

static jmp_buf failed;
static int64_t waiting_since_ms;

enum {
  WAIT_LIMIT_MS = 60 * 1000,
  TURN_MS = 10 /* a child's progress does not wake the loop */
};

/* --- checks and waiting -------------------------------------------------- */

_Noreturn void kit_fail(const char *file, int line, const char *what) {
  printf("# %s:%d: %s\n", file, line, what);
  longjmp(failed, 1);
}

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void kit_begin_waiting(void) {
  waiting_since_ms = now_ms();
}

static void turn(void) {
  if (scene.kind->turn != NULL) {
    scene.kind->turn(scene.loop, TURN_MS);
  } else {
    CHECK(mcp_loop_wait(scene.loop, TURN_MS) == 0);
  }
}

void kit_wait(const char *file, int line, const char *what) {
  if (now_ms() - waiting_since_ms > WAIT_LIMIT_MS) {
    kit_fail(file, line, what);
  }
  turn();
}

/* --- ends ---------------------------------------------------------------- */

int kit_send(kit_end *end, const char *message, size_t len) {
  const mcp_send_info info = {.size = sizeof(info)};
  CHECK(end->transport != NULL);
  return end->transport->send(end->transport, message, len, &info);
}

static const char numbered[] = "{\"number\":";

/* {"number":17,"fill":"......"} */
static size_t put_number(char *out, size_t number, size_t len) {
  int head = snprintf(out, len, "%s%zu,\"fill\":\"", numbered, number);
  CHECK(head > 0 && (size_t)head + 2 <= len);
  for (size_t i = (size_t)head; i < len - 2; i++) {
    out[i] = (char)('a' + (number + i) % 26);
  }
  memcpy(out + len - 2, "\"}", 2);
  return len;
}

int kit_send_number(kit_end *end, size_t number, size_t len) {
  char *message = malloc(len);
  CHECK(message != NULL);
  put_number(message, number, len);
  int rc = kit_send(end, message, len);
  free(message);
  return rc;
}

static void check_number(kit_end *end, const char *message, size_t len) {
  if (len < 32 || strncmp(message, numbered, sizeof(numbered) - 1) != 0) {
    return;
  }
  char *expected = malloc(len);
  CHECK(expected != NULL);
  put_number(expected, end->expected++, len);
  int is_same = memcmp(expected, message, len) == 0;
  free(expected);
  CHECK(is_same);
}

static void on_message(mcp_transport *transport, const char *message,
                       size_t len) {
  kit_end *end = transport->owner;
  CHECK(end->is_open && end->close_count == 0);
  free(end->last);
  end->last = malloc(len + 1);
  CHECK(end->last != NULL);
  memcpy(end->last, message, len);
  end->last[len] = '\0';
  end->last_len = len;
  check_number(end, end->last, len);
  end->message_count++;
  if (end->echoes) {
    CHECK(kit_send(end, end->last, len) == 0);
  }
  if (end->message_count == end->closes_at) {
    transport->close(transport);
  }
}

static void on_error(mcp_transport *transport, const mcp_error *err) {
  kit_end *end = transport->owner;
  CHECK(end->close_count == 0);
  end->error_count++;
  end->error = *err;
}

static void on_end(mcp_transport *transport) {
  kit_end *end = transport->owner;
  CHECK(end->close_count == 0);
  end->end_count++;
  transport->close(transport);
}

static void on_close(mcp_transport *transport, const mcp_error *err) {
  kit_end *end = transport->owner;
  (void)err;
  CHECK(end->close_count == 0);
  end->close_count++;
  end->transport = NULL;
  if (transport->release != NULL) {
    transport->release(transport);
  }
}

static void on_restart(mcp_transport *transport) {
  (void)transport;
}

static void on_open(mcp_transport *transport) {
  kit_end *end = transport->owner;
  CHECK(!end->is_open && end->close_count == 0);
  end->is_open = 1;
}

static void start(kit_end *end, mcp_transport *transport) {
  mcp_error err = {0};
  end->transport = transport;
  transport->owner = end;
  transport->on_message = on_message;
  transport->on_error = on_error;
  transport->on_end = on_end;
  transport->on_close = on_close;
  transport->on_restart = on_restart;
  transport->on_open = on_open;
  CHECK(transport->start(transport, &err) == 0);
  CHECK(end->message_count == 0 && !end->is_open);
  end->is_open = (transport->flags & MCP_TRANSPORT_OPENS_LATER) == 0;
}

static const kit_limits no_limits;

static int is_linked(void) {
  return scene.kind->is_linked == NULL || scene.kind->is_linked();
}

void kit_open_pair(const kit_limits *limits) {
  mcp_transport *a = NULL;
  mcp_transport *b = NULL;
  CHECK(scene.kind->make_pair(scene.loop, limits != NULL ? limits : &no_limits,
                              &a, &b) == 0);
  start(&scene.a, a);
  start(&scene.b, b);
  WAIT_UNTIL(is_linked());
}

void kit_open_raw(const kit_limits *limits) {
  mcp_transport *a = NULL;
  CHECK(scene.kind->make_raw(scene.loop, limits != NULL ? limits : &no_limits,
                             &a, &scene.fd) == 0);
  start(&scene.a, a);
  WAIT_UNTIL(is_linked());
}

static void close_end(kit_end *end) {
  if (end->transport != NULL) {
    end->transport->close(end->transport);
  }
}

void kit_end_input(void) {
  if (scene.fd >= 0) {
    close(scene.fd);
    scene.fd = -1;
  }
}

void kit_close(void) {
  kit_end_input();
  close_end(&scene.a);
  close_end(&scene.b);
  WAIT_UNTIL(scene.a.transport == NULL && scene.b.transport == NULL);
}

/* --- clients and servers ------------------------------------------------- */

static int connect_count;

static void on_connected(mcp_client *client, const mcp_outcome *outcome,
                         void *userdata) {
  (void)client;
  (void)userdata;
  CHECK(outcome->status == 0);
  connect_count++;
}

/* The client's end of a transport with the server at its other end. */
static mcp_transport *serve(mcp_server *server) {
  mcp_transport *a = NULL;
  mcp_transport *b = NULL;
  if (scene.kind->serve != NULL) {
    CHECK(scene.kind->serve(scene.loop, server, &a) == 0);
  } else {
    CHECK(scene.kind->make_pair(scene.loop, &no_limits, &a, &b) == 0);
    CHECK(mcp_server_connect(server, scene.loop, b, NULL, NULL, NULL) == 0);
  }
  return a;
}

void kit_connect(mcp_server *server, const mcp_client_options *options) {
  connect_count = 0;
  scene.server = server;
  scene.client = mcp_client_new(scene.loop, "kit", "1", options, NULL);
  CHECK(scene.client != NULL);
  CHECK(mcp_client_connect(scene.client, serve(server), on_connected, NULL,
                           NULL) == 0);
  WAIT_UNTIL(connect_count == 1);
}

/* --- running ------------------------------------------------------------- */

static void free_scene(void) {
  mcp_client_free(scene.client);
  if (scene.kind->stop != NULL) {
    scene.kind->stop();
  }
  mcp_server_free(scene.server);
  if (scene.kind->free_loop != NULL) {
    scene.kind->free_loop(scene.loop);
  } else {
    mcp_loop_free(scene.loop);
  }
  free(scene.a.last);
  free(scene.b.last);
}

/* After a failure the state of the scene is not known: the kit does not free
 * it. */
static int run_scenario(const kit_transport *kind,
                        const kit_scenario *scenario) {
  scene = (kit_scene){.kind = kind, .fd = -1};
  scene.loop =
      kind->make_loop != NULL ? kind->make_loop() : mcp_loop_new(NULL, NULL);
  if (setjmp(failed) != 0 || scene.loop == NULL) {
    printf("not ok %s: %s\n", kind->name, scenario->name);
    return 1;
  }
  scenario->run();
  kit_close();
  free_scene();
  printf("ok %s: %s\n", kind->name, scenario->name);
  return 0;
}

static int is_wanted(const kit_transport *kind, const kit_scenario *scenario,
                     const char *only) {
  return (kind->flags & scenario->needs_none_of) == 0 &&
         (only == NULL || strstr(scenario->name, only) != NULL);
}

static int run_all(const kit_transport *kind, const kit_scenario *scenarios,
                   const char *only) {
  int failures = 0;
  for (; scenarios->name != NULL; scenarios++) {
    if (is_wanted(kind, scenarios, only)) {
      failures += run_scenario(kind, scenarios);
      fflush(stdout);
    }
  }
  return failures;
}

int kit_run(const kit_transport *kind, const char *only) {
  int failures = 0;
  if (kind->make_pair != NULL) {
    failures += run_all(kind, kit_message_scenes, only);
  }
  if (kind->make_raw != NULL) {
    failures += run_all(kind, kit_byte_scenes, only);
  }
  return failures + run_all(kind, kit_call_scenes, only);
}
