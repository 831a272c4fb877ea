/* SPDX-License-Identifier: MIT */
#include "config/edit.h"
#include "common/exit.h"
#include "common/file.h"
#include "common/folder.h"
#include "common/json.h"
#include "common/jsonc.h"
#include "common/replace.h"
#include "common/report.h"
#include "config/config.h"
#include "line/target.h"
#include "line/verbs.h"
#include "platform/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A configuration file that is changed. */
typedef struct edited {
  char *path;
  const char *member; /* which holds the servers */
  mcp_doc *doc;       /* NULL: there is no file yet */
} edited;

/* ---- an entry ---------------------------------------------------------- */

/* Whether a later pair begins with the same bytes. */
static int is_replaced(const char *const *pairs, size_t len) {
  for (const char *const *later = pairs + 1; *later != NULL; later++) {
    if (strncmp(*later, *pairs, len) == 0) {
      return 1;
    }
  }
  return 0;
}

/* Puts pairs such as NAME=VALUE as an object; no pairs, no object. Of pairs
 * with the same name the last one counts. `blanks`: those that may stand before
 * a value and are not part of it. */
static void put_pairs(mcp_builder *out, const char *member,
                      const char *const *pairs, char mark, const char *blanks) {
  if (pairs[0] == NULL) {
    return;
  }
  mcp_builder_object(out, member);
  for (; *pairs != NULL; pairs++) {
    size_t name_len = (size_t)(strchr(*pairs, mark) - *pairs);
    const char *value = *pairs + name_len + 1;
    if (!is_replaced(pairs, name_len + 1)) {
      mcp_builder_name_n(out, *pairs, name_len);
      ctl_json_put_typed(out, NULL, value + strspn(value, blanks));
    }
  }
  mcp_builder_end(out);
}

static void put_command(mcp_builder *out, char *const *command) {
  ctl_json_put_typed(out, "command", command[0]);
  mcp_builder_array(out, "args");
  for (char *const *arg = command + 1; *arg != NULL; arg++) {
    ctl_json_put_typed(out, NULL, *arg);
  }
  mcp_builder_end(out);
}

/* Hosts have the transport in `type`; mcpctl has HTTP+SSE in the scheme. */
static void put_url(mcp_builder *out, const char *url) {
  const char *web = ctl_target_web(url);
  if (strncmp(web, "http", 4) == 0) {
    mcp_builder_string(out, "type", web != url ? "sse" : "http");
  }
  ctl_json_put_typed(out, "url", web);
}

void ctl_edit_put_entry(mcp_builder *out, const char *name,
                        const ctl_options *options) {
  mcp_builder_object(out, name);
  if (options->url != NULL) {
    put_url(out, options->url);
  } else {
    put_command(out, options->command);
  }
  if (options->cwd != NULL) {
    ctl_json_put_typed(out, "cwd", options->cwd);
  }
  put_pairs(out, "env", options->env, '=', "");
  put_pairs(out, "headers", options->headers, ':', " ");
  mcp_builder_end(out);
}

/* ---- the file ---------------------------------------------------------- */

/* mcpctl rewrites the whole file, so it refuses one with comments. */
static int edited_parse(edited *file, char *text, size_t len) {
  mcp_error err = {0};
  char *plain = malloc(len + 1);
  if (plain == NULL) {
    return ctl_report(CTL_USAGE, "out of memory");
  }
  memcpy(plain, text, len);
  ctl_jsonc_clean(plain, len);
  int has_comments = memcmp(plain, text, len) != 0;
  int rc = has_comments ? 0 : ctl_file_parse(&file->doc, plain, len, &err);
  free(plain);
  if (has_comments) {
    return ctl_report(CTL_USAGE,
                      "%s has comments or commas at ends, which mcpctl would "
                      "remove: change it in an editor",
                      file->path);
  }
  return rc == 0 ? CTL_OK
                 : ctl_report(CTL_USAGE, "%s: %s", file->path, err.message);
}

static int edited_load(edited *file) {
  mcp_error err = {0};
  size_t len = 0;
  if (!ctl_path_is_there(file->path)) {
    return CTL_OK;
  }
  char *text = ctl_file_read(file->path, &len, &err);
  if (text == NULL) {
    return ctl_report(CTL_USAGE, "%s", err.message);
  }
  int code = len > 0 ? edited_parse(file, text, len) : CTL_OK;
  free(text);
  return code;
}

/* An absent file has mcpctl's member; that of another host has its own. */
static const char *edited_member(const edited *file) {
  const ctl_host *host = ctl_host_of_file(file->path);
  const mcp_json *root = mcp_doc_root(file->doc);
  if (host != NULL) {
    return host->member;
  }
  int has_servers = mcp_json_get(root, "mcpServers") == NULL &&
                    mcp_json_get(root, "servers") != NULL;
  return has_servers ? "servers" : "mcpServers";
}

static const mcp_json *edited_servers(const edited *file) {
  return mcp_json_get(mcp_doc_root(file->doc), file->member);
}

/* A file that has something else where mcpctl writes stays as it is. */
static int edited_check(const edited *file) {
  const mcp_json *servers = edited_servers(file);
  if (file->doc != NULL &&
      mcp_json_type(mcp_doc_root(file->doc)) != MCP_JSON_OBJECT) {
    return ctl_report(CTL_USAGE,
                      "%s: it is not an object: change it in an editor",
                      file->path);
  }
  if (servers != NULL && mcp_json_type(servers) != MCP_JSON_OBJECT) {
    return ctl_report(CTL_USAGE,
                      "%s: \"%s\" is not an object: change it in an editor",
                      file->path, file->member);
  }
  return CTL_OK;
}

