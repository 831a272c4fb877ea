/* SPDX-License-Identifier: MIT */
/* What the program adds to the protocol (MCP 2026-07-28, Versioning: Extension
 * Negotiation): methods, notifications, declared extensions, filters of listen
 * streams. */
#include "server/own_methods.h"

#include "base/error.h"
#include "base/widen.h"
#include "core/extension_id.h"
#include "schema/build.h"
#include "schema/validator.h"
#include "server/content.h"
#include "server/reply.h"

/* Never removed, so calls need not hold it. */
struct mcpi_own_method {
  char *name;
  mcpi_revision_range revisions;
  char *extension; /* "extensions." and its id, or NULL */
  mcp_validator *params;
  mcp_call_cb handler;
  void *userdata;
  void (*release)(void *userdata);
  int is_notification;
  int is_blocking;
};

/* --- methods: serving --------------------------------------------------- */

mcpi_own_method *mcpi_own_method_find(const mcp_server *server, mcpi_str name,
                                      const mcpi_revision *revision,
                                      int is_notification) {
  if (server->own_methods.count == 0) {
    return NULL;
  }
  mcpi_own_method *method = mcpi_map_get(&server->own_methods, name);
  if (method == NULL || method->is_notification != is_notification ||
      !mcpi_revision_in(revision, method->revisions)) {
    return NULL;
  }
  return method;
}

int mcpi_own_method_admit(mcp_call *call) {
  const mcpi_own_method *method = call->own_method;
  if (method->extension == NULL ||
      mcpi_call_require(call, method->extension) == 0) {
    return 1;
  }
  mcpi_call_reply_recorded(call);
  return 0;
}

static void refuse_params(mcp_call *call) {
  mcpi_buf why;
  mcpi_buf_init(&why, &call->shard->server->allocator, SIZE_MAX);
  int rc = mcpi_explain(call->shard, call->own_method->params, call->params, 1,
                        "", &why);
  if (rc == 0) {
    mcpi_call_fail(call, MCP_ERR_SCHEMA, MCP_RPC_INVALID_PARAMS, "params%.*s",
                   (int)why.len, why.data);
  } else {
    mcpi_call_fail(call, rc, MCP_RPC_INTERNAL_ERROR, "%s", mcp_error_text(rc));
  }
  mcpi_buf_deinit(&why);
  mcpi_call_reply_recorded(call);
}

/* A schema can only be satisfied by params that are present. */
int mcpi_own_method_admit_params(mcp_call *call) {
  const mcpi_own_method *method = call->own_method;
  if (method->params == NULL ||
      mcp_validator_accepts(method->params, call->params)) {
    return 1;
  }
  refuse_params(call);
  return 0;
}

void mcpi_own_method_run(mcp_call *call) {
  const mcpi_own_method *method = call->own_method;
  call->is_blocking = method->is_blocking;
  mcpi_call_run(call, method->handler, method->userdata);
}

/* --- methods: adding ---------------------------------------------------- */

static void free_method(mcpi_own_method *method,
                        const mcp_allocator *allocator) {
  mcpi_strfree(allocator, method->name);
  mcpi_strfree(allocator, method->extension);
  mcp_validator_unref(method->params);
  mcpi_free(allocator, method, sizeof(*method));
}

/* The server has ended, and so have all calls of the method. */
static void end_method(mcpi_own_method *method,
                       const mcp_allocator *allocator) {
  void (*release)(void *userdata) = method->release;
  void *userdata = method->userdata;
  free_method(method, allocator);
  if (release != NULL) {
    release(userdata);
  }
}

static int extend_check_name(const char *name, mcp_error *err) {
  if (name == NULL || name[0] == '\0') {
    return mcp_error_set(err, MCP_ERR_INVALID, "method: name is missing");
  }
  if (mcpi_method_find(mcpi_str_z(name)) != NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "method: \"%s\" is one of the protocol's own", name);
  }
  return mcpi_text_check("method: name", name, err);
}

/* Sets one end of a range; NULL leaves it open. */
static int read_bound(int8_t *bound, const char *name, mcp_error *err) {
  const mcpi_revision *revision = mcpi_revision_find(mcpi_str_z(name));
  if (name != NULL && revision == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "method: there is no revision \"%s\"", name);
  }
  if (revision != NULL) {
    *bound = (int8_t)revision->index;
  }
  return 0;
}

static int extend_compile(mcp_validator **out, const mcp_schema *schema,
                          const mcp_allocator *allocator, mcp_error *err) {
  mcpi_buf text;
  mcp_doc *doc = NULL;
  if (schema == NULL) {
    return 0;
  }
  mcpi_buf_init(&text, allocator, SIZE_MAX);
  int rc = mcpi_schema_put(&text, schema, err);
  if (rc == 0) {
    rc = mcpi_doc_parse(&doc, text.data, text.len, NULL, allocator, err);
  }
  if (rc == 0) {
    rc = mcpi_validator_new(out, mcp_doc_root(doc), allocator, err);
  }
  mcp_doc_free(doc);
  mcpi_buf_deinit(&text);
  return rc;
}

