/* SPDX-License-Identifier: MIT */
/* The verb `export`: a server's entry in the form of a host. */
#include "common/exit.h"
#include "common/json.h"
#include "common/report.h"
#include "config/config.h"
#include "config/edit.h"
#include "config/expand.h"
#include "config/masked.h"
#include "config/server.h"
#include "line/target.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An entry on its way from a file to a host. */
typedef struct export {
  const ctl_host *host;
  ctl_expand_rules rules; /* of the file */
  int shows_secrets;
  int is_incomplete; /* the user has to replace something */
  mcp_builder *out;
  mcp_error err;
}
export;

/* ---- strings ----------------------------------------------------------- */

static void fail_no_memory(export *e) {
  mcp_error_set(&e->err, MCP_ERR_NOMEM, "out of memory");
}

/* Puts a text whose references are those of the file. */
static void put_text(export *e, const char *name, const char *text) {
  char *written = ctl_rewrite(text, &e->rules, e->host->references,
                              &e->is_incomplete, &e->err);
  if (written != NULL) {
    ctl_json_put_typed(e->out, name, written);
  }
  free(written);
}

/* Puts a reference to a variable of that name, in capitals: X-Api-Key is
 * X_API_KEY. */
static void put_reference(export *e, const char *name) {
  char *variable = strdup(name);
  char *reference = NULL;
  for (char *c = variable; c != NULL && *c != '\0'; c++) {
    *c = isalnum((unsigned char)*c) ? (char)toupper((unsigned char)*c) : '_';
  }
  if (variable != NULL) {
    reference =
        ctl_reference_to(variable, e->host->references, &e->is_incomplete);
  }
  if (reference != NULL) {
    ctl_json_put_typed(e->out, name, reference);
  } else {
    fail_no_memory(e);
  }
  free(reference);
  free(variable);
}

/* ---- members ----------------------------------------------------------- */

/* Puts env or headers. A literal value whose name is that of a secret becomes a
 * reference to a variable. */
static void put_secrets(export *e, const mcp_json *entry, const char *member) {
  const mcp_json *object = mcp_json_get(entry, member);
  mcp_json_iter iter;
  const mcp_json *key;
  const mcp_json *value;
  if (mcp_json_size(object) == 0) {
    return;
  }
  mcp_builder_object(e->out, member);
  mcp_json_iter_init(&iter, object);
  while ((value = mcp_json_iter_next(&iter, &key)) != NULL) {
    const char *name = mcp_json_string(key);
    const char *text = mcp_json_string(value);
    if (name == NULL || text == NULL) {
      mcp_builder_value(e->out, name, value);
    } else if (strstr(text, "${") == NULL && !e->shows_secrets &&
               ctl_masked_is_secret(name, strlen(name))) {
      put_reference(e, name);
    } else {
      put_text(e, name, text);
    }
  }
  mcp_builder_end(e->out);
}

