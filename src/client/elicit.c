/* SPDX-License-Identifier: MIT */
#include "client/elicit.h"

#include "codec/http_value.h"
#include "schema/validator.h"

/* --- the question ------------------------------------------------------- */

static int check_form(const mcp_json *params, mcp_error *err) {
  if (mcp_json_type(mcp_json_get(params, "requestedSchema")) !=
      MCP_JSON_OBJECT) {
    mcp_error_set(err, MCP_ERR_INVALID,
                  "params.requestedSchema is missing: it must be an object");
    return MCP_RPC_INVALID_PARAMS;
  }
  return 0;
}

/* Whether it has no blank and no control character, and a host. */
static int is_web_page(mcpi_str url) {
  static const mcpi_str schemes[] = {{"https://", 8}, {"http://", 7}};
  for (size_t i = 0; i < url.len; i++) {
    unsigned char byte = (unsigned char)url.ptr[i];
    if (byte <= 0x20 || byte == 0x7f) {
      return 0;
    }
  }
  for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
    size_t len = schemes[i].len;
    if (url.len > len && strchr("/?#", url.ptr[len]) == NULL &&
        mcpi_header_eq_nocase(mcpi_str_n(url.ptr, len), schemes[i])) {
      return 1;
    }
  }
  return 0;
}

/* A program may hand the URL to the system, which opens whatever its scheme
 * names. */
static int may_show(const mcp_client *client, const mcp_json *params) {
  return client->options.any_elicit_url ||
         is_web_page(mcpi_json_member_str(params, "url"));
}

static int client_elicit_check_url(const mcp_client *client,
                                   const mcp_json *params, mcp_error *err) {
  if (!client->options.can_elicit_url) {
    mcp_error_set(err, MCP_ERR_CAPABILITY,
                  "elicitation by URL was not declared");
    return MCP_RPC_INVALID_PARAMS;
  }
  if (mcp_json_type(mcp_json_get(params, "url")) != MCP_JSON_STRING) {
    mcp_error_set(err, MCP_ERR_INVALID,
                  "params.url is missing: it must be a string");
    return MCP_RPC_INVALID_PARAMS;
  }
  if (!may_show(client, params)) {
    mcp_error_set(err, MCP_ERR_INVALID,
                  "params.url is not an http:// or https:// URL");
    return MCP_RPC_INVALID_PARAMS;
  }
  return 0;
}

/* A revision with one mode only has no member `mode`: it is not read there. */
int mcpi_elicit_check(const mcp_client *client, const mcp_json *params,
                      int *is_url, mcp_error *err) {
  mcpi_str mode = mcpi_json_member_str(params, "mode");
  *is_url = 0;
  if (mode.len == 0 || mcpi_str_eq(mode, MCPI_STR("form")) ||
      !mcpi_revision_has(client->revision, MCPI_HAS_ELICIT_URL)) {
    return check_form(params, err);
  }
  if (mcpi_str_eq(mode, MCPI_STR("url"))) {
    *is_url = 1;
    return client_elicit_check_url(client, params, err);
  }
  mcp_error_set(err, MCP_ERR_INVALID,
                "params.mode \"%.*s\" is neither form nor url",
                (int)(mode.len < 64 ? mode.len : 64), mode.ptr);
  return MCP_RPC_INVALID_PARAMS;
}

/* --- URLs that are being visited ---------------------------------------- */

/* Hashes an id, which may have any length. A server that finds two ids with the
 * same hash can cause one wrong notification. 0 marks a free place. */
static uint64_t hash_id(const mcp_client *client, const mcp_json *params) {
  mcpi_str id = mcpi_json_member_str(params, "elicitationId");
  uint64_t hash = mcpi_str_hash(id, client->loop->hash_seed);
  return hash != 0 ? hash : 1;
}

static uint64_t *find_id(mcp_client *client, uint64_t hash) {
  for (size_t i = 0; i < MCPI_CLIENT_MAX_VISITS; i++) {
    if (client->visits[i] == hash) {
      return &client->visits[i];
    }
  }
  return NULL;
}

