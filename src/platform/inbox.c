/* SPDX-License-Identifier: MIT */
/* Letters are pushed on a stack that many threads share. One thread takes all
 * of them at once. No thread ever takes a single letter, which would be the
 * hard case. */
#include "platform/inbox.h"

#include <mcp/error.h>

/* Returns the letter that was put first, or NULL. */
static mcpi_letter *take_all(mcpi_inbox *inbox) {
  mcpi_letter *first = NULL;
  mcpi_letter *letter =
      atomic_exchange_explicit(&inbox->last, NULL, memory_order_acquire);
  while (letter != NULL) {
    mcpi_letter *before = letter->next;
    letter->next = first;
    first = letter;
    letter = before;
  }
  return first;
}

int mcpi_inbox_read(mcpi_inbox *inbox) {
  mcpi_letter *letter = take_all(inbox);
  int has_any = letter != NULL;
  while (letter != NULL) {
    mcpi_letter *next = letter->next;
    letter->on_open(letter);
    letter = next;
  }
  return has_any;
}

static void inbox_on_wake(uv_async_t *wake) {
  mcpi_inbox *inbox = wake->data;
  mcpi_uv *uv = inbox->uv;
  mcpi_uv_enter(uv);
  mcpi_inbox_read(inbox);
  mcpi_uv_leave(uv);
}

int mcpi_inbox_open(mcpi_inbox *inbox, mcpi_uv *uv) {
  inbox->uv = uv;
  atomic_init(&inbox->last, NULL);
  if (uv_async_init(uv->uv, &inbox->wake, inbox_on_wake) != 0) {
    return MCP_ERR_IO;
  }
  inbox->wake.data = inbox;
  mcpi_uv_hold(uv);
  return 0;
}

/* If there are letters already, the loop has been woken for them, or is about
 * to be. */
void mcpi_inbox_put(mcpi_inbox *inbox, mcpi_letter *letter) {
  mcpi_letter *last = atomic_load_explicit(&inbox->last, memory_order_relaxed);
  do {
    letter->next = last;
  } while (!atomic_compare_exchange_weak_explicit(
      &inbox->last, &last, letter, memory_order_release, memory_order_relaxed));
  if (last == NULL) {
    uv_async_send(&inbox->wake);
  }
}

static void on_wake_closed(uv_handle_t *handle) {
  mcpi_inbox *inbox = handle->data;
  mcpi_uv *uv = inbox->uv;
  inbox->on_closed(inbox);
  mcpi_uv_drop(uv);
}

void mcpi_inbox_close(mcpi_inbox *inbox, void (*on_closed)(mcpi_inbox *inbox)) {
  inbox->on_closed = on_closed;
  uv_close((uv_handle_t *)&inbox->wake, on_wake_closed);
}
