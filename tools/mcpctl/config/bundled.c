/* SPDX-License-Identifier: MIT */
#include "config/bundled.h"
#include "bundle/launch.h"
#include "bundle/manifest.h"
#include "bundle/settings.h"
#include "bundle/unpack.h"
#include "common/exit.h"
#include "common/report.h"
#include "config/server.h"
#include "line/options.h"
#include "platform/files.h"

#include <stdlib.h>
#include <string.h>

/* What --env says goes before what the manifest says. */
static void drop_given(char **env, const char *const *given) {
  char **kept = env;
  for (char **one = env; *one != NULL; one++) {
    size_t len = strcspn(*one, "=") + 1;
    const char *const *same = given;
    while (*same != NULL && strncmp(*same, *one, len) != 0) {
      same++;
    }
    if (*same == NULL) {
      *kept++ = *one;
    } else {
      free(*one);
    }
  }
  *kept = NULL;
}

/* Sets all of the server but its folder, which it has. */
static int server_fill(ctl_server *server, const ctl_options *options,
                       const mcp_json *manifest, const ctl_settings *settings,
                       const char *path, mcp_error *err) {
  ctl_launch launch;
  int rc = ctl_launch_init(&launch, manifest, ctl_manifest_platform(), settings,
                           err);
  if (rc != 0) {
    ctl_launch_deinit(&launch);
    return rc;
  }
  drop_given(launch.env, options->env);
  server->command = launch.command;
  server->env = launch.env;
  server->name = strdup(path);
  server->file = ctl_path_real(path);
  server->cwd = strdup(server->unpacked);
  if (server->file == NULL) { /* the bundle is not in a file yet */
    server->file = strdup(path);
  }
  return server->name != NULL && server->file != NULL && server->cwd != NULL
             ? 0
             : mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
}

int ctl_bundled_take(ctl_options *options, const ctl_bundle *bundle,
                     const char *path, mcp_error *err) {
  const mcp_json *manifest = mcp_doc_root(bundle->manifest);
  ctl_settings settings = {.known = mcp_json_get(manifest, "user_config"),
                           .given = options->settings,
                           .folder = ""};
  const char *platform = ctl_manifest_platform();
  if (!ctl_manifest_has_platform(manifest, platform)) {
    return mcp_error_set(err, MCP_ERR_UNSUPPORTED,
                         "its manifest says that it is not for %s", platform);
  }
  int rc = ctl_settings_check(&settings, err);
  if (rc != 0) {
    return rc;
  }
  ctl_server *server = calloc(1, sizeof(*server));
  if (server == NULL) {
    return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  server->unpacked = ctl_unpack(&bundle->zip, err);
  if (server->unpacked == NULL) {
    ctl_server_free(server);
    return err->code;
  }
  settings.folder = server->unpacked;
  rc = server_fill(server, options, manifest, &settings, path, err);
  if (rc == 0) {
    rc = ctl_server_give(options, server);
    options->is_bundle = rc == 0;
  }
  if (rc != 0) {
    ctl_server_free(server);
  }
  return rc;
}

/* The first fault, since the file would not work. */
static int report_fault(const ctl_findings *findings, const char *path) {
  size_t count = ctl_findings_count(findings, CTL_FAULT);
  const ctl_finding *one = findings->list;
  if (findings->is_broken) {
    return ctl_report(CTL_USAGE, "out of memory");
  }
  if (count == 0) {
    return CTL_GO_ON;
  }
  while (one->level != CTL_FAULT) {
    one++;
  }
  return count == 1 ? ctl_report(CTL_USAGE, "%s: %s", path, one->text)
                    : ctl_report(CTL_USAGE,
                                 "%s: %s; mcpctl verify shows all %zu faults",
                                 path, one->text, count);
}

int ctl_bundled_use(ctl_options *options, const char *path) {
  ctl_bundle bundle;
  ctl_findings findings = {0};
  mcp_error err = {0};
  int code = ctl_bundle_refuse();
  if (code != 0) {
    return code;
  }
  code = ctl_bundle_check(&bundle, path, &findings, &err) == 0
             ? report_fault(&findings, path)
             : ctl_report(CTL_USAGE, "%s", err.message);
  if (code == CTL_GO_ON &&
      ctl_bundled_take(options, &bundle, path, &err) != 0) {
    code =
        ctl_report(err.code == MCP_ERR_CANCELLED ? CTL_INTERRUPTED : CTL_USAGE,
                   "%s: %s", path, err.message);
  }
  ctl_findings_deinit(&findings);
  ctl_bundle_deinit(&bundle);
  return code;
}
