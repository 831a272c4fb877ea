/* SPDX-License-Identifier: MIT */
/* Loads servers with requests over connections that stay, and measures them one
 * beside the other in the same run.
 *
 *     bench-load [--call NAME] [--connections N] [--seconds S] [--rounds N]
 *                [--idle N] [--cores N]
 *                [--as MANNER] [--floor] NAME=COMMAND ...
 *     bench-load [--call NAME] [--as MANNER] --requests N ADDRESS
 *
 * A call is `add` (the two-number tool, unless --call says otherwise), `large`,
 * `work`, or `list`, which is tools/list. Each command says "HOST:PORT",
 * "unix:PATH", or a URL with the first, in its first line of output or errors.
 * --as says how it and those behind it are spoken to; see `manners`. --floor says
 * that the next one is what those behind it are compared with, up to the next
 * floor; it is sent what the one behind it is sent, and BENCH_BODY_LEN in its
 * environment is the length of that one's answers. Without --floor the first is
 * what the others are compared with. A connection, or with HTTP+SSE the pair of
 * one, sends its next request when it has its answer.
 *
 * Figures: requests per second, CPU of the server for each (all its threads, by
 * the scheduler's own account), median and 99th percentile of the answer's time,
 * and memory of the server: at the start, for each idle connection, and for each
 * session with a connection that listens. Runs are interleaved, and of each figure
 * the rounds' median is shown; "x floor" is the median of what it was in each
 * round beside the floor's of the same. The server has core 0 (or the first
 * --cores), we the last: this counts what a request costs, not how fast one core
 * serves two.
 *
 * The second form sends so many requests, one after another, and measures
 * nothing: for whoever counts what a server does. */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
  MAX_SUBJECTS = 64,
  MAX_CONNS = 4096,
  MAX_IDLE = 30000,
  MAX_ROUNDS = 64,
  SLOT_NS = 100,
  SLOTS = 2000000
};

#define MODERN_META                                                            \
  "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","     \
  "\"io.modelcontextprotocol/clientCapabilities\":{}}"

static const char initialize_body[] =
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
    "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{"
    "\"name\":\"bench\",\"version\":\"1\"}}}";

/* What is asked for; headers are the modern era's. */
typedef struct call {
  const char *name;
  const char *method;
  const char *params;
  const char *headers;
} call;

#define TOOL(name, arguments)                                                  \
  {                                                                            \
    name, "tools/call", "\"name\":\"" name "\",\"arguments\":{" arguments "}", \
        "Mcp-Method: tools/call\r\nMcp-Name: " name "\r\n"                     \
  }

static const call calls[] = {
    TOOL("add", "\"a\":2,\"b\":3"),
    TOOL("large", ""),
    TOOL("work", ""),
    {"list", "tools/list", "", "Mcp-Method: tools/list\r\n"},
};

typedef enum framing { POST, SSE, WEBSOCKET, LINES } framing;

/* MODERN has the members of 2026-07-28, SESSION is in one of the legacy era,
 * ALONE is the same without one, and mcp-core's envelope; FRAME and BARE are
 * mcp-core's others. */
typedef enum form { MODERN, SESSION, ALONE, FRAME, BARE } form;

typedef struct manner {
  const char *name;
  framing framing;
  form form;
  const char *accept; /* of HTTP; NULL: both types */
} manner;

static const manner manners[] = {
    {"modern", POST, MODERN, NULL},
    {"legacy", POST, SESSION, NULL},
    {"plain", POST, ALONE, NULL},
    {"bare", POST, BARE, NULL},
    {"events", POST, ALONE, "text/event-stream"},
    {"sse", SSE, MODERN, NULL},
    {"websocket", WEBSOCKET, MODERN, NULL},
    {"websocket-frame", WEBSOCKET, FRAME, NULL},
    {"lines", LINES, MODERN, NULL},
    {"lines-frame", LINES, FRAME, NULL},
};

/* What is measured in a round. The last three are beside the floor's. */
typedef enum figure {
  PER_SECOND,
  CPU_US,
  P50_US,
  P99_US,
  START_KB,
  IDLE_BYTES,
  SESSION_BYTES, /* 0: there are no sessions */
  X_PER_SECOND,
  X_CPU,
  X_P50,
  FIGURES
} figure;

