/* SPDX-License-Identifier: MIT */
/* Prints differences. */
#include "common/exit.h"
#include "common/json.h"
#include "common/reveal.h"
#include "common/term.h"
#include "diff/changes.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Of an old and a new text, mcpctl shows so many columns, which begin so many
 * characters before the difference. */
enum { SHOWN_COLUMNS = 160, SHOWN_BEFORE = 20 };

static const char *verdict_name(int verdict) {
  switch (verdict) {
  case CTL_COMPATIBLE:
    return "compatible";
  case CTL_WORDING:
    return "wording";
  default:
    return "breaking";
  }
}

static void put_verdict(FILE *out, int verdict) {
  static const int styles[] = {CTL_GREEN, CTL_BOLD, CTL_RED};
  ctl_term_style(out, styles[verdict - CTL_COMPATIBLE]);
  fprintf(out, "%-12s", verdict_name(verdict));
  ctl_term_style(out, CTL_PLAIN);
}

/* ---- old and new ------------------------------------------------------- */

/* The text of a string; of any other value its JSON. */
typedef struct shown {
  const char *text;
  size_t len;
  char *owned; /* NULL: the text is a part of the value */
} shown;

static void shown_init(shown *self, const mcp_json *value) {
  self->owned = NULL;
  self->text = mcp_json_string_n(value, &self->len);
  if (self->text == NULL) {
    self->owned = value != NULL ? ctl_json_text(value) : NULL;
    self->text = self->owned != NULL ? self->owned : "(none)";
    self->len = strlen(self->text);
  }
}

static void put_shown(FILE *out, const char *label, const shown *self,
                      size_t from) {
  fprintf(out, "            %s: %s", label, from > 0 ? "…" : "");
  ctl_reveal_put(out, self->text + from, self->len - from, SHOWN_COLUMNS);
  fputc('\n', out);
}

/* Prints both from a little before the place where they differ. */
static void put_values(FILE *out, const ctl_change *change) {
  shown before;
  shown after;
  shown_init(&before, change->before);
  shown_init(&after, change->after);
  size_t at = change->before != NULL && change->after != NULL
                  ? ctl_reveal_difference(before.text, before.len, after.text,
                                          after.len)
                  : 0;
  size_t from = ctl_reveal_back(before.text, at, SHOWN_BEFORE);
  put_shown(out, "old", &before, from);
  put_shown(out, "new", &after, from);
  free(before.owned);
  free(after.owned);
}

/* ---- as text ----------------------------------------------------------- */

static void put_change(FILE *out, const ctl_change *change) {
  size_t len = 0;
  const char *name = mcp_json_string_n(change->name, &len);
  put_verdict(out, change->verdict);
  fputs(change->kind, out);
  if (name != NULL) {
    fputc(' ', out);
    ctl_reveal_put(out, name, len, SIZE_MAX);
  }
  fputs(": ", out);
  ctl_reveal_put(out, change->text, strlen(change->text), SIZE_MAX);
  fputc('\n', out);
  if (change->shows_values) {
    put_values(out, change);
  }
}

void ctl_changes_print(FILE *out, const ctl_changes *changes) {
  for (size_t i = 0; i < changes->count; i++) {
    put_change(out, &changes->items[i]);
  }
}

static size_t changes_count(const ctl_changes *changes, int verdict) {
  size_t count = 0;
  for (size_t i = 0; i < changes->count; i++) {
    count += changes->items[i].verdict == verdict;
  }
  return count;
}

void ctl_changes_print_summary(FILE *out, const ctl_changes *changes) {
  if (changes->count == 0) {
    fputs("No differences.\n", out);
    return;
  }
  fprintf(out, "%zu difference%s: %zu breaking, %zu wording, %zu compatible\n",
          changes->count, changes->count == 1 ? "" : "s",
          changes_count(changes, CTL_BREAKING),
          changes_count(changes, CTL_WORDING),
          changes_count(changes, CTL_COMPATIBLE));
}

/* ---- as JSON ----------------------------------------------------------- */

static void json_put_change(mcp_builder *out, const ctl_change *change) {
  mcp_builder_object(out, NULL);
  mcp_builder_string(out, "change", verdict_name(change->verdict));
  mcp_builder_string(out, "kind", change->kind);
  if (change->name != NULL) {
    mcp_builder_value(out, "name", change->name);
  }
  mcp_builder_string(out, "path", change->path);
  mcp_builder_string(out, "message", change->text);
  if (change->before != NULL) {
    mcp_builder_value(out, "old", change->before);
  }
  if (change->after != NULL) {
    mcp_builder_value(out, "new", change->after);
  }
  mcp_builder_end(out);
}

int ctl_changes_print_json(const ctl_changes *changes) {
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  mcp_builder_array(out, NULL);
  for (size_t i = 0; i < changes->count; i++) {
    json_put_change(out, &changes->items[i]);
  }
  mcp_builder_end(out);
  return ctl_json_print_built(out);
}
