/* SPDX-License-Identifier: MIT */
/* A custom transport: each message is one packet of a SOCK_SEQPACKET socket, so
 * it needs no framing. A server and a client in this process use a pair of such
 * sockets. The client calls a tool and prints the answer. Try it:
 *
 *     build/bin/custom-transport
 *
 * The example also shows the library inside the program's own loop: one poll
 * waits for both sockets and for the events that the library waits for.
 * docs/TRANSPORTS.md has the contract. */
#define _GNU_SOURCE
#include <errno.h>
#include <mcp/mcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* --- a packet transport -------------------------------------------------- */

enum {
  /* A packet must fit into the socket's buffer, 208 KB on Linux. */
  MAX_PACKET = 128 * 1024,
  MAX_WAITING = 4 * 1024 * 1024
};

/* A message that waits until the socket has room. Its bytes follow. */
typedef struct packet {
  struct packet *next;
  size_t len;
} packet;

typedef struct wire {
  mcp_transport base;
  int fd;
  int is_open;    /* between start and on_close */
  int is_closing; /* sends nothing new, ends when the queue is empty */
  packet *first;
  packet **last; /* where the next one is linked */
  size_t waiting_bytes;
} wire;

/* Calls on_close, the last call into the library, however the channel ended.
 * The library may free the transport in it: nothing touches it afterwards. */
static void end(wire *self, const mcp_error *err) {
  if (self->is_open) {
    self->is_open = 0;
    self->base.on_close(&self->base, err);
  }
}

static void end_by_error(wire *self, const char *what) {
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_IO, "%s: %s", what, strerror(errno));
  end(self, &err);
}

static int start(mcp_transport *base, mcp_error *err) {
  wire *self = base->userdata;
  (void)err;
  self->is_open = 1;
  return 0;
}

static int queue_packet(wire *self, const char *message, size_t len) {
  packet *waiting = malloc(sizeof *waiting + len);
  if (waiting == NULL) {
    return MCP_ERR_NOMEM;
  }
  *waiting = (packet){.len = len};
  memcpy(waiting + 1, message, len);
  *self->last = waiting;
  self->last = &waiting->next;
  self->waiting_bytes += len;
  return 0;
}

/* The library calls this inside on_message too, so it must not end the channel:
 * it queues the message, and the loop sends it. */
static int send_packet(mcp_transport *base, const char *message, size_t len,
                       const mcp_send_info *info) {
  wire *self = base->userdata;
  (void)info; /* an ordered transport has no use for it */
  if (!self->is_open || self->is_closing) {
    return MCP_ERR_CLOSED;
  }
  if (len > MAX_PACKET || len > MAX_WAITING - self->waiting_bytes) {
    return MCP_ERR_LIMIT;
  }
  return queue_packet(self, message, len);
}

static void close_wire(mcp_transport *base) {
  wire *self = base->userdata;
  self->is_closing = 1;
  if (self->first == NULL) {
    end(self, NULL);
  }
}

static void drop_first(wire *self) {
  packet *sent = self->first;
  self->first = sent->next;
  self->last = self->first == NULL ? &self->first : self->last;
  self->waiting_bytes -= sent->len;
  free(sent);
}

static void release(mcp_transport *base) {
  wire *self = base->userdata;
  while (self->first != NULL) {
    drop_first(self);
  }
  close(self->fd);
  self->fd = -1;
}

static void wire_init(wire *self, int fd) {
  *self = (wire){.fd = fd, .last = &self->first};
  self->base = (mcp_transport){.size = sizeof(mcp_transport),
                               .userdata = self,
                               .start = start,
                               .send = send_packet,
                               .close = close_wire,
                               .release = release};
}

/* --- its events ---------------------------------------------------------- */

static short wire_wants(const wire *self) {
  return self->first != NULL ? POLLIN | POLLOUT : POLLIN;
}

