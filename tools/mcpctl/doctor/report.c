/* SPDX-License-Identifier: MIT */
#include "doctor/report.h"
#include "common/exit.h"
#include "common/json.h"
#include "common/report.h"
#include "common/term.h"
#include "common/text.h"

#include <mcp/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- findings ---------------------------------------------------------- */

static uint32_t last_bit(const ctl_doctor_report *report) {
  return report->connection_count > 0 ? 1u << (report->connection_count - 1)
                                      : 0;
}

static ctl_doctor_finding *find_same(const ctl_doctor_report *report, int rule,
                                     const char *seen) {
  for (size_t i = 0; i < report->finding_count; i++) {
    ctl_doctor_finding *one = &report->findings[i];
    if (one->rule == rule && strcmp(one->seen, seen) == 0) {
      return one;
    }
  }
  return NULL;
}

static size_t count_of(const ctl_doctor_report *report, int rule) {
  size_t count = 0;
  for (size_t i = 0; i < report->finding_count; i++) {
    count += report->findings[i].rule == rule;
  }
  return count;
}

void ctl_doctor_add(ctl_doctor_report *report, int rule, const char *seen,
                    size_t max) {
  ctl_doctor_finding *same = find_same(report, rule, seen);
  if (same != NULL) {
    same->seen_in |= last_bit(report);
    return;
  }
  if (count_of(report, rule) >= max) {
    /* Their texts are not kept, so they cannot be compared with those of an
     * earlier connection. */
    size_t here = ++report->more_here[rule];
    report->more[rule] = here > report->more[rule] ? here : report->more[rule];
    return;
  }
  size_t size = (report->finding_count + 1) * sizeof(*report->findings);
  ctl_doctor_finding *grown = realloc(report->findings, size);
  if (grown == NULL) {
    report->is_broken = 1;
    return;
  }
  report->findings = grown;
  char *copy = strdup(seen);
  if (copy == NULL) {
    report->is_broken = 1;
    return;
  }
  /* They are kept in the order of the rules. */
  size_t at = report->finding_count++;
  while (at > 0 && grown[at - 1].rule > rule) {
    grown[at] = grown[at - 1];
    at--;
  }
  grown[at] = (ctl_doctor_finding){rule, copy, last_bit(report)};
}

size_t ctl_doctor_count(const ctl_doctor_report *report, int level) {
  size_t count = 0;
  for (size_t i = 0; i < report->finding_count; i++) {
    count += ctl_doctor_rules[report->findings[i].rule].level == level;
  }
  return count;
}

/* ---- connections ------------------------------------------------------- */

void ctl_doctor_begin(ctl_doctor_report *report, const char *wire,
                      const char *revision) {
  if (report->connection_count < CTL_DOCTOR_CONNECTIONS) {
    report->connections[report->connection_count++] =
        (ctl_doctor_connection){wire, revision, CTL_DOCTOR_FAILED, NULL};
  }
  memset(report->more_here, 0, sizeof(report->more_here));
}

void ctl_doctor_set_state(ctl_doctor_report *report, int state,
                          const char *detail) {
  ctl_doctor_connection *last =
      &report->connections[report->connection_count - 1];
  char *copy = detail != NULL ? strdup(detail) : NULL;
  free(last->detail);
  last->state = state;
  last->detail = copy;
}

int ctl_doctor_has_worked(const ctl_doctor_report *report) {
  for (int i = 0; i < report->connection_count; i++) {
    if (report->connections[i].state == CTL_DOCTOR_WORKS) {
      return 1;
    }
  }
  return 0;
}

static const char *state_name(int state) {
  static const char *const names[] = {"works", "declined", "failed"};
  return names[state];
}

/* ---- text -------------------------------------------------------------- */

static void put_connection(const ctl_doctor_connection *one) {
  printf("  %s %s: ", one->wire, one->revision);
  if (one->detail != NULL) {
    ctl_text_put_line(stdout, one->detail, SIZE_MAX);
    putchar('\n');
  } else {
    puts(state_name(one->state));
  }
}

