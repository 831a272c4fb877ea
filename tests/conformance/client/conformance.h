/* SPDX-License-Identifier: MIT */
/* What the parts of the conformance client share. */
#ifndef CONFORMANCE_H
#define CONFORMANCE_H

#include <mcp/auth.h>
#include <mcp/mcp.h>

/* One scenario while it runs. */
typedef struct run {
  mcp_client *client;
  const mcp_json *context; /* what the suite says of it; may be NULL */
  mcp_error err;
} run;

typedef struct scenario {
  const char *name; /* one that ends in / stands for all that begin so */
  /* What to do once connected: 0, or a code with err filled in. */
  int (*steps)(run *self);
  /* What the user answers, as JSON. */
  const char *answer;
} scenario;

/* NULL: there is no such scenario. */
const scenario *find_scenario(const char *name);

/* Connects to a server by its URL. `auth` may be NULL. 0, or a code with err
 * filled in. */
int connect_url(mcp_client *client, const char *url, mcp_auth *auth,
                mcp_error *err);

/* Makes what logs the client in, as a scenario of authorization needs it.
 * Owned; NULL: it could not be made. */
mcp_auth *make_auth(mcp_loop *loop, const char *name, const mcp_json *context);

#endif
