/* SPDX-License-Identifier: MIT */
/* A loop's inbox for letters in the sender's memory. Unlike a post (posts.h), a
 * letter always arrives, and no lock is taken. */
#ifndef MCPI_PLATFORM_INBOX_H
#define MCPI_PLATFORM_INBOX_H

#include "platform/uv_loop.h"

typedef struct mcpi_letter {
  struct mcpi_letter *next;
  /* Called once, on the loop's thread, in the order in which a thread has put
   * its letters. The letter may be freed or put again from here on. */
  void (*on_open)(struct mcpi_letter *letter);
} mcpi_letter;

/* An open inbox keeps its loop running. */
typedef struct mcpi_inbox {
  mcpi_uv *uv;
  uv_async_t wake;
  _Atomic(mcpi_letter *) last; /* each letter points to the one before it */
  void (*on_closed)(struct mcpi_inbox *inbox);
} mcpi_inbox;

/* Returns 0 or MCP_ERR_IO. */
int mcpi_inbox_open(mcpi_inbox *inbox, mcpi_uv *uv);
/* On any thread. */
void mcpi_inbox_put(mcpi_inbox *inbox, mcpi_letter *letter);
/* Opens the letters that have come. Returns whether there were any. The loop
 * does this itself; if no thread runs the loop any longer, another thread
 * may. */
int mcpi_inbox_read(mcpi_inbox *inbox);
/* No letters may be put any more, and the inbox must be empty. on_closed may
 * free it; it comes when the loop runs next, or is freed. */
void mcpi_inbox_close(mcpi_inbox *inbox, void (*on_closed)(mcpi_inbox *inbox));

#endif
