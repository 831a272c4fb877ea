/* SPDX-License-Identifier: MIT */
#include "auth/resource/credentials.h"

#include "support/cm.h"

static mcpi_scheme read_header(const char *value, const char *expected) {
  mcpi_str token = MCPI_STR("");
  mcpi_scheme scheme = mcpi_credentials_read(mcpi_str_z(value), &token);
  assert_true(mcpi_str_eq(token, mcpi_str_z(expected)));
  return scheme;
}

TEST(two_schemes_are_known_in_any_case) {
  assert_int_equal(read_header("Bearer abc", "abc"), MCPI_SCHEME_BEARER);
  assert_int_equal(read_header(" bearer\t abc ", "abc"), MCPI_SCHEME_BEARER);
  assert_int_equal(read_header("DPOP a.b-c_d~e+f/g==", "a.b-c_d~e+f/g=="),
                   MCPI_SCHEME_DPOP);
  assert_int_equal(read_header("Basic abc", ""), MCPI_SCHEME_NONE);
  assert_int_equal(read_header("Bearerabc", ""), MCPI_SCHEME_NONE);
  assert_int_equal(read_header("", ""), MCPI_SCHEME_NONE);
  assert_int_equal(read_header(NULL, ""), MCPI_SCHEME_NONE);
}

TEST(a_token_must_follow) {
  assert_int_equal(read_header("Bearer", ""), MCPI_SCHEME_BROKEN);
  assert_int_equal(read_header("dpop \t ", ""), MCPI_SCHEME_BROKEN);
  assert_int_equal(read_header("Bearer a b", "a b"), MCPI_SCHEME_BEARER);
}

TEST(tokens_have_certain_characters) {
  static const char good[] = "abcdefghijklmnopqrstuvwxyz0123456789"
                             "ABCDEFGHIJKLMNOPQRSTUVWXYZ-._~+/";
  for (int c = 0; c < 256; c++) {
    const char text[] = {'a', (char)c, 'a'};
    int is_good = c != 0 && strchr(good, c) != NULL;
    assert_int_equal(mcpi_credentials_is_token(mcpi_str_n(text, 3)), is_good);
  }
  assert_true(mcpi_credentials_is_token(MCPI_STR("a==")));
  assert_false(mcpi_credentials_is_token(MCPI_STR("a=b")));
  assert_false(mcpi_credentials_is_token(MCPI_STR("=")));
  assert_false(mcpi_credentials_is_token(MCPI_STR("")));
}
