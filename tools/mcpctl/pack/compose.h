/* SPDX-License-Identifier: MIT */
/* Writes manifest.json from what a server says of itself. */
#ifndef CTL_COMPOSE_H
#define CTL_COMPOSE_H

#include <mcp/json.h>
#include <stddef.h>

enum { CTL_PLATFORMS = 3 }; /* darwin, linux, win32 */

/* How the server is started. */
typedef struct ctl_draft {
  const char *type;        /* "binary", "node" or "python" */
  const char *entry_point; /* a file in the bundle */
  const char *command;
  const char *const *args; /* NULL at the end */
  const char *const *env;  /* NAME=VALUE, NULL at the end */
  /* The command on a platform, by the order of ctl_manifest_platforms; NULL:
   * the same as elsewhere. */
  const char *commands[CTL_PLATFORMS];
  int platforms[CTL_PLATFORMS]; /* whether it runs there */
  const char *icon;             /* a file in the bundle or a URL; NULL: none */
} ctl_draft;

/* Makes the text of the manifest.
 *
 * @param listing of the server (diff/listing.h); NULL: it has not been asked,
 *                and the manifest serves only to start it
 * @param texts   of its prompts (ask.h); NULL: none
 * @param more    members that the user gives, which go before all others; NULL:
 *                none
 * @param author  NULL: `more` has it
 * @return owned: end it with free; NULL: err says why */
char *ctl_compose(const ctl_draft *draft, const mcp_json *listing,
                  const mcp_json *texts, const mcp_json *more,
                  const char *author, mcp_error *err);

#endif
