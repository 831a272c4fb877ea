/* SPDX-License-Identifier: MIT */
/* Registering and removing what a server offers, also while it serves. */
#include "base/error.h"
#include "server/shard.h"

static int put_entry(mcp_server *server, mcpi_entry *entry) {
  int kind = entry->kind;
  const mcpi_lock *lock = mcpi_server_lock(server);
  entry->seq = server->next_seq + 1;
  int rc = mcpi_registry_add(&server->registries[kind], entry);
  if (rc == 0) {
    server->next_seq++;
    mcpi_shards_mark(server, kind);
  }
  mcpi_server_unlock(lock);
  return rc;
}

/* Puts an entry, which is taken, into the registry of its kind. */
static int add_entry(mcp_server *server, mcpi_entry *entry, mcp_error *err) {
  mcp_error why;
  int kind = entry->kind;
  int completes = entry->complete != NULL;
  int rc = put_entry(server, entry);
  if (rc != 0) {
    mcp_error_set(&why, rc, "%s \"%s\": %s", mcpi_kind_name(kind),
                  entry->key.ptr, mcp_error_text(rc));
    mcpi_entry_discard(entry);
    return mcpi_server_remember(server, &why, err);
  }
  if (completes) {
    atomic_store(&server->has_completion, 1);
  }
  mcpi_shards_tell_changes(server);
  return 0;
}

/* Gives the caller a reference to the removed entry; NULL: there is none. So
 * the last unref, which runs the program's `release`, comes after the lock. */
static int take_entry(mcp_server *server, int kind, mcpi_str key,
                      mcpi_entry **out) {
  mcpi_registry **registry = &server->registries[kind];
  const mcpi_lock *lock = mcpi_server_lock(server);
  mcpi_entry *entry = mcpi_registry_find(*registry, key);
  if (entry != NULL) {
    mcpi_entry_ref(entry);
  }
  int rc = mcpi_registry_remove(registry, key);
  if (rc == 0) {
    mcpi_shards_mark(server, kind);
  }
  mcpi_server_unlock(lock);
  *out = entry;
  return rc;
}

static int remove_entry(mcp_server *server, int kind, const char *key) {
  mcpi_entry *entry;
  if (server == NULL || key == NULL) {
    return MCP_ERR_INVALID;
  }
  int rc = take_entry(server, kind, mcpi_str_z(key), &entry);
  if (rc == 0) {
    mcpi_shards_tell_changes(server);
  }
  mcpi_entry_unref(entry);
  return rc;
}

/* A client would learn that the tool makes tasks, and get none. */
static int add_check_tasks(const mcp_server *server, const mcpi_entry *tool,
                           mcp_error *err) {
  if (tool->task == MCP_TASK_FORBIDDEN || server->tasks != NULL) {
    return 0;
  }
  return mcp_error_set(err, MCP_ERR_INVALID,
                       "tool \"%s\": task: call mcp_server_enable_tasks first",
                       tool->name);
}

int mcp_server_add_tool(mcp_server *server, const mcp_tool *tool,
                        mcp_error *err) {
  mcp_error why;
  mcpi_entry *entry;
  if (server == NULL) {
    return mcpi_error_null(err, "server");
  }
  int rc = mcpi_entry_from_tool(&entry, tool, &server->allocator, &why);
  if (rc != 0) {
    return mcpi_server_remember(server, &why, err);
  }
  if (add_check_tasks(server, entry, &why) != 0) {
    mcpi_entry_discard(entry);
    return mcpi_server_remember(server, &why, err);
  }
  return add_entry(server, entry, err);
}

int mcp_server_remove_tool(mcp_server *server, const char *name) {
  return remove_entry(server, MCPI_TOOLS, name);
}

int mcp_server_add_resource(mcp_server *server, const mcp_resource *resource,
                            mcp_error *err) {
  mcp_error why;
  mcpi_entry *entry;
  if (server == NULL) {
    return mcpi_error_null(err, "server");
  }
  int rc = mcpi_entry_from_resource(&entry, resource, &server->allocator, &why);
  return rc != 0 ? mcpi_server_remember(server, &why, err)
                 : add_entry(server, entry, err);
}

int mcp_server_remove_resource(mcp_server *server, const char *uri) {
  return remove_entry(server, MCPI_RESOURCES, uri);
}

int mcpi_server_has_resource(mcp_server *server, const char *uri,
                             const char *mime_type) {
  const mcpi_lock *lock = mcpi_server_lock(server);
  const mcpi_entry *entry =
      mcpi_registry_find(server->registries[MCPI_RESOURCES], mcpi_str_z(uri));
  int has_it = entry != NULL && entry->mime_type != NULL &&
               strcmp(entry->mime_type, mime_type) == 0;
  mcpi_server_unlock(lock);
  return has_it;
}

int mcp_server_add_resource_template(mcp_server *server,
                                     const mcp_resource_template *tpl,
                                     mcp_error *err) {
  mcp_error why;
  mcpi_entry *entry;
  if (server == NULL) {
    return mcpi_error_null(err, "server");
  }
  int rc = mcpi_entry_from_template(&entry, tpl, &server->allocator, &why);
  return rc != 0 ? mcpi_server_remember(server, &why, err)
                 : add_entry(server, entry, err);
}

int mcp_server_remove_resource_template(mcp_server *server,
                                        const char *uri_template) {
  return remove_entry(server, MCPI_TEMPLATES, uri_template);
}

int mcp_server_add_prompt(mcp_server *server, const mcp_prompt *prompt,
                          mcp_error *err) {
  mcp_error why;
  mcpi_entry *entry;
  if (server == NULL) {
    return mcpi_error_null(err, "server");
  }
  int rc = mcpi_entry_from_prompt(&entry, prompt, &server->allocator, &why);
  return rc != 0 ? mcpi_server_remember(server, &why, err)
                 : add_entry(server, entry, err);
}

int mcp_server_remove_prompt(mcp_server *server, const char *name) {
  return remove_entry(server, MCPI_PROMPTS, name);
}
