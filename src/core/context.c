/* SPDX-License-Identifier: MIT */
/* What is known about one request (MCP 2026-07-28, Base Protocol: _meta). */
#include "core/context.h"

#include "core/log_level.h"
#include "json/inline.h"

#include <mcp/server.h>

/* --- refusing ----------------------------------------------------------- */

int mcpi_refuse_version(mcpi_refusal *refusal, mcpi_str requested) {
  refusal->code = MCP_RPC_UNSUPPORTED_VERSION;
  refusal->requested = requested;
  if (requested.len == 0) {
    mcp_error_set(&refusal->err, MCP_ERR_VERSION,
                  "the request names no protocol version");
  } else {
    mcp_error_set(&refusal->err, MCP_ERR_VERSION,
                  "protocol version \"%.*s\" is not served here",
                  (int)(requested.len < 64 ? requested.len : 64),
                  requested.ptr);
  }
  return MCPI_CLASS_REFUSED;
}

/* `wanted` says what the value of the key must be. */
static int refuse_key(mcpi_refusal *refusal, const char *key,
                      const char *wanted) {
  refusal->code = MCP_RPC_INVALID_PARAMS;
  mcp_error_set(&refusal->err, MCP_ERR_INVALID,
                "params._meta[\"%s\"] must be %s", key, wanted);
  return MCPI_CLASS_REFUSED;
}

/* --- the members of _meta ----------------------------------------------- */

/* The members that the protocol defines; NULL: absent. */
typedef struct meta_members {
  const mcp_json *version;
  const mcp_json *client_info;
  const mcp_json *client_capabilities;
  const mcp_json *log_level;
  const mcp_json *progress_token;
} meta_members;

static const mcp_json **context_place_of(meta_members *meta, mcpi_str name) {
  if (mcpi_str_eq(name, MCPI_STR(MCPI_META_VERSION))) {
    return &meta->version;
  }
  if (mcpi_str_eq(name, MCPI_STR(MCPI_META_CLIENT_INFO))) {
    return &meta->client_info;
  }
  if (mcpi_str_eq(name, MCPI_STR(MCPI_META_CLIENT_CAPABILITIES))) {
    return &meta->client_capabilities;
  }
  if (mcpi_str_eq(name, MCPI_STR(MCPI_META_LOG_LEVEL))) {
    return &meta->log_level;
  }
  if (mcpi_str_eq(name, MCPI_STR("progressToken"))) {
    return &meta->progress_token;
  }
  return NULL;
}

/* Reads them in one pass, since every request has them. No name occurs twice:
 * the reader of the envelope has checked that. */
static meta_members read_meta(const mcp_json *object) {
  meta_members meta = {0};
  size_t left = mcpi_json_member_count(object);
  const mcp_json *name = left > 0 ? mcpi_json_first(object) : NULL;
  for (; left > 0; left--) {
    const mcp_json *value = mcpi_json_value_of(name);
    const mcp_json **place = context_place_of(&meta, mcpi_json_text(name));
    if (place != NULL) {
      *place = value;
    }
    name = mcpi_json_behind(value);
  }
  return meta;
}

/* --- the modern envelope ------------------------------------------------ */

/* Reads the keys that say who calls and how. A request must name its
 * capabilities; a notification needs none. */
static int read_claims(const meta_members *meta, int is_request,
                       mcpi_context *context, mcpi_refusal *refusal) {
  const mcp_json *info = meta->client_info;
  const mcp_json *capabilities = meta->client_capabilities;
  if (!mcpi_json_is_string(meta->version)) {
    return refuse_key(refusal, MCPI_META_VERSION, "a string");
  }
  if (!mcpi_json_is_object(capabilities) &&
      (capabilities != NULL || is_request)) {
    return refuse_key(refusal, MCPI_META_CLIENT_CAPABILITIES, "an object");
  }
  if (info != NULL && !mcpi_json_is_object(info)) {
    return refuse_key(refusal, MCPI_META_CLIENT_INFO, "an object");
  }
  context->client_info = info;
  context->client_capabilities = capabilities;
  return MCPI_CLASS_MODERN;
}

static int read_version(const meta_members *meta, uint32_t eras,
                        mcpi_context *context, mcpi_refusal *refusal) {
  mcpi_str name = mcpi_json_text(meta->version);
  const mcpi_revision *revision = mcpi_revision_find(name);
  /* A legacy revision needs initialize; it cannot be used in any other way. */
  if (revision == NULL || !mcpi_revision_is_modern(revision) ||
      (eras & MCP_ERA_MODERN) == 0) {
    return mcpi_refuse_version(refusal, name);
  }
  context->revision = revision;
  return MCPI_CLASS_MODERN;
}

static int refuse_long_token(mcpi_refusal *refusal) {
  return refuse_key(refusal, "progressToken", "at most 65536 bytes long");
}

