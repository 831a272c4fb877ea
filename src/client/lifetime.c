/* SPDX-License-Identifier: MIT */
/* Clients: making and ending one. */
#include "base/error.h"
#include "base/widen.h"
#include "client/close.h"
#include "client/describe.h"
#include "client/keepalive.h"
#include "client/report.h"
#include "client/request.h"

enum {
  /* Memory of one list's pages: two of the longest messages that are all
   * values, or a hundred thousand tools. */
  MAX_LIST = 64 * 1024 * 1024,
  /* Memory of answers that are kept: a few thousand tools. */
  MAX_CACHE = 4 * 1024 * 1024,
  /* Memory of compiled output schemas: likewise. */
  MAX_OUTPUT_SCHEMAS = 4 * 1024 * 1024
};

/* --- the options -------------------------------------------------------- */

static void client_set_defaults(mcp_client_options *options) {
  mcpi_default_u32(&options->probe_timeout_ms, 5000);
  mcpi_default_u32(&options->connect_timeout_ms, 30000);
  mcpi_default_u32(&options->request_timeout_ms, 60000);
  mcpi_default_u32(&options->max_request_ms, 600000);
  mcpi_default_u32(&options->max_rounds, 10);
  mcpi_default_u32(&options->max_pages, 1000);
  mcpi_default_u32(&options->max_pending, 65536);
  mcpi_default_u32(&options->max_depth, MCPI_JSON_MAX_DEPTH);
  mcpi_default_u32(&options->max_batch, 1024);
  mcpi_default_u32(&options->max_reopens, 10);
  mcpi_default_u32(&options->max_reports, 20);
  mcpi_default_u64(&options->max_values, MCPI_JSON_MAX_VALUES);
  mcpi_default_size(&options->max_message, MCP_LINE_MAX_DEFAULT);
  mcpi_default_size(&options->max_list, MAX_LIST);
  mcpi_default_size(&options->max_cache, MAX_CACHE);
  mcpi_default_size(&options->max_output_schemas, MAX_OUTPUT_SCHEMAS);
}

/* Returns the revision of "modern 2026-07-28". A verdict that cannot be read
 * counts as none: a later version of this library may have written it. */
static const mcpi_revision *read_verdict(const char *verdict) {
  const char *blank = verdict != NULL ? strchr(verdict, ' ') : NULL;
  return blank != NULL ? mcpi_revision_find(mcpi_str_z(blank + 1)) : NULL;
}

static int check_policy(const mcp_client_options *options, mcp_error *err) {
  if (options->policy > MCP_POLICY_MODERN) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "policy: %lu is not a value of MCP_POLICY_*",
                         (unsigned long)options->policy);
  }
  if (options->revision == NULL) {
    return 0;
  }
  const mcpi_revision *pinned =
      mcpi_revision_find(mcpi_str_z(options->revision));
  if (pinned == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "revision: \"%s\" is not a revision of the protocol",
                         options->revision);
  }
  if (options->policy != MCP_POLICY_AUTO &&
      mcpi_revision_is_modern(pinned) !=
          (options->policy == MCP_POLICY_MODERN)) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "revision: %s is not of the policy's era",
                         options->revision);
  }
  return 0;
}

static int client_check_options(const mcp_client_options *options,
                                mcp_error *err) {
  if (options->log_level < 0 ||
      (options->log_level > 0 &&
       mcp_log_level_name(options->log_level) == NULL)) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "log_level: %ld is not a value of MCP_LOG_*",
                         (long)options->log_level);
  }
  if (options->max_depth > MCPI_JSON_MAX_DEPTH) {
    return mcp_error_set(err, MCP_ERR_INVALID, "max_depth %lu is above %d",
                         (unsigned long)options->max_depth,
                         MCPI_JSON_MAX_DEPTH);
  }
  if (options->icons == NULL && options->icon_count > 0) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "icons is NULL, and icon_count is not 0");
  }
  return check_policy(options, err);
}