static int copy_name(mcpi_own_method *method, const char *name,
                     const mcp_allocator *allocator) {
  method->name = mcpi_strdup(allocator, name);
  return method->name != NULL ? 0 : MCP_ERR_NOMEM;
}

/* The extension as the path to look for in the client's capabilities. */
static int copy_extension(mcpi_own_method *method, const char *id,
                          const mcp_allocator *allocator) {
  static const char prefix[] = "extensions.";
  if (id == NULL) {
    return 0;
  }
  size_t len = strlen(id);
  char *path = mcpi_alloc(allocator, sizeof(prefix) + len);
  if (path == NULL) {
    return MCP_ERR_NOMEM;
  }
  memcpy(path, prefix, sizeof(prefix) - 1);
  memcpy(path + sizeof(prefix) - 1, id, len + 1);
  method->extension = path;
  return 0;
}

/* Checks everything that may be refused. */
static int fill_method(mcpi_own_method *method, const mcp_method *given,
                       const mcp_allocator *allocator, mcp_error *err) {
  int rc = extend_check_name(given->name, err);
  if (rc == 0 && given->handler == NULL) {
    rc = mcp_error_set(err, MCP_ERR_INVALID, "method \"%s\": no handler",
                       given->name);
  }
  method->revisions =
      (mcpi_revision_range){MCPI_REVISION_OLDEST, MCPI_REVISION_NEWEST};
  if (rc == 0) {
    rc = read_bound(&method->revisions.first, given->first_revision, err);
  }
  if (rc == 0) {
    rc = read_bound(&method->revisions.last, given->last_revision, err);
  }
  if (rc == 0) {
    rc = mcpi_text_check("method: extension", given->extension, err);
  }
  if (rc == 0 && given->extension != NULL) {
    rc = mcpi_extension_id_check(given->extension, err);
  }
  if (rc == 0) {
    rc = extend_compile(&method->params, given->params, allocator, err);
  }
  method->handler = given->handler;
  method->userdata = given->userdata;
  method->release = given->release;
  method->is_notification = given->is_notification != 0;
  method->is_blocking = given->is_blocking != 0;
  return rc;
}

static int add_method(mcp_server *server, const mcp_method *given,
                      mcp_error *err) {
  const mcp_allocator *allocator = &server->allocator;
  mcpi_own_method *method = mcpi_calloc(allocator, 1, sizeof(*method));
  if (method == NULL) {
    return mcpi_no_memory(err);
  }
  int rc = fill_method(method, given, allocator, err);
  if (rc != 0) {
    free_method(method, allocator);
    return rc;
  }
  rc = copy_name(method, given->name, allocator);
  if (rc == 0) {
    rc = copy_extension(method, given->extension, allocator);
  }
  if (rc == 0) {
    rc = mcpi_map_add(&server->own_methods, mcpi_str_z(method->name), method);
  }
  if (rc != 0) {
    mcp_error_set(err, rc, "method \"%s\": %s", given->name,
                  mcp_error_text(rc));
    free_method(method, allocator);
  }
  return rc;
}

int mcp_server_add_method(mcp_server *server, const mcp_method *method,
                          mcp_error *err) {
  mcp_error why; /* the server keeps it, even if `err` is NULL */
  mcp_method wide;
  if (server == NULL) {
    return mcpi_error_null(err, "server");
  }
  int rc = mcpi_widen(&wide, sizeof(wide), method, "mcp_method", &why);
  if (rc == 0) {
    rc = add_method(server, &wide, &why);
  }
  return rc != 0 ? mcpi_server_remember(server, &why, err) : 0;
}

/* --- extensions --------------------------------------------------------- */

/* The text of an object's members: what it would be between braces. */
static int has_member(const mcpi_buf *members, const char *name, int *found) {
  mcpi_buf text;
  mcp_doc *doc = NULL;
  mcpi_buf_init(&text, members->allocator, SIZE_MAX);
  mcpi_buf_putc(&text, '{');
  mcpi_buf_put(&text, members->data, members->len);
  mcpi_buf_putc(&text, '}');
  int rc = text.error;
  if (rc == 0) {
    rc = mcpi_doc_parse(&doc, text.data, text.len, NULL, members->allocator,
                        NULL);
  }
  if (rc == 0) {
    *found = mcp_json_get(mcp_doc_root(doc), name) != NULL;
  }
  mcp_doc_free(doc);
  mcpi_buf_deinit(&text);
  return rc;
}

static int put_declaration(mcpi_buf *members, const char *id,
                           const char *settings, mcp_error *err) {
  size_t before = members->len;
  if (before > 0) {
    mcpi_buf_putc(members, ',');
  }
  mcpi_json_put_string(members, mcpi_str_z(id));
  mcpi_buf_putc(members, ':');
  int rc = mcpi_object_put("settings", settings != NULL ? settings : "{}",
                           members, err);
  if (rc == 0 && members->error != 0) {
    rc = mcp_error_set(err, members->error, "%s",
                       mcp_error_text(members->error));
  }
  if (rc != 0) {
    mcpi_buf_rewind(members, before);
  }
  return rc;
}

