/* SPDX-License-Identifier: MIT */
/* Logging to sessions (MCP, Logging). call_notify.c has the logs of calls. */
#include "core/log_level.h"
#include "server/call_notify.h"
#include "server/handlers.h"
#include "server/members.h"
#include "server/reply.h"

/* A legacy method, so dispatch has checked that there is a session. */
void mcpi_on_set_level(mcp_call *call) {
  mcpi_str name = mcpi_json_member_str(call->params, "level");
  int level = mcpi_log_level_find(name);
  if (level == 0) {
    mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INVALID_PARAMS,
                   "unknown level \"%.*s\"", (int)name.len, name.ptr);
    mcpi_call_reply_recorded(call);
    return;
  }
  call->session->log_level = level;
  mcpi_reply_members(call, MCPI_STR(""));
}

int mcp_server_enable_logging(mcp_server *server) {
  if (server == NULL) {
    return MCP_ERR_INVALID;
  }
  server->has_logging = 1;
  return 0;
}

/* --- mcp_server_log ----------------------------------------------------- */

/* The bytes are an mcp_error. The program may log its reports with
 * mcp_server_log. If it then makes the same mistake again, a report of that
 * would lead to the next, without end. */
static int logging_report(mcpi_shard *shard, mcpi_str bytes) {
  mcp_error why;
  if (shard->is_reporting_log) {
    return 0;
  }
  shard->is_reporting_log = 1;
  memcpy(&why, bytes.ptr, sizeof(why));
  mcpi_shard_report(shard, why.code, "mcp_server_log: %s", why.message);
  shard->is_reporting_log = 0;
  return 0;
}

/* Reports what is wrong with a message, and returns the error's code. */
static int logging_fail(mcp_server *server, const mcp_error *why) {
  mcpi_shards_run_one(server, logging_report,
                      mcpi_str_n((const char *)why, sizeof(*why)));
  return why->code;
}

static int logging_put_params(mcpi_buf *out, int level, const char *logger,
                              const char *data, mcp_error *err) {
  mcpi_buf_putc(out, '{');
  mcpi_put_string_member(out, "level", mcp_log_level_name(level));
  mcpi_put_string_member(out, "logger", logger);
  mcpi_put_name(out, "data");
  int rc = mcpi_log_put_data(out, data, "", err);
  mcpi_buf_putc(out, '}');
  return rc != 0 ? rc : out->error;
}

static int wants_log(const mcpi_caller *caller, int level) {
  const mcp_session *session = caller->session;
  return session != NULL && session->is_initialized && session->has_logging &&
         level >= session->log_level;
}

/* The bytes are the level, then the parameters. */
static int log_to_shard(mcpi_shard *shard, mcpi_str bytes) {
  mcpi_str params = mcpi_str_n(bytes.ptr + 1, bytes.len - 1);
  mcpi_list *link = shard->callers.next;
  while (link != &shard->callers) {
    mcpi_caller *caller = MCPI_CONTAINER(link, mcpi_caller, link);
    link = link->next;
    if (wants_log(caller, bytes.ptr[0])) {
      mcpi_caller_notify(caller, "notifications/message", params);
    }
  }
  return 0;
}

int mcp_server_log(mcp_server *server, int level, const char *logger,
                   const char *data) {
  mcp_error why;
  if (server == NULL) {
    return MCP_ERR_INVALID;
  }
  if (mcpi_log_check(level, logger, data, &why) != 0) {
    return logging_fail(server, &why);
  }
  if (!server->has_logging) {
    return 0;
  }
  mcpi_buf bytes;
  mcpi_buf_init(&bytes, &server->allocator, SIZE_MAX);
  mcpi_buf_putc(&bytes, (char)level);
  int rc = logging_put_params(&bytes, level, logger, data, &why);
  if (rc == 0) {
    rc = mcpi_shards_run(server, log_to_shard,
                         mcpi_str_n(bytes.data, bytes.len));
  } else if (rc != MCP_ERR_NOMEM) {
    logging_fail(server, &why);
  }
  mcpi_buf_deinit(&bytes);
  return rc;
}
