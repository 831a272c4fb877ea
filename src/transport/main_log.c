/* SPDX-License-Identifier: MIT */
/* The log of mcp_main: "TIME LEVEL: text", one line each, time in UTC. */
#include "transport/main_log.h"

#include "transport/uv_loop.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *const level_names[] = {
    "trace", "debug",    "info",  "notice",    "warning",
    "error", "critical", "alert", "emergency",
};

/* Readable by its owner alone when it is new: a trace tells all but the secrets
 * that it knows by their names. */
static FILE *open_file(const char *path) {
  int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY,
                S_IRUSR | S_IWUSR);
  FILE *file = fd >= 0 ? fdopen(fd, "a") : NULL;
  if (file == NULL && fd >= 0) {
    close(fd);
  }
  return file;
}

int mcpi_main_log_open(mcpi_main_log *log, const char *path, int level,
                       mcp_error *err) {
  *log = (mcpi_main_log){.file = stderr, .level = level};
  if (path == NULL) {
    return 0;
  }
  FILE *file = open_file(path);
  if (file == NULL) {
    mcpi_io_error(err, errno, path);
    return MCP_ERR_IO;
  }
  /* Whoever follows the file sees whole lines, and at once. */
  setvbuf(file, NULL, _IOLBF, BUFSIZ);
  log->file = file;
  log->owns_file = 1;
  return 0;
}

void mcpi_main_log_close(mcpi_main_log *log) {
  if (log->owns_file) {
    fclose(log->file);
  }
}

static void put_time(FILE *file) {
  struct timespec now;
  struct tm utc;
  char text[32];
  clock_gettime(CLOCK_REALTIME, &now);
  gmtime_r(&now.tv_sec, &utc);
  strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &utc);
  fprintf(file, "%s.%03ldZ ", text, now.tv_nsec / 1000000);
}

/* Other threads of the program may write to standard error. */
static void begin_line(FILE *file, int level) {
  flockfile(file);
  put_time(file);
  fprintf(file, "%s: ", level_names[level]);
}

static void end_line(FILE *file) {
  fputc('\n', file);
  funlockfile(file);
}

void mcpi_main_log_put(mcpi_main_log *log, int level, const char *format, ...) {
  if (level < log->level) {
    return;
  }
  va_list args;
  va_start(args, format);
  begin_line(log->file, level);
  vfprintf(log->file, format, args);
  end_line(log->file);
  va_end(args);
}

static void put_message(FILE *file, int is_sent, const char *text, size_t len) {
  fputs(is_sent ? "sent " : "received ", file);
  fwrite(text, 1, len, file);
}

void mcpi_main_log_trace(int is_sent, const char *text, size_t len,
                         void *userdata) {
  mcpi_main_log *log = userdata;
  begin_line(log->file, 0);
  put_message(log->file, is_sent, text, len);
  end_line(log->file);
}

void mcpi_main_log_peer_trace(int is_sent, const char *peer,
                              const char *session, const char *text, size_t len,
                              void *userdata) {
  mcpi_main_log *log = userdata;
  begin_line(log->file, 0);
  if (peer != NULL) {
    fprintf(log->file, "%s ", peer);
  }
  if (session != NULL) {
    fprintf(log->file, "session %s ", session);
  }
  put_message(log->file, is_sent, text, len);
  end_line(log->file);
}