/* Whether all connections that work have the finding. */
static int is_everywhere(const ctl_doctor_report *report, uint32_t seen_in) {
  for (int i = 0; i < report->connection_count; i++) {
    if (report->connections[i].state == CTL_DOCTOR_WORKS &&
        (seen_in & 1u << i) == 0) {
      return 0;
    }
  }
  return 1;
}

static void put_places(const ctl_doctor_report *report, uint32_t seen_in) {
  const char *joint = "    in: ";
  if (seen_in == 0 || is_everywhere(report, seen_in)) {
    return;
  }
  for (int i = 0; i < report->connection_count; i++) {
    if ((seen_in & 1u << i) != 0) {
      printf("%s%s %s", joint, report->connections[i].wire,
             report->connections[i].revision);
      joint = ", ";
    }
  }
  putchar('\n');
}

/* How many findings like this one are not shown. 0: a later one says that. */
static size_t left_out(const ctl_doctor_report *report,
                       const ctl_doctor_finding *finding) {
  const ctl_doctor_finding *end = report->findings + report->finding_count;
  int is_last = finding + 1 == end || finding[1].rule != finding->rule;
  return is_last ? report->more[finding->rule] : 0;
}

static void put_finding(const ctl_doctor_report *report,
                        const ctl_doctor_finding *finding) {
  static const int styles[] = {CTL_RED, CTL_BOLD, CTL_DIM};
  const ctl_doctor_rule *rule = &ctl_doctor_rules[finding->rule];
  printf("  ");
  ctl_term_style(stdout, styles[rule->level]);
  printf("%s %s", ctl_doctor_level_name(rule->level), rule->id);
  ctl_term_style(stdout, CTL_PLAIN);
  printf(": ");
  ctl_text_put_line(stdout, finding->seen, SIZE_MAX);
  printf("\n    rule: %s (%s)\n    remedy: %s\n", rule->text, rule->where,
         rule->remedy);
  put_places(report, finding->seen_in);
  if (left_out(report, finding) > 0) {
    printf("    and %zu more of them\n", left_out(report, finding));
  }
}

static size_t count_in_group(const ctl_doctor_report *report, int group) {
  size_t count = 0;
  for (size_t i = 0; i < report->finding_count; i++) {
    count += ctl_doctor_rules[report->findings[i].rule].group == group;
  }
  return count;
}

static void put_group(const ctl_doctor_report *report, int group) {
  size_t count = count_in_group(report, group);
  if (count == 0 && report->checks[group] == 0) {
    return;
  }
  printf("%s:%s\n", ctl_doctor_group_name(group), count == 0 ? " ok" : "");
  for (size_t i = 0; i < report->finding_count; i++) {
    if (ctl_doctor_rules[report->findings[i].rule].group == group) {
      put_finding(report, &report->findings[i]);
    }
  }
}

static void put_count(size_t count, const char *name, const char *end) {
  printf("%zu %s%s%s", count, name, count == 1 ? "" : "s", end);
}

int ctl_doctor_print_text(const ctl_doctor_report *report, const char *target) {
  const char *name = report->name != NULL ? report->name : target;
  ctl_text_put_line(stdout, name, SIZE_MAX);
  if (report->version != NULL) {
    putchar(' ');
    ctl_text_put_line(stdout, report->version, SIZE_MAX);
  }
  puts("\nconnections:");
  for (int i = 0; i < report->connection_count; i++) {
    put_connection(&report->connections[i]);
  }
  for (int group = 0; group < CTL_DOCTOR_GROUPS; group++) {
    put_group(report, group);
  }
  put_count(ctl_doctor_count(report, CTL_DOCTOR_FAULT), "fault", ", ");
  put_count(ctl_doctor_count(report, CTL_DOCTOR_WARNING), "warning", ", ");
  put_count(ctl_doctor_count(report, CTL_DOCTOR_NOTE), "note", "\n");
  return report->is_broken ? ctl_report(CTL_USAGE, "out of memory") : CTL_OK;
}

/* ---- JSON -------------------------------------------------------------- */

