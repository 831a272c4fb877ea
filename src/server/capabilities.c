/* SPDX-License-Identifier: MIT */
/* What the server declares (MCP 2025-11-25, Lifecycle: Capability Negotiation):
 * a kind as soon as it has had an entry, the rest when the program turned it
 * on. */
#include "server/members.h"
#include "server/server.h"

static int has_kind(uint32_t kinds, int kind) {
  return (kinds & 1u << kind) != 0;
}

static int has_resources(uint32_t kinds) {
  return has_kind(kinds, MCPI_RESOURCES) || has_kind(kinds, MCPI_TEMPLATES);
}

int mcpi_server_offers(const mcp_server *server, const char *capability) {
  uint32_t kinds = atomic_load(&server->declared);
  if (strcmp(capability, "tools") == 0) {
    return has_kind(kinds, MCPI_TOOLS);
  }
  if (strcmp(capability, "prompts") == 0) {
    return has_kind(kinds, MCPI_PROMPTS);
  }
  if (strcmp(capability, "resources") == 0 ||
      strcmp(capability, "resources.subscribe") == 0) {
    return has_resources(kinds);
  }
  if (strcmp(capability, "completions") == 0) {
    return server->has_completion;
  }
  return strcmp(capability, "logging") == 0 && server->has_logging;
}

static void put_features(const mcp_server *server, uint32_t kinds,
                         const mcpi_revision *revision, int has_session,
                         mcpi_buf *out) {
  const char *changes = has_session ? "{\"listChanged\":true}" : "{}";
  if (has_kind(kinds, MCPI_TOOLS)) {
    mcpi_put_text_member(out, "tools", changes);
  }
  if (has_kind(kinds, MCPI_PROMPTS)) {
    mcpi_put_text_member(out, "prompts", changes);
  }
  if (has_resources(kinds)) {
    mcpi_put_text_member(
        out, "resources",
        has_session ? "{\"subscribe\":true,\"listChanged\":true}" : "{}");
  }
  if (server->has_completion &&
      mcpi_revision_has(revision, MCPI_HAS_COMPLETIONS_CAPABILITY)) {
    mcpi_put_text_member(out, "completions", "{}");
  }
  if (server->has_logging && has_session) {
    mcpi_put_text_member(out, "logging", "{}");
  }
}

static void capabilities_put_members(const char *name, const mcpi_buf *members,
                                     mcpi_buf *out) {
  if (members->len > 0) {
    mcpi_put_name(out, name);
    mcpi_buf_putc(out, '{');
    mcpi_buf_put(out, members->data, members->len);
    mcpi_buf_putc(out, '}');
  }
}

/* Tasks are an extension in the modern era only. */
static void put_extensions(const mcp_server *server,
                           const mcpi_revision *revision, mcpi_buf *out) {
  const mcpi_buf *own = &server->extensions;
  int has_tasks = server->tasks != NULL && mcpi_revision_is_modern(revision);
  if (own->len == 0 && !has_tasks) {
    return;
  }
  mcpi_put_name(out, "extensions");
  mcpi_buf_putc(out, '{');
  mcpi_buf_put(out, own->data, own->len);
  if (has_tasks) {
    mcpi_put_text_member(out, server->tasks->extension, "{}");
  }
  mcpi_buf_putc(out, '}');
}

void mcpi_put_capabilities(const mcp_server *server, uint32_t kinds,
                           const mcpi_revision *revision, int has_session,
                           const char *principal, mcpi_buf *out) {
  mcpi_buf_putc(out, '{');
  put_features(server, kinds, revision, has_session, out);
  if (server->tasks != NULL) {
    server->tasks->put_capability(revision, principal, out);
  }
  capabilities_put_members("experimental", &server->experimental, out);
  put_extensions(server, revision, out);
  mcpi_buf_putc(out, '}');
}
