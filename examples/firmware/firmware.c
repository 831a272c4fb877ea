/* SPDX-License-Identifier: MIT */
/* A server on a microcontroller: one tool and one resource, on a serial line
 * that carries a message in each line. All memory is static: docs/DEVICES.md
 * says how much, and why. */
#include "board.h"
#include "pool.h"

#include <mcp/call.h>
#include <mcp/loop.h>
#include <mcp/server.h>
#include <mcp/transport.h>

#include <stdalign.h>
#include <stdlib.h>

enum { MAX_MESSAGE = 2048, POOL_LEN = 7424 };

static alignas(8) char pool_memory[POOL_LEN];
pool device_pool;

/* The library takes memory only from the pool. So the C library's heap, which
 * mcp_allocator_default would use, need not be linked. */
void *malloc(size_t size) {
  (void)size;
  return NULL;
}

void *realloc(void *ptr, size_t size) {
  (void)ptr;
  (void)size;
  return NULL;
}

void free(void *ptr) {
  (void)ptr;
}

static int led_is_on;

/* --- the transport: lines on the serial line ----------------------------- */

static int line_start(mcp_transport *transport, mcp_error *err) {
  (void)transport;
  (void)err;
  return 0;
}

static void write_byte(char byte) {
  while (!board_can_write()) {
  }
  board_write_byte((uint8_t)byte);
}

/* Waits until the line has taken the message, so the message is not copied. */
static int line_send(mcp_transport *transport, const char *message, size_t len,
                     const mcp_send_info *info) {
  (void)transport;
  (void)info;
  for (size_t i = 0; i < len; i++) {
    write_byte(message[i]);
  }
  write_byte('\n');
  return 0;
}

/* The serial line stays open: a client that comes later begins with
 * `initialize` or any request of the modern era. */
static void line_close(mcp_transport *transport) {
  transport->on_close(transport, NULL);
}

static mcp_transport serial_line;

static void line_init(void) {
  serial_line = (mcp_transport){.size = sizeof(mcp_transport),
                                .start = line_start,
                                .send = line_send,
                                .close = line_close};
}

/* The line that is being received. The library parses it where it is, so it is
 * lent to the library, and the next line waits until it is done. */
static struct {
  char bytes[MAX_MESSAGE + MCP_LENT_PADDING];
  size_t len; /* MAX_MESSAGE + 1: it is too long */
  int is_lent;
  mcp_lent_message message;
} input;

static void line_done(mcp_lent_message *message) {
  (void)message;
  input.is_lent = 0;
}

static void lend_line(size_t len) {
  input.is_lent = 1;
  input.message = (mcp_lent_message){input.bytes, len, line_done};
  serial_line.on_lent(&serial_line, &input.message);
}

static void end_line(void) {
  size_t len = input.len;
  input.len = 0;
  if (len > MAX_MESSAGE) {
    mcp_error err;
    mcp_error_set(&err, MCP_ERR_LIMIT, "a line of more than %d bytes",
                  MAX_MESSAGE);
    serial_line.on_error(&serial_line, &err);
  } else if (len > 0 && !(len == 1 && input.bytes[0] == '\r')) {
    lend_line(len);
  }
}

static void take_byte(char byte) {
  if (byte == '\n') {
    end_line();
  } else if (input.len < MAX_MESSAGE) {
    input.bytes[input.len++] = byte;
  } else {
    input.len = MAX_MESSAGE + 1;
  }
}

/* --- what the device offers ---------------------------------------------- */

static int on_set_led(mcp_call *call, void *userdata) {
  (void)userdata;
  led_is_on = mcp_call_bool(call, "on");
  return mcp_call_reply_text(call, led_is_on ? "on" : "off");
}

static int on_read_led(mcp_call *call, void *userdata) {
  (void)userdata;
  int rc =
      mcp_call_add_resource_text(call, NULL, NULL, led_is_on ? "on" : "off");
  return rc == 0 ? mcp_call_reply(call) : rc;
}

/* Constants, so they take no RAM. */
static const mcp_limits limits = {.size = sizeof(mcp_limits),
                                  .max_message = MAX_MESSAGE,
                                  .max_kept_bytes = 24 * 1024,
                                  .max_calls = 1,
                                  .max_subscriptions = 4,
                                  .max_batch = 4,
                                  .max_values = 80};

static const mcp_tool set_led = {
    .size = sizeof(mcp_tool),
    .name = "set_led",
    .description = "Switches the light",
    .input = MCP_OBJECT(MCP_BOOLEAN("on", "Lit or not")),
    .handler = on_set_led};

static const mcp_resource led = {.size = sizeof(mcp_resource),
                                 .uri = "device://led",
                                 .name = "led",
                                 .description = "Whether the light is on",
                                 .mime_type = "text/plain",
                                 .handler = on_read_led};

static mcp_server *make_server(const mcp_allocator *memory) {
  const mcp_server_options options = {.size = sizeof(mcp_server_options),
                                      .allocator = memory,
                                      .limits = &limits};
  mcp_server *server = mcp_server_new("device", "1.0.0", &options, NULL);
  mcp_server_add_tool(server, &set_led, NULL);
  mcp_server_add_resource(server, &led, NULL);
  return server;
}

/* --- the connection ------------------------------------------------------ */

static int is_connected;

/* The server closes a connection when many lines in a row cannot be read, or
 * when there is no memory for an answer. */
static void on_closed(mcp_connection *connection, const mcp_error *err,
                      void *userdata) {
  (void)connection;
  (void)err;
  (void)userdata;
  is_connected = 0;
}

static const mcp_connection_options connection_options = {
    .size = sizeof(mcp_connection_options), .on_closed = on_closed};

static void stay_connected(mcp_server *server, mcp_loop *loop) {
  if (!is_connected) {
    line_init();
    is_connected = mcp_server_connect(server, loop, &serial_line,
                                      &connection_options, NULL, NULL) == 0;
  }
}

int main(void) {
  board_init();
  pool_init(&device_pool, pool_memory, sizeof pool_memory);
  const mcp_allocator memory = pool_allocator(&device_pool);
  mcp_server *server = make_server(&memory);
  mcp_loop *loop = mcp_loop_new_manual(NULL, &memory, NULL);
  if (loop == NULL) {
    return 1;
  }
  if (mcp_server_error(server) != NULL) {
    return 1;
  }
  for (;;) {
    int byte = input.is_lent ? -1 : board_read_byte();
    mcp_loop_advance(loop, board_now_ms(), 0);
    stay_connected(server, loop);
    if (byte >= 0 && is_connected) {
      take_byte((char)byte);
    }
  }
}