static void json_put_place(mcp_builder *out, const char *name,
                           const ctl_doctor_connection *one) {
  mcp_builder_object(out, name);
  mcp_builder_string(out, "wire", one->wire);
  mcp_builder_string(out, "revision", one->revision);
}

static void json_put_connections(mcp_builder *out,
                                 const ctl_doctor_report *report) {
  mcp_builder_array(out, "connections");
  for (int i = 0; i < report->connection_count; i++) {
    const ctl_doctor_connection *one = &report->connections[i];
    json_put_place(out, NULL, one);
    mcp_builder_string(out, "state", state_name(one->state));
    if (one->detail != NULL) {
      ctl_json_put_typed(out, "detail", one->detail);
    }
    mcp_builder_end(out);
  }
  mcp_builder_end(out);
}

static void json_put_finding(mcp_builder *out, const ctl_doctor_report *report,
                             const ctl_doctor_finding *finding) {
  const ctl_doctor_rule *rule = &ctl_doctor_rules[finding->rule];
  mcp_builder_object(out, NULL);
  mcp_builder_string(out, "id", rule->id);
  mcp_builder_string(out, "level", ctl_doctor_level_name(rule->level));
  mcp_builder_string(out, "group", ctl_doctor_group_name(rule->group));
  ctl_json_put_typed(out, "seen", finding->seen);
  if (left_out(report, finding) > 0) {
    mcp_builder_int(out, "more", (int64_t)left_out(report, finding));
  }
  mcp_builder_string(out, "rule", rule->text);
  mcp_builder_string(out, "where", rule->where);
  mcp_builder_string(out, "remedy", rule->remedy);
  mcp_builder_array(out, "connections");
  for (int i = 0; i < report->connection_count; i++) {
    if ((finding->seen_in & 1u << i) != 0) {
      json_put_place(out, NULL, &report->connections[i]);
      mcp_builder_end(out);
    }
  }
  mcp_builder_end(out);
  mcp_builder_end(out);
}

static void json_put_server(mcp_builder *out, const ctl_doctor_report *report,
                            const char *target) {
  mcp_builder_object(out, "server");
  ctl_json_put_typed(out, "target", target);
  if (report->name != NULL) {
    ctl_json_put_typed(out, "name", report->name);
  }
  if (report->version != NULL) {
    ctl_json_put_typed(out, "version", report->version);
  }
  mcp_builder_end(out);
}

static void json_put_counts(mcp_builder *out, const ctl_doctor_report *report) {
  size_t checks = 0;
  for (int group = 0; group < CTL_DOCTOR_GROUPS; group++) {
    checks += report->checks[group];
  }
  mcp_builder_int(out, "checks", (int64_t)checks);
  mcp_builder_int(out, "faults",
                  (int64_t)ctl_doctor_count(report, CTL_DOCTOR_FAULT));
  mcp_builder_int(out, "warnings",
                  (int64_t)ctl_doctor_count(report, CTL_DOCTOR_WARNING));
  mcp_builder_int(out, "notes",
                  (int64_t)ctl_doctor_count(report, CTL_DOCTOR_NOTE));
}

int ctl_doctor_print_json(const ctl_doctor_report *report, const char *target) {
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  mcp_builder_object(out, NULL);
  json_put_server(out, report, target);
  json_put_connections(out, report);
  mcp_builder_array(out, "findings");
  for (size_t i = 0; i < report->finding_count; i++) {
    json_put_finding(out, report, &report->findings[i]);
  }
  mcp_builder_end(out);
  json_put_counts(out, report);
  mcp_builder_end(out);
  const char *text = report->is_broken ? NULL : mcp_builder_text(out, NULL);
  if (text != NULL) {
    ctl_json_print_text(text);
  }
  mcp_builder_free(out);
  return text != NULL ? CTL_OK : ctl_report(CTL_USAGE, "out of memory");
}

void ctl_doctor_report_deinit(ctl_doctor_report *report) {
  for (size_t i = 0; i < report->finding_count; i++) {
    free(report->findings[i].seen);
  }
  for (int i = 0; i < report->connection_count; i++) {
    free(report->connections[i].detail);
  }
  free(report->findings);
  free(report->name);
  free(report->version);
}
