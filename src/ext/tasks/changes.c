/* SPDX-License-Identifier: MIT */
#include "ext/tasks/changes.h"

#include "ext/tasks/waiting.h"

/* --- related-task ---------------------------------------------------- */

/* Without memory the reply fails, as it does for what else is lacking then. */
void mcpi_task_add_related(mcp_call *call, const char *id) {
  mcpi_task_put_related(&call->meta, id);
}

/* --- 2025-11-25 ------------------------------------------------------ */

/* Clients need not rely on these (MCP 2025-11-25, Tasks: Task Status
 * Notification): one that cannot be sent is lost. */
static void notify_session(mcp_session *session, const char *id,
                           const mcpi_task_data *data) {
  mcpi_buf params;
  mcpi_buf_init(&params, &session->server->allocator, SIZE_MAX);
  mcpi_buf_putc(&params, '{');
  mcpi_task_put_core(&params, id, data);
  mcpi_buf_putc(&params, '}');
  if (params.error == 0) {
    mcpi_caller_notify(session->caller, "notifications/tasks/status",
                       mcpi_buf_str(&params));
  }
  mcpi_buf_deinit(&params);
}

/* The sessions of the client that the task belongs to, on its loop. */
static void notify_sessions(mcpi_shard *shard, const mcpi_identity *identity,
                            const char *id, const mcpi_task_data *data) {
  mcpi_list *link = shard->callers.next;
  while (link != &shard->callers) {
    mcpi_caller *caller = MCPI_CONTAINER(link, mcpi_caller, link);
    mcp_session *session = caller->session;
    link = link->next;
    if (caller->identity == identity && session != NULL &&
        session->is_initialized &&
        mcpi_revision_has(session->revision, MCPI_HAS_TASKS)) {
      notify_session(session, id, data);
    }
  }
}

/* --- 2026-07-28 ------------------------------------------------------ */

static void notify_listens(mcp_server *server, const char *id,
                           const char *owner, const mcpi_task_data *data) {
  mcpi_buf params;
  mcpi_buf_init(&params, &server->allocator, SIZE_MAX);
  mcpi_buf_putc(&params, '{');
  mcpi_task_put_details(&params, id, data);
  mcpi_buf_putc(&params, '}');
  mcpi_buf_putc(&params, '\0');
  if (params.error == 0) {
    mcp_server_notify_listeners_of(server, MCPI_TASK_IDS_FILTER, id, owner,
                                   "notifications/tasks", params.data);
  }
  mcpi_buf_deinit(&params);
}

/* --- both ------------------------------------------------------------ */

void mcpi_task_show(mcpi_shard *shard, const mcpi_identity *identity,
                    const char *id, const char *owner,
                    const mcpi_task_data *data) {
  if (mcpi_revision_is_modern(data->revision)) {
    notify_listens(shard->server, id, owner, data);
  } else {
    notify_sessions(shard, identity, id, data);
  }
}

void mcpi_task_changed(mcpi_tasks *tasks, mcpi_shard *shard,
                       const mcpi_identity *identity, const char *id,
                       const char *owner, const mcpi_task_data *data) {
  mcpi_task_show(shard, identity, id, owner, data);
  mcpi_task_waiters_wake(tasks, id, mcpi_task_has_ended(data));
}
