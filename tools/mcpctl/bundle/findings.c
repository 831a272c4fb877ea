/* SPDX-License-Identifier: MIT */
#include "bundle/findings.h"
#include "common/json.h"
#include "common/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const level_names[CTL_LEVELS] = {"fault", "warning", "note"};

void ctl_findings_add(ctl_findings *findings, int level, const char *id,
                      const char *format, ...) {
  char *text = NULL;
  va_list args;
  va_start(args, format);
  int len = vasprintf(&text, format, args);
  va_end(args);
  ctl_finding *grown =
      len >= 0 ? realloc(findings->list,
                         (findings->count + 1) * sizeof(*findings->list))
               : NULL;
  if (grown == NULL) {
    findings->is_broken = 1;
    if (len >= 0) {
      free(text);
    }
    return;
  }
  findings->list = grown;
  grown[findings->count++] = (ctl_finding){level, id, text};
}

size_t ctl_findings_count(const ctl_findings *findings, int level) {
  size_t count = 0;
  for (size_t i = 0; i < findings->count; i++) {
    count += findings->list[i].level == level;
  }
  return count;
}

int ctl_findings_have_fault(const ctl_findings *findings) {
  return findings->is_broken || ctl_findings_count(findings, CTL_FAULT) > 0;
}

void ctl_findings_deinit(ctl_findings *findings) {
  for (size_t i = 0; i < findings->count; i++) {
    free(findings->list[i].text);
  }
  free(findings->list);
  *findings = (ctl_findings){0};
}

void ctl_findings_print(const ctl_findings *findings) {
  for (size_t i = 0; i < findings->count; i++) {
    const ctl_finding *one = &findings->list[i];
    printf("%s %s: ", level_names[one->level], one->id);
    ctl_text_put_line(stdout, one->text, SIZE_MAX);
    putchar('\n');
  }
  for (int level = 0; level < CTL_LEVELS; level++) {
    size_t count = ctl_findings_count(findings, level);
    printf("%zu %s%s%s", count, level_names[level], count == 1 ? "" : "s",
           level < CTL_NOTE ? ", " : "\n");
  }
}

void ctl_findings_put(const ctl_findings *findings, mcp_builder *out) {
  static const char *const counts[CTL_LEVELS] = {"faults", "warnings", "notes"};
  mcp_builder_array(out, "findings");
  for (size_t i = 0; i < findings->count; i++) {
    mcp_builder_object(out, NULL);
    mcp_builder_string(out, "id", findings->list[i].id);
    mcp_builder_string(out, "level", level_names[findings->list[i].level]);
    ctl_json_put_typed(out, "message", findings->list[i].text);
    mcp_builder_end(out);
  }
  mcp_builder_end(out);
  for (int level = 0; level < CTL_LEVELS; level++) {
    mcp_builder_int(out, counts[level],
                    (int64_t)ctl_findings_count(findings, level));
  }
}
