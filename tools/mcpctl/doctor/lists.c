/* SPDX-License-Identifier: MIT */
/* Checks of lists and their pages. */
#include "common/json.h"
#include "doctor/checks.h"
#include "doctor/compose.h"

#include <stdlib.h>
#include <string.h>

/* A list that goes on after so many pages, or so many bytes, has no end. */
enum { MAX_PAGES = 100, MAX_MIB = 64, MIB = 1024 * 1024 };

static const ctl_doctor_list all_lists[CTL_DOCTOR_LISTS_COUNT] = {
    {.capability = "tools",
     .method = "tools/list",
     .member = "tools",
     .key = "name"},
    {.capability = "prompts",
     .method = "prompts/list",
     .member = "prompts",
     .key = "name"},
    {.capability = "resources",
     .method = "resources/list",
     .member = "resources",
     .key = "uri"},
    {.capability = "resources",
     .method = "resources/templates/list",
     .member = "resourceTemplates",
     .key = "uriTemplate"},
};

/* ---- entries ----------------------------------------------------------- */

static void add_entry(ctl_doctor_list *list, const mcp_json *entry) {
  if (list->entry_count == list->entry_room) {
    size_t room = list->entry_room > 0 ? 2 * list->entry_room : 16;
    const mcp_json **grown =
        realloc(list->entries, room * sizeof(const mcp_json *));
    if (grown == NULL) {
      return;
    }
    list->entries = grown;
    list->entry_room = room;
  }
  list->entries[list->entry_count++] = entry;
}

static void take_entry(ctl_doctor_list *list, ctl_doctor_talk *talk,
                       const mcp_json *entry) {
  const char *key = ctl_json_member(entry, list->key);
  if (ctl_doctor_expect(talk->doctor, CTL_RULE_LIST_SHAPE,
                        key != NULL && ctl_json_member(entry, "name") != NULL,
                        "%s has an entry without a %s: %s", list->method,
                        key != NULL ? "name" : list->key,
                        ctl_doctor_quote(entry))) {
    add_entry(list, entry);
  }
}

/* ---- duplicates -------------------------------------------------------- */

typedef struct entry_key {
  const char *text;
  size_t len;
  size_t at; /* in the list */
} entry_key;

/* Equal keys stay in the order of the list. */
static int compare_keys(const void *a, const void *b) {
  const entry_key *one = a;
  const entry_key *other = b;
  size_t len = one->len < other->len ? one->len : other->len;
  int order = memcmp(one->text, other->text, len);
  if (order != 0) {
    return order;
  }
  if (one->len != other->len) {
    return one->len < other->len ? -1 : 1;
  }
  return one->at < other->at ? -1 : 1;
}

/* Owned, sorted; NULL: out of memory, or the list is empty. */
static entry_key *sorted_keys(const ctl_doctor_list *list) {
  entry_key *keys = calloc(list->entry_count, sizeof(*keys));
  for (size_t i = 0; keys != NULL && i < list->entry_count; i++) {
    keys[i].at = i;
    keys[i].text = mcp_json_string_n(mcp_json_get(list->entries[i], list->key),
                                     &keys[i].len);
  }
  if (keys != NULL) {
    qsort(keys, list->entry_count, sizeof(*keys), compare_keys);
  }
  return keys;
}

/* Removes the entries that are NULL. */
static void close_gaps(ctl_doctor_list *list) {
  size_t kept = 0;
  for (size_t i = 0; i < list->entry_count; i++) {
    if (list->entries[i] != NULL) {
      list->entries[kept++] = list->entries[i];
    }
  }
  list->entry_count = kept;
}

/* Reports entries that are listed again, and keeps the first one of each. They
 * are sorted for that, since a server may list very many. */
static void check_duplicates(ctl_doctor_list *list, ctl_doctor_talk *talk) {
  int rule = strcmp(list->member, "tools") == 0 ? CTL_RULE_TOOL_DUPLICATE
                                                : CTL_RULE_LIST_DUPLICATE;
  entry_key *keys = list->entry_count > 0 ? sorted_keys(list) : NULL;
  for (size_t i = 1; keys != NULL && i < list->entry_count; i++) {
    int is_again = keys[i].len == keys[i - 1].len &&
                   memcmp(keys[i].text, keys[i - 1].text, keys[i].len) == 0;
    ctl_doctor_expect(talk->doctor, rule, !is_again, "%s has %s more than once",
                      list->method, keys[i].text);
    if (is_again) {
      list->entries[keys[i].at] = NULL;
    }
  }
  free(keys);
  close_gaps(list);
}