static void write_packets(wire *self) {
  while (self->is_open && self->first != NULL) {
    packet *next = self->first;
    if (send(self->fd, next + 1, next->len, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
      if (errno != EAGAIN && errno != EINTR) {
        end_by_error(self, "send");
      }
      return;
    }
    drop_first(self);
  }
  if (self->is_closing) {
    end(self, NULL);
  }
}

/* Reads one packet. The library sends no empty packet: it means the end. */
static void read_packet(wire *self) {
  static char bytes[MAX_PACKET];
  ssize_t len = recv(self->fd, bytes, sizeof bytes, MSG_DONTWAIT | MSG_TRUNC);
  if (len > MAX_PACKET) {
    mcp_error err;
    mcp_error_set(&err, MCP_ERR_LIMIT, "a packet of %zd bytes is too long",
                  len);
    self->base.on_error(&self->base, &err);
  } else if (len > 0) {
    self->base.on_message(&self->base, bytes, (size_t)len);
  } else if (len == 0) {
    end(self, NULL);
  } else if (errno != EAGAIN && errno != EINTR) {
    end_by_error(self, "recv");
  }
}

static void wire_step(wire *self, short events) {
  if (self->is_open && (events & POLLOUT) != 0) {
    write_packets(self);
  }
  if (self->is_open && (events & (POLLIN | POLLHUP | POLLERR)) != 0) {
    read_packet(self);
  }
}

/* --- a loop of our own --------------------------------------------------- */

typedef struct program {
  mcp_loop *loop;
  mcp_server *server;
  mcp_client *client;
  wire wires[2]; /* the server's and the client's */
  int exit_code;
} program;

static int is_connected(const program *self) {
  return self->wires[0].fd >= 0 || self->wires[1].fd >= 0;
}

/* A freed transport has no descriptor: poll skips over -1. */
static void turn(program *self) {
  wire *wires = self->wires;
  struct pollfd files[] = {
      {.fd = mcp_loop_fd(self->loop), .events = POLLIN},
      {.fd = wires[0].fd, .events = wire_wants(&wires[0])},
      {.fd = wires[1].fd, .events = wire_wants(&wires[1])},
  };
  if (poll(files, 3, mcp_loop_timeout_ms(self->loop)) < 0) {
    return;
  }
  mcp_loop_step(self->loop);
  wire_step(&wires[0], files[1].revents);
  wire_step(&wires[1], files[2].revents);
}

/* --- the conversation ---------------------------------------------------- */

static int on_shout(mcp_call *call, void *userdata) {
  const char *what = mcp_call_string(call, "what");
  (void)userdata;
  if (what == NULL) {
    return MCP_ERR_INVALID;
  }
  return mcp_call_reply_textf(call, "%s!", what);
}

static void on_answer(mcp_client *client, const mcp_outcome *outcome,
                      void *userdata) {
  program *self = userdata;
  if (outcome->status == 0) {
    printf("shout: %s\n", mcp_result_text(outcome->result));
    self->exit_code = 0;
  } else {
    fprintf(stderr, "custom-transport: %s\n", outcome->error->message);
  }
  mcp_client_close(client);
}

static void on_connected(mcp_client *client, const mcp_outcome *outcome,
                         void *userdata) {
  program *self = userdata;
  int rc = outcome->status;
  if (rc == 0) {
    printf("connected: revision %s\n", mcp_client_revision(client));
    rc = mcp_client_call_tool(client, "shout",
                              MCP_JSON({"what": "hello"}), NULL, on_answer,
                                       self, NULL);
  }
  if (rc != 0) {
    fprintf(stderr, "custom-transport: %s\n", mcp_error_text(rc));
    mcp_client_close(client);
  }
}

static void add_shout(mcp_server *server) {
  mcp_server_add_tool(
      server,
      &(mcp_tool){.size = sizeof(mcp_tool),
                  .name = "shout",
                  .description = "Says it louder",
                  .input = MCP_OBJECT(MCP_STRING("what", "What to say")),
                  .handler = on_shout},
      NULL);
}

/* --- beginning and end --------------------------------------------------- */

static int connect_both(program *self) {
  mcp_error err = {0};
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0) {
    perror("custom-transport: socketpair");
    return -1;
  }
  wire_init(&self->wires[0], fds[0]);
  wire_init(&self->wires[1], fds[1]);
  int rc = mcp_server_connect(self->server, self->loop, &self->wires[0].base,
                              NULL, NULL, &err);
  if (rc == 0) {
    rc = mcp_client_connect(self->client, &self->wires[1].base, on_connected,
                            self, &err);
  }
  if (rc != 0) {
    fprintf(stderr, "custom-transport: %s\n", err.message);
  }
  return rc;
}

int main(void) {
  static program self = {.exit_code = 1};
  self.loop = mcp_loop_new(NULL, NULL);
  self.server = mcp_server_new("shouter", "1.0.0", NULL, NULL);
  self.client =
      mcp_client_new(self.loop, "custom-transport", "1.0.0", NULL, NULL);
  add_shout(self.server);
  if (connect_both(&self) == 0) {
    while (is_connected(&self)) {
      turn(&self);
    }
  }
  mcp_client_free(self.client);
  mcp_server_free(self.server);
  mcp_loop_free(self.loop);
  return self.exit_code;
}