typedef struct subject {
  const char *name;
  char *command;
  const manner *manner; /* NULL: a floor, as the one behind it */
  int floor;            /* which it is compared with */
  double figures[FIGURES][MAX_ROUNDS];
} subject;

typedef struct server {
  pid_t pid;
  union {
    struct sockaddr any;
    struct sockaddr_in in;
    struct sockaddr_un un;
  } address;
} server;

typedef struct conn {
  int fd;      /* where answers come */
  int post_fd; /* where requests go: the same, but of HTTP+SSE */
  uint64_t sent_ns;
  size_t len;   /* of the answer, so far */
  size_t whole; /* its length; 0: not known yet */
  size_t accepted_len;
  size_t request_len;
  char request[1024];
  char answer[4096];
  char accepted[256]; /* what has come on post_fd, if that is another */
} conn;

static const call *asked = &calls[0];
static int connections = 64;
static int idle_connections = 1000;
static int rounds = 9;
static int server_cores = 1;
static int request_count; /* 0: to measure */
static size_t body_len;   /* of the answers; what the floor is told */
static double seconds = 1;
static const manner *spoken = &manners[0];
static char headers[256]; /* of the requests */
static char body[512];
static conn conns[MAX_CONNS];
static uint32_t slots[SLOTS]; /* answers by time */

static void die(const char *what) {
  fprintf(stderr, "bench-load: %s: %s\n", what, strerror(errno));
  exit(1);
}

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Where there is one only, it is everybody's. */
static void stay_on_cores(int first, int count) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (int i = first; i < first + count; i++) {
    CPU_SET(i, &cores);
  }
  if (sysconf(_SC_NPROCESSORS_ONLN) > 1) {
    sched_setaffinity(0, sizeof(cores), &cores);
  }
}

/* --- the server ---------------------------------------------------------- */

static void run_command(char *command) {
  char *argv[64];
  int count = 0;
  for (char *word = strtok(command, " "); word != NULL && count < 63;
       word = strtok(NULL, " ")) {
    argv[count++] = word;
  }
  argv[count] = NULL;
  execvp(argv[0], argv);
  die(argv[0]);
}

static void read_address(server *s, char *line) {
  char *path = strstr(line, "unix:");
  char *host = strstr(line, "://");
  host = host != NULL ? host + 3 : line;
  char *colon = strchr(host, ':');
  if (path != NULL) {
    path[strcspn(path, "\n")] = '\0';
    s->address.un.sun_family = AF_UNIX;
    snprintf(s->address.un.sun_path, sizeof(s->address.un.sun_path), "%s",
             path + 5);
    return;
  }
  if (colon == NULL) {
    die(line);
  }
  *colon = '\0';
  s->address.in = (struct sockaddr_in){
      .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(colon + 1))};
  if (inet_pton(AF_INET, host, &s->address.in.sin_addr) != 1) {
    die(line);
  }
}

static void hear_address(server *s, int fd) {
  char line[128] = "";
  FILE *file = fdopen(fd, "r");
  if (fgets(line, sizeof(line), file) == NULL) {
    die("the server did not say where it listens");
  }
  fclose(file);
  read_address(s, line);
}

static void start(server *s, const char *command) {
  char len[32];
  int out[2];
  if (pipe(out) != 0) {
    die("pipe");
  }
  s->pid = fork();
  if (s->pid == 0) {
    dup2(out[1], 1);
    dup2(out[1], 2);
    close(out[0]);
    close(out[1]);
    stay_on_cores(0, server_cores);
    snprintf(len, sizeof(len), "%zu", body_len);
    setenv("BENCH_BODY_LEN", len, 1);
    run_command(strdup(command));
  }
  close(out[1]);
  hear_address(s, out[0]);
}

static void stop(const server *s) {
  kill(s->pid, SIGKILL);
  waitpid(s->pid, NULL, 0);
}

/* Nanoseconds on a processor, of one thread. */
static uint64_t thread_ns(pid_t pid, const char *thread) {
  char path[300];
  unsigned long long ns = 0;
  snprintf(path, sizeof(path), "/proc/%d/task/%s/schedstat", (int)pid, thread);
  FILE *file = fopen(path, "r");
  if (file == NULL || fscanf(file, "%llu", &ns) != 1) {
    die(path);
  }
  fclose(file);
  return ns;
}

