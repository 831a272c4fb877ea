/* SPDX-License-Identifier: MIT */
/* Loads HTTP servers with requests over keep-alive connections or WebSockets, and
 * measures them one beside the other in the same run.
 *
 *     bench-http_load [--call NAME] [--connections N] [--seconds S] [--rounds N]
 *                     [--idle N] [--cores N] NAME=COMMAND...
 *     bench-http_load [--call NAME] --requests N HOST:PORT
 *
 * A call is `add` (the two-number tool, unless --call says otherwise), `large`,
 * `work`, or `list`, which is tools/list. Each command says "HOST:PORT", or a URL
 * with it, in its first line of output or errors. One whose NAME has "legacy" in
 * it is spoken to in a session, one with "plain" by the same requests without
 * one, all others by requests of the modern era, and one with "WebSocket" in it
 * by a message for each request. The first is the floor that the others are
 * compared with; BENCH_BODY_LEN in the environment tells it how many bytes the
 * others' answers have. A connection sends its next request when it has its
 * answer. Figures: requests per second, CPU of the
 * server for each (all its threads, by the scheduler's own account), median and
 * 99th percentile of the answer's time, and memory of the server: at the start,
 * for each idle connection, and for each session with a connection that listens.
 * Runs are interleaved, and of the rounds the one with the least CPU is shown.
 * The server has core 0 (or the first --cores), we the last: this counts what a
 * request costs, not how fast one core serves two.
 *
 * The second form sends so many requests, one after another, and measures
 * nothing: for whoever counts what a server does. */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_SUBJECTS = 8, MAX_CONNS = 4096, MAX_IDLE = 60000, SLOTS = 200000 };

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

typedef struct figures {
  double per_second;
  double cpu_us;
  double p50_us;
  double p99_us;
  long start_kb;
  double idle_bytes;
  double session_bytes; /* 0: there are no sessions */
} figures;

typedef struct subject {
  const char *name;
  char *command;
  figures best;
} subject;

typedef struct server {
  pid_t pid;
  struct sockaddr_in address;
} server;

typedef struct conn {
  int fd;
  uint64_t sent_ns;
  size_t len;   /* of the answer, so far */
  size_t whole; /* its length; 0: not known yet */
  char answer[4096];
} conn;

static const call *asked = &calls[0];
static int connections = 64;
static int idle_connections = 1000;
static int rounds = 9;
static int server_cores = 1;
static int
    by_socket; /* the server that is measured is spoken to by WebSocket */
static int request_count; /* 0: to measure */
static size_t body_len;   /* of the answers; what the floor is told */
static double seconds = 1;
static char request[1024];
static size_t request_len;
static conn conns[MAX_CONNS];
static uint32_t slots[SLOTS]; /* answers by microseconds */

static void die(const char *what) {
  fprintf(stderr, "bench-http_load: %s: %s\n", what, strerror(errno));
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
  char *host = strstr(line, "://");
  host = host != NULL ? host + 3 : line;
  char *colon = strchr(host, ':');
  if (colon == NULL) {
    die(line);
  }
  *colon = '\0';
  s->address = (struct sockaddr_in){
      .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(colon + 1))};
  if (inet_pton(AF_INET, host, &s->address.sin_addr) != 1) {
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

static void make_post(const char *headers, const char *body) {
  request_len =
      (size_t)snprintf(request, sizeof(request),
                       "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                       "Content-Type: application/json\r\n"
                       "Accept: application/json, text/event-stream\r\n"
                       "%sContent-Length: %zu\r\n\r\n%s",
                       headers, strlen(body), body);
}

/* A message, masked. */
static void make_frame(const char *body) {
  static const unsigned char mask[] = {0x37, 0xfa, 0x21, 0x3d};
  size_t len = strlen(body);
  unsigned char *at = (unsigned char *)request;
  *at++ = 0x81;
  *at++ = 0x80 | 126;
  *at++ = (unsigned char)(len >> 8);
  *at++ = (unsigned char)len;
  memcpy(at, mask, sizeof(mask));
  at += sizeof(mask);
  for (size_t i = 0; i < len; i++) {
    *at++ = (unsigned char)(body[i] ^ mask[i % sizeof(mask)]);
  }
  request_len = (size_t)(at - (unsigned char *)request);
}

/* `members` join the params, behind those of the call. */
static void make_call(const char *headers, const char *members) {
  char body[512];
  int has_both = asked->params[0] != '\0' && members[0] != '\0';
  snprintf(
      body, sizeof(body),
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s%s%s}}",
      asked->method, asked->params, has_both ? "," : "", members);
  if (by_socket) {
    make_frame(body);
  } else {
    make_post(headers, body);
  }
}

static void open_socket(int fd) {
  static const char opening[] =
      "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
      "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  char answer[1024];
  if (send(fd, opening, sizeof(opening) - 1, MSG_NOSIGNAL) < 0 ||
      recv(fd, answer, sizeof(answer), 0) < 12 ||
      memcmp(answer, "HTTP/1.1 101", 12) != 0) {
    die("no WebSocket");
  }
}