static int context_read_wishes(const meta_members *meta, mcpi_context *context,
                               mcpi_refusal *refusal) {
  mcpi_id token = mcpi_id_read(meta->progress_token);
  if (meta->log_level != NULL) {
    context->log_level = mcpi_log_level_find(mcpi_json_str(meta->log_level));
    if (context->log_level == 0) {
      return refuse_key(refusal, MCPI_META_LOG_LEVEL, "a logging level");
    }
  }
  if (mcpi_id_is_too_long(token)) {
    return refuse_long_token(refusal);
  }
  if (token.kind == MCPI_ID_NULL || token.kind == MCPI_ID_BAD) {
    return refuse_key(refusal, "progressToken", "a string or an integer");
  }
  context->progress_token = token;
  return MCPI_CLASS_MODERN;
}

/* Checks the version before members that a later version may have changed. */
static int read_modern(const meta_members *meta, int is_request, uint32_t eras,
                       mcpi_context *context, mcpi_refusal *refusal) {
  int rc = read_claims(meta, is_request, context, refusal);
  if (rc == MCPI_CLASS_MODERN) {
    rc = read_version(meta, eras, context, refusal);
  }
  if (rc == MCPI_CLASS_MODERN) {
    rc = context_read_wishes(meta, context, refusal);
  }
  return rc;
}

/* --- the choice --------------------------------------------------------- */

static int context_is_initialize(const mcpi_envelope *envelope) {
  return mcpi_str_eq(envelope->method, MCPI_STR("initialize"));
}

/* Clears both structures, except the text of a refusal, which is long. */
static void clear(mcpi_context *context, mcpi_refusal *refusal) {
  *context = (mcpi_context){0};
  refusal->code = 0;
  refusal->requested = mcpi_str_n(NULL, 0);
}

/* In the legacy era a token that is not valid only means that there is no
 * progress. A token that is too long is valid, and its sender would wait for
 * progress. */
static int read_legacy(const meta_members *meta, int is_request,
                       mcpi_context *context, mcpi_refusal *refusal) {
  mcpi_id token = mcpi_id_read(meta->progress_token);
  clear(context, refusal);
  if (is_request && mcpi_id_is_too_long(token)) {
    return refuse_long_token(refusal);
  }
  if (token.kind == MCPI_ID_NUMBER || token.kind == MCPI_ID_STRING) {
    context->progress_token = token;
  }
  return MCPI_CLASS_LEGACY;
}

int mcpi_classify(const mcpi_envelope *envelope, uint32_t eras,
                  mcpi_context *context, mcpi_refusal *refusal) {
  meta_members meta = read_meta(envelope->meta);
  int is_request = envelope->kind == MCPI_REQUEST;
  int serves_legacy = (eras & MCP_ERA_LEGACY) != 0;
  clear(context, refusal);
  if (meta.version != NULL) {
    int rc = read_modern(&meta, is_request, eras, context, refusal);
    if (rc == MCPI_CLASS_MODERN || !context_is_initialize(envelope) ||
        !serves_legacy) {
      return rc;
    }
  }
  if (serves_legacy) {
    return read_legacy(&meta, is_request, context, refusal);
  }
  /* initialize names its version elsewhere */
  return mcpi_refuse_version(
      refusal, context_is_initialize(envelope)
                   ? mcpi_json_member_str(envelope->params, "protocolVersion")
                   : mcpi_str_n(NULL, 0));
}

void mcpi_put_version_data(mcpi_buf *buf, uint32_t eras, mcpi_str requested) {
  mcpi_buf_lit(buf, "{\"supported\":");
  mcpi_revision_put_names(buf, eras);
  mcpi_buf_lit(buf, ",\"requested\":");
  mcpi_json_put_string(buf, requested);
  mcpi_buf_putc(buf, '}');
}

/* --- capabilities ------------------------------------------------------- */

static const mcp_json *walk(const mcp_json *tree, const char *path) {
  size_t len = strcspn(path, ".");
  while (path[len] == '.') {
    tree = mcp_json_get_n(tree, path, len);
    path += len + 1;
    len = strcspn(path, ".");
  }
  return mcp_json_get_n(tree, path, len);
}

/* Names of extensions and experiments contain dots. */
static const mcp_json *find_capability(const mcp_json *tree, const char *path) {
  static const char *const open_sets[] = {"extensions", "experimental"};
  for (size_t i = 0; i < sizeof(open_sets) / sizeof(open_sets[0]); i++) {
    size_t len = strlen(open_sets[i]);
    if (strncmp(path, open_sets[i], len) == 0 && path[len] == '.') {
      return mcp_json_get(mcp_json_get(tree, open_sets[i]), path + len + 1);
    }
  }
  return walk(tree, path);
}

/* Accepts more than objects and true: some peers' languages cannot distinguish
 * an empty object from an empty array. */
static int is_declared(const mcp_json *value) {
  int type = mcp_json_type(value);
  return type > MCP_JSON_BOOL ||
         (type == MCP_JSON_BOOL && mcp_json_bool(value));
}

int mcpi_capability_has(const mcp_json *capabilities, const char *path) {
  if (is_declared(find_capability(capabilities, path))) {
    return 1;
  }
  const mcp_json *elicitation = mcp_json_get(capabilities, "elicitation");
  return strcmp(path, "elicitation.form") == 0 && is_declared(elicitation) &&
         mcp_json_get(elicitation, "form") == NULL &&
         mcp_json_get(elicitation, "url") == NULL;
}
