/* SPDX-License-Identifier: MIT */
/* The recent part of the folder's app.log, as the resource
 * logs://recent?timeframe=1h.
 *
 * Each line begins with its time, "2026-03-14 15:32:11". "Recent" is counted
 * back from the last line, so that a log of last year is not empty. */
#define _GNU_SOURCE
#include "workbench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOG_FILE "app.log"

/* Returns the seconds of "30m", "24h" or "7d"; -1 for any other text. */
static long long parse_timeframe(const char *text) {
  char *end;
  long number = strtol(text, &end, 10);
  if (text[0] < '0' || text[0] > '9' || number > 10000 || end[0] == '\0' ||
      end[1] != '\0') {
    return -1;
  }
  switch (end[0]) {
  case 'm':
    return number * 60LL;
  case 'h':
    return number * 3600LL;
  case 'd':
    return number * 86400LL;
  default:
    return -1;
  }
}

/* Returns -1 when the line does not begin with a time: it continues the line
 * before. */
static long long time_of(const char *line) {
  struct tm when = {0};
  return strptime(line, "%Y-%m-%d %H:%M:%S", &when) != NULL ? timegm(&when)
                                                            : -1;
}

static const char *next_line(const char *line) {
  const char *end = strchr(line, '\n');
  return end != NULL ? end + 1 : line + strlen(line);
}

static long long last_time(const char *text) {
  long long last = -1;
  for (const char *line = text; *line != '\0'; line = next_line(line)) {
    long long when = time_of(line);
    last = when >= 0 ? when : last;
  }
  return last;
}

/* Returns the first line that is not older. The rest of the log follows it. */
static const char *lines_since(const char *text, long long since) {
  const char *line = text;
  while (*line != '\0' && time_of(line) < since) {
    line = next_line(line);
  }
  return line;
}

int log_recent(const workbench *bench, const char *timeframe, char **out) {
  file loaded;
  long long seconds = parse_timeframe(timeframe);
  if (seconds < 0) {
    return -EINVAL;
  }
  int rc = file_load(&bench->root, LOG_FILE, MAX_FILE, &loaded);
  if (rc != 0) {
    return rc;
  }
  if (!file_is_text(&loaded)) {
    rc = -EPERM;
  } else {
    long long since = last_time(loaded.bytes) - seconds;
    *out = strdup(lines_since(loaded.bytes, since));
    rc = *out != NULL ? 0 : -ENOMEM;
  }
  file_free(&loaded);
  return rc;
}

static int on_read(mcp_call *call, void *userdata) {
  const char *timeframe = mcp_call_string(call, "timeframe");
  char *text;
  int rc = log_recent(userdata, timeframe != NULL ? timeframe : "1h", &text);
  if (rc != 0) {
    return rc == -ENOMEM ? MCP_ERR_NOMEM : MCP_ERR_NOT_FOUND;
  }
  rc = mcp_call_add_resource_text(call, NULL, NULL, text);
  free(text);
  return rc == 0 ? mcp_call_reply(call) : rc;
}

static int on_complete(mcp_call *call, void *userdata) {
  static const char *const timeframes[] = {"1h", "30m", "24h", "7d"};
  const char *typed = mcp_call_complete_value(call);
  (void)userdata;
  if (typed == NULL) {
    return MCP_ERR_INVALID;
  }
  for (size_t i = 0; i < sizeof timeframes / sizeof timeframes[0]; i++) {
    if (strncmp(timeframes[i], typed, strlen(typed)) == 0) {
      mcp_call_add_completion(call, timeframes[i]);
    }
  }
  return mcp_call_reply(call);
}

void add_log(mcp_server *server, workbench *bench) {
  mcp_server_add_resource_template(
      server,
      &(mcp_resource_template){.size = sizeof(mcp_resource_template),
                               .uri_template = "logs://recent{?timeframe}",
                               .name = "log",
                               .title = "The recent log",
                               .description =
                                   "The end of app.log: the last 30m, 1h, 24h, "
                                   "7d, counted from its last line",
                               .mime_type = "text/plain",
                               .handler = on_read,
                               .complete = on_complete,
                               .userdata = bench},
      NULL);
}
