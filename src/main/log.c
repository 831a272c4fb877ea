/* SPDX-License-Identifier: MIT */
/* The log of mcp_main: "TIME LEVEL: text", one line each, time in UTC. */
#include "main/log.h"

#include "base/printable.h"
#include "platform/errors.h"
#include "platform/files.h"

#include <inttypes.h>
#include <mcp/server.h>
#include <stdarg.h>
#include <time.h>

enum { STANDARD_ERROR = 2 };

/* Only the owner can read a new log file, because a trace may contain private
 * data: it hides only secrets that have a known name. */
static int log_open_file(const char *path) {
  return mcpi_file_open(
      path, UV_FS_O_WRONLY | UV_FS_O_APPEND | UV_FS_O_CREAT | UV_FS_O_NOCTTY,
      0600);
}

/* --- parts of a line ----------------------------------------------------- */

static void log_put_text(mcpi_buf *line, const char *text) {
  mcpi_put_printable(line, mcpi_str_z(text));
}

/* "TIME LEVEL: " */
static void begin_line(mcpi_buf *line, int level) {
  struct timespec now;
  struct tm utc;
  char date[32];
  char text[64];
  timespec_get(&now, TIME_UTC);
  mcpi_utc(now.tv_sec, &utc);
  strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &utc);
  snprintf(text, sizeof(text), "%s.%03ldZ %s: ", date,
           (long)now.tv_nsec / 1000000,
           level != 0 ? mcp_log_level_name(level) : "trace");
  log_put_text(line, text);
}

static void end_line(mcpi_log_sink *sink, mcpi_buf *line) {
  mcpi_buf_putc(line, '\n');
  if (line->error == 0) {
    mcpi_log_sink_put(sink, line->data, line->len);
  }
  mcpi_buf_deinit(line);
}

static mcpi_buf line_new(int level) {
  mcpi_buf line;
  mcpi_buf_init(&line, mcp_allocator_default(), SIZE_MAX);
  begin_line(&line, level);
  return line;
}

static void put_notice(mcpi_buf *out, uint64_t lost) {
  char text[96];
  begin_line(out, MCP_LOG_WARNING);
  snprintf(text, sizeof(text),
           "%" PRIu64 " %s missing here: the log could not be "
           "written",
           lost, lost == 1 ? "line is" : "lines are");
  log_put_text(out, text);
  mcpi_buf_putc(out, '\n');
}

/* --- the log ------------------------------------------------------------- */

static int open_sink(mcpi_log_sink *sink, int fd, mcp_error *err) {
  int rc = mcpi_log_sink_init(sink, fd, put_notice);
  return rc == 0 ? 0 : mcp_error_set(err, rc, "out of memory for the log");
}

/* Opens the log file. open_sink closes the descriptor if it fails. */
static int log_use_file(mcpi_main_log *log, const char *path, mcp_error *err) {
  int fd = log_open_file(path);
  if (fd < 0) {
    return mcp_error_set(err, MCP_ERR_IO,
                         "--log-file: \"%s\": %s; give the path of a file "
                         "that this user may write",
                         path, mcpi_error_name(-fd));
  }
  int rc = open_sink(&log->file, fd, err);
  log->has_file = rc == 0;
  return rc;
}

int mcpi_main_log_open(mcpi_main_log *log, const char *path, int level,
                       mcp_error *err) {
  *log = (mcpi_main_log){.level = level};
  int rc = open_sink(&log->console, STANDARD_ERROR, err);
  if (rc == 0 && path != NULL) {
    rc = log_use_file(log, path, err);
    if (rc != 0) {
      mcpi_log_sink_deinit(&log->console);
    }
  }
  return rc;
}

void mcpi_main_log_attach(mcpi_main_log *log, mcpi_uv *uv) {
  mcpi_log_sink_attach(&log->console, uv);
  if (log->has_file) {
    mcpi_log_sink_attach(&log->file, uv);
  }
}

void mcpi_main_log_detach(mcpi_main_log *log) {
  mcpi_log_sink_detach(&log->console);
  if (log->has_file) {
    mcpi_log_sink_detach(&log->file);
  }
}

void mcpi_main_log_close(mcpi_main_log *log) {
  mcpi_log_sink_deinit(&log->console);
  if (log->has_file) {
    mcpi_log_sink_deinit(&log->file);
  }
}

void mcpi_main_log_say(mcpi_main_log *log, const char *format, ...) {
  char text[1024];
  mcpi_buf line;
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  mcpi_buf_init(&line, mcp_allocator_default(), SIZE_MAX);
  log_put_text(&line, text);
  end_line(&log->console, &line);
}

void mcpi_main_log_put(mcpi_main_log *log, int level, const char *format, ...) {
  char text[sizeof(((mcp_error *)NULL)->message) + 256];
  va_list args;
  if (level < log->level) {
    return;
  }
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  mcpi_buf line = line_new(level);
  log_put_text(&line, text);
  end_line(log->has_file ? &log->file : &log->console, &line);
}

static void log_trace(mcpi_main_log *log, const mcp_traced_message *message) {
  mcpi_buf line = line_new(0);
  if (message->peer != NULL) {
    log_put_text(&line, message->peer);
    log_put_text(&line, " ");
  }
  if (message->session != NULL) {
    log_put_text(&line, "session ");
    log_put_text(&line, message->session);
    log_put_text(&line, " ");
  }
  log_put_text(&line, message->is_sent ? "sent " : "received ");
  mcpi_put_printable(&line, mcpi_str_n(message->text, message->len));
  end_line(log->has_file ? &log->file : &log->console, &line);
}

void mcpi_main_log_transport(mcp_transport *transport,
                             const mcp_traced_message *message,
                             void *userdata) {
  (void)transport;
  log_trace(userdata, message);
}

void mcpi_main_log_server(mcp_server *server, const mcp_traced_message *message,
                          void *userdata) {
  (void)server;
  log_trace(userdata, message);
}