void mcpi_elicit_remember(mcp_client *client, const mcp_json *params) {
  uint64_t hash = hash_id(client, params);
  if (mcp_json_string(mcp_json_get(params, "elicitationId")) != NULL &&
      find_id(client, hash) == NULL) {
    client->visits[client->next_visit] = hash;
    client->next_visit = (client->next_visit + 1) % MCPI_CLIENT_MAX_VISITS;
  }
}

int mcpi_elicit_may_show_all(const mcp_client *client, const mcp_json *data) {
  mcp_json_iter iter;
  const mcp_json *params;
  mcp_json_iter_init(&iter, mcp_json_get(data, "elicitations"));
  while ((params = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (mcp_json_get(params, "url") != NULL && !may_show(client, params)) {
      return 0;
    }
  }
  return 1;
}

void mcpi_elicit_remember_all(mcp_client *client, const mcp_json *data) {
  const mcp_json *elicitations = mcp_json_get(data, "elicitations");
  mcp_json_iter iter;
  const mcp_json *params;
  if (mcp_json_type(elicitations) != MCP_JSON_ARRAY) {
    return;
  }
  mcp_json_iter_init(&iter, elicitations);
  for (size_t left = MCPI_CLIENT_MAX_VISITS;
       left > 0 && (params = mcp_json_iter_next(&iter, NULL)) != NULL; left--) {
    mcpi_elicit_remember(client, params);
  }
}

int mcpi_elicit_forget(mcp_client *client, const mcp_json *params) {
  uint64_t *visit = find_id(client, hash_id(client, params));
  if (visit == NULL) {
    return 0;
  }
  *visit = 0;
  return 1;
}

void mcpi_elicit_forget_all(mcp_client *client) {
  memset(client->visits, 0, sizeof(client->visits));
}

/* --- the answer --------------------------------------------------------- */

static int put_with_defaults(const mcp_validator *validator,
                             const mcp_json *content, mcpi_buf *buf,
                             mcp_error *err) {
  mcp_builder *builder = mcp_builder_new(buf->allocator, NULL);
  size_t len;
  int rc = builder != NULL
               ? mcp_validator_apply_defaults(validator, content, NULL, builder)
               : MCP_ERR_NOMEM;
  if (rc == 0) {
    const char *text = mcp_builder_text(builder, &len);
    if (text != NULL) {
      mcpi_buf_put(buf, text, len);
    } else {
      rc = MCP_ERR_NOMEM;
    }
  }
  mcp_builder_free(builder);
  if (rc == MCP_ERR_LIMIT) {
    return mcp_error_set(err, MCP_ERR_SCHEMA,
                         "the form's defaults are too large to be filled in");
  }
  return rc != 0 ? mcp_error_set(err, rc, "%s", mcp_error_text(rc)) : 0;
}

static int elicit_validate(mcp_client *client, const mcp_validator *validator,
                           mcpi_str content, mcp_error *err) {
  mcpi_message *message;
  int rc = mcpi_client_parse(client, "content", content, &message, err);
  if (rc == 0) {
    rc = mcpi_validator_explain(validator, message->root, err);
    mcpi_message_unref(message);
  }
  return rc;
}

int mcpi_elicit_put(mcp_client *client, const mcp_validator *validator,
                    const char *content, mcpi_buf *buf, mcp_error *err) {
  mcpi_message *given;
  int rc =
      mcpi_client_parse(client, "content", mcpi_str_z(content), &given, err);
  if (rc != 0) {
    return rc;
  }
  size_t from = buf->len;
  if (client->options.apply_defaults) {
    rc = put_with_defaults(validator, given->root, buf, err);
  } else {
    mcpi_json_put_value(buf, given->root);
  }
  mcpi_message_unref(given);
  if (rc == 0 && buf->error != 0) {
    rc = mcp_error_set(err, buf->error, "out of memory");
  }
  return rc == 0
             ? elicit_validate(client, validator,
                               mcpi_str_n(buf->data + from, buf->len - from),
                               err)
             : rc;
}
