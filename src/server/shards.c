/* SPDX-License-Identifier: MIT */
/* Work for every shard of a server: the lock over what they share, and letters
 * from one shard's thread to another's.
 *
 * A shard on the list has a loop that takes posts. A letter is counted and
 * posted under the lock. A shard leaves the list under the lock, on its loop's
 * thread, before the loop ends. Letters that are posted by then run at the
 * latest when the loop is freed. */
#include "server/shard.h"

/* --- the lock ----------------------------------------------------------- */

/* Two loops may make their shards at the same time. The first to publish its
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

/* A thread that waits sleeps. The lock is held at most for the change of a
 * registry. Only changes, and the first request after each change on every
 * loop, take it. */
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
  mcpi_shard *shard; /* the shard that counts it */
  mcpi_shard_run run;
  size_t len; /* the length of the bytes, which follow */
} letter;

static void letter_free(letter *mail) {
  mcpi_shard *shard = mail->shard;
  mcpi_free(&shard->server->allocator, mail, sizeof(*mail) + mail->len);
  atomic_fetch_sub(&shard->letters, 1);
}

static void on_letter(void *argument) {
  letter *mail = argument;
  mcpi_shard *shard = mail->shard;
  mcpi_shard_enter(shard);
  int rc = mail->run(shard, mcpi_str_n((const char *)(mail + 1), mail->len));
  if (rc != 0) { /* the sender has gone on */
    mcpi_shard_report(shard, rc, "clients on one loop are not notified: %s",
                      mcp_error_text(rc));
  }
  letter_free(mail);
  mcpi_shard_leave(shard);
}

static int shards_send(mcpi_shard *shard, mcpi_shard_run run, mcpi_str bytes) {
  letter *mail =
      mcpi_alloc(&shard->server->allocator, sizeof(*mail) + bytes.len);
  if (mail == NULL) {
    return MCP_ERR_NOMEM;
  }
  *mail = (letter){shard, run, bytes.len};
  if (bytes.len > 0) {
    memcpy(mail + 1, bytes.ptr, bytes.len);
  }
  atomic_fetch_add(&shard->letters, 1);
  int rc = mcp_loop_post(shard->loop, on_letter, mail);
  if (rc != 0) {
    letter_free(mail);
  }
  return rc;
}

/* Under the lock. */
static int send_all(mcp_server *server, mcpi_shard_run run, mcpi_str bytes) {
  int rc = 0;
  for (mcpi_list *link = server->shards.next; link != &server->shards;
       link = link->next) {
    mcpi_shard *shard = MCPI_CONTAINER(link, mcpi_shard, link);
    if (!mcpi_loop_is_home(shard->loop)) {
      int sent = shards_send(shard, run, bytes);
      rc = rc != 0 ? rc : sent;
    }
  }
  return rc;
}

/* --- all shards ---------------------------------------------------------- */

/* Enters the first shard of this thread from there on. Under the lock. */
static mcpi_shard *enter_next(mcp_server *server, mcpi_list *link) {
  for (; link != &server->shards; link = link->next) {
    mcpi_shard *shard = MCPI_CONTAINER(link, mcpi_shard, link);
    if (mcpi_loop_is_home(shard->loop)) {
      mcpi_shard_enter(shard);
      return shard;
    }
  }
  return NULL;
}

/* A shard that is entered stays at its place in the list. */
static mcpi_shard *step(mcp_server *server, mcpi_shard *shard) {
  const mcpi_lock *lock = mcpi_server_lock(server);
  mcpi_shard *next = enter_next(server, shard->link.next);
  mcpi_server_unlock(lock);
  mcpi_shard_leave(shard);
  return next;
}

int mcpi_shards_run(mcp_server *server, mcpi_shard_run run, mcpi_str bytes) {
  const mcpi_lock *lock = mcpi_server_lock(server);
  if (lock == NULL) {
    return 0;
  }
  mcpi_server_ref(server);
  int rc = send_all(server, run, bytes);
  mcpi_shard *shard = enter_next(server, server->shards.next);
  mcpi_server_unlock(lock);
  while (shard != NULL) {
    int done = run(shard, bytes);
    rc = rc != 0 ? rc : done;
    shard = step(server, shard);
  }
  mcpi_server_unref(server);
  return rc;
}

int mcpi_shards_run_one(mcp_server *server, mcpi_shard_run run,
                        mcpi_str bytes) {
  int rc = 0;
  const mcpi_lock *lock = mcpi_server_lock(server);
  if (lock == NULL) {
    return 0;
  }
  mcpi_server_ref(server);
  mcpi_shard *shard = enter_next(server, server->shards.next);
  if (shard == NULL && server->shards.next != &server->shards) {
    rc = shards_send(MCPI_CONTAINER(server->shards.next, mcpi_shard, link), run,
                     bytes);
  }
  mcpi_server_unlock(lock);
  if (shard != NULL) {
    rc = run(shard, bytes);
    mcpi_shard_leave(shard);
  }
  mcpi_server_unref(server);
  return rc;
}