/* Keeps what the client needs of the options. describe.c renders the texts. */
static void take_options(mcp_client *client) {
  mcp_client_options *options = &client->options;
  client->pinned = options->revision != NULL
                       ? mcpi_revision_find(mcpi_str_z(options->revision))
                       : NULL;
  client->guess = read_verdict(options->verdict);
  client->log_level = options->log_level;
  options->title = NULL;
  options->description = NULL;
  options->website_url = NULL;
  options->icons = NULL;
  options->revision = NULL;
  options->verdict = NULL;
  options->extensions = NULL;
  options->result_types = NULL;
  client_set_defaults(options);
}

static int client_configure(mcp_client *client, const char *name,
                            const char *version,
                            const mcp_client_options *given, mcp_error *err) {
  mcp_client_options *options = &client->options;
  int rc = 0;
  if (given != NULL) {
    rc =
        mcpi_widen(options, sizeof(*options), given, "mcp_client_options", err);
  }
  if (rc == 0) {
    rc = mcpi_check_reserved("mcp_client_options.reserved", options->reserved,
                             err);
  }
  if (rc == 0) {
    rc = mcpi_check_reserved("mcp_client_options.reserved2", options->reserved2,
                             err);
  }
  if (rc == 0) {
    rc = client_check_options(options, err);
  }
  if (rc == 0) {
    rc = mcpi_client_describe(client, name, version, err);
  }
  take_options(client);
  if (rc == 0 && mcpi_client_init_turn(client) != 0) {
    rc = mcpi_no_memory(err);
  }
  return rc;
}

mcp_client *mcp_client_new(mcp_loop *loop, const char *name,
                           const char *version,
                           const mcp_client_options *options, mcp_error *err) {
  if (loop == NULL) {
    mcpi_error_null(err, "loop");
    return NULL;
  }
  mcp_client *client = mcpi_calloc(&loop->allocator, 1, sizeof(*client));
  if (client == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  mcpi_client_init(client, loop);
  mcpi_keepalive_init(client);
  if (client_configure(client, name, version, options, err) != 0) {
    mcpi_client_destroy(client);
    return NULL;
  }
  mcpi_client_reports_init(client);
  return client;
}

/* --- ending one --------------------------------------------------------- */

/* The link closes and releases the transport. */
static void drop_connection(mcp_client *client) {
  mcpi_keepalive_stop(client);
  mcpi_client_forget_server(client);
  client->is_close_due = 0;
  if (client->state != MCPI_CLIENT_IDLE) {
    client->state = MCPI_CLIENT_IDLE;
    mcpi_link_deinit(&client->link);
  }
}

/* The program may free the data of its handlers with the client. */
static void drop_handlers(mcp_client *client) {
  client->options = (mcp_client_options){0};
  client_set_defaults(&client->options);
}

void mcp_client_close(mcp_client *client) {
  if (client == NULL) {
    return;
  }
  mcp_error err;
  int is_ours = client->state == MCPI_CLIENT_CONNECTING ||
                client->state == MCPI_CLIENT_OPEN;
  mcp_error_set(&err, MCP_ERR_CLOSED, "closed by this program");
  mcpi_client_enter(client);
  mcpi_client_hang_up(client, &err);
  if (is_ours) {
    client->closed_err.code = 0; /* for on_closed: nothing went wrong */
  }
  mcpi_client_return(client);
}

void mcp_client_free(mcp_client *client) {
  if (client == NULL || client->is_freed) {
    return;
  }
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_CLOSED, "the client is freed");
  client->is_freed = 1;
  mcpi_client_trip_end(client);
  mcpi_guard_trip(client->life);
  client->life = NULL;
  mcpi_client_enter(client);
  mcpi_client_fail_all(client, &err);
  mcpi_request_deliver_all(client);
  drop_handlers(client);
  mcpi_client_reports_stop(client);
  drop_connection(client);
  mcpi_client_step_out(client);
}
