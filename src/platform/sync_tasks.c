/* SPDX-License-Identifier: MIT */
/* The requests about tasks for programs that wait. */
#include "platform/sync.h"

#include <mcp/tasks.h>

int mcp_sync_start_task(mcp_client *client, const char *name,
                        const char *arguments,
                        const mcp_request_options *options, mcp_result **out,
                        mcp_error *err) {
  MCPI_SYNC_RUN(client, options, out, err,
                mcp_client_start_task(client, name, arguments, options,
                                      mcpi_sync_on_done, &kept, err));
}

int mcp_sync_get_task(mcp_client *client, const char *id,
                      const mcp_request_options *options, mcp_result **out,
                      mcp_error *err) {
  MCPI_SYNC_RUN(
      client, options, out, err,
      mcp_client_get_task(client, id, options, mcpi_sync_on_done, &kept, err));
}

int mcp_sync_wait_task(mcp_client *client, const char *id, const char *tool,
                       const mcp_request_options *options, mcp_result **out,
                       mcp_error *err) {
  MCPI_SYNC_RUN(client, options, out, err,
                mcp_client_wait_task(client, id, tool, options,
                                     mcpi_sync_on_done, &kept, err));
}

int mcp_sync_answer_task(mcp_client *client, const char *id,
                         const char *answers,
                         const mcp_request_options *options, mcp_result **out,
                         mcp_error *err) {
  MCPI_SYNC_RUN(client, options, out, err,
                mcp_client_answer_task(client, id, answers, options,
                                       mcpi_sync_on_done, &kept, err));
}

int mcp_sync_cancel_task(mcp_client *client, const char *id,
                         const mcp_request_options *options, mcp_result **out,
                         mcp_error *err) {
  MCPI_SYNC_RUN(client, options, out, err,
                mcp_client_cancel_task(client, id, options, mcpi_sync_on_done,
                                       &kept, err));
}

int mcp_sync_list_tasks(mcp_client *client, const mcp_request_options *options,
                        mcp_result **out, mcp_error *err) {
  MCPI_SYNC_RUN(
      client, options, out, err,
      mcp_client_list_tasks(client, options, mcpi_sync_on_done, &kept, err));
}
