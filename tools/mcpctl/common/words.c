/* SPDX-License-Identifier: MIT */
#include "common/words.h"
#include "common/copy.h"

#include <stdlib.h>
#include <string.h>

/* A line that is being split. */
typedef struct splitting {
  ctl_words *words;
  char *word; /* of the word: room for the whole line */
  size_t len;
  int is_in_word; /* a word may be empty: '' */
} splitting;

/* Ends the word. */
static int end_word(splitting *s) {
  ctl_words *words = s->words;
  size_t size = (words->count + 2) * sizeof(*words->list);
  char **list = realloc(words->list, size);
  if (list == NULL) {
    return -1;
  }
  words->list = list;
  list[words->count] = ctl_copy(s->word, s->len);
  list[words->count + 1] = NULL;
  if (list[words->count] == NULL) {
    return -1;
  }
  words->count++;
  s->len = 0;
  s->is_in_word = 0;
  return 0;
}

static void put_byte(splitting *s, char byte) {
  s->word[s->len++] = byte;
}

/* Within "..." a backslash keeps its meaning only before these. */
static int is_escaped(char quote, char next) {
  return quote == '\0' || (quote == '"' && (next == '"' || next == '\\'));
}

static int split(splitting *s, const char *line, size_t len) {
  ctl_words *words = s->words;
  for (size_t i = 0; i < len; i++) {
    char byte = line[i];
    int is_blank = byte == ' ' || byte == '\t';
    if (is_blank && words->quote == '\0') {
      if (s->is_in_word && end_word(s) != 0) {
        return -1;
      }
      words->last_at = i + 1;
      continue;
    }
    s->is_in_word = 1;
    if (byte == '\\' && i + 1 < len && is_escaped(words->quote, line[i + 1])) {
      put_byte(s, line[++i]);
    } else if (byte == words->quote) {
      words->quote = '\0';
    } else if (words->quote == '\0' && (byte == '\'' || byte == '"')) {
      words->quote = byte;
    } else {
      put_byte(s, byte);
    }
  }
  return s->is_in_word ? end_word(s) : 0;
}

int ctl_words_split(ctl_words *words, const char *line, size_t len) {
  *words = (ctl_words){0};
  splitting s = {.words = words, .word = malloc(len + 1)};
  words->list = calloc(1, sizeof(*words->list));
  int rc = s.word != NULL && words->list != NULL ? split(&s, line, len) : -1;
  free(s.word);
  return rc;
}

void ctl_words_deinit(ctl_words *words) {
  for (size_t i = 0; i < words->count; i++) {
    free(words->list[i]);
  }
  free(words->list);
}