static uint64_t cpu_ns(pid_t pid) {
  char path[64];
  uint64_t ns = 0;
  snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
  DIR *dir = opendir(path);
  const struct dirent *entry;
  if (dir == NULL) {
    die(path);
  }
  while ((entry = readdir(dir)) != NULL) {
    ns += entry->d_name[0] != '.' ? thread_ns(pid, entry->d_name) : 0;
  }
  closedir(dir);
  return ns;
}

static long rss_kb(pid_t pid) {
  char path[64];
  char line[256];
  long kb = 0;
  snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
  FILE *file = fopen(path, "r");
  while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
    sscanf(line, "VmRSS: %ld", &kb);
  }
  if (file != NULL) {
    fclose(file);
  }
  return kb;
}

/* --- requests ------------------------------------------------------------ */

static void make_post(conn *c, const char *path, const char *more,
                      const char *text) {
  const char *accept = spoken->accept != NULL
                           ? spoken->accept
                           : "application/json, text/event-stream";
  c->request_len =
      (size_t)snprintf(c->request, sizeof(c->request),
                       "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                       "Content-Type: application/json\r\n"
                       "Accept: %s\r\n%sContent-Length: %zu\r\n\r\n%s",
                       path, accept, more, strlen(text), text);
}

/* A message, masked. */
static void make_frame(conn *c) {
  static const unsigned char mask[] = {0x37, 0xfa, 0x21, 0x3d};
  size_t len = strlen(body);
  unsigned char *at = (unsigned char *)c->request;
  *at++ = 0x81;
  if (len < 126) {
    *at++ = (unsigned char)(0x80 | len);
  } else {
    *at++ = 0x80 | 126;
    *at++ = (unsigned char)(len >> 8);
    *at++ = (unsigned char)len;
  }
  memcpy(at, mask, sizeof(mask));
  at += sizeof(mask);
  for (size_t i = 0; i < len; i++) {
    *at++ = (unsigned char)(body[i] ^ mask[i % sizeof(mask)]);
  }
  c->request_len = (size_t)(at - (unsigned char *)c->request);
}

static void make_line(conn *c) {
  c->request_len =
      (size_t)snprintf(c->request, sizeof(c->request), "%s\n", body);
}

/* `members` join the params, behind those of the call. */
static void make_message(const char *members) {
  int has_both = asked->params[0] != '\0' && members[0] != '\0';
  snprintf(
      body, sizeof(body),
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s%s%s}}",
      asked->method, asked->params, has_both ? "," : "", members);
}

static int connect_to(const server *s) {
  int on = 1;
  int family = s->address.any.sa_family;
  int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  socklen_t len =
      family == AF_UNIX ? sizeof(s->address.un) : sizeof(s->address.in);
  if (fd < 0 || connect(fd, &s->address.any, len) != 0) {
    die("connect");
  }
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return fd;
}

/* Sends `text`, and waits until what has come has `wanted` in it. */
static void exchange(conn *c, const char *text, const char *wanted) {
  size_t len = strlen(text);
  ssize_t got = send(c->fd, text, len, MSG_NOSIGNAL);
  c->answer[0] = '\0';
  for (c->len = 0; strstr(c->answer, wanted) == NULL; c->len += (size_t)got) {
    got = recv(c->fd, c->answer + c->len, sizeof(c->answer) - 1 - c->len, 0);
    if (got <= 0) {
      die("it does not open");
    }
    c->answer[c->len + (size_t)got] = '\0';
  }
}

static void open_websocket(conn *c) {
  exchange(c,
           "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
           "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
           "\r\n\r\n");
  if (memcmp(c->answer, "HTTP/1.1 101", 12) != 0) {
    die("no WebSocket");
  }
}

/* The stream of HTTP+SSE; its first event says where to post. */
static void open_stream(conn *c, const server *s) {
  char path[256];
  exchange(c,
           "GET /sse HTTP/1.1\r\nHost: 127.0.0.1\r\n"
           "Accept: text/event-stream\r\n\r\n",
           "\n\n\r\n");
  const char *data = strstr(c->answer, "\ndata: ");
  if (data == NULL || sscanf(data + 7, "%255s", path) != 1) {
    die("no endpoint");
  }
  c->post_fd = connect_to(s);
  make_post(c, path, headers, body);
}

