/* SPDX-License-Identifier: MIT */
/* Notifications from the server (MCP, Schema Reference). mcpi_peer
 * (core/peer.h) handles progress and cancellation itself. */
#include "client/notify.h"

#include "client/elicit.h"
#include "client/follow.h"
#include "client/listen.h"
#include "client/report.h"
#include "core/context.h"
#include "core/log_level.h"

/* Whether the program gets a notification about a changed list or resource. A
 * modern server sends it on a listen stream, and names the stream. The client
 * drops it if that stream has ended, and accepts it if no stream is named. */
static int is_wanted(const mcp_client *client, const mcpi_envelope *envelope) {
  const mcp_json *id = mcp_json_get(envelope->meta, MCPI_META_SUBSCRIPTION_ID);
  return id == NULL || !mcpi_client_is_modern(client) ||
         mcpi_request_find_listen(client, id) != NULL;
}

static void on_list_changed(mcp_client *client, const char *list,
                            const mcpi_envelope *envelope) {
  if (client->options.on_list_changed != NULL && is_wanted(client, envelope)) {
    client->options.on_list_changed(client, list, client->options.userdata);
  }
}

static void notified_tools_changed(mcp_client *client, mcpi_message *message,
                                   const mcpi_envelope *envelope) {
  (void)message;
  mcpi_cache_drop_all_of(&client->cache, MCPI_M_TOOLS_LIST, &client->scratch);
  mcpi_outputs_forget(&client->outputs);
  client->task_tools.is_current = 0;
  on_list_changed(client, "tools", envelope);
}

static void notified_prompts_changed(mcp_client *client, mcpi_message *message,
                                     const mcpi_envelope *envelope) {
  (void)message;
  mcpi_cache_drop_all_of(&client->cache, MCPI_M_PROMPTS_LIST, &client->scratch);
  on_list_changed(client, "prompts", envelope);
}

static void notified_resources_changed(mcp_client *client,
                                       mcpi_message *message,
                                       const mcpi_envelope *envelope) {
  (void)message;
  mcpi_cache_drop_all_of(&client->cache, MCPI_M_RESOURCES_LIST,
                         &client->scratch);
  mcpi_cache_drop_all_of(&client->cache, MCPI_M_TEMPLATES_LIST,
                         &client->scratch);
  mcpi_cache_drop_skills(&client->cache, &client->scratch);
  on_list_changed(client, "resources", envelope);
}

static void notified_resource_updated(mcp_client *client, mcpi_message *message,
                                      const mcpi_envelope *envelope) {
  (void)message;
  mcpi_cache_drop_resource(&client->cache,
                           mcpi_json_member_str(envelope->params, "uri"),
                           &client->scratch);
  mcpi_cache_drop_skills(&client->cache, &client->scratch);
  if (client->options.on_resource_updated != NULL &&
      is_wanted(client, envelope)) {
    client->options.on_resource_updated(
        client, mcp_json_string(mcp_json_get(envelope->params, "uri")),
        client->options.userdata);
  }
}

/* A message of an unknown level is shown as information. */
static void notified_log(mcp_client *client, mcpi_message *message,
                         const mcpi_envelope *envelope) {
  (void)message;
  const mcp_json *params = envelope->params;
  int level = mcpi_log_level_find(mcpi_json_member_str(params, "level"));
  if (client->options.on_log != NULL) {
    client->options.on_log(
        client, level != 0 ? level : mcpi_log_level_find(MCPI_STR("info")),
        mcp_json_string(mcp_json_get(params, "logger")),
        mcp_json_get(params, "data"), client->options.userdata);
  }
}

static void notified_elicitation_complete(mcp_client *client,
                                          mcpi_message *message,
                                          const mcpi_envelope *envelope) {
  (void)message;
  if (mcpi_elicit_forget(client, envelope->params) &&
      client->options.on_elicitation_complete != NULL) {
    client->options.on_elicitation_complete(
        client,
        mcp_json_string(mcp_json_get(envelope->params, "elicitationId")),
        client->options.userdata);
  }
}

/* What a server reports about a task, in both generations. */
static int is_about_task(mcpi_str method) {
  return mcpi_str_eq(method, MCPI_STR("notifications/tasks")) ||
         mcpi_str_eq(method, MCPI_STR("notifications/tasks/status"));
}

/* A string in a message ends with a NUL. */
static void on_other(mcp_client *client, mcpi_message *message,
                     const mcpi_envelope *envelope) {
  if (is_about_task(envelope->method)) {
    mcpi_follow_notified(client, message, envelope);
  }
  if (client->options.on_notification != NULL) {
    client->options.on_notification(client, envelope->method.ptr,
                                    envelope->params, client->options.userdata);
  }
}

static int notify_check(mcp_client *client, const mcpi_method *row,
                        const mcpi_envelope *envelope) {
  mcp_error err;
  if (mcpi_members_check(row->params, "params", envelope->params, &err) == 0) {
    return 0;
  }
  err.code = MCP_ERR_PROTOCOL;
  mcpi_client_report(client, &err);
  return err.code;
}

static void notify_dispatch(mcp_client *client, mcpi_method_id id,
                            mcpi_message *message,
                            const mcpi_envelope *envelope) {
  static void (*const handlers[MCPI_M_COUNT])(mcp_client *, mcpi_message *,
                                              const mcpi_envelope *) = {
#define NOTIFICATION_TO_CLIENT(id, name, handler, ...) [id] = handler,
#include "core/methods.def"
  };
  if (handlers[id] != NULL) {
    handlers[id](client, message, envelope);
  } else {
    on_other(client, message, envelope);
  }
}

static int is_known(const mcp_client *client, const mcpi_method *row) {
  return row != NULL && (row->flags & MCPI_TO_CLIENT) != 0 &&
         (row->flags & MCPI_IS_REQUEST) == 0 &&
         (client->revision == NULL || mcpi_method_in(row, client->revision));
}

void mcpi_client_notified(mcp_client *client, mcpi_message *message,
                          const mcpi_envelope *envelope) {
  const mcpi_method *row = mcpi_method_find(envelope->method);
  if (!is_known(client, row)) {
    on_other(client, message, envelope);
  } else if (notify_check(client, row, envelope) == 0) {
    notify_dispatch(client, row->id, message, envelope);
  }
}
