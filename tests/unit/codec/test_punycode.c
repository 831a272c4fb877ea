/* SPDX-License-Identifier: MIT */
#include "codec/punycode.h"

#include "support/cm.h"
#include "support/guarded.h"
#include <mcp/error.h>

typedef struct sample {
  const char *text; /* UTF-8 */
  const char *code;
} sample;

/* RFC 3492, 7.1, in small letters; and the shortest ones. */
static const sample samples[] = {
    {"", ""},
    {"a", "a-"},
    {"-", "--"},
    {"\xC2\x80", "a"},
    {"\xC3\xBC", "tda"},
    {"b\xC3\xBC"
     "cher",
     "bcher-kva"},
    /* (A) Arabic (Egyptian) */
    {"\xD9\x84\xD9\x8A\xD9\x87\xD9\x85\xD8\xA7\xD8\xA8\xD8\xAA\xD9\x83\xD9\x84"
     "\xD9\x85\xD9\x88\xD8\xB4\xD8\xB9\xD8\xB1\xD8\xA8\xD9\x8A\xD8\x9F",
     "egbpdaj6bu4bxfgehfvwxn"},
    /* (B) Chinese (simplified) */
    {"\xE4\xBB\x96\xE4\xBB\xAC\xE4\xB8\xBA\xE4\xBB\x80\xE4\xB9\x88\xE4\xB8\x8D"
     "\xE8\xAF\xB4\xE4\xB8\xAD\xE6\x96\x87",
     "ihqwcrb4cv8a8dqg056pqjye"},
    /* (L) 3<nen>B<gumi><kinpachi><sensei> */
    {"3\xE5\xB9\xB4"
     "b\xE7\xB5\x84\xE9\x87\x91\xE5\x85\xAB\xE5\x85\x88\xE7\x94\x9F",
     "3b-ww4c5e180e575a65lsy2b"},
    /* (Q) <pafii>de<runba> */
    {"\xE3\x83\x91\xE3\x83\x95\xE3\x82\xA3\xE3\x83\xBC"
     "de\xE3\x83\xAB\xE3\x83\xB3\xE3\x83\x90",
     "de-jg4avhby1noc0d"},
    /* (R) <sono><supiido><de> */
    {"\xE3\x81\x9D\xE3\x81\xAE\xE3\x82\xB9\xE3\x83\x94\xE3\x83\xBC\xE3\x83\x89"
     "\xE3\x81\xA7",
     "d9juau41awczczp"},
    /* (S) -> $1.00 <- */
    {"-> $1.00 <-", "-> $1.00 <--"},
    {"\xF4\x8F\xBF\xBF", "dn32g"},
};

static mcpi_label label_of(const char *utf8) {
  mcpi_label label = {.len = 0};
  mcpi_str rest = mcpi_str_z(utf8);
  while (rest.len > 0) {
    assert_true(label.len < MCPI_PUNYCODE_MAX);
    label.chars[label.len++] = mcpi_utf8_take(&rest);
  }
  return label;
}

static int decode(const char *code, mcpi_label *out) {
  size_t len = strlen(code);
  char *copy = guarded_copy(code, len);
  int rc = mcpi_punycode_decode(mcpi_str_n(copy, len), out);
  guarded_free(copy, len);
  return rc;
}

TEST(samples_go_both_ways) {
  for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
    mcpi_label label = label_of(samples[i].text);
    mcpi_label decoded;
    char code[MCPI_PUNYCODE_MAX + 1] = "";
    size_t len = mcpi_punycode_encode(&label, code);
    assert_int_equal(len, strlen(samples[i].code));
    assert_string_equal(code, samples[i].code);
    assert_int_equal(decode(samples[i].code, &decoded), 0);
    assert_int_equal(decoded.len, label.len);
    assert_memory_equal(decoded.chars, label.chars,
                        label.len * sizeof(label.chars[0]));
  }
}

TEST(case_does_not_matter) {
  mcpi_label label;
  assert_int_equal(decode("BCHER-KVA", &label), 0);
  assert_int_equal(label.len, 6);
  assert_int_equal(label.chars[0], 'b');
  assert_int_equal(label.chars[1], 0xFC);
}

TEST(other_texts_are_refused) {
  static const char *const bad[] = {
      "-a",        /* an empty ASCII part is not written */
      "z",         /* a number that does not end */
      "bcher-kv",  /* nor this one */
      "a_",        /* no digit */
      "a-_",       /* nor this one */
      "dn32h",     /* past U+10FFFF */
      "99999999a", /* a number of more than 32 bits */
      "\xC3\xBC-kva" /* not ASCII */,
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
  mcpi_label label;
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    if (decode(bad[i], &label) != MCP_ERR_PARSE) {
      fail_msg("%s is accepted", bad[i]);
    }
  }
}

TEST(a_label_has_59_bytes) {
  char code[MCPI_PUNYCODE_MAX];
  mcpi_label label = {.len = 0};
  while (label.len < MCPI_PUNYCODE_MAX - 1) {
    label.chars[label.len++] = 'a';
  }
  assert_int_equal(mcpi_punycode_encode(&label, code), MCPI_PUNYCODE_MAX);
  label.chars[label.len++] = 'a';
  assert_int_equal(mcpi_punycode_encode(&label, code), 0);
  for (uint32_t i = 0; i < label.len; i++) {
    label.chars[i] = i % 2 == 0 ? 0x10FFFF : 0x80;
  }
  assert_int_equal(mcpi_punycode_encode(&label, code), 0);
}
