/* SPDX-License-Identifier: MIT */
#include "pack/compose.h"
#include "bundle/manifest.h"
#include "bundle/variables.h"
#include "common/copy.h"
#include "common/json.h"
#include "platform/memory.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct composing {
  const ctl_draft *draft;
  const mcp_json *listing;
  const mcp_json *server; /* of the listing */
  const mcp_json *texts;
  const mcp_json *more;
  const char *author;
  mcp_builder *out;
} composing;

/* ---- what the server says ---------------------------------------------- */

static void put_text(const composing *self, const char *member,
                     const char *text, const char *otherwise) {
  text = text != NULL && *text != '\0' ? text : otherwise;
  if (text != NULL) {
    mcp_builder_string(self->out, member, text);
  }
}

static void put_version_of_form(const composing *self, const char *member) {
  mcp_builder_string(self->out, member, CTL_MANIFEST_VERSION);
}

static void put_name(const composing *self, const char *member) {
  put_text(self, member, ctl_json_member(self->server, "name"), "server");
}

static void put_title(const composing *self, const char *member) {
  put_text(self, member, ctl_json_member(self->server, "title"), NULL);
}

static void put_version(const composing *self, const char *member) {
  put_text(self, member, ctl_json_member(self->server, "version"), "0.0.0");
}

/* Servers of older revisions have no description. Their title or name says
 * more than nothing. */
static void put_description(const composing *self, const char *member) {
  const char *title = ctl_json_member(self->server, "title");
  const char *name = ctl_json_member(self->server, "name");
  put_text(self, member, ctl_json_member(self->server, "description"),
           title != NULL  ? title
           : name != NULL ? name
                          : "server");
}

static void put_instructions(const composing *self, const char *member) {
  put_text(self, member, ctl_json_member(self->listing, "instructions"), NULL);
}

static void put_author(const composing *self, const char *member) {
  mcp_builder_object(self->out, member);
  mcp_builder_string(self->out, "name",
                     self->author != NULL ? self->author : "");
  mcp_builder_end(self->out);
}

static void put_homepage(const composing *self, const char *member) {
  put_text(self, member, ctl_json_member(self->server, "websiteUrl"), NULL);
}

static void put_icon(const composing *self, const char *member) {
  put_text(self, member, self->draft->icon, NULL);
}

/* ---- the server -------------------------------------------------------- */

static void put_config(const composing *self) {
  const ctl_draft *draft = self->draft;
  mcp_builder *out = self->out;
  int has_overrides = 0;
  mcp_builder_object(out, "mcp_config");
  mcp_builder_string(out, "command", draft->command);
  mcp_builder_array(out, "args");
  for (size_t i = 0; draft->args[i] != NULL; i++) {
    mcp_builder_string(out, NULL, draft->args[i]);
  }
  mcp_builder_end(out);
  mcp_builder_object(out, "env");
  for (size_t i = 0; draft->env[i] != NULL; i++) {
    size_t len = strcspn(draft->env[i], "=");
    mcp_builder_name_n(out, draft->env[i], len);
    mcp_builder_string(out, NULL, draft->env[i] + len + 1);
  }
  mcp_builder_end(out);
  for (size_t i = 0; i < CTL_PLATFORMS; i++) {
    if (draft->commands[i] != NULL) {
      if (!has_overrides++) {
        mcp_builder_object(out, "platform_overrides");
      }
      mcp_builder_object(out, ctl_manifest_platforms[i]);
      mcp_builder_string(out, "command", draft->commands[i]);
      mcp_builder_end(out);
    }
  }
  if (has_overrides) {
    mcp_builder_end(out);
  }
  mcp_builder_end(out);
}

static void put_server(const composing *self, const char *member) {
  mcp_builder_object(self->out, member);
  mcp_builder_string(self->out, "type", self->draft->type);
  mcp_builder_string(self->out, "entry_point", self->draft->entry_point);
  put_config(self);
  mcp_builder_end(self->out);
}

static void put_compatibility(const composing *self, const char *member) {
  int count = 0;
  for (size_t i = 0; i < CTL_PLATFORMS; i++) {
    count += self->draft->platforms[i];
  }
  if (count == 0) {
    return;
  }
  mcp_builder_object(self->out, member);
  mcp_builder_array(self->out, "platforms");
  for (size_t i = 0; i < CTL_PLATFORMS; i++) {
    if (self->draft->platforms[i]) {
      mcp_builder_string(self->out, NULL, ctl_manifest_platforms[i]);
    }
  }
  mcp_builder_end(self->out);
  mcp_builder_end(self->out);
}

/* ---- tools and prompts ------------------------------------------------- */

