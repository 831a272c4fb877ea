/* SPDX-License-Identifier: MIT */
/* What `doctor` has found, and how it prints that. */
#ifndef CTL_DOCTOR_REPORT_H
#define CTL_DOCTOR_REPORT_H

#include "doctor/rules.h"

#include <mcp/json.h>
#include <stdint.h>

enum { CTL_DOCTOR_CONNECTIONS = 16 };

/* How a connection went. */
enum {
  CTL_DOCTOR_WORKS,
  CTL_DOCTOR_DECLINED, /* the server speaks another revision, and says so */
  CTL_DOCTOR_FAILED
};

typedef struct ctl_doctor_connection {
  const char *wire;     /* "stdio" */
  const char *revision; /* as asked for */
  int state;            /* CTL_DOCTOR_* */
  char *detail;         /* owned; NULL: there is nothing to say */
} ctl_doctor_connection;

typedef struct ctl_doctor_finding {
  int rule;
  char *seen;       /* owned */
  uint32_t seen_in; /* connections, a bit for each */
} ctl_doctor_finding;

typedef struct ctl_doctor_report {
  char *name;    /* of the server, owned; NULL: not known */
  char *version; /* owned; NULL: not known */
  ctl_doctor_connection connections[CTL_DOCTOR_CONNECTIONS];
  int connection_count;
  ctl_doctor_finding *findings; /* owned */
  size_t finding_count;
  size_t more[CTL_RULES];           /* findings that are only counted: the
                                     * most that one connection had */
  size_t more_here[CTL_RULES];      /* those of the last connection */
  size_t checks[CTL_DOCTOR_GROUPS]; /* how often a rule was looked at */
  int is_broken;                    /* out of memory: findings are lost */
} ctl_doctor_report;

/* Adds a finding, of the last connection. The same one in another connection is
 * added once. If there are `max` of the rule already, it is only counted.
 * `seen` is what the server did, in words. */
void ctl_doctor_add(ctl_doctor_report *report, int rule, const char *seen,
                    size_t max);

/* Adds a connection. Later findings belong to it. */
void ctl_doctor_begin(ctl_doctor_report *report, const char *wire,
                      const char *revision);
/* Sets how the last connection went. `detail` is copied; NULL: nothing. */
void ctl_doctor_set_state(ctl_doctor_report *report, int state,
                          const char *detail);

/* How many findings have that level. */
size_t ctl_doctor_count(const ctl_doctor_report *report, int level);
/* Whether a connection works. */
int ctl_doctor_has_worked(const ctl_doctor_report *report);

/* Print the report on standard output. Return an exit code. */
int ctl_doctor_print_text(const ctl_doctor_report *report, const char *target);
int ctl_doctor_print_json(const ctl_doctor_report *report, const char *target);

void ctl_doctor_report_deinit(ctl_doctor_report *report);

#endif