static int connect_to(const server *s) {
  int on = 1;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect(fd, (const struct sockaddr *)&s->address,
                        sizeof(s->address)) != 0) {
    die("connect");
  }
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  if (by_socket) {
    open_socket(fd);
  }
  return fd;
}

static void send_request(conn *c) {
  c->len = 0;
  c->whole = 0;
  c->sent_ns = now_ns();
  if (send(c->fd, request, request_len, MSG_NOSIGNAL) != (ssize_t)request_len) {
    die("send");
  }
}

/* The same of a frame. */
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

/* Learns the answer's length from its head. */
static void find_whole(conn *c) {
  if (by_socket) {
    find_frame(c);
    return;
  }
  c->answer[c->len] = '\0';
  const char *end = strstr(c->answer, "\r\n\r\n");
  const char *length = strcasestr(c->answer, "\r\ncontent-length:");
  if (end == NULL) {
    return;
  }
  if (strncmp(c->answer, "HTTP/1.1 200", 12) != 0 || length == NULL) {
    fprintf(stderr, "bench-http_load: not an answer: %s\n", c->answer);
    exit(1);
  }
  body_len = strtoul(length + 17, NULL, 10);
  c->whole = (size_t)(end + 4 - c->answer) + body_len;
}

/* Whether the answer is whole. Of a long one the head alone is kept. */
static int read_answer(conn *c) {
  static char rest[256 * 1024];
  ssize_t got = c->whole == 0 ? recv(c->fd, c->answer + c->len,
                                     sizeof(c->answer) - 1 - c->len, 0)
                              : recv(c->fd, rest, sizeof(rest), 0);
  if (got <= 0) {
    die("recv");
  }
  c->len += (size_t)got;
  if (c->whole == 0) {
    find_whole(c);
  }
  return c->whole != 0 && c->len >= c->whole;
}

static void await_answer(conn *c) {
  while (!read_answer(c)) {
  }
}

/* Begins a session on a connection; `headers` are what its requests have. */
static void open_session(conn *c, char headers[128]) {
  char id[64] = "";
  make_post("", initialize_body);
  send_request(c);
  await_answer(c);
  const char *found = strcasestr(c->answer, "\r\nmcp-session-id:");
  if (found == NULL || sscanf(found + 17, " %63[!-~]", id) != 1) {
    die("no session");
  }
  snprintf(headers, 128,
           "MCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: %s\r\n", id);
}

static int is_legacy(const subject *what) {
  return strstr(what->name, "legacy") != NULL;
}

static int is_plain(const subject *what) {
  return strstr(what->name, "plain") != NULL;
}

/* All connections are of one session. */
static void choose_request(const subject *what, const server *s) {
  char headers[128];
  if (is_legacy(what)) {
    conn c = {.fd = connect_to(s)};
    open_session(&c, headers);
    close(c.fd);
    make_call(headers, "");
  } else if (is_plain(what)) {
    make_call("", "");
  } else {
    snprintf(headers, sizeof(headers), "MCP-Protocol-Version: 2026-07-28\r\n%s",
             asked->headers);
    make_call(headers, MODERN_META);
  }
}

static void count_time(const conn *c) {
  uint64_t us = (now_ns() - c->sent_ns) / 1000;
  slots[us < SLOTS ? us : SLOTS - 1]++;
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

static double percentile(uint64_t count, double part) {
  uint64_t wanted = (uint64_t)((double)count * part);
  uint64_t seen = 0;
  for (size_t us = 0; us < SLOTS; us++) {
    seen += slots[us];
    if (seen > wanted) {
      return (double)us;
    }
  }
  return SLOTS;
}

static int open_connections(const server *s) {
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  for (int i = 0; i < connections; i++) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &conns[i]};
    conns[i].fd = connect_to(s);
    epoll_ctl(epoll, EPOLL_CTL_ADD, conns[i].fd, &event);
    send_request(&conns[i]);
  }
  return epoll;
}

static void close_connections(int epoll) {
  for (int i = 0; i < connections; i++) {
    close(conns[i].fd);
  }
  close(epoll);
}

static int idle_fds[MAX_IDLE];

static void close_idle(void) {
  for (int i = 0; i < idle_connections; i++) {
    close(idle_fds[i]);
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
    conn c = {.fd = connect_to(s)};
    idle_fds[i] = c.fd;
    send_request(&c);
    await_answer(&c);
  }
  double bytes = bytes_each(s, before_kb);
  close_idle();
  return bytes;
}

/* Begins a session, and listens on the same connection. */
static void listen_in_session(conn *c) {
  char headers[128];
  char get[512];
  open_session(c, headers);
  int len = snprintf(get, sizeof(get),
                     "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                     "Accept: text/event-stream\r\n%s\r\n",
                     headers);
  if (send(c->fd, get, (size_t)len, MSG_NOSIGNAL) != len ||
      recv(c->fd, c->answer, sizeof(c->answer), 0) < 12 ||
      memcmp(c->answer, "HTTP/1.1 200", 12) != 0) {
    die("no stream");
  }
}

