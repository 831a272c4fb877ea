/* SPDX-License-Identifier: MIT */
#include "support/cm.h"

#include "skills/mime.h"

TEST(the_suffix_gives_the_type) {
  assert_string_equal(mcpi_skill_mime_type("SKILL.md", 1), "text/markdown");
  assert_string_equal(mcpi_skill_mime_type("a/b.PY", 1), "text/x-python");
  assert_string_equal(mcpi_skill_mime_type("a.png", 0), "image/png");
  assert_string_equal(mcpi_skill_mime_type("a.svg", 1), "image/svg+xml");
}

TEST(an_unknown_suffix_gives_the_type_of_the_bytes) {
  assert_string_equal(mcpi_skill_mime_type("LICENSE", 1), "text/plain");
  assert_string_equal(mcpi_skill_mime_type("a.bin", 0),
                      "application/octet-stream");
  assert_string_equal(mcpi_skill_mime_type("a.md/file", 1), "text/plain");
}

TEST(bytes_that_are_not_text_get_no_type_of_text) {
  assert_string_equal(mcpi_skill_mime_type("a.md", 0),
                      "application/octet-stream");
}
