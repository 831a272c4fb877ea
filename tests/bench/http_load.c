/* SPDX-License-Identifier: MIT */
/* Loads HTTP servers with tools/call requests over keep-alive connections, and
 * measures them one beside the other in the same run.
 *
 *     bench-http_load [--connections N] [--seconds S] [--idle N] NAME=COMMAND...
 *
 * Each command says "HOST:PORT", or a URL with it, in its first line of output
 * or errors. One whose NAME has "legacy" in it is spoken to in a session; with
 * "own" each connection has the session that it has begun, and with "crossed" the
 * one that its neighbour has begun, which a server with two threads must relay.
 * All others get requests of the modern era. The first is the floor that the others
 * are compared with. A connection sends its next request when it has
 * its answer. Figures: requests per second, CPU of the server for each (all its
 * threads, by the scheduler's own account), median and 99th percentile of the
 * answer's time, and memory of the server, at the start and for each idle
 * connection. Runs are interleaved, and of ROUNDS the one with the least CPU is
 * shown. The server has core 0, we the next: this counts what a request costs,
 * not how fast one core serves two. */
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

enum { ROUNDS = 9, MAX_SUBJECTS = 8, MAX_CONNS = 4096, SLOTS = 200000 };

static const char modern_body[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
    "\"name\":\"add\",\"arguments\":{\"a\":2,\"b\":3},\"_meta\":{"
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
    "\"io.modelcontextprotocol/clientCapabilities\":{}}}}";

static const char legacy_body[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
    "\"name\":\"add\",\"arguments\":{\"a\":2,\"b\":3}}}";
static const char initialize_body[] =
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
    "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{"
    "\"name\":\"bench\",\"version\":\"1\"}}}";

typedef struct figures {
  double per_second;
  double cpu_us;
  double p50_us;
  double p99_us;
  long start_kb;
  double idle_bytes;
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
  size_t request_len;
  size_t len;   /* of the answer, so far */
  size_t whole; /* its length; 0: not known yet */
  char request[1024];
  char answer[4096];
} conn;

static int connections = 64;
static int idle_connections = 1000;
static double seconds = 1;
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

static void stay_on_core(int core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
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

static void read_address(server *s, int fd) {
  char line[128] = "";
  FILE *file = fdopen(fd, "r");
  if (fgets(line, sizeof(line), file) == NULL) {
    die("the server did not say where it listens");
  }
  fclose(file);
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

static void start(server *s, const char *command) {
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
    stay_on_core(0);
    run_command(strdup(command));
  }
  close(out[1]);
  read_address(s, out[0]);
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

static void make_request(conn *c, const char *headers, const char *body) {
  c->request_len =
      (size_t)snprintf(c->request, sizeof(c->request),
                       "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                       "Content-Type: application/json\r\n"
                       "Accept: application/json, text/event-stream\r\n"
                       "%sContent-Length: %zu\r\n\r\n%s",
                       headers, strlen(body), body);
}

static int connect_to(const server *s) {
  int on = 1;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect(fd, (const struct sockaddr *)&s->address,
                        sizeof(s->address)) != 0) {
    die("connect");
  }
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return fd;
}

static void send_request(conn *c) {
  c->len = 0;
  c->whole = 0;
  c->sent_ns = now_ns();
  if (send(c->fd, c->request, c->request_len, MSG_NOSIGNAL) !=
      (ssize_t)c->request_len) {
    die("send");
  }
}

/* Learns the answer's length from its head. */
static void find_whole(conn *c) {
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
  c->whole = (size_t)(end + 4 - c->answer) + strtoul(length + 17, NULL, 10);
}

/* Whether the answer is whole. */
static int read_answer(conn *c) {
  ssize_t got =
      recv(c->fd, c->answer + c->len, sizeof(c->answer) - 1 - c->len, 0);
  if (got <= 0) {
    die("recv");
  }
  c->len += (size_t)got;
  if (c->whole == 0) {
    find_whole(c);
  }
  return c->whole != 0 && c->len >= c->whole;
}

/* Begins a session on that connection, and makes a request of it. */
static void open_session(conn *c) {
  char headers[128];
  char id[64] = "";
  make_request(c, "", initialize_body);
  send_request(c);
  while (!read_answer(c)) {
  }
  const char *found = strcasestr(c->answer, "\r\nmcp-session-id:");
  if (found == NULL || sscanf(found + 17, " %63[!-~]", id) != 1) {
    die("no session");
  }
  snprintf(headers, sizeof(headers),
           "MCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: %s\r\n", id);
  make_request(c, headers, legacy_body);
}

static void take_request(conn *c, const conn *from) {
  c->request_len = from->request_len;
  memcpy(c->request, from->request, from->request_len);
}

static void swap_requests(conn *a, conn *b) {
  static conn kept;
  take_request(&kept, a);
  take_request(a, b);
  take_request(b, &kept);
}

/* Sessions of their own. */
static void choose_sessions(const subject *what) {
  for (int i = 0; i < connections; i++) {
    open_session(&conns[i]);
  }
  if (strstr(what->name, "crossed") != NULL) {
    for (int i = 0; i + 1 < connections; i += 2) {
      swap_requests(&conns[i], &conns[i + 1]);
    }
  }
}

static void choose_requests(const subject *what) {
  if (strstr(what->name, "own") != NULL ||
      strstr(what->name, "crossed") != NULL) {
    choose_sessions(what);
    return;
  }
  if (strstr(what->name, "legacy") != NULL) {
    open_session(&conns[0]);
  } else {
    make_request(&conns[0],
                 "MCP-Protocol-Version: 2026-07-28\r\n"
                 "Mcp-Method: tools/call\r\nMcp-Name: add\r\n",
                 modern_body);
  }
  for (int i = 1; i < connections; i++) {
    take_request(&conns[i], &conns[0]);
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

static int open_connections(const subject *what, const server *s) {
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  for (int i = 0; i < connections; i++) {
    conns[i].fd = connect_to(s);
  }
  choose_requests(what);
  for (int i = 0; i < connections; i++) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &conns[i]};
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

/* Resident memory for each connection that has had one answer. */
static double measure_idle(const server *s) {
  static int fds[65536];
  long before_kb = rss_kb(s->pid);
  for (int i = 0; i < idle_connections; i++) {
    static conn c;
    c.fd = connect_to(s);
    take_request(&c, &conns[0]);
    fds[i] = c.fd;
    send_request(&c);
    while (!read_answer(&c)) {
    }
  }
  double bytes = (double)(rss_kb(s->pid) - before_kb) * 1024;
  for (int i = 0; i < idle_connections; i++) {
    close(fds[i]);
  }
  return idle_connections > 0 ? bytes / idle_connections : 0;
}

static void measure(const subject *what, figures *f) {
  server s;
  start(&s, what->command);
  f->start_kb = rss_kb(s.pid);
  int epoll = open_connections(what, &s);
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
}

/* --- the report ---------------------------------------------------------- */

static void print(const subject *what, const subject *floor) {
  const figures *f = &what->best;
  printf("%-24s %10.0f %8.2f %8.2f %8.0f %8.0f %9ld %10.0f\n", what->name,
         f->per_second, f->cpu_us, f->cpu_us / floor->best.cpu_us, f->p50_us,
         f->p99_us, f->start_kb, f->idle_bytes);
}

static int usage(void) {
  fprintf(stderr, "usage: bench-http_load [--connections N] [--seconds S] "
                  "[--idle N] NAME=COMMAND...\n");
  return 1;
}

static int parse(int argc, char **argv, subject *subjects) {
  int count = 0;
  for (int i = 1; i < argc; i++) {
    char *equals = strchr(argv[i], '=');
    if (strcmp(argv[i], "--connections") == 0 && i + 1 < argc) {
      connections = atoi(argv[++i]);
    } else if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc) {
      seconds = atof(argv[++i]);
    } else if (strcmp(argv[i], "--idle") == 0 && i + 1 < argc) {
      idle_connections = atoi(argv[++i]);
    } else if (equals == NULL || count == MAX_SUBJECTS) {
      return 0;
    } else {
      *equals = '\0';
      subjects[count++] = (subject){.name = argv[i], .command = equals + 1};
    }
  }
  return connections > 0 && connections <= MAX_CONNS && seconds > 0 &&
                 idle_connections >= 0 && idle_connections <= 60000
             ? count
             : 0;
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
  stay_on_core(1);
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < count; i++) {
      figures f = {0};
      measure(&subjects[i], &f);
      if (round == 0 || f.cpu_us < subjects[i].best.cpu_us) {
        subjects[i].best = f;
      }
    }
  }
  printf("HTTP, %3d connections     requests/s   CPU us  x floor   p50 us   "
         "p99 us  start KB idle B each\n",
         connections);
  for (int i = 0; i < count; i++) {
    print(&subjects[i], &subjects[0]);
  }
  return 0;
}