static void put_args(export *e, const mcp_json *entry) {
  mcp_json_iter iter;
  const mcp_json *arg;
  int is_after_name = 0;
  mcp_builder_array(e->out, "args");
  mcp_json_iter_init(&iter, mcp_json_get(entry, "args"));
  while ((arg = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const char *text = mcp_json_string(arg);
    char *shown = text != NULL && !e->shows_secrets
                      ? ctl_masked_arg(text, is_after_name)
                      : NULL;
    if (text == NULL) {
      mcp_builder_value(e->out, NULL, arg);
    } else {
      e->is_incomplete |= shown != NULL && strcmp(shown, text) != 0;
      put_text(e, NULL, shown != NULL ? shown : text);
    }
    is_after_name = text != NULL && ctl_masked_announces(text);
    free(shown);
  }
  mcp_builder_end(e->out);
}

/* Whether the user and the query of a URL have no secret in themselves: the
 * password and all values are references, as in ?key=${KEY}, or absent. One
 * with a default value, ${KEY:-x}, may have it. */
static int url_tells_nothing(const char *url) {
  if (ctl_target_has_user(url) && strstr(url, "}@") == NULL) {
    return 0;
  }
  for (const char *at = strchr(url, '?'); at != NULL;
       at = strchr(at + 1, '&')) {
    const char *value = memchr(at + 1, '=', strcspn(at + 1, "&#"));
    if (value == NULL || strncmp(value + 1, "${", 2) != 0 ||
        strstr(value, ":-") != NULL) {
      return 0;
    }
  }
  return 1;
}

/* The URL without what may be secret. Owned; NULL: out of memory. */
static char *url_shown(export *e, const char *url) {
  char *marked = NULL;
  if (e->shows_secrets || url_tells_nothing(url)) {
    return strdup(url);
  }
  char *shown = ctl_target_shown(url);
  if (shown == NULL || strcmp(shown, url) == 0) {
    return shown;
  }
  e->is_incomplete = 1;
  int len = asprintf(&marked, "%s?***", shown);
  free(shown);
  return len >= 0 ? marked : NULL;
}

static void put_url(export *e, const mcp_json *entry, const char *url) {
  const char *type = ctl_json_member(entry, "type");
  char *shown = url_shown(e, url);
  if (strcmp(e->host->url_member, "url") == 0) {
    mcp_builder_string(e->out, "type", type != NULL ? type : "http");
  }
  if (shown != NULL) {
    put_text(e, e->host->url_member, shown);
  } else {
    fail_no_memory(e);
  }
  free(shown);
}

static void put_entry(export *e, const ctl_named *named) {
  const char *url = ctl_server_url(named);
  const char *command = ctl_json_member(named->entry, "command");
  const char *cwd = ctl_json_member(named->entry, "cwd");
  mcp_builder_object(e->out, named->name);
  if (url != NULL) {
    put_url(e, named->entry, url);
    put_secrets(e, named->entry, "headers");
  } else {
    put_text(e, "command", command != NULL ? command : "");
    put_args(e, named->entry);
    put_secrets(e, named->entry, "env");
  }
  if (cwd != NULL) {
    put_text(e, "cwd", cwd);
  }
  mcp_builder_end(e->out);
}

/* ---- the verb ---------------------------------------------------------- */

static int print_export(export *e, const ctl_named *named) {
  mcp_builder_object(e->out, NULL);
  mcp_builder_object(e->out, e->host->member);
  put_entry(e, named);
  mcp_builder_end(e->out);
  mcp_builder_end(e->out);
  const char *text = mcp_builder_text(e->out, NULL);
  if (text == NULL || e->err.code != 0) {
    return ctl_report(CTL_USAGE, "%s",
                      e->err.code != 0 ? e->err.message
                                       : mcp_builder_error(e->out)->message);
  }
  ctl_json_write(stdout, text);
  if (e->is_incomplete) {
    ctl_report(CTL_OK,
               "replace what is in <...>, and each ***, before %s uses "
               "it",
               e->host->title);
  }
  return CTL_OK;
}

static int export_named(const ctl_options *options, const ctl_host *host,
                        const ctl_named *named) {
  export e = {
      .host = host,
      .rules = {ctl_config_references(named->file), named->file->folder},
      .shows_secrets = options->shows_secrets,
      .out = mcp_builder_new(NULL, NULL)};
  int code = print_export(&e, named);
  mcp_builder_free(e.out);
  return code;
}

/* A server that the command line describes. */
static int export_described(const ctl_options *options, const ctl_host *host) {
  const ctl_config_file file = {.host = NULL};
  mcp_builder *entry = mcp_builder_new(NULL, NULL);
  ctl_edit_put_entry(entry, NULL, options);
  size_t len = 0;
  const char *text = mcp_builder_text(entry, &len);
  mcp_doc *doc =
      text != NULL ? mcp_doc_parse(text, len, NULL, NULL, NULL) : NULL;
  int code = CTL_USAGE;
  if (doc != NULL) {
    const ctl_named named = {
        .name = options->args[0], .entry = mcp_doc_root(doc), .file = &file};
    code = export_named(options, host, &named);
  } else {
    ctl_report(CTL_USAGE, "out of memory");
  }
  mcp_doc_free(doc);
  mcp_builder_free(entry);
  return code;
}

static int export_configured(const ctl_options *options, const ctl_host *host) {
  const char *name = options->args[0];
  ctl_config config;
  int code = ctl_config_read(&config, options->config);
  const ctl_named *named = ctl_config_find(&config, name);
  if (code == CTL_OK) {
    code = named != NULL ? export_named(options, host, named)
                         : ctl_server_refuse(options, name);
  }
  ctl_config_deinit(&config);
  return code;
}

static int refuse_host(const char *name) {
  char names[128] = "";
  for (const ctl_host *host = ctl_hosts; host->name != NULL; host++) {
    strcat(names, host == ctl_hosts ? "" : ", ");
    strcat(names, host->name);
  }
  return ctl_report(CTL_USAGE, "--for %s: the known hosts are %s", name, names);
}

int ctl_export_run(const ctl_options *options) {
  const ctl_host *host = &ctl_hosts[0];
  if (options->host != NULL) {
    host = ctl_host_find(options->host);
  }
  if (host == NULL) {
    return refuse_host(options->host);
  }
  return options->url != NULL || options->command != NULL
             ? export_described(options, host)
             : export_configured(options, host);
}
