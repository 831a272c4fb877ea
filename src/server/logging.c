/* SPDX-License-Identifier: MIT */
/* Logging to sessions (MCP, Logging); a call's own logs are in call.c. */
#include "core/log_level.h"
#include "server/members.h"
#include "server/methods.h"
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

static int check_log(int level, const char *logger, const char *data) {
  mcpi_str name = mcpi_str_z(logger);
  return mcp_log_level_name(level) != NULL && data != NULL &&
                 mcpi_utf8_valid_prefix(name.ptr, name.len) == name.len
             ? 0
             : MCP_ERR_INVALID;
}

static int logging_put_params(mcpi_buf *out, int level, const char *logger,
                              const char *data) {
  mcpi_buf_putc(out, '{');
  mcpi_put_string_member(out, "level", mcp_log_level_name(level));
  mcpi_put_string_member(out, "logger", logger);
  mcpi_put_name(out, "data");
  int rc = mcpi_json_put_text(out, mcpi_str_z(data), NULL);
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
  if (server == NULL || check_log(level, logger, data) != 0) {
    return MCP_ERR_INVALID;
  }
  if (!server->has_logging) {
    return 0;
  }
  mcpi_buf bytes;
  mcpi_buf_init(&bytes, &server->allocator, SIZE_MAX);
  mcpi_buf_putc(&bytes, (char)level);
  int rc = logging_put_params(&bytes, level, logger, data);
  if (rc == 0) {
    rc = mcpi_shards_run(server, log_to_shard,
                         mcpi_str_n(bytes.data, bytes.len));
  }
  mcpi_buf_deinit(&bytes);
  return rc;
}
