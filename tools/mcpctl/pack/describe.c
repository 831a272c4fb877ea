/* SPDX-License-Identifier: MIT */
/* The form of server.json is that of the schema of 2025-12-11. */
#include "pack/describe.h"
#include "bundle/bundle.h"
#include "bundle/sha256.h"
#include "common/exit.h"
#include "common/file.h"
#include "common/json.h"
#include "common/report.h"
#include "config/server.h"
#include "connection/session.h"
#include "line/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA                                                                 \
  "https://static.modelcontextprotocol.io/schemas/2025-12-11/"                 \
  "server.schema.json"

enum { MAX_TEXT = 100, MAX_VERSION = 255, MAX_ICON = 255 };

/* ---- texts ------------------------------------------------------------- */

/* The bytes of the first `max` characters. */
static size_t cut_len(const char *text, size_t max) {
  size_t len = 0;
  size_t count = 0;
  while (text[len] != '\0') {
    int begins = ((unsigned char)text[len] & 0xc0) != 0x80;
    if (begins && count++ == max) {
      break;
    }
    len++;
  }
  return len;
}

/* A registry takes no longer text, so it is cut. */
static void put_cut(mcp_builder *out, const char *member, const char *text) {
  size_t len = cut_len(text, MAX_TEXT);
  if (text[len] != '\0') {
    ctl_report(0,
               "%s is longer than the %d characters that a registry takes, and "
               "was cut",
               member, (int)MAX_TEXT);
  }
  mcp_builder_string_n(out, member, text, len);
}

/* ---- the server -------------------------------------------------------- */

static void put_icon(mcp_builder *out, const mcp_json *icon) {
  static const char *const members[] = {"src", "mimeType", "sizes", "theme"};
  mcp_builder_object(out, NULL);
  for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++) {
    const mcp_json *value = mcp_json_get(icon, members[i]);
    if (value != NULL) {
      mcp_builder_value(out, members[i], value);
    }
  }
  mcp_builder_end(out);
}

/* A registry takes only icons at an HTTPS URL. */
static void put_icons(mcp_builder *out, const mcp_json *icons) {
  mcp_json_iter iter;
  const mcp_json *icon = NULL;
  int has_begun = 0;
  mcp_json_iter_init(&iter, icons);
  while ((icon = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const char *src = ctl_json_member(icon, "src");
    if (src == NULL || strncmp(src, "https://", 8) != 0 ||
        strlen(src) > MAX_ICON) {
      continue;
    }
    if (!has_begun++) {
      mcp_builder_array(out, "icons");
    }
    put_icon(out, icon);
  }
  if (has_begun) {
    mcp_builder_end(out);
  }
}

static void put_server(mcp_builder *out, const mcp_json *info,
                       const char *name) {
  const char *title = ctl_json_member(info, "title");
  const char *own = ctl_json_member(info, "name");
  const char *description = ctl_json_member(info, "description");
  const char *version = ctl_json_member(info, "version");
  const char *site = ctl_json_member(info, "websiteUrl");
  const char *spare = title != NULL && *title != '\0' ? title : own;
  mcp_builder_string(out, "$schema", SCHEMA);
  mcp_builder_string(out, "name", name);
  if (title != NULL && *title != '\0') {
    put_cut(out, "title", title);
  }
  if (description == NULL || *description == '\0') {
    ctl_report(0, "the server has no description of itself; its title or name "
                  "stands for it");
    description = spare != NULL && *spare != '\0' ? spare : "An MCP server";
  }
  put_cut(out, "description", description);
  mcp_builder_string(out, "version",
                     version != NULL && *version != '\0' &&
                             strlen(version) <= MAX_VERSION
                         ? version
                         : "0.0.0");
  if (site != NULL && strncmp(site, "https://", 8) == 0) {
    mcp_builder_string(out, "websiteUrl", site);
  }
  put_icons(out, mcp_json_get(info, "icons"));
}

/* ---- where it is ------------------------------------------------------- */

/* A URL that only this machine can reach is not for a registry, but the schema
 * allows it. A query may have a secret. */
static int put_remote(mcp_builder *out, const ctl_options *options) {
  const char *web = ctl_target_web(options->url);
  if (options->socket != NULL || strncmp(web, "http", 4) != 0) {
    return ctl_report(CTL_USAGE,
                      "a registry knows servers at http:// and https:// URLs "
                      "only, not %s",
                      options->target);
  }
  char *shown = ctl_target_shown(web);
  mcp_builder_array(out, "remotes");
  mcp_builder_object(out, NULL);
  mcp_builder_string(out, "type",
                     web != options->url ? "sse" : "streamable-http");
  mcp_builder_string(out, "url", shown);
  mcp_builder_end(out);
  mcp_builder_end(out);
  free(shown);
  return CTL_OK;
}

/* The checksum is that of the bundle that runs. */
static int put_package(mcp_builder *out, const ctl_options *options,
                       const char *version) {
  const ctl_server *server = options->server;
  char hash[CTL_SHA256_TEXT];
  size_t len = 0;
  mcp_error err = {0};
  char *bytes = ctl_file_read(server->file, &len, &err);
  if (bytes == NULL) {
    return ctl_report(CTL_USAGE, "%s", err.message);
  }
  ctl_sha256(bytes, len, hash);
  free(bytes);
  mcp_builder_array(out, "packages");
  mcp_builder_object(out, NULL);
  mcp_builder_string(out, "registryType", "mcpb");
  mcp_builder_string(out, "identifier", options->package);
  if (version != NULL && *version != '\0' && strcmp(version, "latest") != 0) {
    mcp_builder_string(out, "version", version);
  }
  mcp_builder_string(out, "fileSha256", hash);
  mcp_builder_object(out, "transport");
  mcp_builder_string(out, "type", "stdio");
  mcp_builder_end(out);
  mcp_builder_end(out);
  mcp_builder_end(out);
  return CTL_OK;
}

static int put_place(mcp_builder *out, const ctl_options *options,
                     const char *version) {
  if (options->url != NULL) {
    return put_remote(out, options);
  }
  if (options->is_bundle && options->package != NULL) {
    return put_package(out, options, version);
  }
  return options->package == NULL
             ? ctl_report(
                   CTL_OK,
                   "server.json does not say where the server is: name "
                   "a bundle and its --package URL, or add `packages` by "
                   "hand")
             : ctl_report(CTL_USAGE,
                          "--package is the URL of a bundle: write mcpctl "
                          "FILE.mcpb describe --registry --package URL");
}

/* ---- the verb ---------------------------------------------------------- */

/* Indented also in a pipe: people read this file and change it. */
static int write_built(mcp_builder *out) {
  const char *text = mcp_builder_text(out, NULL);
  int code = CTL_OK;
  if (text != NULL) {
    ctl_json_write(stdout, text);
  } else {
    code = ctl_report(CTL_USAGE, "%s", mcp_builder_error(out)->message);
  }
  mcp_builder_free(out);
  return code;
}

int ctl_describe_show(ctl_session *session, const mcp_result *result) {
  const ctl_options *options = session->options;
  const mcp_json *info = mcp_client_server_info(session->client);
  (void)result;
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  mcp_builder_object(out, NULL);
  put_server(out, info, options->registry_name);
  int code = put_place(out, options, ctl_json_member(info, "version"));
  mcp_builder_end(out);
  if (code != CTL_OK) {
    mcp_builder_free(out);
    return code;
  }
  return write_built(out);
}
