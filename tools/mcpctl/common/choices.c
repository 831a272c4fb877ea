/* SPDX-License-Identifier: MIT */
#include "common/choices.h"

#include <stdlib.h>
#include <string.h>

void ctl_choices_add(ctl_choices *choices, const char *word) {
  size_t size = (choices->count + 1) * sizeof(*choices->list);
  char **list = realloc(choices->list, size);
  if (list == NULL) {
    return;
  }
  choices->list = list;
  list[choices->count] = strdup(word);
  choices->count += list[choices->count] != NULL;
}

void ctl_choices_deinit(ctl_choices *choices) {
  for (size_t i = 0; i < choices->count; i++) {
    free(choices->list[i]);
  }
  free(choices->list);
}
