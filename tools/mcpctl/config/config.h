/* SPDX-License-Identifier: MIT */
/* The servers that configuration files name: those of hosts (hosts.h), and
 * mcpctl's own. */
#ifndef CTL_CONFIG_H
#define CTL_CONFIG_H

#include "config/hosts.h"

#include <mcp/json.h>
#include <stddef.h>

typedef struct ctl_config_file {
  char *path;
  const ctl_host *host; /* NULL: unknown, so the file may be that of any host */
  char *folder;         /* of the project whose file it is; NULL: the user's */
  mcp_doc *doc;         /* NULL: it could not be read */
  char *problem;        /* why; NULL: it was read */
} ctl_config_file;

/* All is borrowed from the configuration. */
typedef struct ctl_named {
  const char *name;
  const mcp_json *entry; /* an object */
  const ctl_config_file *file;
  int is_hidden; /* an earlier file has a server of this name */
} ctl_named;

typedef struct ctl_config {
  ctl_config_file *files;
  size_t file_count;
  ctl_named *servers; /* in the order of the files */
  size_t server_count;
} ctl_config;

/* Reads all files that are there: mcpctl's own, those of the projects that the
 * current folder is in, the nearest first, then those of the user. With `path`
 * it reads only that file. A file that cannot be read has a problem. Returns 0,
 * or an exit code after a report; the caller calls ctl_config_deinit in both
 * cases. */
int ctl_config_read(ctl_config *config, const char *path);
void ctl_config_deinit(ctl_config *config);

/* Reports the files that could not be read. */
void ctl_config_report(const ctl_config *config);

/* The first server of that name; NULL: there is none. */
const ctl_named *ctl_config_find(const ctl_config *config, const char *name);

/* What the host of a file is: for a file of an unknown host, mcpctl. */
const ctl_host *ctl_config_host(const ctl_config_file *file);
/* The references that it may have: CTL_REF_*. */
unsigned ctl_config_references(const ctl_config_file *file);

#endif
