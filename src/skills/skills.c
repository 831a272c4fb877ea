/* SPDX-License-Identifier: MIT */
/* mcp_server_add_skills: the first scan, and what the server gets of it. */
#include "skills/skills.h"

#include "base/error.h"
#include "base/widen.h"
#include "core/loop.h"
#include "server/server.h"
#include "yaml/yaml.h"

enum { DEFAULT_POLL_MS = 2000 };

static int skills_scan(mcpi_skills *skills, mcpi_skill_list **out,
                       mcp_error *err) {
  mcpi_skill_scan scan = {.dir = skills->dir, .quiet_since_ns = INT64_MAX};
  /* Also if the folder is still empty. The caller takes the code from err. */
  if (mcpi_yaml_get(err) == NULL) {
    return MCP_ERR_PLATFORM;
  }
  return mcpi_skill_list_scan(out, &scan, &skills->allocator, err);
}

/* An empty folder is declared too: skills may come later. */
static int skills_declare(mcpi_skills *skills, mcp_error *err) {
  mcp_server *server = skills->server;
  int rc = mcp_server_add_extension(
      server, MCP_SKILLS_EXTENSION,
      skills->options.directory_read ? "{\"directoryRead\":true}" : "{}", err);
  if (rc == 0) {
    atomic_fetch_or(&server->declared, 1u << MCPI_RESOURCES);
    rc = mcpi_skills_add_methods(skills, err);
  }
  return rc;
}

static int skills_check(mcp_server *server, const char *dir,
                        const mcp_skills_options *given,
                        mcp_skills_options *out, mcp_error *err) {
  static const mcp_skills_options defaults = MCP_SKILLS_OPTIONS_INIT;
  int rc = mcpi_widen(out, sizeof(*out), given != NULL ? given : &defaults,
                      "mcp_skills_options", err);
  if (rc != 0) {
    return rc;
  }
  if (dir == NULL || dir[0] == '\0') {
    return mcp_error_set(err, MCP_ERR_INVALID, "skills: the path is missing");
  }
  if (out->loop != NULL && out->loop->platform.run_blocking == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "skills: the loop cannot run blocking work: make it "
                         "with mcp_loop_new");
  }
  mcpi_default_u32(&out->poll_ms, DEFAULT_POLL_MS);
  mcpi_default_u64(&out->cache_ttl_ms, server->options.cache_ttl_ms);
  return 0;
}

/* What the server has got before a failure stays there until its end; the
 * failure is remembered. */
static int skills_start(mcpi_skills *skills, mcp_error *err) {
  mcpi_skill_list *found;
  int rc = skills_scan(skills, &found, err);
  if (rc != 0) {
    return rc;
  }
  rc = skills_declare(skills, err);
  if (rc != 0) {
    mcpi_skill_list_unref(found);
    return rc;
  }
  rc = mcpi_skills_publish(skills, found);
  if (rc != 0) {
    return mcp_error_set(err, rc, "skills of %s: %s", skills->dir,
                         mcp_error_text(rc));
  }
  return skills->options.loop != NULL ? mcpi_skills_watch(skills, err) : 0;
}

static int skills_add(mcp_server *server, const char *dir,
                      const mcp_skills_options *given, mcp_error *err) {
  mcp_skills_options options;
  int rc = skills_check(server, dir, given, &options, err);
  if (rc != 0) {
    return rc;
  }
  mcpi_skills *skills = mcpi_skills_new(server, dir, &options);
  if (skills == NULL) {
    return mcpi_no_memory(err);
  }
  rc = skills_start(skills, err);
  mcpi_skills_unref(skills);
  return rc;
}

int mcp_server_add_skills(mcp_server *server, const char *dir,
                          const mcp_skills_options *options, mcp_error *err) {
  mcp_error why = {0};
  if (server == NULL) {
    return mcpi_error_null(err, "server");
  }
  mcpi_server_ref(server); /* on_report may free it */
  int rc = skills_add(server, dir, options, &why);
  if (rc != 0) {
    rc = mcpi_server_remember(server, &why, err);
  }
  mcpi_server_unref(server);
  return rc;
}
