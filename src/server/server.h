/* SPDX-License-Identifier: MIT */
/* What the program configured: one server, on however many loops.
 *
 * The way of a message through it:
 *
 *   transport -> link -> peer
 *             -> caller.c              (whose message it is)
 *             -> dispatch.c            (era, method, revision, capability,
 *                                       parameters; the middleware hook)
 *             -> tools.c, prompts.c, ...  (the protocol's own methods)
 *             -> the program's handler (call_run.c runs it; it calls
 *                                       call_accessors.c, reply_*.c, ask*.c and
 *                                       call_notify.c)
 *             -> reply.c               (one buffer in the revision's shape)
 *             -> call.c -> sink -> peer -> transport
 *
 * The eras differ in a call's context, and in that only legacy calls have a
 * session. */
#ifndef MCPI_SERVER_SERVER_H
#define MCPI_SERVER_SERVER_H

#include "base/list.h"
#include "core/lock.h"
#include "core/method.h"
#include "schema/elicit.h"
#include "server/registry.h"
#include "server/task.h"
#include <mcp/server.h>
#include <stdatomic.h>

/* Reports that are held for mcp_main. */
enum { MCPI_MAX_HELD = 16 };

typedef struct mcpi_listen_filter mcpi_listen_filter; /* listen_filters.h */

/* The first failure, and what mcp_server_error says of all. */
typedef struct mcpi_failures {
  mcp_error first;
  mcp_error told;
} mcpi_failures;

/* A server is held by the program until mcp_server_free, by each of its shards,
 * by each endpoint, listener and branch that serves it, and by frames that use
 * it. The last of them frees it, on whichever thread that is.
 *
 * The program may call mcp_server_free in every callback. It drains, which runs
 * callbacks of other connections; in those a second mcp_server_free does
 * nothing. As long as a callback of the server's can come there is a shard, so
 * a pointer that the library hands to a callback is valid in it. */
struct mcp_server {
  mcp_allocator allocator;
  mcp_server_options options; /* strings copied, defaults filled in */
  mcp_limits limits;          /* defaults filled in */
  char *name;
  char *version;
  /* The JSON object for each revision, made once; in `implementations`. */
  mcpi_str implementation[MCPI_REVISION_COUNT];
  mcpi_buf implementations;
  mcpi_registry *registries[MCPI_KIND_COUNT];
  uint64_t next_seq;
  uint64_t hash_seed[2];
  /* Of configuring and registering; NULL: none, or no memory for it. */
  mcpi_failures *failures;
  size_t failure_count;
  /* Reports of the time before the first shard, if there is no on_report yet;
   * room for MCPI_MAX_HELD of them, or NULL. The count goes on beyond it. */
  mcp_error *held_reports;
  size_t held_count;
  mcpi_map own_methods; /* name -> mcpi_own_method */
  mcpi_buf extensions;  /* "id":{settings},... */
  mcpi_buf experimental;
  mcpi_task_maker *tasks;             /* owned; NULL: the server makes none */
  mcpi_listen_filter *listen_filters; /* that the program added */
  size_t listen_filter_count;
  int has_logging;
  atomic_int has_completion; /* some prompt or template completes */
  void (*on_roots)(mcp_session *session, const mcp_json *roots, void *userdata);
  void *on_roots_userdata;
  uint8_t (*keys)[MCP_SEAL_KEY_SIZE]; /* the first seals */
  atomic_size_t key_count;            /* 0: none made yet */
  atomic_uint elicitation_count;      /* made ids end with it */
  mcpi_form_rules form_rules;         /* of what calls ask with */
  atomic_uint declared; /* bits by kind: it has or had entries, and so its
                           capability */
  /* Over what the loops share and change: the registries, next_seq, the errors,
   * the making of a key, and the list of shards. Held for moments (shards.c).
   * NULL until the first shard is made, and so as long as one thread uses the
   * server; then it stays. */
  _Atomic(const mcpi_lock *) lock;
  mcpi_list shards;
  atomic_int is_draining;
  atomic_int is_ending; /* after mcp_server_free: another call does nothing */
  atomic_int is_freed;  /* it has closed the connections: the program is called
                           with this server no longer */
  atomic_size_t refs;
};

/* Returns the server for a callback of the program: NULL when the program has
 * freed it. The caller holds a reference, so the pointer is valid until the
 * callback returns. */
static inline mcp_server *mcpi_server_handle(mcp_server *server) {
  return atomic_load(&server->is_freed) ? NULL : server;
}

/* Makes the lock, of the platform of the loop that gets a shard; does nothing
 * when there is one. 0 or MCP_ERR_NOMEM. */
int mcpi_server_make_lock(mcp_server *server, const mcp_platform *platform);
/* Returns what it has taken, for mcpi_server_unlock; NULL: no shard was made
 * yet, and the list of shards must not be read. Not to be held while a callback
 * of the program's runs, other than those of the allocator and the platform. */
const mcpi_lock *mcpi_server_lock(mcp_server *server);
void mcpi_server_unlock(const mcpi_lock *lock);
/* What mcp_main's command line says of mcp_server_options.eras. */
MCP_API void mcpi_server_set_eras(mcp_server *server, uint32_t eras);
MCP_API void mcpi_server_ref(mcp_server *server);
MCP_API void mcpi_server_unref(mcp_server *server);
/* A registration failed: counts it, keeps the first for mcp_server_error, and
 * copies `why` to err, which may be NULL. Returns the error's code. */
MCP_API int mcpi_server_remember(mcp_server *server, const mcp_error *why,
                                 mcp_error *err);
/* Tells the program of something that belongs to no reply. */
MCP_API void mcpi_server_report(mcp_server *server, int code,
                                const char *format, ...) MCP_PRINTF(3, 4);
/* mcp_main has set on_report: reports what was held for it. */
MCP_API void mcpi_server_tell_held(mcp_server *server);
/* Appends the capabilities object for a revision's client (MCP 2025-11-25,
 * Lifecycle: Capability Negotiation). kinds: bits of mcp_server.declared, which
 * the caller reads once, because another loop's thread may add to them.
 * has_session: the object also declares what lasts beyond one answer. */
void mcpi_put_capabilities(const mcp_server *server, uint32_t kinds,
                           const mcpi_revision *revision, int has_session,
                           const char *principal, mcpi_buf *out);

/* 1 when the server declares it; `capability` is as in the method table. */
int mcpi_server_offers(const mcp_server *server, const char *capability);

/* Declares an extension without settings, unless it is declared already. 0 or
 * MCP_ERR_NOMEM. */
int mcpi_server_declare_extension(mcp_server *server, const char *id,
                                  mcp_error *err);
/* Whether a resource with this URI and MIME type is registered. A template does
 * not count. */
int mcpi_server_has_resource(mcp_server *server, const char *uri,
                             const char *mime_type);

/* What own_methods.c keeps in a server that goes. */
void mcpi_server_deinit_extensions(mcp_server *server);
/* The same for listen_filters.c. */
void mcpi_server_deinit_filters(mcp_server *server);

#endif
