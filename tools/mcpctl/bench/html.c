/* SPDX-License-Identifier: MIT */
/* Writes the measurement as a page: a plot in SVG, and its values as tables.
 * The page needs no other file and no script, and takes its colours from the
 * browser, so that it can be read in dark mode and on paper.
 *
 *     top of the plot  ----------------------- highest, rounded up
 *                        |  __|  p50 p90 ...
 *                        | |  |__  rows, all equally wide
 *     bottom           ----------------------- from_ns of each row below it */
#include "bench/report.h"
#include "bench/rows.h"
#include "common/json.h"
#include "common/text.h"
#include "platform/clock.h"

#include <inttypes.h>
#include <math.h>
#include <mcp/version.h>
#include <stdlib.h>
#include <string.h>

/* The plot in the picture. */
enum {
  WIDTH = 760,
  HEIGHT = 380,
  LEFT = 80,
  RIGHT = 740,
  TOP = 40,
  BOTTOM = 310
};

static const char head[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<title>mcpctl bench</title>\n"
    "<style>\n"
    "body { font: 16px/1.5 system-ui, sans-serif; max-width: 50em;\n"
    "  margin: 2em auto; padding: 0 1em; }\n"
    "h1 { font-size: 1.4em; }\n"
    "h2 { font-size: 1.1em; }\n"
    "table { border-collapse: collapse; }\n"
    "th, td { text-align: left; padding: .1em 1.5em .1em 0;\n"
    "  vertical-align: top; }\n"
    "td.n, th.n { text-align: right;\n"
    "  font-variant-numeric: tabular-nums; }\n"
    "svg { width: 100%; height: auto; }\n"
    "svg text { font-size: 12px; fill: currentColor; }\n"
    ".bar { fill: #3a7ca5; }\n"
    ".line { stroke: currentColor; stroke-opacity: .25; }\n"
    ".mark { stroke: #c8553d; stroke-dasharray: 4 3; }\n"
    "</style>\n";

/* ---- text -------------------------------------------------------------- */

/* Escapes a server's text: it must not add elements to the page. */
static void html_put_text(FILE *out, const char *text) {
  size_t len = text != NULL ? strlen(text) : 0;
  ctl_glyph glyph;
  for (size_t at = 0; at < len;) {
    at += ctl_text_glyph(text + at, len - at, &glyph);
    if (strchr("&<>\"'", glyph.shown[0]) != NULL) {
      fprintf(out, "&#%d;", glyph.shown[0]);
    } else {
      fputs(glyph.shown, out);
    }
  }
}

static void html_put_row(FILE *out, const char *label, const char *value) {
  fprintf(out, "<tr><th scope=\"row\">%s<td>", label);
  html_put_text(out, value);
  fputc('\n', out);
}

/* ---- what was done ----------------------------------------------------- */

static void html_put_server(FILE *out, const ctl_bench *bench) {
  const mcp_json *info = mcp_client_server_info(bench->session->client);
  html_put_row(out, "Server", ctl_session_server_name(bench->session));
  html_put_row(out, "Version", ctl_json_member(info, "version"));
  html_put_row(out, "At", bench->session->options->target);
  html_put_row(out, "Protocol", ctl_bench_protocol(bench));
}

static void html_put_settings(FILE *out, const ctl_bench *bench) {
  const ctl_options *options = bench->session->options;
  char text[256];
  html_put_row(out, "Call", ctl_bench_method(bench));
  if (options->arg_count > 0) {
    html_put_row(out, "Tool", options->args[0]);
  }
  snprintf(text, sizeof(text),
           "%zu connection%s for %g s, each calling again when it has its "
           "answer",
           bench->connections, bench->connections == 1 ? "" : "s",
           bench->duration_s);
  html_put_row(out, "Load", text);
}

static void html_put_counts(FILE *out, const ctl_bench *bench) {
  char text[256];
  struct tm utc;
  snprintf(text, sizeof(text), "%" PRIu64 " in %.2f s, %" PRIu64 " failed",
           ctl_bench_calls(bench), bench->seconds, bench->load.faults.count);
  html_put_row(out, "Calls", text);
  snprintf(text, sizeof(text), "%.1f calls/s", ctl_bench_rate(bench));
  html_put_row(out, "Rate", text);
  snprintf(text, sizeof(text), "mcpctl %s, which used %.0f %% of a processor",
           mcp_version(), bench->cpu_percent);
  html_put_row(out, "Client", text);
  strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC",
           ctl_time_utc(bench->date, &utc));
  html_put_row(out, "Date", text);
}

