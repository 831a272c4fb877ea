/* SPDX-License-Identifier: MIT */
#include "client/params.h"

#include "core/context.h"

/* A buffer of members has no braces around it, unless it is written into
 * another object. */
static int is_first_member(const mcpi_buf *buf) {
  return buf->len == 0 || buf->data[buf->len - 1] == '{';
}

void mcpi_params_key(mcpi_buf *buf, mcpi_str name) {
  if (!is_first_member(buf)) {
    mcpi_buf_putc(buf, ',');
  }
  mcpi_json_put_string(buf, name);
  mcpi_buf_putc(buf, ':');
}

void mcpi_params_name(mcpi_buf *buf, const char *name) {
  if (!is_first_member(buf)) {
    mcpi_buf_putc(buf, ',');
  }
  mcpi_buf_putc(buf, '"');
  mcpi_buf_puts(buf, mcpi_str_z(name));
  mcpi_buf_lit(buf, "\":");
}

int mcpi_params_check(const char *name, const char *string, mcp_error *err) {
  if (string == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "%s is NULL", name);
  }
  mcpi_str text = mcpi_str_z(string);
  size_t valid = mcpi_utf8_valid_prefix(text.ptr, text.len);
  if (valid == text.len) {
    return 0;
  }
  mcp_error_set(err, MCP_ERR_INVALID, "%s: not UTF-8 at byte %zu: \"%s\"", name,
                valid, string);
  if (err != NULL) {
    err->offset = valid;
  }
  return MCP_ERR_INVALID;
}

int mcpi_params_string(mcpi_buf *buf, const char *name, const char *string,
                       mcp_error *err) {
  int rc = mcpi_params_check(name, string, err);
  if (rc == 0) {
    mcpi_params_name(buf, name);
    mcpi_json_put_string(buf, mcpi_str_z(string));
  }
  return rc;
}

int mcpi_params_put_object(mcp_client *client, mcpi_buf *buf, const char *name,
                           const char *text, mcp_error *err) {
  mcpi_message *message;
  int rc = mcpi_client_parse(client, name, mcpi_str_z(text), &message, err);
  if (rc != 0) {
    return rc;
  }
  mcpi_json_put_value(buf, message->root);
  mcpi_message_unref(message);
  return 0;
}

void mcpi_params_put_values(mcpi_buf *buf, const mcp_json *object,
                            const char *except) {
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *value;
  mcp_json_iter_init(&iter, object);
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL) {
    if (except == NULL ||
        !mcpi_str_eq(mcpi_json_str(name), mcpi_str_z(except))) {
      mcpi_params_key(buf, mcpi_json_str(name));
      mcpi_json_put_value(buf, value);
    }
  }
}

int mcpi_params_put_members(mcp_client *client, mcpi_buf *buf, const char *name,
                            const char *text, mcp_error *err) {
  mcpi_message *message;
  int rc = mcpi_client_parse(client, name, mcpi_str_z(text), &message, err);
  if (rc != 0) {
    return rc;
  }
  mcpi_params_put_values(buf, message->root, NULL);
  mcpi_message_unref(message);
  return 0;
}

/* Keys that the library writes itself, or that must not be there: the modern
 * keys would turn a legacy request into a modern one, and the peer would take a
 * second progress token for one of ours. */
static int params_is_ours(mcpi_str key) {
  static const char *const keys[] = {
      "progressToken", MCPI_META_VERSION, MCPI_META_CLIENT_CAPABILITIES,
      MCPI_META_CLIENT_INFO, MCPI_META_LOG_LEVEL};
  for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
    if (mcpi_str_eq(key, mcpi_str_z(keys[i]))) {
      return 1;
    }
  }
  return 0;
}

void mcpi_params_put_meta(mcpi_buf *buf, const mcp_json *object) {
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *value;
  mcp_json_iter_init(&iter, object);
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL) {
    if (!params_is_ours(mcpi_json_str(name))) {
      mcpi_params_key(buf, mcpi_json_str(name));
      mcpi_json_put_value(buf, value);
    }
  }
}