static void open_conn(conn *c, const server *s) {
  c->fd = c->post_fd = connect_to(s);
  switch (spoken->framing) {
  case POST:
    make_post(c, "/mcp", headers, body);
    break;
  case SSE:
    open_stream(c, s);
    break;
  case WEBSOCKET:
    open_websocket(c);
    make_frame(c);
    break;
  case LINES:
    make_line(c);
    break;
  }
}

static void close_conn(const conn *c) {
  close(c->fd);
  if (c->post_fd != c->fd) {
    close(c->post_fd);
  }
}

static void send_request(conn *c) {
  c->len = 0;
  c->whole = 0;
  c->accepted_len = 0;
  c->sent_ns = now_ns();
  if (send(c->post_fd, c->request, c->request_len, MSG_NOSIGNAL) !=
      (ssize_t)c->request_len) {
    die("send");
  }
}

/* --- answers: each learns how long one is from its beginning --------------- */

static void find_line(conn *c) {
  if (c->answer[c->len - 1] == '\n') {
    c->whole = c->len;
    body_len = c->len - 1;
  }
}

static void find_frame(conn *c) {
  const unsigned char *bytes = (const unsigned char *)c->answer;
  size_t more = c->len < 2 ? 0 : bytes[1] == 126 ? 2 : bytes[1] == 127 ? 8 : 0;
  if (c->len < 2 + more) {
    return;
  }
  body_len = more == 0 ? bytes[1] : 0;
  for (size_t i = 0; i < more; i++) {
    body_len = body_len << 8 | bytes[2 + i];
  }
  c->whole = 2 + more + body_len;
}

/* An event is a chunk. `end_len` is of what ends the answer behind it. */
static void find_event(conn *c, const char *chunk, size_t end_len) {
  const char *event = strstr(chunk, "\r\n");
  if (event != NULL) {
    body_len = strtoul(chunk, NULL, 16);
    c->whole = (size_t)(event + 2 - c->answer) + body_len + 2 + end_len;
  }
}

static void find_body(conn *c) {
  const char *end = strstr(c->answer, "\r\n\r\n");
  const char *length = strcasestr(c->answer, "\r\ncontent-length:");
  if (end == NULL) {
    return;
  }
  if (strncmp(c->answer, "HTTP/1.1 200", 12) != 0 ||
      (length == NULL) != (spoken->accept != NULL)) {
    fprintf(stderr, "bench-load: not an answer: %s\n", c->answer);
    exit(1);
  }
  if (length == NULL) {
    find_event(c, end + 4, strlen("0\r\n\r\n"));
  } else {
    body_len = strtoul(length + 17, NULL, 10);
    c->whole = (size_t)(end + 4 - c->answer) + body_len;
  }
}

static void find_whole(conn *c) {
  c->answer[c->len] = '\0';
  switch (spoken->framing) {
  case POST:
    find_body(c);
    break;
  case SSE:
    find_event(c, c->answer, 0);
    break;
  case WEBSOCKET:
    find_frame(c);
    break;
  case LINES:
    find_line(c);
    break;
  }
}

/* How many bytes have come; 0: none yet. */
static size_t take(int fd, char *to, size_t size) {
  ssize_t got = recv(fd, to, size, MSG_DONTWAIT);
  if (got == 0 || (got < 0 && errno != EAGAIN)) {
    die("recv");
  }
  return got > 0 ? (size_t)got : 0;
}

/* Whether the POST has been answered, where the answer is not the result. */
static int is_accepted(conn *c) {
  if (c->post_fd == c->fd) {
    return 1;
  }
  c->accepted_len += take(c->post_fd, c->accepted + c->accepted_len,
                          sizeof(c->accepted) - 1 - c->accepted_len);
  c->accepted[c->accepted_len] = '\0';
  if (strstr(c->accepted, "\r\n\r\n") == NULL) {
    return 0;
  }
  if (strncmp(c->accepted, "HTTP/1.1 202", 12) != 0) {
    die(c->accepted);
  }
  return 1;
}

/* Whether the answer is whole. Of a long one the head alone is kept. */
static int read_answer(conn *c) {
  static char rest[256 * 1024];
  if (c->whole == 0) {
    size_t got =
        take(c->fd, c->answer + c->len, sizeof(c->answer) - 1 - c->len);
    c->len += got;
    if (got > 0) {
      find_whole(c);
    }
  } else if (c->len < c->whole) {
    c->len += take(c->fd, rest, sizeof(rest));
  }
  return is_accepted(c) && c->whole != 0 && c->len >= c->whole;
}

