/* SPDX-License-Identifier: MIT */
/* The table of options: how each is written, and what it sets. */
#ifndef CTL_OPTION_H
#define CTL_OPTION_H

#include "line/options.h"

#include <stddef.h>

/* When an option has its effect. */
typedef enum ctl_option_when {
  CTL_WHEN_RUN,     /* when a verb runs: a line of a shell may have it */
  CTL_WHEN_BEGUN,   /* when mcpctl begins to connect, but it changes nothing of
                     * the connection */
  CTL_WHEN_CONNECTS /* when mcpctl connects */
} ctl_option_when;

typedef struct ctl_option ctl_option;

struct ctl_option {
  const char *name; /* without "--"; NULL: it has only a letter */
  /* Sets the member, and reports a wrong value. `value` is borrowed until the
   * options end; NULL for an option that takes none. Returns CTL_GO_ON, or the
   * exit code to end with. */
  int (*set)(const ctl_option *option, ctl_options *options, const char *value);
  size_t member; /* its offset in ctl_options */
  char letter;   /* of "-v"; 0: it has none */
  int has_value;
  ctl_option_when when;
  double max;                /* of a number */
  const char *form;          /* of a value such as "NAME=VALUE" */
  const char *const *values; /* for completion, NULL at the end; NULL: any */
};

extern const ctl_option ctl_option_table[]; /* the last row is all 0 */

/* The option of a word such as "--era" or "--era=legacy". NULL: the word names
 * none. */
const ctl_option *ctl_option_find(const char *word);

#endif
