/* SPDX-License-Identifier: MIT */
/* Measures servers over standard input and output, each beside the same floor
 * in the same run: a bare echo process that reads a line and writes a canned
 * reply of the same length.
 *
 *     bench-lines [--frames] [--calls N] [--soak N] NAME=COMMAND...
 *
 * COMMAND is split at blanks. Requests are of the modern era, in a session
 * where NAME has "legacy" in it, or with --frames those of the mcp-core
 * dialect. N calls are measured in each round, and piped before memory is
 * looked at (a million, unless --soak says otherwise).
 *
 * Figures: time from exec to the first reply, round trip (median and 99th
 * percentile), CPU time a call, pipelined calls per second, and resident memory
 * when idle and after the calls of --soak. Runs are interleaved and the best of
 * ROUNDS is taken, so that a busy machine harms all alike. All processes share
 * one core: whether the system puts two on one core or on two makes tenfold
 * differences from run to run. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 5, PIPELINE = 10000, CHUNK = 1000, MAX_SUBJECTS = 8 };

static const char request_format[] =
    "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{"
    "\"name\":\"add\",\"arguments\":{\"a\":2,\"b\":3},\"_meta\":{"
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
    "\"io.modelcontextprotocol/clientCapabilities\":{}}}}\n";

static const char initialize[] =
    "{\"jsonrpc\":\"2.0\",\"id\":\"i\",\"method\":\"initialize\",\"params\":{"
    "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{"
    "\"name\":\"bench\",\"version\":\"1\"}}}\n";
static const char initialized[] =
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
static const char legacy_format[] =
    "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{"
    "\"name\":\"add\",\"arguments\":{\"a\":2,\"b\":3}}}\n";

static const char frame_format[] =
    "{\"id\":%d,\"name\":\"add\",\"arguments\":{\"a\":2,\"b\":3}}\n";

/* A process that is measured. */
typedef struct child {
  pid_t pid;
  int to;
  int from;
  char buffer[1 << 16];
  size_t start;
  size_t len;
} child;

/* The figures; the best of all rounds. */
typedef struct figures {
  double first_ms;
  double p50_us;
  double p99_us;
  double cpu_us;
  double per_second;
  long idle_kb;
  long end_kb;
} figures;

typedef struct subject {
  const char *name;
  char *command; /* NULL: the echo floor */
  int is_legacy;
  size_t reply_len;
  figures best;
} subject;

static int are_frames;
static size_t floor_reply_len = 160;

static double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void die(const char *what) {
  fprintf(stderr, "bench-lines: %s: %s\n", what, strerror(errno));
  exit(1);
}

/* The floor: one read, one write, no work. */
static void echo(size_t reply_len) {
  static char bytes[1 << 16];
  static char reply[1 << 16];
  memset(reply, 'x', reply_len);
  reply[reply_len - 1] = '\n';
  ssize_t got;
  while ((got = read(0, bytes, sizeof bytes)) > 0) {
    size_t at = 0;
    for (ssize_t i = 0; i < got; i++) {
      if (bytes[i] == '\n') {
        if (at + reply_len > sizeof reply) {
          if (write(1, reply, at) < 0) {
            _exit(1);
          }
          at = 0;
        }
        memset(reply + at, 'x', reply_len - 1);
        reply[at + reply_len - 1] = '\n';
        at += reply_len;
      }
    }
    if (at > 0 && write(1, reply, at) < 0) {
      _exit(1);
    }
  }
  _exit(0);
}

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

static void start(child *process, const subject *what) {
  int in[2];
  int out[2];
  if (pipe(in) != 0 || pipe(out) != 0) {
    die("pipe");
  }
  process->start = process->len = 0;
  process->pid = fork();
  if (process->pid == 0) {
    dup2(in[0], 0);
    dup2(out[1], 1);
    close(in[0]);
    close(in[1]);
    close(out[0]);
    close(out[1]);
    if (what->command == NULL) {
      echo(floor_reply_len);
    }
    run_command(strdup(what->command));
  }
  close(in[0]);
  close(out[1]);
  process->to = in[1];
  process->from = out[0];
}

