/* SPDX-License-Identifier: MIT */
/* A text, and which formats it is of. */
#include "schema/format.h"

#include <stdlib.h>

/* 1, 0. The regular expressions have a fuzzer of their own. */
static int accepts(const char *name, mcpi_str text) {
  int format = mcpi_format_find(mcpi_str_z(name));
  if (format < 0) {
    abort();
  }
  return mcpi_format_accepts(format, text);
}

static void implies(mcpi_str text, const char *name, const char *other) {
  if (accepts(name, text) && !accepts(other, text)) {
    abort();
  }
}

/* The two halves of a date and time are a date and a time. */
static void look_at_halves(mcpi_str text) {
  int is_whole = accepts("date-time", text);
  if (text.len < 11 || (text.ptr[10] != 'T' && text.ptr[10] != 't')) {
    if (is_whole) {
      abort();
    }
    return;
  }
  mcpi_str date = mcpi_str_n(text.ptr, 10);
  mcpi_str time = mcpi_str_n(text.ptr + 11, text.len - 11);
  if (is_whole != (accepts("date", date) && accepts("time", time))) {
    abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
  static const char *const alone[] = {"ipv6",         "duration",
                                      "uuid",         "json-pointer",
                                      "uri-template", "relative-json-pointer"};
  mcpi_str text = mcpi_str_n((const char *)data, len);
  if (mcpi_utf8_valid_prefix(text.ptr, len) < len) {
    return 0;
  }
  for (size_t i = 0; i < sizeof(alone) / sizeof(alone[0]); i++) {
    (void)accepts(alone[i], text);
  }
  implies(text, "uri", "iri");
  implies(text, "uri", "uri-reference");
  implies(text, "uri-reference", "iri-reference");
  implies(text, "iri", "iri-reference");
  implies(text, "hostname", "idn-hostname");
  implies(text, "ipv4", "hostname");
  implies(text, "email", "idn-email");
  look_at_halves(text);
  return 0;
}