static void await_answer(conn *c) {
  struct pollfd fds[2] = {{.fd = c->fd, .events = POLLIN},
                          {.fd = c->post_fd, .events = POLLIN}};
  while (!read_answer(c)) {
    poll(fds, 2, -1);
  }
}

/* --- what is asked ---------------------------------------------------------- */

/* Begins a session on a connection; its requests have `headers` then. */
static void open_session(conn *c, const server *s) {
  char id[64] = "";
  c->fd = c->post_fd = connect_to(s);
  make_post(c, "/mcp", "", initialize_body);
  send_request(c);
  await_answer(c);
  const char *found = strcasestr(c->answer, "\r\nmcp-session-id:");
  if (found == NULL || sscanf(found + 17, " %63[!-~]", id) != 1) {
    die("no session");
  }
  snprintf(headers, sizeof(headers),
           "MCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: %s\r\n", id);
}

/* All connections are of one session. */
static void choose_request(const server *s) {
  static conn c;
  headers[0] = '\0';
  switch (spoken->form) {
  case MODERN:
    if (spoken->framing == POST) {
      snprintf(headers, sizeof(headers),
               "MCP-Protocol-Version: 2026-07-28\r\n%s", asked->headers);
    }
    make_message(MODERN_META);
    break;
  case SESSION:
    open_session(&c, s);
    close_conn(&c);
    make_message("");
    break;
  case ALONE:
    make_message("");
    break;
  case FRAME:
    snprintf(body, sizeof(body), "{\"id\":1,%s}", asked->params);
    break;
  case BARE:
    snprintf(body, sizeof(body), "{%s}", asked->params);
    break;
  }
}

/* --- the measurement -------------------------------------------------------- */

static void count_time(const conn *c) {
  uint64_t at = (now_ns() - c->sent_ns) / SLOT_NS;
  slots[at < SLOTS ? at : SLOTS - 1]++;
}

static uint64_t run_until(int epoll, uint64_t end_ns) {
  struct epoll_event events[256];
  uint64_t count = 0;
  while (now_ns() < end_ns) {
    int ready = epoll_wait(epoll, events, 256, 100);
    for (int i = 0; i < ready; i++) {
      conn *c = events[i].data.ptr;
      if (read_answer(c)) {
        count_time(c);
        send_request(c);
        count++;
      }
    }
  }
  return count;
}

static double percentile_us(uint64_t count, double part) {
  uint64_t wanted = (uint64_t)((double)count * part);
  uint64_t seen = 0;
  size_t at = 0;
  while (at < SLOTS && (seen += slots[at]) <= wanted) {
    at++;
  }
  return (double)at * SLOT_NS / 1e3;
}

static int open_connections(const server *s) {
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  for (int i = 0; i < connections; i++) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &conns[i]};
    open_conn(&conns[i], s);
    epoll_ctl(epoll, EPOLL_CTL_ADD, conns[i].fd, &event);
    if (conns[i].post_fd != conns[i].fd) {
      epoll_ctl(epoll, EPOLL_CTL_ADD, conns[i].post_fd, &event);
    }
    send_request(&conns[i]);
  }
  return epoll;
}

static void close_connections(int epoll) {
  for (int i = 0; i < connections; i++) {
    close_conn(&conns[i]);
  }
  close(epoll);
}

static int idle_fds[2 * MAX_IDLE];
static int idle_count;

static void keep_idle(const conn *c) {
  idle_fds[idle_count++] = c->fd;
  if (c->post_fd != c->fd) {
    idle_fds[idle_count++] = c->post_fd;
  }
}

static void close_idle(void) {
  while (idle_count > 0) {
    close(idle_fds[--idle_count]);
  }
}

static double bytes_each(const server *s, long before_kb) {
  return idle_connections > 0
             ? (double)(rss_kb(s->pid) - before_kb) * 1024 / idle_connections
             : 0;
}

/* Resident memory for each connection that has had one answer. */
static double measure_idle(const server *s) {
  long before_kb = rss_kb(s->pid);
  for (int i = 0; i < idle_connections; i++) {
    conn c;
    open_conn(&c, s);
    keep_idle(&c);
    send_request(&c);
    await_answer(&c);
  }
  double bytes = bytes_each(s, before_kb);
  close_idle();
  return bytes;
}

