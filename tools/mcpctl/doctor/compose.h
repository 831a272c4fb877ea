/* SPDX-License-Identifier: MIT */
/* The messages that `doctor` sends. All texts are owned; NULL means out of
 * memory. */
#ifndef CTL_DOCTOR_COMPOSE_H
#define CTL_DOCTOR_COMPOSE_H

/* A request, or with the id NULL a notification. `id` is its JSON text, and
 * `params` that of an object; NULL: none. `modern` is the revision that a
 * message of 2026-07-28 names in its params; NULL: it is of an older one. */
char *ctl_doctor_compose(const char *modern, const char *id, const char *method,
                         const char *params);
/* The params of initialize. */
char *ctl_doctor_initialize_params(const char *revision);
/* The params {"name": value} and so on, from a name and a text. */
char *ctl_doctor_params(const char *name, const char *value);

#endif
