/* SPDX-License-Identifier: MIT */
#include "client/close.h"

#include "client/mirror.h"
#include "client/question.h"
#include "client/question_tasks.h"
#include "client/request.h"
#include "client/subscribe.h"

void mcpi_client_fail_all(mcp_client *client, const mcp_error *err) {
  mcpi_question_tasks_forget(client);
  mcpi_question_forget_all(client);
  while (!mcpi_list_is_empty(&client->active)) {
    mcpi_request_fail(MCPI_CONTAINER(client->active.next, mcpi_request, link),
                      err);
  }
}

void mcpi_client_hang_up(mcp_client *client, const mcp_error *err) {
  if (client->state == MCPI_CLIENT_IDLE ||
      client->state == MCPI_CLIENT_CLOSING) {
    return;
  }
  client->state = MCPI_CLIENT_CLOSING;
  client->closed_err = *err;
  mcpi_loop_stop_timer(client->loop, &client->keepalive);
  mcpi_client_fail_all(client, err);
  mcpi_link_close(&client->link);
}

void mcpi_client_forget_server(mcp_client *client) {
  mcpi_client_forget_hello(client);
  mcpi_subscribe_forget_all(client);
  mcpi_mirror_forget(client);
  mcpi_outputs_forget(&client->outputs);
  mcpi_task_tools_forget(&client->task_tools);
  mcpi_cache_clear(&client->cache);
}
