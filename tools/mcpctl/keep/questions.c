/* SPDX-License-Identifier: MIT */
#include "keep/questions.h"
#include "common/json.h"
#include "keep/flights.h"

#include <mcp/error.h>
#include <stdlib.h>
#include <string.h>

struct ctl_kept_question {
  ctl_kept_question *next; /* an older one */
  uint64_t client;
  char *id; /* as JSON text; owned */
};

int ctl_questions_add(ctl_questions *questions, uint64_t client,
                      const mcp_json *id) {
  if (questions->count >= CTL_KEEP_MAX_QUESTIONS) {
    return MCP_ERR_LIMIT;
  }
  ctl_kept_question *one = malloc(sizeof(*one));
  char *text = ctl_json_text(id);
  if (one == NULL || text == NULL) {
    free(one);
    free(text);
    return MCP_ERR_NOMEM;
  }
  *one = (ctl_kept_question){questions->newest, client, text};
  questions->newest = one;
  questions->count++;
  return 0;
}

/* Whether it is the question. `client` CTL_KEEP_NOBODY: of any client; `id`
 * NULL: any question. */
static int is_question(const ctl_kept_question *one, uint64_t client,
                       const char *id) {
  return (client == CTL_KEEP_NOBODY || one->client == client) &&
         (id == NULL || strcmp(one->id, id) == 0);
}

/* Takes out the first such question. Owned; NULL: there is none. */
static ctl_kept_question *take(ctl_questions *questions, uint64_t client,
                               const char *id) {
  ctl_kept_question **at = &questions->newest;
  while (*at != NULL && !is_question(*at, client, id)) {
    at = &(*at)->next;
  }
  ctl_kept_question *one = *at;
  if (one != NULL) {
    *at = one->next;
    questions->count--;
  }
  return one;
}

static void question_free(ctl_kept_question *one) {
  if (one != NULL) {
    free(one->id);
    free(one);
  }
}

/* Returns the client; CTL_KEEP_NOBODY: there is no such question. */
static uint64_t take_by_id(ctl_questions *questions, uint64_t client,
                           const mcp_json *id) {
  char *text = id != NULL ? ctl_json_text(id) : NULL;
  ctl_kept_question *one = text != NULL ? take(questions, client, text) : NULL;
  uint64_t found = one != NULL ? one->client : CTL_KEEP_NOBODY;
  question_free(one);
  free(text);
  return found;
}

int ctl_questions_take(ctl_questions *questions, uint64_t client,
                       const mcp_json *id) {
  return take_by_id(questions, client, id) != CTL_KEEP_NOBODY;
}

uint64_t ctl_questions_take_any(ctl_questions *questions, const mcp_json *id) {
  return take_by_id(questions, CTL_KEEP_NOBODY, id);
}

char *ctl_questions_take_of(ctl_questions *questions, uint64_t client) {
  ctl_kept_question *one = take(questions, client, NULL);
  char *id = one != NULL ? one->id : NULL;
  free(one);
  return id;
}

void ctl_questions_deinit(ctl_questions *questions) {
  while (questions->newest != NULL) {
    question_free(take(questions, CTL_KEEP_NOBODY, NULL));
  }
}