/* Begins a session, and listens on the same connection. */
static void listen_in_session(conn *c, const server *s) {
  char get[512];
  open_session(c, s);
  snprintf(get, sizeof(get),
           "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n"
           "Accept: text/event-stream\r\n%s\r\n",
           headers);
  exchange(c, get, "\r\n\r\n");
  if (memcmp(c->answer, "HTTP/1.1 200", 12) != 0) {
    die("no stream");
  }
}

/* Resident memory for each of those; of a server that has had none before. */
static double measure_sessions(const subject *what) {
  server s;
  conn c;
  start(&s, what->command);
  listen_in_session(&c, &s);
  long before_kb = rss_kb(s.pid);
  for (int i = 0; i < idle_connections; i++) {
    conn another;
    listen_in_session(&another, &s);
    keep_idle(&another);
  }
  double bytes = bytes_each(&s, before_kb);
  close_idle();
  close_conn(&c);
  stop(&s);
  return bytes;
}

/* A refusal is not to be measured. */
static void check_answer(const server *s) {
  static conn c;
  open_conn(&c, s);
  send_request(&c);
  await_answer(&c);
  if (strstr(c.answer, "\"error\"") != NULL) {
    fprintf(stderr, "bench-load: refused: %s\n", c.answer);
    exit(1);
  }
  close_conn(&c);
}

/* A floor is asked what was asked of the one before it. */
static void measure(const subject *what, double f[FIGURES]) {
  server s;
  start(&s, what->command);
  f[START_KB] = (double)rss_kb(s.pid);
  if (what->manner != NULL) {
    spoken = what->manner;
    choose_request(&s);
  }
  check_answer(&s);
  int epoll = open_connections(&s);
  run_until(epoll, now_ns() + 300000000); /* to warm up */
  memset(slots, 0, sizeof(slots));
  uint64_t began_ns = now_ns();
  uint64_t cpu = cpu_ns(s.pid);
  uint64_t count = run_until(epoll, began_ns + (uint64_t)(seconds * 1e9));
  f[CPU_US] = (double)(cpu_ns(s.pid) - cpu) / 1e3 / (double)count;
  f[PER_SECOND] = (double)count / ((double)(now_ns() - began_ns) / 1e9);
  f[P50_US] = percentile_us(count, 0.5);
  f[P99_US] = percentile_us(count, 0.99);
  close_connections(epoll);
  f[IDLE_BYTES] = measure_idle(&s);
  stop(&s);
  f[SESSION_BYTES] = spoken->form == SESSION && idle_connections > 0
                         ? measure_sessions(what)
                         : 0;
}

/* A floor comes behind those that are compared with it: it learns from them. */
static void measure_all(subject *subjects, int count, int round) {
  double f[MAX_SUBJECTS][FIGURES];
  for (int i = count - 1; i >= 0; i--) {
    measure(&subjects[i], f[i]);
  }
  for (int i = 0; i < count; i++) {
    const double *floor = f[subjects[i].floor];
    f[i][X_PER_SECOND] = f[i][PER_SECOND] / floor[PER_SECOND];
    f[i][X_CPU] = f[i][CPU_US] / floor[CPU_US];
    f[i][X_P50] = f[i][P50_US] / floor[P50_US];
    for (int k = 0; k < FIGURES; k++) {
      subjects[i].figures[k][round] = f[i][k];
    }
  }
}

/* --- without measuring --------------------------------------------------- */

static int send_requests(subject *what) {
  static conn c;
  server s;
  read_address(&s, what->command);
  spoken = what->manner;
  choose_request(&s);
  open_conn(&c, &s);
  for (int i = 0; i < request_count; i++) {
    send_request(&c);
    await_answer(&c);
  }
  return 0;
}

/* --- the report ---------------------------------------------------------- */

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(subject *what, figure k) {
  qsort(what->figures[k], (size_t)rounds, sizeof(double), by_value);
  return what->figures[k][rounds / 2];
}

static void print(subject *what) {
  printf("%-24s %10.0f %7.2f %8.2f %7.2f %8.1f %7.2f %8.1f %9.0f %11.0f",
         what->name, median(what, PER_SECOND), median(what, X_PER_SECOND),
         median(what, CPU_US), median(what, X_CPU), median(what, P50_US),
         median(what, X_P50), median(what, P99_US), median(what, START_KB),
         median(what, IDLE_BYTES));
  if (median(what, SESSION_BYTES) > 0) {
    printf(" %14.0f", median(what, SESSION_BYTES));
  }
  putchar('\n');
}

