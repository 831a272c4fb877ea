/* SPDX-License-Identifier: MIT */
/* What concerns every part of a server: the lock over what they share, and
 * letters from one part's thread to another's.
 *
 * A part that is on the list has a loop that takes posts: a letter is counted
 * and posted under the lock, and a part leaves the list under the lock, and
 * its loop's thread only, before the loop ends. What is posted already is run
 * by then, at the latest as the loop is freed. */
#include "server/part.h"

/* --- the lock ----------------------------------------------------------- */

/* Two loops may make their parts at the same time. The first to publish its
 * lock wins; the other frees its own, which nobody has seen. */
int mcpi_server_make_lock(mcp_server *server, const mcp_platform *platform) {
  if (atomic_load(&server->lock) != NULL) {
    return 0;
  }
  const mcpi_lock *made = mcpi_lock_new(platform);
  const mcpi_lock *none = NULL;
  if (made == NULL) {
    return MCP_ERR_NOMEM;
  }
  if (!atomic_compare_exchange_strong(&server->lock, &none, made)) {
    mcpi_lock_free(made);
  }
  return 0;
}

/* A thread that waits sleeps. The lock is held for the change of a registry at
 * the longest, and only changes, and the first request after each on every
 * loop, take it at all. */
const mcpi_lock *mcpi_server_lock(mcp_server *server) {
  const mcpi_lock *lock = atomic_load(&server->lock);
  if (lock != NULL) {
    mcpi_lock_acquire(lock);
  }
  return lock;
}

void mcpi_server_unlock(const mcpi_lock *lock) {
  if (lock != NULL) {
    mcpi_lock_release(lock);
  }
}

/* --- letters ------------------------------------------------------------ */

typedef struct letter {
  mcpi_part *part; /* which counts it */
  mcpi_part_run run;
  size_t len; /* of the bytes, which follow */
} letter;

static void letter_free(letter *mail) {
  mcpi_part *part = mail->part;
  mcpi_free(&part->server->allocator, mail, sizeof(*mail) + mail->len);
  atomic_fetch_sub(&part->letters, 1);
}

static void on_letter(void *argument) {
  letter *mail = argument;
  mcpi_part *part = mail->part;
  mcpi_part_enter(part);
  mail->run(part, mcpi_str_n((const char *)(mail + 1), mail->len));
  letter_free(mail);
  mcpi_part_leave(part);
}

static int parts_send(mcpi_part *part, mcpi_part_run run, mcpi_str bytes) {
  letter *mail =
      mcpi_alloc(&part->server->allocator, sizeof(*mail) + bytes.len);
  if (mail == NULL) {
    return MCP_ERR_NOMEM;
  }
  *mail = (letter){part, run, bytes.len};
  if (bytes.len > 0) {
    memcpy(mail + 1, bytes.ptr, bytes.len);
  }
  atomic_fetch_add(&part->letters, 1);
  int rc = mcp_loop_post(part->loop, on_letter, mail);
  if (rc != 0) {
    letter_free(mail);
  }
  return rc;
}

/* Under the lock. */
static int send_all(mcp_server *server, mcpi_part_run run, mcpi_str bytes) {
  int rc = 0;
  for (mcpi_list *link = server->parts.next; link != &server->parts;
       link = link->next) {
    mcpi_part *part = MCPI_CONTAINER(link, mcpi_part, link);
    if (!mcpi_loop_is_home(part->loop)) {
      int sent = parts_send(part, run, bytes);
      rc = rc != 0 ? rc : sent;
    }
  }
  return rc;
}

/* --- all parts ---------------------------------------------------------- */

/* Enters the first part from there on whose thread this is. Under the lock. */
static mcpi_part *enter_next(mcp_server *server, mcpi_list *link) {
  for (; link != &server->parts; link = link->next) {
    mcpi_part *part = MCPI_CONTAINER(link, mcpi_part, link);
    if (mcpi_loop_is_home(part->loop)) {
      mcpi_part_enter(part);
      return part;
    }
  }
  return NULL;
}

/* A part that was entered stays where it is on the list. */
static mcpi_part *step(mcp_server *server, mcpi_part *part) {
  const mcpi_lock *lock = mcpi_server_lock(server);
  mcpi_part *next = enter_next(server, part->link.next);
  mcpi_server_unlock(lock);
  mcpi_part_leave(part);
  return next;
}

int mcpi_parts_run(mcp_server *server, mcpi_part_run run, mcpi_str bytes) {
  const mcpi_lock *lock = mcpi_server_lock(server);
  if (lock == NULL) {
    return 0;
  }
  mcpi_server_ref(server);
  int rc = send_all(server, run, bytes);
  mcpi_part *part = enter_next(server, server->parts.next);
  mcpi_server_unlock(lock);
  while (part != NULL) {
    int done = run(part, bytes);
    rc = rc != 0 ? rc : done;
    part = step(server, part);
  }
  mcpi_server_unref(server);
  return rc;
}
