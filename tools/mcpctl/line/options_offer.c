/* SPDX-License-Identifier: MIT */
/* Completes options and their values. */
#include "common/choices.h"
#include "config/hosts.h"
#include "line/option.h"

#include <mcp/version.h>
#include <stdio.h>
#include <string.h>

void ctl_options_offer(const char *word, int is_line, ctl_choices *choices) {
  char text[64];
  for (const ctl_option *one = ctl_option_table; one->set != NULL; one++) {
    snprintf(text, sizeof(text), "--%s", one->name != NULL ? one->name : "");
    if (one->name != NULL && !(is_line && one->when != CTL_WHEN_RUN) &&
        strncmp(text, word, strlen(word)) == 0) {
      ctl_choices_add(choices, text);
    }
  }
}

int ctl_options_word(const char *word) {
  const ctl_option *option = ctl_option_find(word);
  if (option == NULL) {
    return word[0] == '-' && word[1] != '\0' ? CTL_WORD_OPTION : 0;
  }
  int kind = CTL_WORD_OPTION;
  if (option->has_value && strchr(word, '=') == NULL) {
    kind |= CTL_WORD_WANTS_VALUE;
  }
  if (option->when == CTL_WHEN_CONNECTS) {
    kind |= CTL_WORD_CONNECTS;
  }
  return kind;
}

/* Offers a value if it begins with what is typed. */
static void offer_value(const char *before, const char *typed,
                        const char *value, ctl_choices *choices) {
  char text[128];
  if (strncmp(value, typed, strlen(typed)) == 0) {
    snprintf(text, sizeof(text), "%s%s", before, value);
    ctl_choices_add(choices, text);
  }
}

/* Offers the values that the table of options does not list. */
static void offer_more(const ctl_option *option, const char *before,
                       const char *typed, ctl_choices *choices) {
  const char *name = NULL;
  if (strcmp(option->name, "era") == 0) {
    for (size_t i = 0; (name = mcp_revision_name(i)) != NULL; i++) {
      offer_value(before, typed, name, choices);
    }
  } else if (strcmp(option->name, "for") == 0) {
    for (const ctl_host *host = ctl_hosts; host->name != NULL; host++) {
      offer_value(before, typed, host->name, choices);
    }
  }
}

void ctl_options_offer_values(const char *option, const char *before,
                              const char *typed, ctl_choices *choices) {
  const ctl_option *found = ctl_option_find(option);
  if (found == NULL) {
    return;
  }
  const char *const *value = found->values;
  for (; value != NULL && *value != NULL; value++) {
    offer_value(before, typed, *value, choices);
  }
  offer_more(found, before, typed, choices);
}
