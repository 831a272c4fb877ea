/* SPDX-License-Identifier: MIT */
/* Messages of a call before its reply (MCP, Progress; MCP, Logging): progress,
 * logs, and parts of its result. Also closes the stream, so that the client
 * comes back later for the answer (MCP 2025-11-25, Transports: Sending Messages
 * to the Server). On the loop's thread all of this happens at once; another
 * thread posts it to the loop, in order. */
#include "server/reply.h"

#include "server/call_notify.h"

#include "base/profile.h"
#include "codec/content_text.h"
#include <math.h>

/* One such message. On the loop's thread its strings belong to the caller. In a
 * message that is posted, they are copies behind the structure. */
typedef struct told {
  mcp_call *call;
  int (*send)(const struct told *told);
  double progress;
  double total;
  int level;
  int code; /* of a report */
  uint32_t retry_ms;
  size_t size; /* of the posted copy */
  /* progress: the message; log: the data as JSON text; a fragment as JSON text;
   * a report: its message */
  mcpi_str text;
  mcpi_str logger;
} told;

/* --- posting to the loop ------------------------------------------------- */

static void send_posted(void *argument) {
  told *posted = argument;
  mcpi_shard *shard = posted->call->shard;
  mcpi_shard_enter(shard);
  posted->send(posted);
  mcpi_free(&shard->server->allocator, posted, posted->size);
  mcpi_shard_leave(shard);
}

static mcpi_str copy_to(char **end, mcpi_str string) {
  if (string.ptr == NULL) {
    return string;
  }
  char *start = *end;
  memcpy(start, string.ptr, string.len);
  *end += string.len;
  return mcpi_str_n(start, string.len);
}

static int call_post(const told *what) {
  mcpi_shard *shard = what->call->shard;
  const mcp_allocator *allocator = &shard->server->allocator;
  size_t size = sizeof(*what) + what->text.len + what->logger.len;
  told *posted = mcpi_alloc(allocator, size);
  if (posted == NULL) {
    return MCP_ERR_NOMEM;
  }
  char *end = (char *)(posted + 1);
  *posted = *what;
  posted->size = size;
  posted->text = copy_to(&end, what->text);
  posted->logger = copy_to(&end, what->logger);
  int rc = mcp_loop_post(shard->loop, send_posted, posted);
  if (rc != 0) {
    mcpi_free(allocator, posted, size);
  }
  return rc;
}

static int send_or_post(const told *what) {
  mcpi_shard *shard = what->call->shard;
  if (mcp_call_is_cancelled(what->call)) {
    return MCP_ERR_GONE;
  }
  if (!mcpi_loop_is_home(shard->loop)) {
    return call_post(what);
  }
  mcpi_shard_enter(shard);
  int rc = what->send(what);
  mcpi_shard_leave(shard);
  return rc;
}

/* --- sending, on the loop's thread --------------------------------------- */

mcpi_buf *mcpi_call_notify_begin(mcp_call *call, mcpi_str method) {
  mcpi_buf *out = &call->shard->loop->scratch;
  mcpi_buf_clear(out);
  mcpi_put_request_head(out, mcpi_str_z(NULL), method);
  mcpi_buf_lit(out, ",\"params\":{");
  return out;
}

int mcpi_call_notify_end(mcp_call *call, int what) {
  mcpi_buf *out = &call->shard->loop->scratch;
  mcpi_sink *sink = call->sink;
  mcpi_buf_lit(out, "}}");
  int rc = sink == NULL ? MCP_ERR_GONE : out->error;
  if (rc == 0) {
    rc = sink->ops->send(sink, call, what, 0, out->data, out->len);
  }
  mcpi_buf_recycle(out, MCPI_PROFILE_SCRATCH);
  return rc;
}

static void put_progress(const told *what, mcpi_buf *out) {
  mcpi_buf_lit(out, "\"progressToken\":");
  mcpi_id_put(out, what->call->context.progress_token);
  mcpi_buf_lit(out, ",\"progress\":");
  mcpi_json_put_number(out, what->progress);
  if (what->total > 0) {
    mcpi_buf_lit(out, ",\"total\":");
    mcpi_json_put_number(out, what->total);
  }
  if (what->text.ptr != NULL) {
    mcpi_buf_lit(out, ",\"message\":");
    mcpi_json_put_string(out, what->text);
  }
}

