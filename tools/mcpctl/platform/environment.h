/* SPDX-License-Identifier: MIT */
/* The variables of the environment, as UTF-8. */
#ifndef CTL_PLATFORM_ENVIRONMENT_H
#define CTL_PLATFORM_ENVIRONMENT_H

/* Borrowed until the variable changes; NULL: it is not set. */
const char *ctl_env(const char *name);

/* Sets a variable, for processes that are started later. */
void ctl_env_set(const char *name, const char *value);

/* The user's folder as the environment names it; borrowed. NULL: it does not.
 */
const char *ctl_env_home(void);

#endif
