/* SPDX-License-Identifier: MIT */
/* The public functions about tasks that exist. */
#include "client/extension.h"
#include "client/follow.h"
#include "client/params.h"
#include "client/send.h"
#include "client/settle.h"
#include "client/task_rows.h"
#include <mcp/tasks.h>

/* Takes a request about the task with this id. */
static int open_about(mcpi_request **out, mcp_client *client,
                      mcpi_task_verb verb, const char *id,
                      const mcp_request_options *options, mcp_done_cb on_done,
                      void *userdata, mcp_error *err) {
  int rc = mcpi_task_check_use(client, err);
  if (rc == 0) {
    rc =
        mcpi_request_open(out, client, mcpi_task_row(client, verb),
                          &mcpi_request_plain, options, on_done, userdata, err);
  }
  if (rc != 0) {
    return rc;
  }
  mcpi_request *request = *out;
  mcpi_request_note(request, mcpi_params_string(&request->bufs.params, "taskId",
                                                id, request->start_err));
  if (request->error == 0) {
    mcpi_request_set_name(request, mcpi_str_z(id));
  }
  return 0;
}

int mcp_client_get_task(mcp_client *client, const char *id,
                        const mcp_request_options *options, mcp_done_cb on_done,
                        void *userdata, mcp_error *err) {
  mcpi_request *request;
  int rc = open_about(&request, client, MCPI_TASK_GET, id, options, on_done,
                      userdata, err);
  return rc != 0 ? rc : mcpi_request_start(request);
}

int mcp_client_cancel_task(mcp_client *client, const char *id,
                           const mcp_request_options *options,
                           mcp_done_cb on_done, void *userdata,
                           mcp_error *err) {
  mcpi_request *request;
  int rc = open_about(&request, client, MCPI_TASK_CANCEL, id, options, on_done,
                      userdata, err);
  return rc != 0 ? rc : mcpi_request_start(request);
}

/* Asks for the questions first. Where tasks/update does not exist, it is
 * refused by its name. */
static int start_asking(mcp_client *client, const char *id,
                        const mcp_request_options *options, mcp_done_cb on_done,
                        void *userdata, mcp_error *err) {
  mcpi_request *request;
  mcpi_task_verb verb =
      mcpi_client_is_modern(client) ? MCPI_TASK_GET : MCPI_TASK_UPDATE;
  int rc =
      open_about(&request, client, verb, id, options, on_done, userdata, err);
  if (rc != 0) {
    return rc;
  }
  mcpi_follow_prepare_answers(request);
  return mcpi_request_start(request);
}

int mcp_client_answer_task(mcp_client *client, const char *id,
                           const char *answers,
                           const mcp_request_options *options,
                           mcp_done_cb on_done, void *userdata,
                           mcp_error *err) {
  mcpi_request *request;
  if (client != NULL && answers == NULL) {
    return start_asking(client, id, options, on_done, userdata, err);
  }
  int rc = open_about(&request, client, MCPI_TASK_UPDATE, id, options, on_done,
                      userdata, err);
  if (rc != 0) {
    return rc;
  }
  if (request->error == 0) {
    mcpi_buf *params = &request->bufs.params;
    mcpi_params_name(params, "inputResponses");
    mcpi_request_note(request,
                      mcpi_params_put_object(client, params, "answers", answers,
                                             request->start_err));
  }
  return mcpi_request_start(request);
}

int mcp_client_wait_task(mcp_client *client, const char *id, const char *tool,
                         const mcp_request_options *options,
                         mcp_done_cb on_done, void *userdata, mcp_error *err) {
  mcpi_request *request;
  int rc = open_about(&request, client, MCPI_TASK_GET, id, options, on_done,
                      userdata, err);
  if (rc != 0) {
    return rc;
  }
  mcpi_follow_prepare(request, tool);
  return mcpi_request_start(request);
}

int mcp_client_list_tasks(mcp_client *client,
                          const mcp_request_options *options,
                          mcp_done_cb on_done, void *userdata, mcp_error *err) {
  int rc = mcpi_task_check_use(client, err);
  if (rc != 0) {
    return rc;
  }
  return mcpi_extension_list(client, mcpi_task_row(client, MCPI_TASK_LIST),
                             NULL, options, on_done, userdata, err);
}