/* The handler may not look at what mcp_call_progress returns. A handler may
 * repeat a mistake very often, so this reports once for each call. */
static void report_stalled(const told *what) {
  mcp_call *call = what->call;
  mcpi_buf *text = &call->shard->loop->scratch;
  if (call->has_stalled) {
    return;
  }
  call->has_stalled = 1;
  mcpi_buf_clear(text);
  mcpi_buf_lit(text, "progress ");
  mcpi_json_put_number(text, what->progress);
  mcpi_buf_lit(text, " was not sent: it must be greater than the last one, ");
  mcpi_json_put_number(text, call->last_progress);
  if (text->error == 0) {
    mcpi_shard_report(call->shard, MCP_ERR_INVALID, "%s: %.*s",
                      mcpi_call_what_runs(call), (int)text->len, text->data);
  }
}

static int is_told_progress(const mcp_call *call) {
  return call->context.progress_token.kind != MCPI_ID_NONE;
}

static int send_progress(const told *what) {
  mcp_call *call = what->call;
  if (call->sink == NULL) {
    return MCP_ERR_GONE;
  }
  if (call->task != NULL) {
    call->task->ops->progress(call->task, what->progress, what->total,
                              what->text);
    return 0;
  }
  if (!is_told_progress(call)) {
    return 0;
  }
  if ((call->has_progress || call->flush_count > 0) &&
      !(what->progress > call->last_progress)) {
    report_stalled(what);
    return MCP_ERR_INVALID;
  }
  call->has_progress = 1;
  call->last_progress = what->progress;
  mcpi_buf *out =
      mcpi_call_notify_begin(call, MCPI_STR("notifications/progress"));
  put_progress(what, out);
  return mcpi_call_notify_end(call, MCPI_SEND_PROGRESS);
}

/* --- fragments, on the loop's thread ------------------------------------- */

static int tell_text(mcp_call *call, mcpi_str text) {
  told what = {.call = call, .progress = ++call->flush_count};
  if (text.len > 0 &&
      mcpi_revision_has(call->context.revision, MCPI_HAS_PROGRESS_MESSAGE)) {
    what.text = text;
  }
  call->last_progress = what.progress;
  mcpi_buf *out =
      mcpi_call_notify_begin(call, MCPI_STR("notifications/progress"));
  put_progress(&what, out);
  return mcpi_call_notify_end(call, MCPI_SEND_PROGRESS);
}

static int fragment_as_progress(mcp_call *call, mcpi_str fragment) {
  static const mcpi_message_limits limits = {SIZE_MAX, MCPI_JSON_MAX_DEPTH,
                                             MCPI_JSON_MAX_VALUES};
  mcpi_message *message;
  mcpi_buf text;
  if (!is_told_progress(call) || call->has_progress) {
    return 0;
  }
  int rc = mcpi_message_parse(&message, &call->shard->loop->pool, fragment.ptr,
                              fragment.len, &limits, NULL);
  if (rc != 0) {
    return rc;
  }
  mcpi_buf_init(&text, &call->shard->server->allocator, SIZE_MAX);
  mcpi_content_put_text(&text, message->root);
  rc = text.error != 0 ? text.error
                       : tell_text(call, mcpi_str_n(text.data, text.len));
  mcpi_buf_deinit(&text);
  mcpi_message_unref(message);
  return rc;
}

static int send_fragment(const told *what) {
  mcp_call *call = what->call;
  mcpi_sink *sink = call->sink;
  if (sink == NULL) {
    return MCP_ERR_GONE;
  }
  int rc = sink->ops->send(sink, call, MCPI_SEND_FRAGMENT, 0, what->text.ptr,
                           what->text.len);
  return rc == MCP_ERR_UNSUPPORTED ? fragment_as_progress(call, what->text)
                                   : rc;
}

/* --- logs, on the loop's thread ------------------------------------------ */

/* A session's level may have changed since the call began. */
static int admits(const mcp_call *call, int level) {
  int least = call->session != NULL ? call->session->log_level
                                    : call->context.log_level;
  int is_declared = call->session != NULL ? call->session->has_logging
                                          : call->shard->server->has_logging;
  return is_declared && least != 0 && level >= least;
}

