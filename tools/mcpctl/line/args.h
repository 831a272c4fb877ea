/* SPDX-License-Identifier: MIT */
/* Arguments of a call, as they are given on the command line. */
#ifndef CTL_ARGS_H
#define CTL_ARGS_H

#include <mcp/json.h>

/* The parts of key=value or key:=JSON. They point into the argument. */
typedef struct ctl_pair {
  const char *key;
  size_t key_len;
  const char *value;
  int is_json;
} ctl_pair;

/* 0, or MCP_ERR_INVALID when there is no key or no equals sign. */
int ctl_pair_split(const char *arg, ctl_pair *pair);

/* Whether a pair has this key. */
int ctl_pair_is(const ctl_pair *pair, const char *key);

/* Makes one JSON object of key=value and key:=JSON pairs, or of a single
 * @FILE, - (standard input) or {...}.
 *
 * @param out owned: end it with free; NULL when there are no arguments
 * @return 0, or MCP_ERR_* with the offending argument named in err */
int ctl_args_json(char *const *args, int count, char **out, mcp_error *err);

#endif