/* The file that --config names, or mcpctl's own. */
static int edited_open(edited *file, const ctl_options *options) {
  *file = (edited){0};
  file->path = options->config != NULL ? strdup(options->config)
                                       : ctl_host_user_file(&ctl_hosts[0]);
  if (file->path == NULL) {
    ctl_report(CTL_USAGE, "there is no home folder: set HOME, or name the file "
                          "with --config");
    return CTL_USAGE;
  }
  int code = edited_load(file);
  file->member = edited_member(file);
  return code == CTL_OK ? edited_check(file) : code;
}

static void edited_close(edited *file) {
  free(file->path);
  mcp_doc_free(file->doc);
}

/* Puts the members of an object, except one. */
static void put_others(mcp_builder *out, const mcp_json *object,
                       const char *name) {
  mcp_json_iter iter;
  const mcp_json *key;
  const mcp_json *value;
  mcp_json_iter_init(&iter, object);
  while ((value = mcp_json_iter_next(&iter, &key)) != NULL) {
    size_t len = 0;
    const char *member = mcp_json_string_n(key, &len);
    if (member != NULL &&
        (len != strlen(name) || memcmp(member, name, len) != 0)) {
      mcp_builder_name_n(out, member, len);
      mcp_builder_value(out, NULL, value);
    }
  }
}

/* Writes the file without the server of that name, and with a new one if
 * `added` describes one. */
static int edited_write(const edited *file, const char *name,
                        const ctl_options *added) {
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  mcp_builder_object(out, NULL);
  put_others(out, mcp_doc_root(file->doc), file->member);
  mcp_builder_object(out, file->member);
  put_others(out, edited_servers(file), name);
  if (added != NULL) {
    ctl_edit_put_entry(out, name, added);
  }
  mcp_builder_end(out);
  mcp_builder_end(out);
  const char *text = mcp_builder_text(out, NULL);
  int code = text != NULL
                 ? ctl_folder_make_for(file->path)
                 : ctl_report(CTL_USAGE, "cannot write %s: %s", file->path,
                              mcp_builder_error(out)->message);
  if (code == CTL_OK &&
      ctl_replace_json(file->path, text,
                       CTL_REPLACE_OLD | CTL_REPLACE_PRIVATE) != 0) {
    code = ctl_report(CTL_USAGE, "cannot write %s: %s", file->path,
                      strerror(errno));
  }
  mcp_builder_free(out);
  return code;
}

/* ---- add --------------------------------------------------------------- */

/* A name stands on the command line where a verb or a URL may stand. */
static int check_name(const char *name) {
  const char *why = NULL;
  if (name[0] == '\0' || name[0] == '-') {
    why = "a name begins with a letter or a digit";
  } else if (ctl_verb_find(name) != NULL) {
    why = "it is a verb";
  } else if (strpbrk(name, ":/ \t\n") != NULL) {
    why = "a name has no blanks, colons or slashes";
  }
  return why == NULL ? CTL_OK
                     : ctl_report(CTL_USAGE, "'%s' cannot name a server: %s",
                                  name, why);
}

static int add_to(const edited *file, const ctl_options *options) {
  const char *name = options->args[0];
  int is_there = mcp_json_get(edited_servers(file), name) != NULL;
  if (is_there && !options->overwrites) {
    return ctl_report(CTL_USAGE,
                      "%s has a server '%s' already: --overwrite replaces it",
                      file->path, name);
  }
  int code = edited_write(file, name, options);
  return code == CTL_OK
             ? ctl_report(CTL_OK, "%s '%s' in %s",
                          is_there ? "replaced" : "added", name, file->path)
             : code;
}

int ctl_add_run(const ctl_options *options) {
  const char *name = options->args[0];
  edited file;
  if (options->url == NULL &&
      (options->command == NULL || options->command[0] == NULL)) {
    return ctl_report(CTL_USAGE,
                      "which server is it? Write mcpctl add %s URL, or mcpctl "
                      "add %s -- COMMAND",
                      name, name);
  }
  int code = check_name(name);
  if (code != CTL_OK) {
    return code;
  }
  code = edited_open(&file, options);
  if (code == CTL_OK) {
    code = add_to(&file, options);
  }
  edited_close(&file);
  return code;
}

/* ---- remove ------------------------------------------------------------ */

/* The server may be that of a host, whose file mcpctl leaves alone. */
static int refuse_to_remove(const edited *file, const char *name) {
  ctl_config config;
  ctl_config_read(&config, NULL);
  const ctl_named *named = ctl_config_find(&config, name);
  if (named != NULL) {
    ctl_report(CTL_USAGE,
               "'%s' is in %s, not in %s: name the file with --config to "
               "change it",
               name, named->file->path, file->path);
  } else {
    ctl_report(CTL_USAGE, "%s has no server '%s'", file->path, name);
  }
  ctl_config_deinit(&config);
  return CTL_USAGE;
}

static int remove_from(const edited *file, const char *name) {
  if (mcp_json_get(edited_servers(file), name) == NULL) {
    return refuse_to_remove(file, name);
  }
  int code = edited_write(file, name, NULL);
  return code == CTL_OK
             ? ctl_report(CTL_OK, "removed '%s' from %s", name, file->path)
             : code;
}

int ctl_remove_run(const ctl_options *options) {
  edited file;
  int code = edited_open(&file, options);
  if (code == CTL_OK) {
    code = remove_from(&file, options->args[0]);
  }
  edited_close(&file);
  return code;
}