static int send_log(const told *what) {
  mcp_call *call = what->call;
  if (call->sink == NULL) {
    return MCP_ERR_GONE;
  }
  if (!admits(call, what->level)) {
    return 0;
  }
  mcpi_buf *out =
      mcpi_call_notify_begin(call, MCPI_STR("notifications/message"));
  mcpi_buf_lit(out, "\"level\":");
  mcpi_json_put_string(out, mcpi_str_z(mcp_log_level_name(what->level)));
  if (what->logger.ptr != NULL) {
    mcpi_buf_lit(out, ",\"logger\":");
    mcpi_json_put_string(out, what->logger);
  }
  mcpi_buf_lit(out, ",\"data\":");
  mcpi_buf_puts(out, what->text);
  return mcpi_call_notify_end(call, MCPI_SEND_LOG);
}

/* --- what the program calls --------------------------------------------- */

static int is_utf8(mcpi_str text) {
  return mcpi_utf8_valid_prefix(text.ptr, text.len) == text.len;
}

/* Only the loop's thread knows whether the call is a task. */
static int may_tell_progress(const mcp_call *call) {
  return is_told_progress(call) || call->shard->server->tasks != NULL;
}

int mcp_call_progress(mcp_call *call, double progress, double total,
                      const char *message) {
  if (call == NULL || !isfinite(progress) || !is_utf8(mcpi_str_z(message))) {
    return MCP_ERR_INVALID;
  }
  if (!may_tell_progress(call)) {
    return 0;
  }
  told what = {.call = call,
               .send = send_progress,
               .progress = progress,
               .total = isfinite(total) ? total : 0};
  if (mcpi_revision_has(call->context.revision, MCPI_HAS_PROGRESS_MESSAGE)) {
    what.text = mcpi_str_z(message);
  }
  return send_or_post(&what);
}

/* Returns the pieces that were added since the last time, with commas
 * between. */
static mcpi_str added(const mcp_call *call) {
  const mcpi_buf *out = &call->out;
  size_t from = call->flushed_len;
  if (call->piece_count == 0 || from == out->len) {
    return mcpi_str_z(NULL);
  }
  from += out->data[from] == ',';
  return mcpi_str_n(out->data + from, out->len - from);
}

static int call_flush(mcp_call *call, mcpi_str pieces) {
  mcpi_buf fragment;
  mcpi_buf_init(&fragment, &call->shard->server->allocator, SIZE_MAX);
  mcpi_buf_lit(&fragment, "{\"content\":[");
  mcpi_buf_puts(&fragment, pieces);
  mcpi_buf_lit(&fragment, "]}");
  const told what = {.call = call,
                     .send = send_fragment,
                     .text = mcpi_str_n(fragment.data, fragment.len)};
  int rc = fragment.error != 0 ? fragment.error : send_or_post(&what);
  mcpi_buf_deinit(&fragment);
  return rc;
}

int mcp_call_flush(mcp_call *call) {
  int rc = mcpi_reply_check(call, 1U << MCPI_REPLY_KIND_TOOL, "mcp_call_flush");
  rc = rc != 0 ? rc : mcpi_reply_check_buf(call, &call->out);
  mcpi_str pieces = rc == 0 ? added(call) : mcpi_str_z(NULL);
  if (pieces.len > 0) {
    rc = call_flush(call, pieces);
    call->flushed_len = call->out.len;
  }
  return rc;
}

static int log_text(mcp_call *call, int level, const char *logger,
                    const mcpi_buf *data) {
  const told what = {.call = call,
                     .send = send_log,
                     .level = level,
                     .text = mcpi_str_n(data->data, data->len),
                     .logger = mcpi_str_z(logger)};
  return data->error != 0 ? data->error : send_or_post(&what);
}

static int send_log_report(const told *what) {
  mcp_call *call = what->call;
  if (!call->has_bad_log) {
    call->has_bad_log = 1;
    mcpi_shard_report(call->shard, what->code, "%s: %.*s",
                      mcpi_call_what_runs(call), (int)what->text.len,
                      what->text.ptr);
  }
  return 0;
}

/* Reports what is wrong with a message that the program logs, once for each
 * call, and not after the client has gone. Nothing is recorded on the call,
 * because another thread may use it. Returns the error's code. */