/* ---- pages ------------------------------------------------------------- */

static mcp_doc *take_page(ctl_doctor_list *list, ctl_doctor_talk *talk) {
  size_t size = (list->page_count + 1) * sizeof(mcp_doc *);
  mcp_doc **grown = realloc(list->pages, size);
  if (grown == NULL) {
    return NULL;
  }
  list->pages = grown;
  mcp_doc *page = talk->answer;
  talk->answer = NULL;
  list->pages[list->page_count++] = page;
  list->len += talk->answer_len;
  return page;
}

static int is_integer_from_0(const mcp_json *value) {
  return mcp_json_is_integer(value) && mcp_json_int(value) >= 0;
}

void ctl_doctor_check_cache(ctl_doctor_talk *talk, const mcp_json *result,
                            const char *method) {
  const char *scope = ctl_json_member(result, "cacheScope");
  if (talk->is_modern) {
    ctl_doctor_expect(
        talk->doctor, CTL_RULE_CACHE_HINTS,
        is_integer_from_0(mcp_json_get(result, "ttlMs")) && scope != NULL &&
            (strcmp(scope, "public") == 0 || strcmp(scope, "private") == 0),
        "the result of %s has the ttlMs %s, and the cacheScope "
        "%s",
        method, ctl_doctor_quote(mcp_json_get(result, "ttlMs")),
        scope != NULL ? scope : "nothing");
  }
}

static void take_entries(ctl_doctor_list *list, ctl_doctor_talk *talk,
                         const mcp_json *result) {
  mcp_json_iter iter;
  const mcp_json *entry = NULL;
  const mcp_json *entries = mcp_json_get(result, list->member);
  ctl_doctor_check_cache(talk, result, list->method);
  if (!ctl_doctor_expect(talk->doctor, CTL_RULE_LIST_SHAPE,
                         mcp_json_type(entries) == MCP_JSON_ARRAY,
                         "the result of %s has no array %s", list->method,
                         list->member)) {
    return;
  }
  mcp_json_iter_init(&iter, entries);
  while ((entry = mcp_json_iter_next(&iter, NULL)) != NULL) {
    take_entry(list, talk, entry);
  }
}

/* Whether an earlier page had the same cursor. */
static int is_repeated(const ctl_doctor_list *list, const mcp_json *cursor) {
  for (size_t i = 0; i + 1 < list->page_count; i++) {
    const mcp_json *page = mcp_doc_root(list->pages[i]);
    if (mcp_json_equal(mcp_json_pointer(page, "/result/nextCursor"), cursor)) {
      return 1;
    }
  }
  return 0;
}

/* Whether there is a next page that is worth asking for. */
static int goes_on(ctl_doctor_list *list, ctl_doctor_talk *talk,
                   const mcp_json *result) {
  const mcp_json *cursor = mcp_json_get(result, "nextCursor");
  if (cursor == NULL) {
    ctl_doctor_expect(talk->doctor, CTL_RULE_LIST_ENDLESS, 1, "ok");
    return 0;
  }
  if (!ctl_doctor_expect(talk->doctor, CTL_RULE_LIST_CURSOR,
                         mcp_json_string(cursor) != NULL,
                         "the nextCursor of %s is %s", list->method,
                         ctl_doctor_quote(cursor))) {
    return 0;
  }
  ctl_doctor_expect(talk->doctor, CTL_RULE_LIST_EMPTY_PAGE,
                    mcp_json_size(mcp_json_get(result, list->member)) > 0,
                    "%s has an empty page, and the nextCursor %s", list->method,
                    ctl_doctor_quote(cursor));
  return ctl_doctor_expect(talk->doctor, CTL_RULE_LIST_ENDLESS,
                           !is_repeated(list, cursor),
                           "%s has the nextCursor %s again", list->method,
                           ctl_doctor_quote(cursor)) &&
         ctl_doctor_expect(talk->doctor, CTL_RULE_LIST_ENDLESS,
                           list->page_count < MAX_PAGES,
                           "%s still has a nextCursor after %d pages",
                           list->method, MAX_PAGES) &&
         ctl_doctor_expect(talk->doctor, CTL_RULE_LIST_ENDLESS,
                           list->len < (size_t)MAX_MIB * MIB,
                           "%s still has a nextCursor after %d MiB",
                           list->method, MAX_MIB);
}

