/* SPDX-License-Identifier: MIT */
/* A server that needs only libmcp-core and yyjson, inside its own poll loop:
 * for a device without libuv, or a program that has its own loop. Here the
 * messages are lines on standard input and output; on a device they may be
 * frames of a serial line. Try it:
 *
 *     build/bin/mcpctl call set_led on:=true -- build/bin/embedded-loop
 *
 * The program moves the bytes (the transport below) and passes the time to the
 * library (mcp_loop_advance); the library does the rest. */
#define _GNU_SOURCE
#include <mcp/call.h>
#include <mcp/loop.h>
#include <mcp/server.h>
#include <mcp/transport.h>

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
  MAX_LINE = 64 * 1024,
  MAX_QUEUE = 1024 * 1024,
  /* A pipe takes this many bytes at once when poll reports it as writable. The
   * descriptors stay in blocking mode: other programs may share them. */
  MAX_WRITE = 512
};

typedef struct device {
  mcp_transport transport;
  int is_open;    /* between start and on_close */
  int is_closing; /* closes when all is written */
  mcp_read_buffer *input;
  char *queue; /* bytes to be written */
  size_t queue_len;
  int led_is_on;
} device;

/* --- the transport ------------------------------------------------------- */

static void end(device *self) {
  if (self->is_open) {
    self->is_open = 0;
    self->transport.on_close(&self->transport, NULL);
  }
}

static int start(mcp_transport *transport, mcp_error *err) {
  device *self = transport->userdata;
  (void)err;
  self->is_open = 1;
  return 0;
}

/* Copies the message: the loop writes it when there is room. */
static int send_line(mcp_transport *transport, const char *message, size_t len,
                     const mcp_send_info *info) {
  device *self = transport->userdata;
  (void)info;
  if (!self->is_open || self->is_closing) {
    return MCP_ERR_CLOSED;
  }
  if (len >= MAX_QUEUE - self->queue_len) {
    return MCP_ERR_LIMIT;
  }
  char *queue = realloc(self->queue, self->queue_len + len + 1);
  if (queue == NULL) {
    return MCP_ERR_NOMEM;
  }
  memcpy(queue + self->queue_len, message, len);
  queue[self->queue_len + len] = '\n';
  self->queue = queue;
  self->queue_len += len + 1;
  return 0;
}

static void close_line(mcp_transport *transport) {
  device *self = transport->userdata;
  self->is_closing = 1;
  if (self->queue_len == 0) {
    end(self);
  }
}

static void init_transport(device *self) {
  self->transport = (mcp_transport){.size = sizeof(mcp_transport),
                                    .userdata = self,
                                    .start = start,
                                    .send = send_line,
                                    .close = close_line};
}

/* --- bytes in ------------------------------------------------------------ */

/* A message may close the transport while there are bytes left. */
static void take_bytes(device *self, const char *bytes, size_t len) {
  const char *line;
  size_t line_len;
  mcp_error err;
  int rc;
  mcp_read_buffer_feed(self->input, bytes, len);
  while (self->is_open && (rc = mcp_read_buffer_next(self->input, &line,
                                                     &line_len, &err)) != 0) {
    if (rc > 0) {
      self->transport.on_message(&self->transport, line, line_len);
    } else {
      self->transport.on_error(&self->transport, &err);
    }
  }
}

/* The client sends nothing after this: the server answers the requests that it
 * has, then closes the transport. */
static void end_of_input(device *self) {
  if (self->transport.on_end != NULL) {
    self->transport.on_end(&self->transport);
  } else {
    close_line(&self->transport);
  }
}

/* Returns 0 at the end of the input. */
static int read_bytes(device *self) {
  char bytes[4096];
  ssize_t len = read(STDIN_FILENO, bytes, sizeof bytes);
  if (len < 0 && errno == EINTR) {
    return 1;
  }
  if (len > 0) {
    take_bytes(self, bytes, (size_t)len);
  } else {
    take_bytes(self, "\n", 1); /* ends a last line without a newline */
  }
  return len > 0;
}

/* --- bytes out ----------------------------------------------------------- */

