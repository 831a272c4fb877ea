/* SPDX-License-Identifier: MIT */
#include "diff/changes.h"
#include "common/exit.h"
#include "common/json.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* A longer value is shown below the words, old and new. */
enum { SHORT_VALUE = 40 };

/* ---- adding ------------------------------------------------------------ */

static ctl_change *changes_next(ctl_changes *changes) {
  if (changes->count == changes->capacity) {
    size_t capacity = changes->capacity * 2 + 16;
    ctl_change *items = realloc(changes->items, capacity * sizeof(*items));
    if (items == NULL) {
      return NULL;
    }
    changes->items = items;
    changes->capacity = capacity;
  }
  return &changes->items[changes->count];
}

/* Takes the text, which is NULL when out of memory. */
static void changes_take(ctl_changes *changes, int verdict, const char *path,
                         ctl_values values, char *text, int shows_values) {
  ctl_change *change = text != NULL ? changes_next(changes) : NULL;
  char *copy = path != NULL ? strdup(path) : NULL;
  if (change == NULL || copy == NULL) {
    changes->is_broken = 1;
    free(copy);
    free(text);
    return;
  }
  *change = (ctl_change){verdict, changes->kind, changes->name, copy,
                         text,    values.before, values.after,  shows_values};
  changes->count++;
}

void ctl_changes_add(ctl_changes *changes, int verdict, const char *path,
                     ctl_values values, const char *format, ...) {
  char *text = NULL;
  va_list args;
  va_start(args, format);
  int len = vasprintf(&text, format, args);
  va_end(args);
  changes_take(changes, verdict, path, values, len >= 0 ? text : NULL, 0);
}

/* Whether the member's name is a plural, as "icons". */
static int is_plural(const char *member) {
  size_t len = strlen(member);
  return len > 0 && member[len - 1] == 's';
}

/* The words about a member whose values are shown elsewhere. */
static char *words_without_values(const char *subject, const char *member,
                                  int was_there, int is_there,
                                  const char *more) {
  static const char *const others[] = {"has another", "has other"};
  static const char *const news[] = {"has a new", "has new"};
  char *text = NULL;
  const char *verb = !is_there   ? "lost its"
                     : was_there ? others[is_plural(member)]
                                 : news[is_plural(member)];
  return asprintf(&text, "%s %s %s%s", subject, verb, member, more) >= 0 ? text
                                                                         : NULL;
}

/* The words about a member with its values as JSON text. NULL: there is
 * none. */
static char *words_with_values(const char *subject, const char *member,
                               const char *before, const char *after,
                               const char *more) {
  char *text = NULL;
  int len;
  if (before == NULL) {
    len =
        asprintf(&text, "%s has the new %s %s%s", subject, member, after, more);
  } else if (after == NULL) {
    len = asprintf(&text, "%s lost its %s %s%s", subject, member, before, more);
  } else {
    len = asprintf(&text, "%s has %s %s instead of %s%s", subject, member,
                   after, before, more);
  }
  return len >= 0 ? text : NULL;
}

static int is_short(const char *text) {
  return text == NULL || strlen(text) <= SHORT_VALUE;
}

void ctl_changes_add_member(ctl_changes *changes, int verdict, const char *path,
                            ctl_values values, const char *subject,
                            const char *member, const char *more) {
  char *before = values.before != NULL ? ctl_json_text(values.before) : NULL;
  char *after = values.after != NULL ? ctl_json_text(values.after) : NULL;
  if ((before == NULL) != (values.before == NULL) ||
      (after == NULL) != (values.after == NULL)) {
    changes->is_broken = 1;
  } else {
    int is_in_words =
        verdict != CTL_WORDING && is_short(before) && is_short(after);
    char *text = is_in_words
                     ? words_with_values(subject, member, before, after, more)
                     : words_without_values(subject, member, before != NULL,
                                            after != NULL, more);
    changes_take(changes, verdict, path, values, text, !is_in_words);
  }
  free(before);
  free(after);
}

void ctl_changes_deinit(ctl_changes *changes) {
  for (size_t i = 0; i < changes->count; i++) {
    free(changes->items[i].path);
    free(changes->items[i].text);
  }
  free(changes->items);
}

/* ---- the outcome ------------------------------------------------------- */

int ctl_changes_worst(const ctl_changes *changes) {
  int worst = CTL_OK;
  for (size_t i = 0; i < changes->count; i++) {
    int verdict = changes->items[i].verdict;
    worst = verdict > worst ? verdict : worst;
  }
  return worst;
}
