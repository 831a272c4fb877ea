/* SPDX-License-Identifier: MIT */
/* An HTTP+SSE client as one end. A child is its server, and passes on what
 * comes; the other end is in this process:
 *
 *     SSE transport -- POSTs --> child -> socket pair
 *                   <- events --       <-
 */
#include "kit_own.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <mcp/http_client.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CLIENTS = 8, HEAD_SIZE = 8192, LINE_SIZE = 4 * 1024 * 1024 };

static pid_t child = -1;
static int link_fd = -1; /* the child writes to it when there is a stream */

/* --- the child ----------------------------------------------------------- */

static int stream = -1; /* the GET's connection */
static int far = -1;    /* the pair's end */
static char line[LINE_SIZE];
static size_t line_len;

static void put(int fd, const char *bytes, size_t len) {
  while (len > 0) {
    ssize_t written = write(fd, bytes, len);
    if (written < 0) {
      _exit(0); /* the reader has left */
    }
    bytes += written;
    len -= (size_t)written;
  }
}

static void put_text(int fd, const char *text) {
  put(fd, text, strlen(text));
}

static void open_stream(int fd) {
  stream = fd;
  put_text(fd, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
               "Connection: close\r\n\r\n"
               "event: endpoint\ndata: /post\n\n");
  put(link_fd, "!", 1);
}

/* The first bytes of the body may have come with the head. */
static void take_post(int fd, const char *head, const char *body, size_t len) {
  static char bytes[64 * 1024];
  const char *length = strcasestr(head, "content-length:");
  size_t left = length != NULL ? strtoul(length + 15, NULL, 10) : 0;
  put(far, body, len);
  left -= len;
  while (left > 0) {
    ssize_t got = read(fd, bytes, left < sizeof(bytes) ? left : sizeof(bytes));
    if (got <= 0) {
      _exit(0);
    }
    put(far, bytes, (size_t)got);
    left -= (size_t)got;
  }
  put(far, "\n", 1);
  put_text(fd, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
}

/* Handles one request. Returns 0 when the connection has ended. */
static int take_request(int fd) {
  char head[HEAD_SIZE] = "";
  size_t len = 0;
  char *end = NULL;
  while (end == NULL && len < HEAD_SIZE - 1) {
    ssize_t got = read(fd, head + len, HEAD_SIZE - 1 - len);
    if (got <= 0) {
      return 0;
    }
    len += (size_t)got;
    head[len] = '\0';
    end = strstr(head, "\r\n\r\n");
  }
  if (end == NULL) {
    return 0;
  }
  *end = '\0';
  if (strncmp(head, "GET ", 4) == 0) {
    open_stream(fd);
  } else {
    take_post(fd, head, end + 4, len - (size_t)(end + 4 - head));
  }
  return 1;
}

static void put_events(void) {
  char *start = line;
  char *end;
  while ((end = memchr(start, '\n', line_len)) != NULL) {
    size_t len = (size_t)(end - start);
    put_text(stream, "event: message\ndata: ");
    put(stream, start, len);
    put_text(stream, "\n\n");
    start = end + 1;
    line_len -= len + 1;
  }
  memmove(line, start, line_len);
}

static void take_lines(void) {
  ssize_t got = read(far, line + line_len, sizeof(line) - line_len);
  if (got <= 0) {
    _exit(0);
  }
  line_len += (size_t)got;
  put_events();
}

static void serve(int listener) {
  struct pollfd fds[CLIENTS + 2] = {{.fd = listener, .events = POLLIN},
                                    {.fd = -1, .events = POLLIN}};
  int count = 2;
  for (;;) {
    fds[1].fd = stream >= 0 ? far : -1;
    poll(fds, (nfds_t)count, -1);
    for (int i = 2; i < count; i++) {
      if (fds[i].revents != 0 && !take_request(fds[i].fd)) {
        if (fds[i].fd == stream) {
          _exit(0);
        }
        close(fds[i].fd);
        fds[i--] = fds[--count];
      }
    }
    if (fds[1].revents != 0) {
      take_lines();
    }
    if (fds[0].revents != 0 && count < CLIENTS + 2) {
      fds[count++] = (struct pollfd){accept(listener, NULL, NULL), POLLIN, 0};
    }
  }
}

/* --- the transport ------------------------------------------------------- */

static int is_linked(void) {
  char byte;
  return read(link_fd, &byte, 1) == 1;
}

static void free_loop(mcp_loop *loop) {
  mcp_loop_free(loop);
  if (child > 0) {
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(link_fd);
    child = -1;
  }
}

static int listen_here(char *url, size_t size) {
  struct sockaddr_in in = {.sin_family = AF_INET,
                           .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t len = sizeof(in);
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || bind(fd, (struct sockaddr *)&in, len) != 0 ||
      listen(fd, CLIENTS) != 0 ||
      getsockname(fd, (struct sockaddr *)&in, &len) != 0) {
    return -1;
  }
  snprintf(url, size, "http://127.0.0.1:%d/sse", ntohs(in.sin_port));
  return fd;
}

static int start_child(int listener, const int pair[2]) {
  int link[2];
  if (pipe2(link, O_CLOEXEC | O_NONBLOCK) != 0) {
    return MCP_ERR_IO;
  }
  child = fork();
  if (child == 0) {
    close(pair[1]);
    link_fd = link[1];
    signal(SIGPIPE, SIG_IGN);
    far = pair[0];
    serve(listener);
  }
  link_fd = link[0];
  close(link[1]);
  close(listener);
  close(pair[0]);
  return child > 0 ? 0 : MCP_ERR_IO;
}

static int make_pair(mcp_loop *loop, const kit_limits *limits,
                     mcp_transport **a, mcp_transport **b) {
  const mcp_stream_options stream_options = kit_stream_options(limits);
  const mcp_http_client_options options = {.size =
                                               sizeof(mcp_http_client_options),
                                           .proxy = "",
                                           .close_wait_ms = 20000,
                                           .max_message = limits->max_message,
                                           .max_queue = limits->max_queue};
  char url[64];
  int pair[2];
  int listener = listen_here(url, sizeof(url));
  if (listener < 0 ||
      socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0 ||
      start_child(listener, pair) != 0) {
    return MCP_ERR_IO;
  }
  *a = mcp_transport_sse(loop, url, &options, NULL);
  *b = mcp_transport_fd(loop, pair[1], pair[1], &stream_options, NULL);
  return *a != NULL && *b != NULL ? 0 : MCP_ERR_NOMEM;
}

const kit_transport kit_sse = {.name = "HTTP+SSE",
                               .flags = KIT_NO_HALF_CLOSE,
                               .make_pair = make_pair,
                               .is_linked = is_linked,
                               .free_loop = free_loop};