static int usage(void) {
  fprintf(stderr, "usage: bench-load [--call add|large|work|list] "
                  "[--connections N]\n"
                  "         [--seconds S] [--rounds N] [--idle N] [--cores N]\n"
                  "         [--as MANNER] [--floor] NAME=COMMAND...\n"
                  "       bench-load [--call NAME] [--as MANNER] --requests N "
                  "ADDRESS\n"
                  "MANNER is one of");
  for (size_t i = 0; i < sizeof(manners) / sizeof(*manners); i++) {
    fprintf(stderr, " %s", manners[i].name);
  }
  fputc('\n', stderr);
  return 1;
}

static const manner *find_manner(const char *name) {
  for (size_t i = 0; i < sizeof(manners) / sizeof(*manners); i++) {
    if (strcmp(manners[i].name, name) == 0) {
      return &manners[i];
    }
  }
  return NULL;
}

static const call *find_call(const char *name) {
  for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
    if (strcmp(calls[i].name, name) == 0) {
      return &calls[i];
    }
  }
  return NULL;
}

/* 1: it was an option, and has its value. */
static int read_option(const char *name, const char *value) {
  const struct {
    const char *name;
    int *value;
  } numbers[] = {
      {"--connections", &connections}, {"--idle", &idle_connections},
      {"--rounds", &rounds},           {"--cores", &server_cores},
      {"--requests", &request_count},
  };
  for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
    if (strcmp(name, numbers[i].name) == 0) {
      *numbers[i].value = atoi(value);
      return 1;
    }
  }
  if (strcmp(name, "--seconds") == 0) {
    seconds = atof(value);
  } else if (strcmp(name, "--call") == 0) {
    asked = find_call(value);
  } else if (strcmp(name, "--as") == 0) {
    spoken = find_manner(value);
  } else {
    return 0;
  }
  return 1;
}

static int are_in_range(void) {
  return asked != NULL && spoken != NULL && connections > 0 &&
         connections <= MAX_CONNS && seconds > 0 && idle_connections >= 0 &&
         idle_connections <= MAX_IDLE && rounds > 0 && rounds <= MAX_ROUNDS &&
         server_cores > 0 && request_count >= 0;
}

/* How many subjects; 0: it cannot be read. */
static int parse(int argc, char **argv, subject *subjects) {
  int count = 0;
  int floor = 0;
  int is_floor = 0;
  for (int i = 1; i < argc; i++) {
    char *equals = strchr(argv[i], '=');
    if (i + 1 < argc && read_option(argv[i], argv[i + 1])) {
      i++;
    } else if (strcmp(argv[i], "--floor") == 0) {
      is_floor = 1;
    } else if ((equals == NULL && request_count == 0) ||
               count == MAX_SUBJECTS) {
      return 0;
    } else {
      floor = is_floor ? count : floor;
      subjects[count] = (subject){.name = argv[i],
                                  .command = argv[i],
                                  .manner = is_floor ? NULL : spoken,
                                  .floor = floor};
      if (request_count == 0) {
        *equals = '\0';
        subjects[count].command = equals + 1;
      }
      is_floor = 0;
      count++;
    }
    if (!are_in_range()) {
      return 0;
    }
  }
  return count > 0 && subjects[count - 1].manner != NULL ? count : 0;
}

static void allow_descriptors(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
}

int main(int argc, char **argv) {
  static subject subjects[MAX_SUBJECTS];
  int count = parse(argc, argv, subjects);
  if (count == 0) {
    return usage();
  }
  allow_descriptors();
  if (request_count > 0) {
    return send_requests(&subjects[0]);
  }
  stay_on_cores((int)sysconf(_SC_NPROCESSORS_ONLN) - 1, 1);
  for (int round = 0; round < rounds; round++) {
    measure_all(subjects, count, round);
  }
  printf("%-5s %3d connections    requests/s x floor   CPU us x floor   p50 us "
         "x floor   p99 us  start KB idle B each session B each\n",
         asked->name, connections);
  for (int i = 0; i < count; i++) {
    print(&subjects[i]);
  }
  return 0;
}