static void send_text(child *process, const char *text, size_t len) {
  while (len > 0) {
    ssize_t put = write(process->to, text, len);
    if (put < 0) {
      die("the server is gone");
    }
    text += put;
    len -= (size_t)put;
  }
}

/* Reads one line. Returns its length without the line's end. */
static size_t read_line(child *process) {
  for (;;) {
    char *end = memchr(process->buffer + process->start, '\n',
                       process->len - process->start);
    if (end != NULL) {
      size_t len = (size_t)(end - process->buffer) - process->start;
      process->start += len + 1;
      return len;
    }
    memmove(process->buffer, process->buffer + process->start,
            process->len - process->start);
    process->len -= process->start;
    process->start = 0;
    ssize_t got = read(process->from, process->buffer + process->len,
                       sizeof process->buffer - process->len);
    if (got <= 0) {
      die("the server closed its output");
    }
    process->len += (size_t)got;
  }
}

/* CPU time of all the process's threads so far. */
static double cpu_us(pid_t pid) {
  char path[64];
  char line[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  FILE *file = fopen(path, "r");
  if (file == NULL || fgets(line, sizeof line, file) == NULL) {
    die(path);
  }
  fclose(file);
  unsigned long user = 0;
  unsigned long kernel = 0;
  char *after = strrchr(line, ')');
  sscanf(after + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
         &user, &kernel);
  return (double)(user + kernel) * 1e6 / (double)sysconf(_SC_CLK_TCK);
}

static long rss_kb(pid_t pid) {
  char path[64];
  char line[256];
  long kb = 0;
  snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
  FILE *file = fopen(path, "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    sscanf(line, "VmRSS: %ld", &kb);
  }
  if (file != NULL) {
    fclose(file);
  }
  return kb;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

static int put_request(char *text, size_t size, const subject *what, int id) {
  return snprintf(text, size,
                  are_frames        ? frame_format
                  : what->is_legacy ? legacy_format
                                    : request_format,
                  id);
}

static void open_session(child *process, const subject *what) {
  if (what->is_legacy) {
    send_text(process, initialize, sizeof initialize - 1);
    read_line(process);
    send_text(process, initialized, sizeof initialized - 1);
  }
}

static void measure_round_trips(child *process, const subject *what, int calls,
                                figures *f) {
  char text[1024];
  double *times = malloc((size_t)calls * sizeof *times);
  double cpu = cpu_us(process->pid);
  for (int i = 0; i < calls; i++) {
    int len = put_request(text, sizeof text, what, i + 10);
    double begin = now_us();
    send_text(process, text, (size_t)len);
    read_line(process);
    times[i] = now_us() - begin;
  }
  f->cpu_us = (cpu_us(process->pid) - cpu) / calls;
  qsort(times, (size_t)calls, sizeof *times, by_value);
  f->p50_us = times[calls / 2];
  f->p99_us = times[calls - calls / 100 - 1];
  free(times);
}

static void write_requests(child *process, const subject *what, int calls) {
  static char chunk[CHUNK * 512];
  for (int id = 0; id < calls;) {
    size_t len = 0;
    for (int i = 0; i < CHUNK && id < calls; i++, id++) {
      len += (size_t)put_request(chunk + len, 512, what, id + 10);
    }
    send_text(process, chunk, len);
  }
}

/* Another process writes the requests while this one reads the replies. Returns
 * calls per second. */
static double pipe_calls(child *process, const subject *what, int calls) {
  double begin = now_us();
  pid_t writer = fork();
  if (writer == 0) {
    write_requests(process, what, calls);
    _exit(0);
  }
  for (int i = 0; i < calls; i++) {
    read_line(process);
  }
  waitpid(writer, NULL, 0);
  return calls / ((now_us() - begin) / 1e6);
}

static void stop(child *process) {
  close(process->to);
  close(process->from);
  waitpid(process->pid, NULL, 0);
}

static void measure(subject *what, int calls, figures *f) {
  child process;
  char text[1024];
  double begin = now_us();
  start(&process, what);
  open_session(&process, what);
  int len = put_request(text, sizeof text, what, 1);
  send_text(&process, text, (size_t)len);
  what->reply_len = read_line(&process) + 1;
  f->first_ms = (now_us() - begin) / 1e3;
  f->idle_kb = rss_kb(process.pid);
  measure_round_trips(&process, what, calls, f);
  f->per_second = pipe_calls(&process, what, PIPELINE);
  stop(&process);
}

/* Returns the memory that a process holds after the calls of --soak. */
static long soak_kb(const subject *what, int calls) {
  child process;
  start(&process, what);
  open_session(&process, what);
  pipe_calls(&process, what, calls);
  long kb = rss_kb(process.pid);
  stop(&process);
  return kb;
}

static void keep_best(figures *best, const figures *f) {
  best->first_ms = f->first_ms < best->first_ms ? f->first_ms : best->first_ms;
  best->p50_us = f->p50_us < best->p50_us ? f->p50_us : best->p50_us;
  best->p99_us = f->p99_us < best->p99_us ? f->p99_us : best->p99_us;
  best->cpu_us = f->cpu_us < best->cpu_us ? f->cpu_us : best->cpu_us;
  best->per_second =
      f->per_second > best->per_second ? f->per_second : best->per_second;
  best->idle_kb = f->idle_kb > best->idle_kb ? f->idle_kb : best->idle_kb;
}

static void print(const subject *what, const subject *floor) {
  const figures *f = &what->best;
  printf("%-24s %8.2f %8.1f %8.1f %7.2f %8.2f %10.0f %8ld %8ld\n", what->name,
         f->first_ms, f->p50_us, f->p99_us, f->p50_us / floor->best.p50_us,
         f->cpu_us, f->per_second, f->idle_kb, f->end_kb);
}

static void stay_on_one_core(void) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(0, &cores);
  sched_setaffinity(0, sizeof cores, &cores);
}

int main(int argc, char **argv) {
  int calls = 5000;
  int soak = 1000000;
  int count = 0;
  subject subjects[MAX_SUBJECTS] = {{.name = "floor: bare echo"}};
  signal(SIGPIPE, SIG_IGN);
  stay_on_one_core();
  for (int i = 1; i < argc; i++) {
    char *equals = strchr(argv[i], '=');
    if (strcmp(argv[i], "--calls") == 0 && i + 1 < argc) {
      calls = atoi(argv[++i]);
    } else if (strcmp(argv[i], "--soak") == 0 && i + 1 < argc) {
      soak = atoi(argv[++i]);
    } else if (strcmp(argv[i], "--frames") == 0) {
      are_frames = 1;
    } else if (equals == NULL || count + 1 == MAX_SUBJECTS) {
      fprintf(stderr, "usage: bench-lines [--frames] [--calls N] [--soak N] "
                      "NAME=COMMAND...\n");
      return 1;
    } else {
      *equals = '\0';
      subjects[++count] =
          (subject){.name = argv[i],
                    .command = equals + 1,
                    .is_legacy = strstr(argv[i], "legacy") != NULL};
    }
  }
  for (int s = 0; s <= count; s++) {
    subjects[s].best = (figures){1e9, 1e9, 1e9, 1e9, 0, 0, 0};
  }
  for (int round = 0; round < ROUNDS; round++) {
    for (int s = count; s >= 0; s--) { /* the floor learns the reply's length */
      figures f = {0};
      measure(&subjects[s], calls, &f);
      keep_best(&subjects[s].best, &f);
      if (s == 1) {
        floor_reply_len = subjects[1].reply_len;
      }
    }
  }
  printf("%-24s %8s %8s %8s %7s %8s %10s %8s %8s\n", "stdio", "first ms",
         "p50 us", "p99 us", "x floor", "CPU us", "piped/s", "idle KB",
         "after KB");
  for (int s = 0; s <= count; s++) {
    subjects[s].best.end_kb = soak_kb(&subjects[s], soak);
    print(&subjects[s], &subjects[0]);
  }
  return 0;
}