static void write_bytes(device *self) {
  size_t len = self->queue_len < MAX_WRITE ? self->queue_len : MAX_WRITE;
  ssize_t written = write(STDOUT_FILENO, self->queue, len);
  if (written < 0) {
    if (errno != EINTR) {
      end(self);
    }
    return;
  }
  self->queue_len -= (size_t)written;
  memmove(self->queue, self->queue + written, self->queue_len);
  if (self->is_closing && self->queue_len == 0) {
    end(self);
  }
}

/* --- the loop ------------------------------------------------------------ */

static int64_t read_clock(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t tell_time(mcp_loop *loop) {
  int64_t now_ms = read_clock(CLOCK_MONOTONIC);
  mcp_loop_advance(loop, now_ms, read_clock(CLOCK_REALTIME));
  return now_ms;
}

static int timeout_until(int64_t deadline_ms, int64_t now_ms) {
  if (deadline_ms == INT64_MAX) {
    return -1;
  }
  int64_t left_ms = deadline_ms - now_ms;
  return left_ms < 0 ? 0 : left_ms > 60000 ? 60000 : (int)left_ms;
}

/* The loop passes the time before the messages as well as after the wait:
 * timers that a message starts count from it. */
static void run(device *self, mcp_loop *loop) {
  int has_input = 1;
  while (self->is_open) {
    int64_t now_ms = tell_time(loop);
    struct pollfd files[] = {
        {.fd = has_input ? STDIN_FILENO : -1, .events = POLLIN},
        {.fd = self->queue_len > 0 ? STDOUT_FILENO : -1, .events = POLLOUT},
    };
    poll(files, 2, timeout_until(mcp_loop_next_deadline(loop), now_ms));
    tell_time(loop);
    if (self->is_open && files[1].revents != 0) {
      write_bytes(self);
    }
    if (self->is_open && files[0].revents != 0) {
      has_input = read_bytes(self);
      if (!has_input && self->is_open) {
        end_of_input(self);
      }
    }
  }
}

/* --- what the device offers ---------------------------------------------- */

static int on_set_led(mcp_call *call, void *userdata) {
  device *self = userdata;
  self->led_is_on = mcp_call_bool(call, "on");
  return mcp_call_reply_text(call, self->led_is_on ? "on" : "off");
}

static int on_read_uptime(mcp_call *call, void *userdata) {
  char text[24];
  (void)userdata;
  snprintf(text, sizeof text, "%" PRId64, read_clock(CLOCK_MONOTONIC) / 1000);
  int rc = mcp_call_add_resource_text(call, NULL, NULL, text);
  return rc == 0 ? mcp_call_reply(call) : rc;
}

static mcp_server *make_server(device *self) {
  mcp_server *server = mcp_server_new("device", "1.0.0", NULL, NULL);
  mcp_server_add_tool(
      server,
      &(mcp_tool){.size = sizeof(mcp_tool),
                  .name = "set_led",
                  .description = "Switches the light on the board",
                  .input = MCP_OBJECT(MCP_BOOLEAN("on", "Lit or not")),
                  .handler = on_set_led,
                  .userdata = self},
      NULL);
  mcp_server_add_resource(server,
                          &(mcp_resource){.size = sizeof(mcp_resource),
                                          .uri = "device://uptime",
                                          .name = "uptime",
                                          .description = "Seconds since boot",
                                          .mime_type = "text/plain",
                                          .handler = on_read_uptime},
                          NULL);
  return server;
}

int main(void) {
  static device self;
  signal(SIGPIPE, SIG_IGN);
  init_transport(&self);
  mcp_server *server = make_server(&self);
  mcp_loop *loop = mcp_loop_new_manual(NULL, NULL, NULL);
  int rc = MCP_ERR_NOMEM;
  self.input = mcp_read_buffer_new(NULL, MAX_LINE, NULL);
  if (loop != NULL && self.input != NULL) {
    tell_time(loop);
    rc = mcp_server_connect(server, loop, &self.transport, NULL, NULL, NULL);
  }
  if (rc == 0) {
    run(&self, loop);
  }
  mcp_server_free(server);
  mcp_loop_free(loop);
  mcp_read_buffer_free(self.input);
  free(self.queue);
  return rc == 0 ? 0 : 1;
}
