/* SPDX-License-Identifier: MIT */
/* A server that is measured: its process, address, time and memory. */
#include "load.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void die(const char *what) {
  fprintf(stderr, "bench-load: %s: %s\n", what, strerror(errno));
  exit(1);
}

uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void stay_on_cores(int first, int count) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (int i = first; i < first + count; i++) {
    CPU_SET(i, &cores);
  }
  if (sysconf(_SC_NPROCESSORS_ONLN) > 1) {
    sched_setaffinity(0, sizeof(cores), &cores);
  }
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

void server_read_address(server *s, char *line) {
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
  server_read_address(s, line);
}

void server_start(server *s, const char *command, int cores, size_t body_len) {
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
    stay_on_cores(0, cores);
    snprintf(len, sizeof(len), "%zu", body_len);
    setenv("BENCH_BODY_LEN", len, 1);
    run_command(strdup(command));
  }
  close(out[1]);
  hear_address(s, out[0]);
}

void server_stop(const server *s) {
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

uint64_t server_cpu_ns(const server *s) {
  char path[64];
  uint64_t ns = 0;
  snprintf(path, sizeof(path), "/proc/%d/task", (int)s->pid);
  DIR *dir = opendir(path);
  const struct dirent *entry;
  if (dir == NULL) {
    die(path);
  }
  while ((entry = readdir(dir)) != NULL) {
    ns += entry->d_name[0] != '.' ? thread_ns(s->pid, entry->d_name) : 0;
  }
  closedir(dir);
  return ns;
}

long server_rss_kb(const server *s) {
  char path[64];
  char line[256];
  long kb = 0;
  snprintf(path, sizeof(path), "/proc/%d/status", (int)s->pid);
  FILE *file = fopen(path, "r");
  while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
    sscanf(line, "VmRSS: %ld", &kb);
  }
  if (file != NULL) {
    fclose(file);
  }
  return kb;
}

int server_connect(const server *s) {
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
