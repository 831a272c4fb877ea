/* SPDX-License-Identifier: MIT */
/* Loads servers with requests over connections that stay, and measures them one
 * beside the other in the same run.
 *
 *     bench-load [--call NAME] [--connections N] [--seconds S] [--rounds N]
 *                [--idle N] [--cores N] [--token TOKEN]
 *                [--as MANNER] [--floor] NAME=COMMAND ...
 *     bench-load [--call NAME] [--as MANNER] [--token TOKEN]
 *                --requests N ADDRESS
 *
 * A call is `add` (the two-number tool, unless --call says otherwise), `large`,
 * `work`, or `list`, which is tools/list. Each command says "HOST:PORT",
 * "unix:PATH", or a URL with the first, in its first line of output or errors.
 * --as sets the manner of the commands that follow it; see `manners`. --token
 * adds an access token to the POSTs of all. --floor
 * says that the next one is what those behind it are compared with, up to the
 * next floor; it is sent what the one behind it is sent, and BENCH_BODY_LEN in
 * its environment is the length of that one's answers. Without --floor the
 * first is what the others are compared with. A connection, or with HTTP+SSE
 * the pair of one, sends its next request when it has its answer.
 *
 * Figures: requests per second, CPU of the server for each (all its threads, by
 * the scheduler's own account), median and 99th percentile of the answer's
 * time, and memory of the server: at the start, for each idle connection, and
 * for each session with a connection that listens. Runs are interleaved, and of
 * each figure the rounds' median is shown; "x floor" is the median of what it
 * was in each round beside the floor's of the same. The server has core 0 (or
 * the first --cores), we the last: this counts what a request costs, not how
 * fast one core serves two.
 *
 * The second form sends N requests, one after another, and measures nothing, so
 * that a profiler of the server can count them. */
#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
  MAX_SUBJECTS = 64,
  MAX_CONNS = 4096,
  MAX_IDLE = 30000,
  MAX_ROUNDS = 64,
  SLOT_NS = 100,
  SLOTS = 2000000
};

/* The figures of a round. The last three are relative to the floor's. */
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
  const manner *manner; /* NULL: a floor, sent what the next one is sent */
  int floor;            /* which it is compared with */
  double figures[FIGURES][MAX_ROUNDS];
} subject;

static talk talking;
static int connections = 64;
static int idle_connections = 1000;
static int rounds = 9;
static int server_cores = 1;
static int request_count; /* 0: measure instead */
static double seconds = 1;
static conn conns[MAX_CONNS];
static uint32_t slots[SLOTS]; /* answers by time */

/* --- the measurement ----------------------------------------------------- */

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
      if (conn_read(c)) {
        count_time(c);
        conn_send(c);
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
    conn_open(&conns[i], &talking, s);
    epoll_ctl(epoll, EPOLL_CTL_ADD, conns[i].fd, &event);
    if (conns[i].post_fd != conns[i].fd) {
      epoll_ctl(epoll, EPOLL_CTL_ADD, conns[i].post_fd, &event);
    }
    conn_send(&conns[i]);
  }
  return epoll;
}

