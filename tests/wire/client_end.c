/* SPDX-License-Identifier: MIT */
/* The client's end of the memory pair, which does what other transports do: it
 * opens later, has a stream for each request, and reports that the far side has
 * begun anew, or what became of one request. */
#include "client_program.h"

#include "support/known.h"
#include "transcript.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
  mcp_transport *pair; /* NULL: it has been released */
  int (*send)(mcp_transport *transport, const char *message, size_t len,
              const mcp_send_info *info);
  void (*close)(mcp_transport *transport);
  void (*release)(mcp_transport *transport);
  int send_rc; /* what `send` returns; 0: it sends */
  int opens_later;
} end;

static int end_send(mcp_transport *transport, const char *message, size_t len,
                    const mcp_send_info *info) {
  assert_known(message, len, info);
  return end.send_rc != 0 ? end.send_rc
                          : end.send(transport, message, len, info);
}

/* From here on nothing more is reported. */
static void end_close(mcp_transport *transport) {
  end.pair = NULL;
  end.close(transport);
}

static void end_release(mcp_transport *transport) {
  if (transport == end.pair) {
    end.pair = NULL;
  }
  end.release(transport);
}

static void end_abort(mcp_transport *transport, uint64_t request) {
  (void)transport;
  transcript_saw("abort %d", (int)request);
}

mcp_transport *client_end_prepare(const client_self *me, mcp_transport *pair) {
  memset(&end, 0, sizeof end);
  if (pair == NULL) {
    return NULL;
  }
  if (server_program_has_pairs) {
    end.pair = pair;
    end.send = pair->send;
    end.close = pair->close;
    end.release = pair->release;
    pair->send = end_send;
    pair->close = end_close;
    pair->release = end_release;
  }
  mcp_transport *outer = pair;
  for (size_t i = 0; i < me->option_count; i++) {
    if (end.pair != NULL && strcmp(me->options[i], "opens_later") == 0) {
      pair->flags |= MCP_TRANSPORT_OPENS_LATER;
      end.opens_later = 1;
    } else if (end.pair != NULL &&
               strcmp(me->options[i], "per_request_stream") == 0) {
      pair->flags |= MCP_TRANSPORT_PER_REQUEST_STREAM;
      pair->abort = end_abort;
    }
  }
  for (size_t i = 0; i < me->option_count; i++) {
    outer = transcript_wrap(me->loop, outer, me->options[i], 0);
  }
  return outer;
}

/* ---- commands ------------------------------------------------------------ */

/* "open": the wire is open. */
static void end_open(const char *rest) {
  (void)rest;
  if (end.opens_later) {
    end.pair->on_open(end.pair);
  }
}

/* "restart": the far side has begun anew. */
static void end_restart(const char *rest) {
  (void)rest;
  if (end.pair->on_restart != NULL) {
    end.pair->on_restart(end.pair);
  }
}

typedef void (*report_cb)(mcp_transport *transport, uint64_t request,
                          const mcp_error *err);

/* "N CODE MESSAGE": what became of a request. */
static void end_report(report_cb on_report, const char *rest) {
  char code[64] = "";
  char *at;
  mcp_error err = {0};
  uint64_t request = strtoul(rest, &at, 10);
  at += strspn(at, " ");
  size_t len = strcspn(at, " ");
  snprintf(code, sizeof code, "%.*s", (int)len, at);
  int rc = transcript_error_code(code);
  mcp_error_set(&err, rc < 0 ? rc : MCP_ERR_IO, "%s",
                at + len + strspn(at + len, " "));
  if (on_report != NULL) {
    on_report(end.pair, request, &err);
  }
}

/* "failed N CODE MESSAGE": the request will have no answer. */
static void end_fail(const char *rest) {
  end_report(end.pair->on_request_failed, rest);
}

/* "refused N CODE MESSAGE": likewise, and nothing was done. */
static void end_refuse(const char *rest) {
  end_report(end.pair->on_request_refused, rest);
}

/* "broken CODE": each send fails so; without a code: no longer. */
static void end_break(const char *rest) {
  int rc = transcript_error_code(rest);
  end.send_rc = rc < 0 ? rc : 0;
}

int client_end_command(const char *line) {
  static const struct {
    const char *name;
    void (*run)(const char *rest);
  } commands[] = {{"open", end_open},
                  {"restart", end_restart},
                  {"failed", end_fail},
                  {"refused", end_refuse},
                  {"broken", end_break}};
  size_t len = strcspn(line, " ");
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
    if (strlen(commands[i].name) == len &&
        strncmp(line, commands[i].name, len) == 0) {
      if (end.pair != NULL) {
        commands[i].run(line + len + (line[len] == ' '));
      }
      return 1;
    }
  }
  return 0;
}
