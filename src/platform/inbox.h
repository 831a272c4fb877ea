/* SPDX-License-Identifier: MIT */
/* A loop's inbox for letters that lie in the sender's memory. Unlike a post
 * (posts.h) one cannot fail to arrive, and no lock is taken. */
#ifndef MCPI_PLATFORM_INBOX_H
#define MCPI_PLATFORM_INBOX_H

#include "platform/uv_loop.h"

typedef struct mcpi_letter {
  struct mcpi_letter *next;
  /* Called once, on the loop's thread, in the order in which a thread has put
   * its letters. From here on the letter may be freed or put again. */
  void (*on_open)(struct mcpi_letter *letter);
} mcpi_letter;

/* While it is open its loop has something to wait for. */
typedef struct mcpi_inbox {
  mcpi_uv *uv;
  uv_async_t wake;
  _Atomic(mcpi_letter *) last; /* each knows the one before it */
  void (*on_closed)(struct mcpi_inbox *inbox);
} mcpi_inbox;

/* 0 or MCP_ERR_IO. */
int mcpi_inbox_open(mcpi_inbox *inbox, mcpi_uv *uv);
/* From any thread. */
void mcpi_inbox_put(mcpi_inbox *inbox, mcpi_letter *letter);
/* Opens what has come by now; whether anything had. The loop does so by itself;
 * where no thread runs it any more, another may. */
int mcpi_inbox_read(mcpi_inbox *inbox);
/* Nothing is put any more, and nothing is in it. on_closed may free it; it
 * comes when the loop runs next, or is freed. */
void mcpi_inbox_close(mcpi_inbox *inbox, void (*on_closed)(mcpi_inbox *inbox));

#endif
