/* SPDX-License-Identifier: MIT */
#include "client/respond.h"

#include "client/params.h"
#include "client/report.h"
#include "core/task_shape.h"

int mcpi_respond(mcp_client *client, mcpi_str id_text, mcpi_str result) {
  const mcp_send_info known = {
      .kind = MCP_MESSAGE_RESULT, .id = id_text.ptr, .id_len = id_text.len};
  mcpi_buf *buf = &client->scratch;
  mcpi_buf_clear(buf);
  mcpi_put_result_head(buf, id_text);
  mcpi_buf_puts(buf, result);
  mcpi_buf_putc(buf, '}');
  return buf->error != 0
             ? buf->error
             : mcpi_peer_send(&client->peer, buf->data, buf->len, &known);
}

int mcpi_respond_buf(mcp_client *client, mcpi_str id_text, mcpi_buf *result) {
  int rc = result->error;
  if (rc == 0) {
    rc = mcpi_respond(client, id_text, mcpi_buf_str(result));
  }
  mcpi_buf_deinit(result);
  return rc;
}

int mcpi_respond_put_related(mcp_client *client, mcpi_str result,
                             const char *task_id, mcpi_buf *out) {
  mcpi_message *message;
  int rc = mcpi_client_parse(client, "result", result, &message, NULL);
  if (rc != 0) {
    return rc;
  }
  const mcp_json *meta = mcp_json_get(message->root, "_meta");
  mcpi_buf_putc(out, '{');
  mcpi_params_put_values(out, message->root, "_meta");
  mcpi_params_name(out, "_meta");
  mcpi_buf_putc(out, '{');
  if (mcp_json_type(meta) == MCP_JSON_OBJECT) {
    mcpi_params_put_values(out, meta, MCPI_META_RELATED_TASK);
  }
  mcpi_task_put_related(out, task_id);
  mcpi_buf_lit(out, "}}");
  mcpi_message_unref(message);
  return out->error;
}

int mcpi_respond_error(mcp_client *client, mcpi_str id_text, int code,
                       mcpi_str message) {
  return mcpi_peer_send_error(&client->peer, id_text, code, message,
                              (mcpi_str){NULL, 0});
}

/* If there is no memory for a result, there may be memory for an error;
 * otherwise the server gets no response. */
void mcpi_respond_failed(mcp_client *client, mcpi_str id_text, int rc) {
  mcp_error err;
  if (rc == 0 || rc == MCP_ERR_CLOSED) {
    return;
  }
  if (id_text.len > 0 &&
      mcpi_respond_error(client, id_text, MCP_RPC_INTERNAL_ERROR,
                         mcpi_str_z(mcp_error_text(rc))) == 0) {
    return;
  }
  mcp_error_set(&err, rc, "a request of the server's cannot be answered: %s",
                mcp_error_text(rc));
  mcpi_client_report(client, &err);
}

int mcpi_respond_later(mcp_client *client, mcpi_inflight *inflight,
                       mcp_error *err) {
  int rc = mcpi_peer_track(&client->peer, inflight);
  if (rc == 0) {
    return 0;
  }
  if (rc == MCP_ERR_EXISTS) {
    mcp_error_set(err, rc, "a request of that id is being answered");
    return MCP_RPC_INVALID_REQUEST;
  }
  mcp_error_set(err, rc, "%s", mcp_error_text(rc));
  return MCP_RPC_INTERNAL_ERROR;
}