static void put_named(const composing *self, const mcp_json *entry) {
  put_text(self, "name", ctl_json_member(entry, "name"), "");
  put_text(self, "description", ctl_json_member(entry, "description"), NULL);
}

static void put_tools(const composing *self, const char *member) {
  const mcp_json *list = mcp_json_get(self->listing, "tools");
  mcp_json_iter iter;
  const mcp_json *tool = NULL;
  if (mcp_json_size(list) == 0) {
    return;
  }
  mcp_builder_array(self->out, member);
  mcp_json_iter_init(&iter, list);
  while ((tool = mcp_json_iter_next(&iter, NULL)) != NULL) {
    mcp_builder_object(self->out, NULL);
    put_named(self, tool);
    mcp_builder_end(self->out);
  }
  mcp_builder_end(self->out);
}

static const char *text_of(const composing *self, const mcp_json *prompt) {
  const char *name = ctl_json_member(prompt, "name");
  return name != NULL ? ctl_json_member(self->texts, name) : NULL;
}

static void put_prompt(const composing *self, const mcp_json *prompt) {
  const mcp_json *arguments = mcp_json_get(prompt, "arguments");
  mcp_json_iter iter;
  const mcp_json *argument = NULL;
  mcp_builder_object(self->out, NULL);
  put_named(self, prompt);
  mcp_builder_array(self->out, "arguments");
  mcp_json_iter_init(&iter, arguments);
  while ((argument = mcp_json_iter_next(&iter, NULL)) != NULL) {
    put_text(self, NULL, ctl_json_member(argument, "name"), "");
  }
  mcp_builder_end(self->out);
  mcp_builder_string(self->out, "text", text_of(self, prompt));
  mcp_builder_end(self->out);
}

static void put_prompts(const composing *self, const char *member) {
  mcp_json_iter iter;
  const mcp_json *prompt = NULL;
  int has_begun = 0;
  mcp_json_iter_init(&iter, mcp_json_get(self->listing, "prompts"));
  while ((prompt = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (text_of(self, prompt) != NULL) {
      if (!has_begun++) {
        mcp_builder_array(self->out, member);
      }
      put_prompt(self, prompt);
    }
  }
  if (has_begun) {
    mcp_builder_end(self->out);
  }
}

/* A manifest names only prompts that are one text. */
static void put_prompts_generated(const composing *self, const char *member) {
  mcp_json_iter iter;
  const mcp_json *prompt = NULL;
  int others = 0;
  mcp_json_iter_init(&iter, mcp_json_get(self->listing, "prompts"));
  while ((prompt = mcp_json_iter_next(&iter, NULL)) != NULL) {
    others += text_of(self, prompt) == NULL;
  }
  if (others > 0) {
    mcp_builder_bool(self->out, member, 1);
  }
}

/* ---- settings ---------------------------------------------------------- */

/* Those that the command line uses and the user's file does not describe. */
typedef struct asked_settings {
  const composing *self;
  const char *keys[64];
  size_t lens[64];
  size_t count;
} asked_settings;

static void add_setting(void *userdata, const char *name, size_t len) {
  asked_settings *found = userdata;
  size_t prefix = strlen(CTL_VARIABLE_SETTING);
  const mcp_json *described = mcp_json_get(found->self->more, "user_config");
  if (len <= prefix || strncmp(name, CTL_VARIABLE_SETTING, prefix) != 0 ||
      found->count == sizeof(found->keys) / sizeof(*found->keys) ||
      mcp_json_get_n(described, name + prefix, len - prefix) != NULL) {
    return;
  }
  name += prefix;
  len -= prefix;
  for (size_t i = 0; i < found->count; i++) {
    if (found->lens[i] == len && strncmp(found->keys[i], name, len) == 0) {
      return;
    }
  }
  found->keys[found->count] = name;
  found->lens[found->count++] = len;
}

/* Hosts hide what the user types there, and store it safely. */
static int is_secret(const char *key, size_t len) {
  static const char *const words[] = {"key", "token", "secret", "password"};
  char lower[64];
  if (len >= sizeof(lower)) {
    return 1;
  }
  for (size_t i = 0; i < len; i++) {
    lower[i] = (char)tolower((unsigned char)key[i]);
  }
  lower[len] = '\0';
  for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
    if (strstr(lower, words[i]) != NULL) {
      return 1;
    }
  }
  return 0;
}

