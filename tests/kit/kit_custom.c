/* SPDX-License-Identifier: MIT */
/* A transport that is not part of the library, as a program would bring its
 * own: two queues in memory, which functions posted to the loop empty. */
#include "kit_custom.h"

#include <stdlib.h>
#include <string.h>

/* A message on its way. Its bytes follow. */
typedef struct letter {
  struct letter *next;
  size_t len;
} letter;

typedef struct box {
  mcp_transport base;
  mcp_loop *loop;
  struct box *other; /* NULL: it is freed */
  kit_limits limits;
  letter *first; /* for this end */
  letter **last;
  size_t waiting;  /* bytes */
  int is_open;     /* between start and on_close */
  int is_ending;   /* closes when all messages are delivered */
  int is_released; /* the last turn frees it */
  uint32_t turns;  /* posted and not yet run */
} box;

/* --- turns --------------------------------------------------------------- */

static void free_box(box *self) {
  while (self->first != NULL) {
    letter *next = self->first->next;
    free(self->first);
    self->first = next;
  }
  free(self);
}

/* Calls on_close, the last call into the library, which may free this end. */
static void end(box *self) {
  if (self->is_open) {
    self->is_open = 0;
    self->base.on_close(&self->base, NULL);
  }
}

static void deliver_first(box *self) {
  letter *taken = self->first;
  self->first = taken->next;
  if (self->first == NULL) {
    self->last = &self->first;
  }
  self->waiting -= taken->len;
  self->base.on_message(&self->base, (const char *)(taken + 1), taken->len);
  free(taken);
}

/* self->turns keeps this end alive while the turn runs, whatever a callback
 * does. */
static void run_turn(void *argument) {
  box *self = argument;
  if (self->is_open && self->first != NULL) {
    deliver_first(self);
  }
  if (self->is_ending && (self->first == NULL || !self->is_open)) {
    end(self);
  }
  self->turns--;
  if (self->is_released && self->turns == 0) {
    free_box(self);
  }
}

static int post_turn(box *self) {
  int rc = mcp_loop_post(self->loop, run_turn, self);
  if (rc == 0) {
    self->turns++;
  }
  return rc;
}

/* --- what the sender knows ------------------------------------------------ */

static int is_text(const mcp_json *value, const char *text, size_t len) {
  size_t value_len = 0;
  const char *bytes = mcp_json_string_n(value, &value_len);
  return bytes != NULL && text != NULL && value_len == len &&
         memcmp(bytes, text, len) == 0;
}

static int agrees_with(const mcp_send_info *info, const mcp_json *message) {
  const mcp_json *method = mcp_json_get(message, "method");
  const mcp_json *id = mcp_json_get(message, "id");
  switch (info->kind) {
  case MCP_MESSAGE_REQUEST:
    return id != NULL && info->id != NULL && info->method != NULL &&
           is_text(method, info->method, strlen(info->method));
  case MCP_MESSAGE_NOTIFICATION:
    return id == NULL && info->id == NULL && info->method != NULL &&
           is_text(method, info->method, strlen(info->method));
  case MCP_MESSAGE_RESULT:
    return method == NULL && mcp_json_get(message, "result") != NULL;
  case MCP_MESSAGE_ERROR:
    return method == NULL && mcp_json_get(message, "error") != NULL;
  default:
    return 1;
  }
}

/* A transport need not look at this: here it shows that the sender is right. */
static int is_true(const char *message, size_t len, const mcp_send_info *info) {
  mcp_doc *doc = NULL;
  if (info == NULL || info->kind == MCP_MESSAGE_UNKNOWN ||
      (doc = mcp_doc_parse(message, len, NULL, NULL, NULL)) == NULL) {
    return 1;
  }
  int agrees = agrees_with(info, mcp_doc_root(doc));
  mcp_doc_free(doc);
  return agrees;
}

/* --- the table ----------------------------------------------------------- */

static int start(mcp_transport *base, mcp_error *err) {
  box *self = base->userdata;
  (void)err;
  self->is_open = 1;
  return 0;
}

static int send_letter(mcp_transport *base, const char *message, size_t len,
                       const mcp_send_info *info) {
  box *self = base->userdata;
  box *to = self->other;
  if (!self->is_open || self->is_ending || to == NULL || to->is_ending) {
    return MCP_ERR_CLOSED;
  }
  if (!is_true(message, len, info)) {
    return MCP_ERR_INVALID;
  }
  if (len > self->limits.max_message ||
      len > self->limits.max_queue - to->waiting) {
    return MCP_ERR_LIMIT;
  }
  letter *made = malloc(sizeof(*made) + len);
  if (made == NULL || post_turn(to) != 0) {
    free(made);
    return MCP_ERR_NOMEM;
  }
  *made = (letter){.len = len};
  memcpy(made + 1, message, len);
  *to->last = made;
  to->last = &made->next;
  to->waiting += len;
  return 0;
}

static void drop_letters(box *self) {
  while (self->first != NULL) {
    letter *next = self->first->next;
    free(self->first);
    self->first = next;
  }
  self->last = &self->first;
  self->waiting = 0;
}

/* This end receives nothing after this call; the other end receives the
 * messages that were sent, then the end. */
static void close_box(mcp_transport *base) {
  box *self = base->userdata;
  if (self->is_ending) {
    return;
  }
  self->is_ending = 1;
  drop_letters(self);
  post_turn(self);
  if (self->other != NULL && !self->other->is_ending) {
    self->other->is_ending = 1;
    post_turn(self->other);
  }
}

static void release(mcp_transport *base) {
  box *self = base->userdata;
  if (self->other != NULL) {
    self->other->other = NULL;
  }
  self->is_released = 1;
  if (self->turns == 0) {
    free_box(self);
  }
}

static size_t queued(mcp_transport *base) {
  box *self = base->userdata;
  return self->other != NULL ? self->other->waiting : 0;
}

/* --- a pair -------------------------------------------------------------- */

static box *make_box(mcp_loop *loop, const kit_limits *limits) {
  box *self = calloc(1, sizeof(*self));
  if (self == NULL) {
    return NULL;
  }
  self->loop = loop;
  self->last = &self->first;
  self->limits = *limits;
  if (self->limits.max_message == 0) {
    self->limits.max_message = 10 * 1024 * 1024;
  }
  if (self->limits.max_queue == 0) {
    self->limits.max_queue = 64 * 1024 * 1024;
  }
  self->base = (mcp_transport){.size = sizeof(mcp_transport),
                               .userdata = self,
                               .start = start,
                               .send = send_letter,
                               .close = close_box,
                               .release = release,
                               .queued = queued};
  return self;
}

static int make_pair(mcp_loop *loop, const kit_limits *limits,
                     mcp_transport **a, mcp_transport **b) {
  box *one = make_box(loop, limits);
  box *other = make_box(loop, limits);
  if (one == NULL || other == NULL) {
    free(one);
    free(other);
    return MCP_ERR_NOMEM;
  }
  one->other = other;
  other->other = one;
  *a = &one->base;
  *b = &other->base;
  return 0;
}

const kit_transport kit_custom = {.name = "custom", .make_pair = make_pair};
