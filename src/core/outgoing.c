/* SPDX-License-Identifier: MIT */
#include "core/outgoing.h"

#include "base/widen.h"
#include "codec/id.h"
#include "core/context.h"
#include "core/method.h"

static int outgoing_parse(mcpi_outgoing *outgoing) {
  return outgoing->doc != NULL
             ? 0
             : mcpi_doc_parse(&outgoing->doc, outgoing->text, outgoing->len,
                              NULL, outgoing->allocator, NULL);
}

static uint32_t outgoing_kind_of(const mcp_json *message) {
  int has_id = mcp_json_get(message, "id") != NULL;
  if (mcp_json_get(message, "method") != NULL) {
    return has_id ? MCP_MESSAGE_REQUEST : MCP_MESSAGE_NOTIFICATION;
  }
  if (mcp_json_get(message, "error") != NULL) {
    return MCP_MESSAGE_ERROR;
  }
  return mcp_json_get(message, "result") != NULL ? MCP_MESSAGE_RESULT
                                                 : MCP_MESSAGE_UNKNOWN;
}

/* Our request ids are numbers above 0. */
static uint64_t cancelled_by(const char *method, const mcp_json *params) {
  int64_t id = 0;
  if (strcmp(method, mcpi_methods[MCPI_M_CANCELLED].name) == 0) {
    mcp_json_try_int(mcp_json_get(params, "requestId"), &id);
  }
  return id > 0 ? (uint64_t)id : 0;
}

/* Fills in `info` from the message, if the sender has not. */
static int outgoing_read(mcpi_outgoing *outgoing) {
  mcp_send_info *info = &outgoing->info;
  int rc = outgoing_parse(outgoing);
  if (rc != 0) {
    return rc;
  }
  const mcp_json *message = mcp_doc_root(outgoing->doc);
  const mcp_json *params = mcp_json_get(message, "params");
  const mcp_json *meta = mcp_json_get(params, "_meta");
  info->kind = outgoing_kind_of(message);
  if (mcp_json_get(message, "id") != NULL) {
    mcpi_id_put(&outgoing->id, mcpi_id_read(mcp_json_get(message, "id")));
    info->id = outgoing->id.data;
    info->id_len = outgoing->id.len;
  }
  info->method = mcp_json_string(mcp_json_get(message, "method"));
  if (info->method != NULL) {
    const char *member = mcpi_method_mirrored(mcpi_str_z(info->method));
    info->revision = mcp_json_string(mcp_json_get(meta, MCPI_META_VERSION));
    info->arguments = mcp_json_get(params, "arguments");
    info->cancels = cancelled_by(info->method, params);
    if (member != NULL) {
      info->name =
          mcp_json_string_n(mcp_json_get(params, member), &info->name_len);
    }
  }
  return outgoing->id.error;
}

int mcpi_outgoing_init(mcpi_outgoing *outgoing, const mcp_allocator *allocator,
                       const char *message, size_t len,
                       const mcp_send_info *info) {
  *outgoing =
      (mcpi_outgoing){.text = message, .len = len, .allocator = allocator};
  mcpi_buf_init(&outgoing->id, allocator, SIZE_MAX);
  int rc = info != NULL ? mcpi_widen(&outgoing->info, sizeof(outgoing->info),
                                     info, "mcp_send_info", NULL)
                        : 0;
  if (rc != 0) {
    return rc;
  }
  outgoing->info.size = sizeof(outgoing->info);
  return outgoing->info.kind == MCP_MESSAGE_UNKNOWN ? outgoing_read(outgoing)
                                                    : 0;
}

/* What a client may keep changes nothing at the server. A second `initialize`
 * makes a second session, which the server drops when it stays idle. */
int mcpi_outgoing_may_repeat(const mcpi_outgoing *outgoing) {
  const mcp_send_info *info = &outgoing->info;
  const mcpi_method *row =
      info->method != NULL ? mcpi_method_find(mcpi_str_z(info->method)) : NULL;
  return info->is_idempotent ||
         (row != NULL && (row->is_cacheable || row->is_idempotent));
}

int mcpi_outgoing_params(mcpi_outgoing *outgoing, const mcp_json **params) {
  int rc = outgoing_parse(outgoing);
  if (rc == 0) {
    *params = mcp_json_get(mcp_doc_root(outgoing->doc), "params");
  }
  return rc;
}

void mcpi_outgoing_deinit(mcpi_outgoing *outgoing) {
  mcp_doc_free(outgoing->doc);
  mcpi_buf_deinit(&outgoing->id);
}
