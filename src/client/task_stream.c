/* SPDX-License-Identifier: MIT */
#include "client/task_stream.h"

#include "client/listen.h"
#include "client/params.h"
#include "client/send.h"

enum {
  /* Over HTTP each open stream takes a connection. */
  MAX_STREAMS = 16
};

static void stream_on_reply(mcpi_request *stream, int status,
                            mcpi_message *message, const mcpi_envelope *reply,
                            const mcp_error *err) {
  (void)status;
  (void)message;
  (void)reply;
  (void)err;
  mcpi_request_fail_with(stream, MCP_ERR_CANCELLED, "the stream has ended");
}

static void stream_on_end(mcpi_request *stream) {
  mcpi_request *owner = stream->listen.owner;
  mcpi_client_listen_end(stream);
  stream->client->task_streams--;
  if (owner != NULL) {
    owner->follow.stream = NULL;
    stream->listen.owner = NULL;
  }
}

static int stream_send(mcpi_request *stream, mcpi_str id) {
  mcpi_buf *params = &stream->bufs.params;
  mcp_error err;
  mcpi_params_name(params, "notifications");
  mcpi_buf_lit(params, "{\"taskIds\":[");
  mcpi_json_put_string(params, id);
  mcpi_buf_lit(params, "]}");
  int rc = params->error;
  if (rc == 0) {
    rc = mcpi_client_listen_prepare(stream);
  }
  return rc == 0 ? mcpi_request_send(stream, &err) : rc;
}

void mcpi_task_stream_open(mcpi_request *owner) {
  static const mcpi_request_kind kind = {.on_reply = stream_on_reply,
                                         .on_end = stream_on_end};
  mcp_client *client = owner->client;
  if (client->task_streams >= MAX_STREAMS) {
    return;
  }
  mcpi_request *stream =
      mcpi_request_take(client, &mcpi_methods[MCPI_M_LISTEN], &kind);
  if (stream == NULL) {
    return;
  }
  client->task_streams++;
  stream->listen.is_once = 1;
  stream->listen.owner = owner;
  owner->follow.stream = stream;
  stream->timeout_ms = owner->follow.timeout_ms;
  if (stream_send(stream, mcpi_request_name(owner)) != 0) {
    mcpi_request_drop(stream);
  }
}

void mcpi_task_stream_close(mcpi_request *owner) {
  mcpi_request *stream = owner->follow.stream;
  if (stream != NULL) {
    owner->follow.stream = NULL;
    stream->listen.owner = NULL;
    mcpi_client_listen_close(stream);
  }
}