static void close_connections(int epoll) {
  for (int i = 0; i < connections; i++) {
    conn_close(&conns[i]);
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
             ? (double)(server_rss_kb(s) - before_kb) * 1024 / idle_connections
             : 0;
}

/* Resident memory for each connection that has had one answer. */
static double measure_idle(const server *s) {
  long before_kb = server_rss_kb(s);
  for (int i = 0; i < idle_connections; i++) {
    conn c;
    conn_open(&c, &talking, s);
    keep_idle(&c);
    conn_send(&c);
    conn_await(&c);
  }
  double bytes = bytes_each(s, before_kb);
  close_idle();
  return bytes;
}

/* Resident memory for each session, of a server that has had none before. */
static double measure_sessions(const subject *what) {
  server s;
  conn c;
  server_start(&s, what->command, server_cores, talking.answer_len);
  conn_open_listening(&c, &talking, &s);
  long before_kb = server_rss_kb(&s);
  for (int i = 0; i < idle_connections; i++) {
    conn another;
    conn_open_listening(&another, &talking, &s);
    keep_idle(&another);
  }
  double bytes = bytes_each(&s, before_kb);
  close_idle();
  conn_close(&c);
  server_stop(&s);
  return bytes;
}

/* A refusal must not be measured. */
static void check_answer(const server *s) {
  static conn c;
  conn_open(&c, &talking, s);
  conn_send(&c);
  conn_await(&c);
  if (strstr(c.answer, "\"error\"") != NULL) {
    fprintf(stderr, "bench-load: refused: %s\n", c.answer);
    exit(1);
  }
  conn_close(&c);
}

/* A floor is sent the request of the subject that was measured before it. */
static void measure(const subject *what, double f[FIGURES]) {
  server s;
  server_start(&s, what->command, server_cores, talking.answer_len);
  f[START_KB] = (double)server_rss_kb(&s);
  if (what->manner != NULL) {
    talking.manner = what->manner;
    talk_prepare(&talking, &s);
  }
  check_answer(&s);
  int epoll = open_connections(&s);
  run_until(epoll, now_ns() + 300000000); /* to warm up */
  memset(slots, 0, sizeof(slots));
  uint64_t began_ns = now_ns();
  uint64_t cpu = server_cpu_ns(&s);
  uint64_t count = run_until(epoll, began_ns + (uint64_t)(seconds * 1e9));
  f[CPU_US] = (double)(server_cpu_ns(&s) - cpu) / 1e3 / (double)count;
  f[PER_SECOND] = (double)count / ((double)(now_ns() - began_ns) / 1e9);
  f[P50_US] = percentile_us(count, 0.5);
  f[P99_US] = percentile_us(count, 0.99);
  close_connections(epoll);
  f[IDLE_BYTES] = measure_idle(&s);
  server_stop(&s);
  f[SESSION_BYTES] = talking.manner->form == SESSION && idle_connections > 0
                         ? measure_sessions(what)
                         : 0;
}

/* A floor runs after the subjects that are compared with it: it takes the
 * length of its answer from them. */
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
  server_read_address(&s, what->command);
  talking.manner = what->manner;
  talk_prepare(&talking, &s);
  conn_open(&c, &talking, &s);
  for (int i = 0; i < request_count; i++) {
    conn_send(&c);
    conn_await(&c);
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
                  "         [--token TOKEN]\n"
                  "         [--as MANNER] [--floor] NAME=COMMAND...\n"
                  "       bench-load [--call NAME] [--as MANNER] --requests N "
                  "ADDRESS\n"
                  "MANNER is one of");
  for (size_t i = 0; manner_name(i) != NULL; i++) {
    fprintf(stderr, " %s", manner_name(i));
  }
  fputc('\n', stderr);
  return 1;
}

/* Returns 1 when the word was an option, and has read its value. */
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
    talking.call = call_find(value);
  } else if (strcmp(name, "--token") == 0) {
    talking.token = value;
  } else if (strcmp(name, "--as") == 0) {
    talking.manner = manner_find(value);
  } else {
    return 0;
  }
  return 1;
}

static int are_in_range(void) {
  return talking.call != NULL && talking.manner != NULL && connections > 0 &&
         connections <= MAX_CONNS && seconds > 0 && idle_connections >= 0 &&
         idle_connections <= MAX_IDLE && rounds > 0 && rounds <= MAX_ROUNDS &&
         server_cores > 0 && request_count >= 0;
}

/* Returns the number of subjects; 0: the command line is wrong. */
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
                                  .manner = is_floor ? NULL : talking.manner,
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
  talking.call = call_find("add");
  talking.manner = manner_find("modern");
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
         talking.call->name, connections);
  for (int i = 0; i < count; i++) {
    print(&subjects[i]);
  }
  return 0;
}