static const mcp_json *ask_page(ctl_doctor_list *list, ctl_doctor_talk *talk,
                                const mcp_json *cursor) {
  char *params = cursor != NULL
                     ? ctl_doctor_params("cursor", mcp_json_string(cursor))
                     : NULL;
  const mcp_json *answer = ctl_doctor_ask(talk, list->method, params);
  free(params);
  return answer;
}

/* The templates are a part of the capability that clients can do without. */
static void check_failed(ctl_doctor_list *list, ctl_doctor_talk *talk,
                         const mcp_json *answer) {
  int is_templates = strcmp(list->member, "resourceTemplates") == 0 &&
                     ctl_doctor_code(answer) == MCP_RPC_METHOD_NOT_FOUND;
  ctl_doctor_expect(
      talk->doctor,
      is_templates ? CTL_RULE_TEMPLATES_MISSING : CTL_RULE_LIST_FAILS,
      ctl_doctor_result(answer) != NULL, "%s is declared, but %s got %s",
      list->capability, list->method, ctl_doctor_words(answer));
}

static void get_list(ctl_doctor_list *list, ctl_doctor_talk *talk) {
  const mcp_json *cursor = NULL;
  int is_more = 1;
  while (is_more) {
    const mcp_json *answer = ask_page(list, talk, cursor);
    if (answer == NULL) {
      return;
    }
    check_failed(list, talk, answer);
    const mcp_json *result = ctl_doctor_result(answer);
    if (result == NULL || take_page(list, talk) == NULL) {
      return;
    }
    take_entries(list, talk, result);
    cursor = mcp_json_get(result, "nextCursor");
    is_more = goes_on(list, talk, result);
  }
}

void ctl_doctor_lists_get(ctl_doctor_lists *lists, ctl_doctor_talk *talk) {
  memcpy(lists->list, all_lists, sizeof(all_lists));
  for (int i = 0; i < CTL_DOCTOR_LISTS_COUNT; i++) {
    if (ctl_doctor_capability(talk, lists->list[i].capability) != NULL) {
      get_list(&lists->list[i], talk);
      check_duplicates(&lists->list[i], talk);
    }
  }
}

void ctl_doctor_lists_deinit(ctl_doctor_lists *lists) {
  for (int i = 0; i < CTL_DOCTOR_LISTS_COUNT; i++) {
    ctl_doctor_list *list = &lists->list[i];
    for (size_t page = 0; page < list->page_count; page++) {
      mcp_doc_free(list->pages[page]);
    }
    free(list->pages);
    free(list->entries);
  }
}

/* ---- what clients do not ask ------------------------------------------- */

static void check_cursor(ctl_doctor_talk *talk, const ctl_doctor_list *list) {
  const mcp_json *answer = ctl_doctor_ask(
      talk, list->method, "{\"cursor\":\"no-such-cursor-of-doctor\"}");
  if (answer != NULL && ctl_doctor_code(answer) != MCP_RPC_METHOD_NOT_FOUND) {
    ctl_doctor_expect(talk->doctor, CTL_RULE_CURSOR_UNKNOWN,
                      ctl_doctor_code(answer) == MCP_RPC_INVALID_PARAMS,
                      "%s with an invented cursor got %s", list->method,
                      ctl_doctor_result(answer) != NULL
                          ? "a result"
                          : ctl_doctor_words(answer));
  }
}

static void check_undeclared(ctl_doctor_talk *talk,
                             const ctl_doctor_list *list) {
  const mcp_json *answer = ctl_doctor_ask(talk, list->method, NULL);
  if (answer != NULL) {
    ctl_doctor_expect(talk->doctor, CTL_RULE_LIST_UNDECLARED,
                      ctl_doctor_result(answer) == NULL,
                      "%s is not declared, but %s got a result",
                      list->capability, list->method);
  }
}

void ctl_doctor_check_cursors(ctl_doctor_talk *talk) {
  for (int i = 0; i < CTL_DOCTOR_LISTS_COUNT; i++) {
    if (ctl_doctor_capability(talk, all_lists[i].capability) != NULL) {
      check_cursor(talk, &all_lists[i]);
    } else {
      check_undeclared(talk, &all_lists[i]);
    }
  }
}
