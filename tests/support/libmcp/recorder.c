/* SPDX-License-Identifier: MIT */
#include "support/libmcp/recorder.h"

#include "support/failing_alloc.h"
#include <stdlib.h>
#include <string.h>

/* --- the owner ----------------------------------------------------------- */

static void keep_message(recorder *r, const char *message, size_t len) {
  r->messages = realloc(r->messages, (r->message_count + 1) * sizeof(char *));
  assert_non_null(r->messages);
  /* A message has no NUL behind it, which strndup would look for. */
  char *copy = calloc(1, len + 1);
  assert_non_null(copy);
  memcpy(copy, message, len);
  r->messages[r->message_count] = copy;
}

static void on_message(mcp_transport *transport, const char *message,
                       size_t len) {
  recorder *r = transport->owner;
  if (r->keeps) {
    keep_message(r, message, len);
  }
  r->message_count++;
  r->message_bytes += len;
  if (r->echoes) {
    assert_int_equal(transport->send(transport, message, len, NULL), 0);
  }
  if (r->on_message != NULL) {
    r->on_message(r);
  }
}

static void on_error(mcp_transport *transport, const mcp_error *err) {
  recorder *r = transport->owner;
  r->error_count++;
  r->error = *err;
}

static void on_end(mcp_transport *transport) {
  recorder *r = transport->owner;
  r->end_count++;
  if (!r->ignores_end) {
    transport->close(transport);
  }
}

static void on_close(mcp_transport *transport, const mcp_error *err) {
  recorder *r = transport->owner;
  r->close_count++;
  memset(&r->close_error, 0, sizeof(r->close_error));
  if (err != NULL) {
    r->close_error = *err;
  }
  r->transport = NULL;
  transport->release(transport);
}

static void on_restart(mcp_transport *transport) {
  recorder *r = transport->owner;
  r->restart_count++;
}

static void on_open(mcp_transport *transport) {
  recorder *r = transport->owner;
  r->open_count++;
}

void recorder_own(recorder *r, mcp_transport *transport) {
  assert_non_null(transport);
  r->transport = transport;
  transport->owner = r;
  transport->on_message = on_message;
  transport->on_error = on_error;
  transport->on_end = on_end;
  transport->on_close = on_close;
  transport->on_restart = on_restart;
  transport->on_open = on_open;
}

void recorder_start(recorder *r, mcp_transport *transport) {
  mcp_error err = {0};
  recorder_own(r, transport);
  int rc = transport->start(transport, &err);
  if (rc != 0) {
    fail_msg("start: %s", err.message);
  }
}

void recorder_send(recorder *r, const char *message) {
  mcp_transport *transport = r->transport;
  assert_non_null(transport);
  assert_int_equal(transport->send(transport, message, strlen(message), NULL),
                   0);
}

const char *recorder_message(const recorder *r, size_t index) {
  assert_true(r->keeps && index < r->message_count);
  return r->messages[index];
}

void recorder_deinit(recorder *r) {
  for (size_t i = 0; r->keeps && i < r->message_count; i++) {
    free(r->messages[i]);
  }
  free(r->messages);
  memset(r, 0, sizeof(*r));
}

/* --- loops --------------------------------------------------------------- */

static failing_alloc alloc;
static size_t descriptors_before;

/* libuv keeps some descriptors for the whole process once it has a loop. */
static void warm_up(void) {
  static int is_warm;
  if (!is_warm) {
    is_warm = 1;
    mcp_loop_free(mcp_loop_new(NULL, NULL));
  }
}

mcp_loop *loop_begin(void) {
  warm_up();
  descriptors_before = count_descriptors();
  failing_alloc_init(&alloc);
  mcp_loop_options options = {.size = sizeof(mcp_loop_options),
                              .allocator = &alloc.allocator};
  mcp_loop *loop = mcp_loop_new(&options, NULL);
  assert_non_null(loop);
  return loop;
}

void loop_end(mcp_loop *loop) {
  mcp_loop_free(loop);
  assert_int_equal(alloc.live_blocks, 0);
  assert_int_equal(count_descriptors(), descriptors_before);
}
