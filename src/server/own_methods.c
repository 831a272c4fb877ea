/* SPDX-License-Identifier: MIT */
/* What the program adds to the protocol (MCP 2026-07-28, Versioning: Extension
 * Negotiation): methods, notifications, declared extensions. */
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
  mcpi_own_method *next; /* of the same name, in other revisions */
  char *name;
  mcpi_revision_range revisions;
  char *extension;   /* "extensions." and its id, or NULL */
  char *name_member; /* of params, which Mcp-Name repeats; or NULL */
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
  while (method != NULL && !mcpi_revision_in(revision, method->revisions)) {
    method = method->next;
  }
  return method != NULL && method->is_notification == is_notification ? method
                                                                      : NULL;
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
  int rc =
      mcpi_validator_say(call->own_method->params, call->params, 1, "", &why);
  if (rc == 0) {
    /* The place of a fault in the object itself is empty. */
    const char *colon = why.len > 0 && why.data[0] == '/' ? "" : ": ";
    mcpi_call_fail(call, MCP_ERR_SCHEMA, MCP_RPC_INVALID_PARAMS, "params%s%.*s",
                   colon, (int)why.len, why.data);
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

const char *mcpi_own_method_name_member(const mcpi_own_method *method) {
  return method->name_member;
}

/* --- methods: adding ---------------------------------------------------- */

static void free_method(mcpi_own_method *method,
                        const mcp_allocator *allocator) {
  mcpi_strfree(allocator, method->name);
  mcpi_strfree(allocator, method->extension);
  mcpi_strfree(allocator, method->name_member);
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

static int extend_check_name_member(const mcp_method *given, mcp_error *err) {
  const char *member = given->name_member;
  if (member == NULL) {
    return 0;
  }
  if (member[0] == '\0') {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "method \"%s\": name_member is empty", given->name);
  }
  if (given->is_notification) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "method \"%s\": a notification has no name_member: "
                         "HTTP repeats the name of requests alone",
                         given->name);
  }
  return mcpi_text_check("method: name_member", member, err);
}

/* NULL is copied as NULL. */
static int copy_text(char **out, const char *text,
                     const mcp_allocator *allocator) {
  *out = text != NULL ? mcpi_strdup(allocator, text) : NULL;
  return text == NULL || *out != NULL ? 0 : MCP_ERR_NOMEM;
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
    rc = extend_check_name_member(given, err);
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

static int own_method_overlaps(const mcpi_own_method *a,
                               const mcpi_own_method *b) {
  return a->revisions.first <= b->revisions.last &&
         b->revisions.first <= a->revisions.last;
}

/* Returns 0, MCP_ERR_EXISTS or MCP_ERR_NOMEM. */
static int put_method(mcp_server *server, mcpi_own_method *method) {
  mcpi_str name = mcpi_str_z(method->name);
  mcpi_own_method *last = mcpi_map_get(&server->own_methods, name);
  if (last == NULL) {
    return mcpi_map_add(&server->own_methods, name, method);
  }
  for (;; last = last->next) {
    if (own_method_overlaps(last, method)) {
      return MCP_ERR_EXISTS;
    }
    if (last->next == NULL) {
      last->next = method;
      return 0;
    }
  }
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
  rc = copy_text(&method->name, given->name, allocator);
  if (rc == 0) {
    rc = copy_text(&method->name_member, given->name_member, allocator);
  }
  if (rc == 0 && given->extension != NULL) {
    rc = mcpi_extension_path(&method->extension, given->extension, allocator);
  }
  if (rc == 0) {
    rc = put_method(server, method);
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

int mcpi_server_declare_extension(mcp_server *server, const char *id,
                                  mcp_error *err) {
  int found = 0;
  int rc = has_member(&server->extensions, id, &found);
  if (rc != 0) {
    return mcp_error_set(err, rc, "extension \"%s\": %s", id,
                         mcp_error_text(rc));
  }
  return found ? 0 : put_declaration(&server->extensions, id, NULL, err);
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

/* --- the end ------------------------------------------------------------ */

void mcpi_server_deinit_extensions(mcp_server *server) {
  const mcp_allocator *allocator = &server->allocator;
  size_t index = 0;
  mcpi_own_method *method;
  while ((method = mcpi_map_next(&server->own_methods, &index)) != NULL) {
    while (method != NULL) {
      mcpi_own_method *next = method->next;
      end_method(method, allocator);
      method = next;
    }
  }
  mcpi_map_deinit(&server->own_methods);
  mcpi_buf_deinit(&server->extensions);
  mcpi_buf_deinit(&server->experimental);
}