/* ---- the plot ---------------------------------------------------------- */

typedef struct plot {
  FILE *out;
  const ctl_histogram *latencies;
  ctl_row rows[CTL_ROWS_MAX];
  size_t count;
  uint64_t step; /* of the calls' axis */
  uint64_t top;
} plot;

static double x_of_row(const plot *self, size_t row) {
  return LEFT + (double)(RIGHT - LEFT) * (double)row / (double)self->count;
}

/* All rows have the same width. Within a row the axis is logarithmic, unless
 * the row begins at 0. */
static double x_of(const plot *self, uint64_t ns) {
  size_t row = 0;
  while (row + 1 < self->count && ns >= self->rows[row].to_ns) {
    row++;
  }
  double from = (double)self->rows[row].from_ns;
  double to = (double)self->rows[row].to_ns;
  double part =
      from > 0 ? log((double)ns / from) / log(to / from) : (double)ns / to;
  return x_of_row(self, row) + part * (RIGHT - LEFT) / (double)self->count;
}

static double y_of(const plot *self, uint64_t calls) {
  return BOTTOM - (double)(BOTTOM - TOP) * (double)calls / (double)self->top;
}

/* Returns 1, 2 or 5 times a power of ten, so that the axis has about five
 * steps: three to eight, unless `highest` is below 3. */
static uint64_t round_step(uint64_t highest) {
  uint64_t power = 1;
  while (power * 30 <= highest) {
    power *= 10;
  }
  /* Now `highest` is below 30 times the power. */
  if (power * 15 <= highest) {
    return power * 5;
  }
  return power * 6 <= highest ? power * 2 : power;
}

static void put_calls_axis(const plot *self) {
  for (uint64_t calls = 0; calls <= self->top; calls += self->step) {
    double y = y_of(self, calls);
    fprintf(self->out,
            "<line class=\"line\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" "
            "y2=\"%.1f\"/>\n"
            "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%" PRIu64
            "</text>\n",
            LEFT, RIGHT, y, y, LEFT - 8, y + 4, calls);
  }
  fprintf(self->out,
          "<text transform=\"translate(16 %d) rotate(-90)\" "
          "text-anchor=\"middle\">calls</text>\n",
          (TOP + BOTTOM) / 2);
}

/* Labels each end of a row, or every second one when there are many rows. */
static void put_time_axis(const plot *self) {
  char text[CTL_TIME_TEXT];
  size_t stride = self->count > 10 ? 2 : 1;
  for (size_t i = 0; i <= self->count; i += stride) {
    uint64_t ns =
        i < self->count ? self->rows[i].from_ns : self->rows[i - 1].to_ns;
    fprintf(self->out,
            "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
            x_of_row(self, i), BOTTOM + 18, ctl_time_text(text, (double)ns));
  }
  fprintf(self->out,
          "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">latency "
          "(logarithmic)</text>\n",
          (LEFT + RIGHT) / 2, BOTTOM + 44);
}

static void put_bars(const plot *self) {
  for (size_t i = 0; i < self->count; i++) {
    double x = x_of_row(self, i);
    double y = y_of(self, self->rows[i].count);
    fprintf(self->out,
            "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
            "height=\"%.1f\"><title>%" PRIu64 " calls</title></rect>\n",
            x, y, x_of_row(self, i + 1) - x - 1, BOTTOM - y,
            self->rows[i].count);
  }
}

/* Marks the percentiles. The names alternate between two heights, since they
 * may be close together. */
static void put_marks(const plot *self) {
  for (size_t i = 0; i < CTL_PERCENTILE_COUNT; i++) {
    const ctl_percentile *mark = &ctl_percentiles[i];
    double x =
        x_of(self, ctl_histogram_percentile(self->latencies, mark->percent));
    int y = TOP - (i % 2 == 0 ? 6 : 20);
    fprintf(self->out,
            "<line class=\"mark\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" "
            "y2=\"%d\"/>\n"
            "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
            x, x, y + 2, BOTTOM, x, y, mark->name);
  }
}

