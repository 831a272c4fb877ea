/* SPDX-License-Identifier: MIT */
/* The XML of JUnit. It has no standard; this is what Jenkins, GitLab and others
 * read. */
#include "common/text.h"
#include "suite/report.h"

#include <string.h>

/* Writes text of a value or an attribute. XML has no control characters, not
 * even escaped ones: they are shown as on a terminal, \x1b. */
static void put_text(FILE *out, const char *text) {
  size_t len = strlen(text);
  while (len > 0) {
    ctl_glyph glyph;
    size_t used = ctl_text_glyph(text, len, &glyph);
    int is_outside = strcmp(glyph.shown, "\xef\xbf\xbe") == 0 ||
                     strcmp(glyph.shown, "\xef\xbf\xbf") == 0;
    switch (*text) {
    case '&':
      fputs("&amp;", out);
      break;
    case '<':
      fputs("&lt;", out);
      break;
    case '>':
      fputs("&gt;", out);
      break;
    case '"':
      fputs("&quot;", out);
      break;
    case '\n':
      fputs("&#10;", out);
      break;
    case '\t':
      fputs("&#9;", out);
      break;
    default:
      fputs(is_outside ? "?" : glyph.shown, out);
    }
    text += used;
    len -= used;
  }
}

static void put_attribute(FILE *out, const char *name, const char *text) {
  fprintf(out, " %s=\"", name);
  put_text(out, text != NULL ? text : "");
  fputc('"', out);
}

/* The numbers of a suite or of all of them. */
typedef struct counts {
  size_t tests;
  size_t failed;
  size_t skipped;
  int64_t took_ns;
} counts;

static void count_suite(counts *sum, const ctl_suite *suite) {
  sum->tests += suite->count;
  for (size_t i = 0; i < suite->count; i++) {
    const ctl_verdict *verdict = &suite->verdicts[i];
    sum->failed += verdict->message != NULL;
    sum->skipped += verdict->skip != NULL;
    sum->took_ns += verdict->took_ns;
  }
}

static void put_time(FILE *out, int64_t took_ns) {
  fprintf(out, " time=\"%.6f\"", (double)took_ns / 1e9);
}

static void put_counts(FILE *out, const counts *sum) {
  fprintf(out,
          " tests=\"%zu\" failures=\"%zu\" errors=\"0\" "
          "skipped=\"%zu\"",
          sum->tests, sum->failed, sum->skipped);
  put_time(out, sum->took_ns);
  fputs(">\n", out);
}

static void put_detail(FILE *out, const char *label, const char *text) {
  if (text != NULL) {
    fprintf(out, "%s: ", label);
    put_text(out, text);
    fputc('\n', out);
  }
}

static void put_failure(FILE *out, const ctl_verdict *verdict) {
  fputs("      <failure", out);
  put_attribute(out, "message", verdict->message);
  fputc('>', out);
  put_detail(out, "at", verdict->pointer);
  put_detail(out, "expected", verdict->expected);
  put_detail(out, "got", verdict->got);
  fputs("</failure>\n", out);
}

static void put_case(FILE *out, const char *path, const ctl_verdict *verdict) {
  fputs("    <testcase", out);
  put_attribute(out, "classname", path);
  put_attribute(out, "name", verdict->title);
  put_time(out, verdict->took_ns);
  if (verdict->message == NULL && verdict->skip == NULL) {
    fputs("/>\n", out);
    return;
  }
  fputs(">\n", out);
  if (verdict->message != NULL) {
    put_failure(out, verdict);
  } else {
    fputs("      <skipped", out);
    put_attribute(out, "message", verdict->skip);
    fputs("/>\n", out);
  }
  fputs("    </testcase>\n", out);
}

static void put_suite(FILE *out, const ctl_suite *suite) {
  counts sum = {0};
  count_suite(&sum, suite);
  fputs("  <testsuite", out);
  put_attribute(out, "name", suite->path);
  put_counts(out, &sum);
  for (size_t i = 0; i < suite->count; i++) {
    put_case(out, suite->path, &suite->verdicts[i]);
  }
  fputs("  </testsuite>\n", out);
}

void ctl_junit_write(FILE *out, const ctl_suite *suites, size_t count) {
  counts sum = {0};
  for (size_t i = 0; i < count; i++) {
    count_suite(&sum, &suites[i]);
  }
  fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", out);
  put_counts(out, &sum);
  for (size_t i = 0; i < count; i++) {
    put_suite(out, &suites[i]);
  }
  fputs("</testsuites>\n", out);
}
