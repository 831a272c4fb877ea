/* SPDX-License-Identifier: MIT */
/* HTTP requests of OAuth. libcurl sends them. It is behind a table of
 * functions, because it brings 34 libraries and 4 MB, and most processes never
 * need it. curl/ fills the table. The build chooses which file of this folder
 * finds it:
 *
 *   module.c  curl/ is a library of its own, opened when it is first needed
 *   linked.c  curl/ is in the same library
 *   none.c    there is no curl/ (MCP_HTTP_CLIENT=OFF) */
#ifndef MCPI_FETCH_FETCH_H
#define MCPI_FETCH_FETCH_H

#include "module/module.h"
#include <mcp/sys/fetch.h>

/* A request, and what takes its answer. The functions are called on the thread
 * that sends the request, inside `perform`. */
typedef struct mcpi_fetch_job {
  const mcp_fetch_request *request;
  const char *const *header_lines; /* the request's headers, "Name: value"; NULL
                                      at the end */
  void *owner;
  /* Whether to end now. It is asked several times a second. */
  int (*is_stopped)(void *owner);
  /* Whether a connection to this address may be made; an IPv4 address is
   * mapped. Asked only if the request is_public_only. */
  int (*admits)(void *owner, const uint8_t address[16]);
  /* An answer begins: what came before was that of a redirect. */
  void (*on_begin)(void *owner);
  /* A header line without its end. Returns 0, or an MCP_ERR_* to stop. */
  int (*on_header)(void *owner, const char *line, size_t len);
  int (*on_body)(void *owner, const char *bytes, size_t len);
} mcpi_fetch_job;

enum { MCPI_FETCH_WHY_SIZE = 300 };

typedef struct mcpi_fetch_outcome {
  int error;  /* as mcp_fetch_answer.error */
  int status; /* 0 if there is an error */
  char why[MCPI_FETCH_WHY_SIZE];
} mcpi_fetch_outcome;

typedef struct mcpi_fetch_engine {
  mcpi_module_head head;
  /* Whether it is a URL, http:// or https://, without user and fragment. */
  int (*is_url)(const char *url);
  /* Sends the request and waits for its end. On any thread. */
  void (*perform)(const mcpi_fetch_job *job, mcpi_fetch_outcome *out);
} mcpi_fetch_engine;

/* Returns the table, or NULL with err: MCP_ERR_PLATFORM, and the reason.
 * On any thread. */
const mcpi_fetch_engine *mcpi_fetch_engine_get(mcp_error *err);
/* Whether this libmcp was built with it. Loads nothing. */
int mcpi_fetch_is_built(void);

/* curl/curl.c */
MCP_API const mcpi_fetch_engine *mcpi_fetch_curl(void);

#endif