static void html_put_plot(const plot *self) {
  fprintf(self->out,
          "<svg viewBox=\"0 0 %d %d\" role=\"img\" "
          "aria-label=\"How many calls took how long; the same as a table "
          "below\">\n",
          WIDTH, HEIGHT);
  put_calls_axis(self);
  put_bars(self);
  put_time_axis(self);
  put_marks(self);
  fputs("</svg>\n", self->out);
}

/* ---- tables ------------------------------------------------------------ */

static void html_put_percentiles(const plot *self) {
  char text[CTL_TIME_TEXT];
  fputs("<table>\n<tr><th scope=\"col\">Percentile<th scope=\"col\" "
        "class=\"n\">Latency\n",
        self->out);
  for (size_t i = 0; i < CTL_PERCENTILE_COUNT; i++) {
    const ctl_percentile *mark = &ctl_percentiles[i];
    uint64_t ns = ctl_histogram_percentile(self->latencies, mark->percent);
    fprintf(self->out, "<tr><th scope=\"row\">%s<td class=\"n\">%s\n",
            mark->name, ctl_time_text(text, (double)ns));
  }
  fputs("</table>\n", self->out);
}

static void html_put_rows(const plot *self) {
  char from[CTL_TIME_TEXT];
  char to[CTL_TIME_TEXT];
  fputs("<table>\n<tr><th scope=\"col\" class=\"n\">From<th scope=\"col\" "
        "class=\"n\">To<th scope=\"col\" class=\"n\">Calls\n",
        self->out);
  for (size_t i = 0; i < self->count; i++) {
    const ctl_row *row = &self->rows[i];
    fprintf(self->out,
            "<tr><td class=\"n\">%s<td class=\"n\">%s<td class=\"n\">%" PRIu64
            "\n",
            ctl_time_text(from, (double)row->from_ns),
            ctl_time_text(to, (double)row->to_ns), row->count);
  }
  fputs("</table>\n", self->out);
}

static void html_put_faults(FILE *out, const ctl_faults *faults) {
  char kind[CTL_FAULT_KIND];
  fputs("<h2>Calls that failed</h2>\n<table>\n<tr><th scope=\"col\" "
        "class=\"n\">Calls<th scope=\"col\">Kind<th scope=\"col\">The first of "
        "them\n",
        out);
  for (size_t i = 0; i < faults->len; i++) {
    const ctl_fault *fault = &faults->list[i];
    fprintf(out, "<tr><td class=\"n\">%" PRIu64 "<td>%s<td>", fault->count,
            ctl_fault_kind(kind, fault));
    html_put_text(out, fault->first.message);
    fputc('\n', out);
  }
  fputs("</table>\n", out);
}

/* ---- all --------------------------------------------------------------- */

static void html_put_latencies(FILE *out, const ctl_histogram *latencies) {
  plot self = {.out = out, .latencies = latencies};
  self.count = ctl_rows_make(latencies, self.rows);
  uint64_t highest = ctl_rows_highest(self.rows, self.count);
  self.step = round_step(highest);
  self.top = (highest + self.step - 1) / self.step * self.step;
  fputs("<h2>Latencies of the calls that succeeded</h2>\n", out);
  html_put_plot(&self);
  html_put_percentiles(&self);
  fputs("<h2>The bars of the plot</h2>\n", out);
  html_put_rows(&self);
}

void ctl_bench_write_html(const ctl_bench *bench, FILE *out) {
  fputs(head, out);
  fputs("<h1>", out);
  html_put_text(out, ctl_session_server_name(bench->session));
  fputs(" under load</h1>\n<table>\n", out);
  html_put_server(out, bench);
  html_put_settings(out, bench);
  html_put_counts(out, bench);
  fputs("</table>\n", out);
  if (bench->load.latencies.count > 0) {
    html_put_latencies(out, &bench->load.latencies);
  }
  if (bench->load.faults.len > 0) {
    html_put_faults(out, &bench->load.faults);
  }
  fputs("</html>\n", out);
}
