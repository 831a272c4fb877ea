/* SPDX-License-Identifier: MIT */
/* Formats of strings that contain NUL. What else reads them is in
 * tests/wire/server/nul-bytes.txt. */
#include "schema/format.h"

#include "support/cm.h"
#include <string.h>

TEST(formats_refuse_a_nul_after_a_good_value) {
  static const char *const good[][2] = {
      {"date-time", "2026-01-01T00:00:00Z"},
      {"date", "2026-01-01"},
      {"time", "00:00:00Z"},
      {"duration", "P1D"},
      {"email", "a@b.example"},
      {"idn-email", "a@b.example"},
      {"hostname", "b.example"},
      {"idn-hostname", "b.example"},
      {"ipv4", "127.0.0.1"},
      {"ipv6", "::1"},
      {"uri", "http://b.example/"},
      {"uri-reference", "/a"},
      {"iri", "http://b.example/"},
      {"iri-reference", "/a"},
      {"uri-template", "/a{b}"},
      {"uuid", "01234567-89ab-cdef-0123-456789abcdef"},
  };
  for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
    char text[64] = {0};
    size_t len = strlen(good[i][1]);
    int format = mcpi_format_find(mcpi_str_z(good[i][0]));
    memcpy(text, good[i][1], len);
    assert_int_equal(mcpi_format_accepts(format, mcpi_str_n(text, len)), 1);
    assert_int_equal(mcpi_format_accepts(format, mcpi_str_n(text, len + 1)), 0);
    text[len + 1] = 'a';
    assert_int_equal(mcpi_format_accepts(format, mcpi_str_n(text, len + 2)), 0);
  }
}
