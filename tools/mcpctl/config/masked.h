/* SPDX-License-Identifier: MIT */
/* What a configuration file says of a server, without what may be secret. */
#ifndef CTL_MASKED_H
#define CTL_MASKED_H

#include "config/config.h"

/* The command with its arguments, or the URL, as the file has it: references
 * are not replaced. An argument after a name such as --api-key, and the user
 * and the query of a URL, are shown as "***" or left out. Owned: end it with
 * free. NULL: out of memory. */
char *ctl_masked_target(const ctl_named *named);

/* One argument of a command, in the same way. `is_after_name`: the word before
 * it announced a secret. Owned; NULL: out of memory. */
char *ctl_masked_arg(const char *arg, int is_after_name);
/* Whether the argument is an option whose value, the next one, is secret. */
int ctl_masked_announces(const char *arg);
/* Whether the name, of `len` bytes, is one of a secret, such as API_KEY. */
int ctl_masked_is_secret(const char *name, size_t len);

#endif
