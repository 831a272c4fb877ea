/* SPDX-License-Identifier: MIT */
/* The Test Anything Protocol, version 14
 * (https://testanything.org/tap-version-14-specification.html). */
#include "common/json.h"
#include "common/text.h"
#include "suite/report.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Prints a description. A `#` would begin a directive. */
static void put_description(const char *text) {
  char *escaped = malloc(2 * strlen(text) + 1);
  char *out = escaped;
  for (const char *byte = text; escaped != NULL && *byte != '\0'; byte++) {
    if (*byte == '#' || *byte == '\\') {
      *out++ = '\\';
    }
    *out++ = *byte;
  }
  if (escaped != NULL) {
    *out = '\0';
    ctl_text_put_line(stdout, escaped, SIZE_MAX);
  }
  free(escaped);
}

/* A line of the YAML block. JSON is YAML, too. */
static void put_json(const char *key, const char *json) {
  if (json != NULL) {
    printf("  %s: ", key);
    ctl_text_put_line(stdout, json, SIZE_MAX);
    putchar('\n');
  }
}

static void put_string(const char *key, const char *text) {
  mcp_builder *builder = text != NULL ? mcp_builder_new(NULL, NULL) : NULL;
  if (builder != NULL) {
    ctl_json_put_typed(builder, NULL, text);
    put_json(key, mcp_builder_text(builder, NULL));
  }
  mcp_builder_free(builder);
}

void ctl_tap_begin(size_t count) {
  printf("TAP version 14\n1..%zu\n", count);
}

void ctl_tap_put_file(const char *path) {
  fputs("# ", stdout);
  ctl_text_put_line(stdout, path, SIZE_MAX);
  putchar('\n');
}

void ctl_tap_put(size_t number, const ctl_verdict *verdict) {
  printf("%s %zu - ", verdict->message != NULL ? "not ok" : "ok", number);
  put_description(verdict->title != NULL ? verdict->title : "");
  if (verdict->skip != NULL) {
    fputs(" # SKIP ", stdout);
    put_description(verdict->skip);
  }
  putchar('\n');
  if (verdict->message != NULL) {
    puts("  ---");
    put_string("message", verdict->message);
    put_string("at", verdict->pointer);
    put_json("expected", verdict->expected);
    put_json("got", verdict->got);
    puts("  ...");
  }
  fflush(stdout); /* the next test may take long */
}

void ctl_tap_end(const ctl_suite *suites, size_t count) {
  size_t all = 0;
  size_t failed = 0;
  size_t skipped = 0;
  for (size_t i = 0; i < count; i++) {
    for (size_t k = 0; k < suites[i].count; k++) {
      failed += suites[i].verdicts[k].message != NULL;
      skipped += suites[i].verdicts[k].skip != NULL;
    }
    all += suites[i].count;
  }
  printf("# %zu passed, %zu failed, %zu skipped\n", all - failed - skipped,
         failed, skipped);
}