/* what: "extension" or "experimental capability". */
static int declare(mcpi_buf *members, const char *what, const char *id,
                   const char *settings, mcp_error *err) {
  int found = 0;
  int rc = has_member(members, id, &found);
  if (rc == 0 && found) {
    rc = MCP_ERR_EXISTS;
  }
  if (rc != 0) {
    return mcp_error_set(err, rc, "%s \"%s\": %s", what, id,
                         mcp_error_text(rc));
  }
  return put_declaration(members, id, settings, err);
}

int mcp_server_add_extension(mcp_server *server, const char *id,
                             const char *settings, mcp_error *err) {
  mcp_error why;
  if (server == NULL) {
    return mcpi_error_null(err, "server");
  }
  int rc = mcpi_text_check("extension: id", id, &why);
  if (rc == 0) {
    rc = mcpi_extension_id_check(id, &why);
  }
  if (rc == 0) {
    rc = declare(&server->extensions, "extension", id, settings, &why);
  }
  return rc != 0 ? mcpi_server_remember(server, &why, err) : 0;
}

int mcp_server_add_experimental(mcp_server *server, const char *id,
                                const char *settings, mcp_error *err) {
  mcp_error why;
  if (server == NULL) {
    return mcpi_error_null(err, "server");
  }
  int rc = id == NULL || id[0] == '\0'
               ? mcp_error_set(&why, MCP_ERR_INVALID,
                               "experimental capability: id is missing")
               : mcpi_text_check("experimental capability: id", id, &why);
  if (rc == 0) {
    rc = declare(&server->experimental, "experimental capability", id, settings,
                 &why);
  }
  return rc != 0 ? mcpi_server_remember(server, &why, err) : 0;
}

/* --- listen filters ----------------------------------------------------- */

uint32_t mcpi_listen_filter_bit(const mcp_server *server, mcpi_str name) {
  for (size_t i = 0; i < server->listen_filter_count; i++) {
    if (mcpi_str_eq(mcpi_str_z(server->listen_filters[i]), name)) {
      return 1u << i;
    }
  }
  return 0;
}

static int is_protocols_filter(const char *name) {
  return strcmp(name, "toolsListChanged") == 0 ||
         strcmp(name, "promptsListChanged") == 0 ||
         strcmp(name, "resourcesListChanged") == 0 ||
         strcmp(name, "resourceSubscriptions") == 0;
}

static int check_filter(const mcp_server *server, const char *name,
                        mcp_error *err) {
  if (name == NULL || name[0] == '\0') {
    return mcp_error_set(err, MCP_ERR_INVALID, "listen filter: no name");
  }
  if (is_protocols_filter(name) ||
      mcpi_listen_filter_bit(server, mcpi_str_z(name)) != 0) {
    return mcp_error_set(err, MCP_ERR_EXISTS,
                         "listen filter \"%s\": already exists", name);
  }
  if (server->listen_filter_count >= MCPI_MAX_FILTERS) {
    return mcp_error_set(err, MCP_ERR_LIMIT,
                         "listen filter \"%s\": there are %d already", name,
                         MCPI_MAX_FILTERS);
  }
  return mcpi_text_check("listen filter", name, err);
}

/* The table has room for all filters, so that it never moves. */
static int add_filter(mcp_server *server, const char *name) {
  const mcp_allocator *allocator = &server->allocator;
  if (server->listen_filters == NULL) {
    server->listen_filters =
        mcpi_calloc(allocator, MCPI_MAX_FILTERS, sizeof(char *));
  }
  char *copy = mcpi_strdup(allocator, name);
  if (server->listen_filters == NULL || copy == NULL) {
    mcpi_strfree(allocator, copy);
    return MCP_ERR_NOMEM;
  }
  server->listen_filters[server->listen_filter_count++] = copy;
  return 0;
}

int mcp_server_add_listen_filter(mcp_server *server, const char *name,
                                 mcp_error *err) {
  mcp_error why;
  if (server == NULL) {
    return mcpi_error_null(err, "server");
  }
  int rc = check_filter(server, name, &why);
  if (rc == 0) {
    rc = add_filter(server, name);
    mcp_error_set(&why, rc, "listen filter \"%s\": %s", name,
                  mcp_error_text(rc));
  }
  return rc != 0 ? mcpi_server_remember(server, &why, err) : 0;
}

/* --- the end ------------------------------------------------------------ */

void mcpi_server_deinit_extensions(mcp_server *server) {
  const mcp_allocator *allocator = &server->allocator;
  size_t index = 0;
  mcpi_own_method *method;
  while ((method = mcpi_map_next(&server->own_methods, &index)) != NULL) {
    end_method(method, allocator);
  }
  mcpi_map_deinit(&server->own_methods);
  mcpi_buf_deinit(&server->extensions);
  mcpi_buf_deinit(&server->experimental);
  for (size_t i = 0; i < server->listen_filter_count; i++) {
    mcpi_strfree(allocator, server->listen_filters[i]);
  }
  mcpi_free(allocator, server->listen_filters,
            server->listen_filters != NULL ? MCPI_MAX_FILTERS * sizeof(char *)
                                           : 0);
}