/* "api_key" becomes "Api key". */
static void put_setting(const composing *self, const char *key, size_t len) {
  char *title = ctl_copy(key, len);
  for (char *c = title; c != NULL && *c != '\0'; c++) {
    *c = *c == '_' || *c == '-' ? ' ' : *c;
    *c = c == title ? (char)toupper((unsigned char)*c) : *c;
  }
  mcp_builder_name_n(self->out, key, len);
  mcp_builder_object(self->out, NULL);
  mcp_builder_string(self->out, "type", "string");
  mcp_builder_string(self->out, "title", title);
  mcp_builder_string(self->out, "description", title);
  mcp_builder_bool(self->out, "required", 1);
  if (is_secret(key, len)) {
    mcp_builder_bool(self->out, "sensitive", 1);
  }
  mcp_builder_end(self->out);
  free(title);
}

static void put_settings(const composing *self, const char *member) {
  asked_settings found = {.self = self};
  mcp_json_iter iter;
  const mcp_json *key = NULL;
  const mcp_json *value = NULL;
  for (size_t i = 0; self->draft->args[i] != NULL; i++) {
    ctl_variables_each(self->draft->args[i], add_setting, &found);
  }
  for (size_t i = 0; self->draft->env[i] != NULL; i++) {
    ctl_variables_each(self->draft->env[i], add_setting, &found);
  }
  const mcp_json *described = mcp_json_get(self->more, member);
  if (found.count == 0 && described == NULL) {
    return;
  }
  mcp_builder_object(self->out, member);
  mcp_json_iter_init(&iter, described);
  while ((value = mcp_json_iter_next(&iter, &key)) != NULL) {
    size_t len = 0;
    const char *name = mcp_json_string_n(key, &len);
    mcp_builder_name_n(self->out, name, len);
    mcp_builder_value(self->out, NULL, value);
  }
  for (size_t i = 0; i < found.count; i++) {
    put_setting(self, found.keys[i], found.lens[i]);
  }
  mcp_builder_end(self->out);
}

/* ---- all --------------------------------------------------------------- */

static const struct {
  const char *name;
  void (*put)(const composing *self, const char *member);
  int is_joined; /* with what the user gives */
} members[] = {
    {"manifest_version", put_version_of_form, 0},
    {"name", put_name, 0},
    {"display_name", put_title, 0},
    {"version", put_version, 0},
    {"description", put_description, 0},
    {"long_description", put_instructions, 0},
    {"author", put_author, 0},
    {"homepage", put_homepage, 0},
    {"icon", put_icon, 0},
    {"server", put_server, 0},
    {"tools", put_tools, 0},
    {"prompts", put_prompts, 0},
    {"prompts_generated", put_prompts_generated, 0},
    {"compatibility", put_compatibility, 0},
    {"user_config", put_settings, 1},
};

enum { MEMBERS = sizeof(members) / sizeof(*members) };

static int is_written(const char *name) {
  for (size_t i = 0; i < MEMBERS; i++) {
    if (strcmp(members[i].name, name) == 0) {
      return 1;
    }
  }
  return 0;
}

static void put_all(const composing *self) {
  mcp_json_iter iter;
  const mcp_json *key = NULL;
  const mcp_json *value = NULL;
  mcp_builder_object(self->out, NULL);
  for (size_t i = 0; i < MEMBERS; i++) {
    const mcp_json *given = mcp_json_get(self->more, members[i].name);
    if (given != NULL && !members[i].is_joined) {
      mcp_builder_value(self->out, members[i].name, given);
    } else {
      members[i].put(self, members[i].name);
    }
  }
  mcp_json_iter_init(&iter, self->more);
  while ((value = mcp_json_iter_next(&iter, &key)) != NULL) {
    const char *name = mcp_json_string(key);
    if (name != NULL && !is_written(name)) {
      mcp_builder_value(self->out, name, value);
    }
  }
  mcp_builder_end(self->out);
}

/* Indented, as people write it. */
static char *indent(const char *text) {
  char *indented = NULL;
  size_t len = 0;
  FILE *out = ctl_memory_open(&indented, &len);
  if (out == NULL) {
    return NULL;
  }
  ctl_json_write(out, text);
  if (ctl_memory_close(out, &indented, &len) != 0) {
    free(indented);
    return NULL;
  }
  return indented;
}

char *ctl_compose(const ctl_draft *draft, const mcp_json *listing,
                  const mcp_json *texts, const mcp_json *more,
                  const char *author, mcp_error *err) {
  const composing self = {.draft = draft,
                          .listing = listing,
                          .server = mcp_json_get(listing, "server"),
                          .texts = texts,
                          .more = more,
                          .author = author,
                          .out = mcp_builder_new(NULL, NULL)};
  put_all(&self);
  const char *text = mcp_builder_text(self.out, NULL);
  char *indented = text != NULL ? indent(text) : NULL;
  if (text == NULL) {
    *err = *mcp_builder_error(self.out);
  } else if (indented == NULL) {
    mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  mcp_builder_free(self.out);
  return indented;
}