/* Resident memory for each of those; of a server that has had none before. */
static double measure_sessions(const subject *what) {
  server s;
  conn c;
  start(&s, what->command);
  c.fd = connect_to(&s);
  listen_in_session(&c);
  long before_kb = rss_kb(s.pid);
  for (int i = 0; i < idle_connections; i++) {
    conn another = {.fd = connect_to(&s)};
    idle_fds[i] = another.fd;
    listen_in_session(&another);
  }
  double bytes = bytes_each(&s, before_kb);
  close_idle();
  close(c.fd);
  stop(&s);
  return bytes;
}

static void measure(const subject *what, figures *f) {
  server s;
  by_socket = strstr(what->name, "WebSocket") != NULL;
  start(&s, what->command);
  f->start_kb = rss_kb(s.pid);
  choose_request(what, &s);
  int epoll = open_connections(&s);
  run_until(epoll, now_ns() + 300000000); /* to warm up */
  memset(slots, 0, sizeof(slots));
  uint64_t began_ns = now_ns();
  uint64_t cpu = cpu_ns(s.pid);
  uint64_t count = run_until(epoll, began_ns + (uint64_t)(seconds * 1e9));
  f->cpu_us = (double)(cpu_ns(s.pid) - cpu) / 1e3 / (double)count;
  f->per_second = (double)count / ((double)(now_ns() - began_ns) / 1e9);
  f->p50_us = percentile(count, 0.5);
  f->p99_us = percentile(count, 0.99);
  close_connections(epoll);
  f->idle_bytes = measure_idle(&s);
  stop(&s);
  f->session_bytes =
      is_legacy(what) && idle_connections > 0 ? measure_sessions(what) : 0;
}

/* --- without measuring --------------------------------------------------- */

static int send_requests(char *address) {
  static const subject modern = {.name = ""};
  server s;
  read_address(&s, address);
  choose_request(&modern, &s);
  conn c = {.fd = connect_to(&s)};
  for (int i = 0; i < request_count; i++) {
    send_request(&c);
    await_answer(&c);
  }
  return 0;
}

/* --- the report ---------------------------------------------------------- */

static void print(const subject *what, const subject *floor) {
  const figures *f = &what->best;
  printf("%-24s %10.0f %8.2f %8.2f %8.0f %8.0f %9ld %11.0f", what->name,
         f->per_second, f->cpu_us, f->cpu_us / floor->best.cpu_us, f->p50_us,
         f->p99_us, f->start_kb, f->idle_bytes);
  if (f->session_bytes > 0) {
    printf(" %12.0f", f->session_bytes);
  }
  putchar('\n');
}

static int usage(void) {
  fprintf(stderr,
          "usage: bench-http_load [--call add|large|work|list] "
          "[--connections N]\n"
          "         [--seconds S] [--rounds N] [--idle N] [--cores N] "
          "NAME=COMMAND...\n"
          "       bench-http_load [--call NAME] --requests N HOST:PORT\n");
  return 1;
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
  } else {
    return 0;
  }
  return 1;
}

static int are_in_range(void) {
  return asked != NULL && connections > 0 && connections <= MAX_CONNS &&
         seconds > 0 && idle_connections >= 0 && idle_connections <= MAX_IDLE &&
         rounds > 0 && server_cores > 0 && request_count >= 0;
}

/* How many subjects; 0: it cannot be read. */
static int parse(int argc, char **argv, subject *subjects) {
  int count = 0;
  for (int i = 1; i < argc; i++) {
    char *equals = strchr(argv[i], '=');
    if (i + 1 < argc && read_option(argv[i], argv[i + 1])) {
      i++;
    } else if (request_count > 0) {
      subjects[count++] = (subject){.command = argv[i]};
    } else if (equals == NULL || count == MAX_SUBJECTS) {
      return 0;
    } else {
      *equals = '\0';
      subjects[count++] = (subject){.name = argv[i], .command = equals + 1};
    }
  }
  return are_in_range() ? count : 0;
}

static void allow_descriptors(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
}

int main(int argc, char **argv) {
  subject subjects[MAX_SUBJECTS];
  int count = parse(argc, argv, subjects);
  if (count == 0) {
    return usage();
  }
  allow_descriptors();
  if (request_count > 0) {
    return send_requests(subjects[0].command);
  }
  stay_on_cores((int)sysconf(_SC_NPROCESSORS_ONLN) - 1, 1);
  for (int round = 0; round < rounds; round++) {
    /* The floor learns from the others how long answers are. */
    for (int i = count - 1; i >= 0; i--) {
      figures f = {0};
      measure(&subjects[i], &f);
      if (round == 0 || f.cpu_us < subjects[i].best.cpu_us) {
        subjects[i].best = f;
      }
    }
  }
  printf("%-5s %3d connections    requests/s   CPU us  x floor   p50 us   "
         "p99 us  start KB idle B each session B each\n",
         asked->name, connections);
  for (int i = 0; i < count; i++) {
    print(&subjects[i], &subjects[0]);
  }
  return 0;
}
