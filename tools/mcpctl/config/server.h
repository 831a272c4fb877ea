/* SPDX-License-Identifier: MIT */
/* A server of a configuration file, as mcpctl connects to it. */
#ifndef CTL_SERVER_H
#define CTL_SERVER_H

#include "config/config.h"

struct ctl_options;

/* What an entry says, with its references replaced. Everything is owned. The
 * lists end with NULL. */
typedef struct ctl_server {
  char *name;
  char *file;     /* the configuration that has it */
  char **command; /* NULL: the server is at a URL */
  char *url;      /* NULL: the server is a command */
  char *cwd;      /* NULL: mcpctl's own */
  char **env;     /* NAME=VALUE */
  char **headers; /* NAME: VALUE */
  char *unpacked; /* a bundle's folder, which is removed; NULL: none */
} ctl_server;

/* The URL of an entry as it is written; NULL: the entry has none. */
const char *ctl_server_url(const ctl_named *named);

/* Makes a server of the configuration the one of the options, which then own it
 * (ctl_options.server). What the user has given with --env and --header for the
 * same names is not read, so its references need no value. Returns 0, or
 * MCP_ERR_* as in err. */
int ctl_server_take(struct ctl_options *options, const ctl_named *named,
                    mcp_error *err);
/* Removes what was unpacked, too. */
void ctl_server_free(ctl_server *server);

/* Makes it the server of the options, which then own it. Returns 0 or
 * MCP_ERR_NOMEM; then it stays the caller's. */
int ctl_server_give(struct ctl_options *options, ctl_server *server);

/* Finds the server of that name in the configuration, or the bundle in a file
 * of that name, and makes it the one of the options. Returns CTL_GO_ON; or an
 * exit code, after a report. Sets *is_known to 0, without a report, if there is
 * no such server. */
int ctl_server_use(struct ctl_options *options, const char *name,
                   int *is_known);

/* Whether the configuration has a server of that name. Reports nothing. */
int ctl_server_is_known(const struct ctl_options *options, const char *name);

/* Reports that the configuration has no server of that name. Returns an exit
 * code. */
int ctl_server_refuse(const struct ctl_options *options, const char *name);

#endif