static int log_fail(mcp_call *call, const char *function,
                    const mcp_error *why) {
  mcp_error err;
  mcp_error_set(&err, why->code, "%s: %s", function, why->message);
  const told what = {.call = call,
                     .send = send_log_report,
                     .code = err.code,
                     .text = mcpi_str_z(err.message)};
  send_or_post(&what);
  return err.code;
}

static int log_check_level(int level, mcp_error *err) {
  if (mcp_log_level_name(level) != NULL) {
    return 0;
  }
  return mcp_error_set(err, MCP_ERR_INVALID, "the level %d is not an MCP_LOG_*",
                       level);
}

int mcpi_log_check(int level, const char *logger, const char *data,
                   mcp_error *err) {
  int rc = log_check_level(level, err);
  if (rc == 0 && !is_utf8(mcpi_str_z(logger))) {
    rc = mcp_error_set(err, MCP_ERR_INVALID, "the logger \"%s\" is not UTF-8",
                       logger);
  }
  if (rc == 0 && data == NULL) {
    rc = mcp_error_set(err, MCP_ERR_INVALID, "the data is NULL");
  }
  return rc;
}

int mcpi_log_put_data(mcpi_buf *out, const char *data, const char *hint,
                      mcp_error *err) {
  mcp_error cause = {.message = "out of memory"};
  int rc = mcpi_json_put_text(out, mcpi_str_z(data), &cause);
  if (rc == MCP_ERR_PARSE) {
    mcp_error_set(err, rc, "the data is not JSON%s: %s", hint, cause.message);
  } else if (rc != 0) {
    mcp_error_set(err, rc, "the data: %s", cause.message);
  }
  return rc;
}

int mcp_call_log(mcp_call *call, int level, const char *logger,
                 const char *data) {
  mcp_error why;
  mcpi_buf text;
  if (call == NULL) {
    return MCP_ERR_INVALID;
  }
  if (mcpi_log_check(level, logger, data, &why) != 0) {
    return log_fail(call, "mcp_call_log", &why);
  }
  mcpi_buf_init(&text, &call->shard->server->allocator, SIZE_MAX);
  int rc =
      mcpi_log_put_data(&text, data, " (mcp_call_logf takes any text)", &why);
  if (rc == 0) {
    rc = log_text(call, level, logger, &text);
  } else if (rc != MCP_ERR_NOMEM) {
    log_fail(call, "mcp_call_log", &why);
  }
  mcpi_buf_deinit(&text);
  return rc;
}

int mcp_call_logf(mcp_call *call, int level, const char *format, ...) {
  mcp_error why;
  mcpi_formatted formatted;
  va_list args;
  if (call == NULL) {
    return MCP_ERR_INVALID;
  }
  va_start(args, format);
  int rc = log_check_level(level, &why);
  if (rc == 0) {
    rc = mcpi_format(&formatted, call, format, args, &why);
  }
  va_end(args);
  if (rc == MCP_ERR_NOMEM) {
    return rc;
  }
  if (rc != 0) {
    return log_fail(call, "mcp_call_logf", &why);
  }
  mcpi_buf text;
  mcpi_buf_init(&text, &call->shard->server->allocator, SIZE_MAX);
  mcpi_json_put_string(&text, mcpi_str_n(formatted.text, formatted.len));
  mcpi_formatted_deinit(&formatted);
  rc = log_text(call, level, NULL, &text);
  mcpi_buf_deinit(&text);
  return rc;
}

/* --- tasks -------------------------------------------------------------- */

static int send_state(const told *what) {
  mcpi_task *task = what->call->task;
  if (task != NULL) {
    task->ops->note(task, what->text);
  }
  return 0;
}

int mcpi_call_note_state(mcp_call *call, mcpi_str state) {
  const told what = {.call = call, .send = send_state, .text = state};
  return send_or_post(&what);
}

/* --- polling ------------------------------------------------------------ */

static int send_close(const told *what) {
  mcpi_sink *sink = what->call->sink;
  if (sink == NULL) {
    return MCP_ERR_GONE;
  }
  return sink->ops->close_stream != NULL
             ? sink->ops->close_stream(sink, what->retry_ms)
             : MCP_ERR_UNSUPPORTED;
}

int mcp_call_close_stream(mcp_call *call, uint32_t retry_ms) {
  const told what = {.call = call, .send = send_close, .retry_ms = retry_ms};
  return call != NULL ? send_or_post(&what) : MCP_ERR_INVALID;
}
