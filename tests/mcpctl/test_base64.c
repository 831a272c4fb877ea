/* SPDX-License-Identifier: MIT */
#include "common/base64.h"

#include "support/cm.h"
#include <string.h>

static void expect(const char *text, const char *bytes, size_t len) {
  char out[64];
  size_t text_len = strlen(text);
  memset(out, 'x', sizeof(out));
  assert_int_equal(ctl_base64_len(text, text_len), len);
  assert_int_equal(ctl_base64_decode(text, text_len, out), 0);
  assert_memory_equal(out, bytes, len);
  assert_int_equal(out[len], 'x');
}

TEST(text_becomes_bytes) {
  expect("", "", 0);
  expect("Zg==", "f", 1);
  expect("Zm8=", "fo", 2);
  expect("Zm9v", "foo", 3);
  expect("Zm9vYmFy", "foobar", 6);
  expect("AAECAwQ=", "\0\1\2\3\4", 5);
  expect("+/+/", "\xfb\xff\xbf", 3);
  expect("Zm9vYg", "foob", 4);
}

TEST(other_text_is_refused) {
  static const char *const texts[] = {
      "A", "Zm9vY", "Zg=", "Zg===", "====", "Z-==", "Zm 9", "Zm9v\n"};
  char out[64];
  for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
    assert_int_equal(ctl_base64_decode(texts[i], strlen(texts[i]), out), -1);
  }
}
