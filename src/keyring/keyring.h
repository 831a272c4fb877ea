/* SPDX-License-Identifier: MIT */
/* The user's keyring: the Secret Service of the desktop (GNOME Keyring,
 * KWallet, KeePassXC), to which libsecret speaks over D-Bus. It is behind a
 * table of functions, because few programs ask for it, and fewer systems have
 * libsecret. libsecret/ fills the table. The build chooses which file of this
 * folder finds it:
 *
 *   module.c  libsecret/ is a library of its own, opened when first needed
 *   none.c    there is no libsecret/ (MCP_KEYRING=OFF)
 *
 * (https://specifications.freedesktop.org/secret-service) */
#ifndef MCPI_KEYRING_KEYRING_H
#define MCPI_KEYRING_KEYRING_H

#include "module/module.h"

typedef enum mcpi_keyring_verb {
  MCPI_KEYRING_READ,   /* the record of a server; on_text gets it */
  MCPI_KEYRING_WRITE,  /* replaces it with `text` */
  MCPI_KEYRING_REMOVE, /* removes it, if there is one */
  MCPI_KEYRING_LIST    /* the servers that have a record; on_key gets each */
} mcpi_keyring_verb;

/* One thing to do in the default keyring. The functions are called on the
 * thread that runs the job, inside `run`. */
typedef struct mcpi_keyring_job {
  mcpi_keyring_verb verb;
  const char *key; /* the server's URL; LIST: NULL */
  const char *text;
  size_t len;
  /* Limits the keyring's own work, in milliseconds. */
  uint32_t limit_ms;
  /* How long the user may take to unlock the keyring; 0: a locked keyring is an
   * error, and the user is not asked. */
  uint32_t unlock_ms;
  void *owner;
  /* Whether to end now. It is asked several times a second; may be NULL. */
  int (*is_stopped)(void *owner);
  /* Each returns 0, or an MCP_ERR_* that ends the job. The arguments are
   * borrowed until the function returns. */
  int (*on_text)(void *owner, const char *text, size_t len);
  int (*on_key)(void *owner, const char *key);
} mcpi_keyring_job;

enum { MCPI_KEYRING_WHY_SIZE = 240 };

typedef struct mcpi_keyring_outcome {
  /* 0; MCP_ERR_NOT_FOUND (READ: there is no record); MCP_ERR_IO (there is no
   * keyring, or it is locked); MCP_ERR_TIMEOUT; MCP_ERR_CANCELLED (is_stopped);
   * or what on_text or on_key returned. */
  int error;
  char why[MCPI_KEYRING_WHY_SIZE]; /* and what to do; "" without an error */
} mcpi_keyring_outcome;

typedef struct mcpi_keyring_engine {
  mcpi_module_head head;
  /* Does the job and waits for its end. On any thread. */
  void (*run)(const mcpi_keyring_job *job, mcpi_keyring_outcome *out);
} mcpi_keyring_engine;

/* Returns the table, or NULL with err: MCP_ERR_UNSUPPORTED, and what to install
 * or to build. On any thread. */
const mcpi_keyring_engine *mcpi_keyring_engine_get(mcp_error *err);

/* libsecret/libsecret.c */
MCP_API const mcpi_keyring_engine *mcpi_keyring_libsecret(void);

#endif
