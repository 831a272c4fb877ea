/* SPDX-License-Identifier: MIT */
#include "shell/complete.h"
#include "common/json.h"
#include "common/words.h"
#include "connection/requests.h"
#include "line/options.h"
#include "line/verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ASK_MS = 3000 };

/* The word that is completed, and those from the verb on before it. */
typedef struct completion {
  ctl_names *names;
  ctl_choices *choices;
  char **words;
  size_t count;
  const char *typed; /* of the last word */
} completion;

static int begins_with(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

/* A word with blanks or quotes would need quotes, too. A name that begins like
 * an option would be one. */
int ctl_complete_fits(const char *word, const char *typed) {
  return word != NULL && begins_with(word, typed) && word[0] != '-' &&
         strpbrk(word, " \t'\"\\") == NULL;
}

static void offer(const completion *c, const char *word) {
  if (ctl_complete_fits(word, c->typed)) {
    ctl_choices_add(c->choices, word);
  }
}

/* Offers `before` and `after` as one word. */
static void offer_joined(const completion *c, const char *before,
                         const char *after) {
  char *word = NULL;
  if (asprintf(&word, "%s%s", before, after) >= 0) {
    offer(c, word);
    free(word);
  }
}

/* ---- asking the server ------------------------------------------------- */

/* Returns 0, or another number if the server does not answer. The session then
 * has the result. */
static int names_ask(ctl_names *names, ctl_starter *start) {
  if (names->connect != NULL) {
    names->has_failed = names->connect(names) != 0;
    names->connect = NULL;
  }
  return names->has_failed ? -1
                           : ctl_session_try(names->session, start, ASK_MS);
}

/* The server's list, which *kept keeps. NULL: it has none. */
static const mcp_result *ask_list(ctl_names *names, mcp_result **kept,
                                  ctl_starter *start) {
  if (*kept == NULL && names_ask(names, start) == 0) {
    *kept = mcp_result_ref(names->session->result);
  }
  return *kept;
}

static const mcp_result *tools_of(const completion *c) {
  return ask_list(c->names, &c->names->tools, ctl_request_tools);
}

static const mcp_result *prompts_of(const completion *c) {
  return ask_list(c->names, &c->names->prompts, ctl_request_prompts);
}

static const mcp_result *resources_of(const completion *c) {
  return ask_list(c->names, &c->names->resources, ctl_request_resources);
}

void ctl_names_forget(ctl_names *names, const char *list) {
  mcp_result **const kept[] = {&names->tools, &names->prompts,
                               &names->resources};
  static const char *const lists[] = {"tools", "prompts", "resources"};
  for (size_t i = 0; i < 3; i++) {
    if (list == NULL || strcmp(list, lists[i]) == 0) {
      mcp_result_unref(*kept[i]);
      *kept[i] = NULL;
    }
  }
}

/* ---- names ------------------------------------------------------------- */

static void offer_members(const completion *c, const mcp_result *list,
                          const char *member) {
  for (size_t i = 0; i < mcp_result_count(list); i++) {
    offer(c, ctl_json_member(mcp_result_item(list, i), member));
  }
}

static const mcp_json *find_named(const mcp_result *list, const char *name) {
  for (size_t i = 0; i < mcp_result_count(list); i++) {
    const mcp_json *item = mcp_result_item(list, i);
    const char *found = ctl_json_member(item, "name");
    if (found != NULL && strcmp(found, name) == 0) {
      return item;
    }
  }
  return NULL;
}

static void complete_verb(const completion *c) {
  for (const ctl_verb *verb = ctl_verbs; verb->name != NULL; verb++) {
    if (ctl_verb_is_for_shell(verb)) {
      offer(c, verb->name);
    }
  }
  offer(c, "exit");
}

/* ---- a tool's arguments ------------------------------------------------ */

/* Offers key= for a text, and key:= for any other value. */
static void offer_argument(const completion *c, const char *name,
                           const mcp_json *schema) {
  const char *type = ctl_json_member(schema, "type");
  int is_text = type == NULL || strcmp(type, "string") == 0 ||
                strcmp(type, "number") == 0 || strcmp(type, "integer") == 0 ||
                strcmp(type, "boolean") == 0;
  offer_joined(c, name, is_text ? "=" : ":=");
}

/* Offers the values of a schema's enum or boolean, after `before`. */
static void offer_values(const completion *c, const char *before,
                         const mcp_json *schema) {
  const char *type = ctl_json_member(schema, "type");
  mcp_json_iter iter;
  const mcp_json *value;
  mcp_json_iter_init(&iter, mcp_json_get(schema, "enum"));
  while ((value = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (mcp_json_string(value) != NULL) {
      offer_joined(c, before, mcp_json_string(value));
    }
  }
  if (type != NULL && strcmp(type, "boolean") == 0) {
    offer_joined(c, before, "true");
    offer_joined(c, before, "false");
  }
}

static void complete_tool_argument(const completion *c) {
  const mcp_json *tool = find_named(tools_of(c), c->words[1]);
  const mcp_json *properties =
      mcp_json_get(mcp_json_get(tool, "inputSchema"), "properties");
  size_t key_len = strcspn(c->typed, "=");
  mcp_json_iter iter;
  const mcp_json *key;
  const mcp_json *schema;
  if (c->typed[key_len] == '=') {
    char *before = strndup(c->typed, key_len + 1);
    if (before != NULL) {
      offer_values(c, before,
                   mcp_json_get_n(properties, before, strcspn(before, ":=")));
    }
    free(before);
    return;
  }
  mcp_json_iter_init(&iter, properties);
  while ((schema = mcp_json_iter_next(&iter, &key)) != NULL) {
    const char *name = mcp_json_string(key); /* NULL: it contains NUL */
    if (name != NULL) {
      offer_argument(c, name, schema);
    }
  }
}

/* ---- a prompt's arguments ---------------------------------------------- */

/* What completion/complete gets. */
typedef struct ctl_value {
  const char *prompt;
  const char *argument;
  const char *beginning;
} ctl_value;

static int start_values(ctl_session *session,
                        const mcp_request_options *options) {
  const ctl_names *names = session->event_userdata;
  const ctl_value *asked = names->asked;
  return mcp_client_complete(session->client, "ref/prompt", asked->prompt,
                             asked->argument, asked->beginning, NULL, options,
                             ctl_session_done, session, &session->error);
}

static void offer_found(const completion *c, const char *before) {
  const mcp_json *result = mcp_result_json(c->names->session->result);
  mcp_json_iter iter;
  const mcp_json *value;
  mcp_json_iter_init(&iter, mcp_json_pointer(result, "/completion/values"));
  while ((value = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const char *text = mcp_json_string(value);
    if (text != NULL) {
      offer_joined(c, before, text);
    }
  }
}

static void complete_prompt_value(const completion *c, size_t key_len) {
  char *before = strndup(c->typed, key_len + 1);
  char *argument = strndup(c->typed, key_len);
  const ctl_value asked = {c->words[1], argument, c->typed + key_len + 1};
  c->names->asked = &asked;
  if (before != NULL && argument != NULL &&
      names_ask(c->names, start_values) == 0) {
    offer_found(c, before);
  }
  free(argument);
  free(before);
}

static void complete_prompt_argument(const completion *c) {
  const mcp_json *prompt = find_named(prompts_of(c), c->words[1]);
  size_t key_len = strcspn(c->typed, "=");
  mcp_json_iter iter;
  const mcp_json *argument;
  if (c->typed[key_len] == '=') {
    complete_prompt_value(c, key_len);
    return;
  }
  mcp_json_iter_init(&iter, mcp_json_get(prompt, "arguments"));
  while ((argument = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const char *name = ctl_json_member(argument, "name");
    if (name != NULL) {
      offer_joined(c, name, "=");
    }
  }
}

/* ---- a word ------------------------------------------------------------ */

static void complete_argument(const completion *c) {
  const char *verb = c->words[0];
  int is_name = c->count == 2;
  if (strcmp(verb, "tools") == 0 && is_name) {
    offer_members(c, tools_of(c), "name");
  } else if (strcmp(verb, "call") == 0) {
    if (is_name) {
      offer_members(c, tools_of(c), "name");
    } else {
      complete_tool_argument(c);
    }
  } else if (strcmp(verb, "prompt") == 0) {
    if (is_name) {
      offer_members(c, prompts_of(c), "name");
    } else {
      complete_prompt_argument(c);
    }
  } else if (strcmp(verb, "read") == 0 && is_name) {
    offer_members(c, resources_of(c), "uri");
  } else if (strcmp(verb, "help") == 0 && is_name) {
    complete_verb(c);
  }
}

void ctl_complete_argument(ctl_choices *choices, const ctl_typing *typing,
                           ctl_names *names) {
  const completion c = {.names = names,
                        .choices = choices,
                        .words = typing->words,
                        .count = typing->count,
                        .typed = typing->typed};
  complete_argument(&c);
}

/* ---- a line ------------------------------------------------------------ */

static void complete_option(const char *typed, int is_line,
                            ctl_choices *choices) {
  const char *equals = strchr(typed, '=');
  if (equals == NULL) {
    ctl_options_offer(typed, is_line, choices);
    return;
  }
  char *before = strndup(typed, (size_t)(equals + 1 - typed));
  if (before != NULL) {
    ctl_options_offer_values(before, before, equals + 1, choices);
  }
  free(before);
}

int ctl_typing_read(ctl_typing *typing, const ctl_words *words, int is_new,
                    int is_line, ctl_choices *choices) {
  size_t before = words->count - (is_new ? 0 : 1);
  const char *option = NULL; /* the one whose value the word is */
  *typing = (ctl_typing){.typed = is_new ? "" : words->list[before]};
  typing->words = calloc(words->count + 1, sizeof(*typing->words));
  if (typing->words == NULL) {
    return 0;
  }

  for (size_t i = 0; i < before; i++) {
    char *word = words->list[i];
    int kind = option == NULL ? ctl_options_word(word) : CTL_WORD_OPTION;
    option = kind & CTL_WORD_WANTS_VALUE ? word : NULL;
    if (kind == 0) {
      typing->words[typing->count++] = word;
    }
  }
  if (option != NULL) {
    ctl_options_offer_values(option, "", typing->typed, choices);
  } else if (begins_with(typing->typed, "-")) {
    complete_option(typing->typed, is_line, choices);
  } else {
    typing->count++;
    return 1;
  }
  return 0;
}

void ctl_typing_deinit(ctl_typing *typing) {
  free(typing->words);
}

void ctl_complete(ctl_choices *choices, const char *line, size_t len,
                  void *userdata) {
  ctl_words words;
  ctl_typing typing = {0};
  if (ctl_words_split(&words, line, len) == 0 && words.quote == '\0' &&
      ctl_typing_read(&typing, &words, words.last_at == len, 1, choices)) {
    const completion c = {.names = userdata,
                          .choices = choices,
                          .words = typing.words,
                          .count = typing.count,
                          .typed = typing.typed};
    if (c.count <= 1) {
      complete_verb(&c);
    } else {
      complete_argument(&c);
    }
  }
  ctl_typing_deinit(&typing);
  ctl_words_deinit(&words);
}
