/* SPDX-License-Identifier: MIT */
#include "codec/ip.h"

#include "support/cm.h"
#include <mcp/error.h>

static void assert_parses(const char *text, const uint8_t wanted[16]) {
  uint8_t found[16];
  assert_int_equal(mcpi_ip_parse(found, mcpi_str_z(text)), 0);
  assert_memory_equal(found, wanted, 16);
}

TEST(addresses_are_read) {
  static const uint8_t v4[16] = {0, 0, 0,    0,    0,   0, 0, 0,
                                 0, 0, 0xff, 0xff, 192, 0, 2, 255};
  static const uint8_t loopback[16] = {[15] = 1};
  static const uint8_t any[16] = {0};
  static const uint8_t full[16] = {0, 1, 0, 2, 0, 3, 0,    4,
                                   0, 5, 0, 6, 0, 7, 0xab, 0xcd};
  static const uint8_t tail[16] = {0x20, 0x01, [15] = 7};
  assert_parses("192.0.2.255", v4);
  assert_parses("[::ffff:192.0.2.255]", v4);
  assert_parses("[::FFFF:c000:2ff]", v4);
  assert_parses("[::1]", loopback);
  assert_parses("::1", loopback);
  assert_parses("[::]", any);
  assert_parses("[1:2:3:4:5:6:7:abcd]", full);
  assert_parses("[1:2:3:4:5:6:0.7.171.205]", full);
  assert_parses("[2001::7]", tail);
  assert_parses("[2001:0:0::7]", tail);
}

TEST(other_texts_are_no_addresses) {
  static const char *const texts[] = {"",
                                      "localhost",
                                      "1.2.3",
                                      "1.2.3.4.5",
                                      "1.2.3.256",
                                      "01.2.3.4",
                                      "1.2.3.04",
                                      "0x7f.0.0.1",
                                      "127.1",
                                      "2130706433",
                                      "1.2.3.4 ",
                                      "1..2.3",
                                      "[]",
                                      "[1.2.3.4]",
                                      "[:1]",
                                      "[1:]",
                                      "[::1::]",
                                      "[:::]",
                                      "[1:2:3:4:5:6:7]",
                                      "[1:2:3:4:5:6:7:8:9]",
                                      "[1:2:3:4:5:6:7::8]",
                                      "[12345::]",
                                      "[g::]",
                                      "[::1.2.3]",
                                      "[::1.2.3.4:5]",
                                      "[1.2.3.4::]",
                                      "[1.2.3.4::1]",
                                      "[1:2.3.4.5::1]",
                                      "[fe80::1%eth0]",
                                      "[::1",
                                      "::1]"};
  uint8_t found[16];
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    if (mcpi_ip_parse(found, mcpi_str_z(texts[i])) != MCP_ERR_PARSE) {
      fail_msg("\"%s\" was read", texts[i]);
    }
  }
}

static void assert_public(const char *text, int wanted) {
  uint8_t address[16];
  assert_int_equal(mcpi_ip_parse(address, mcpi_str_z(text)), 0);
  if (mcpi_ip_is_public(address) != wanted) {
    fail_msg("%s is%s public", text, wanted ? " not" : "");
  }
}

TEST(special_ranges_are_not_public) {
  static const char *const texts[] = {"0.0.0.0",
                                      "0.255.255.255",
                                      "10.0.0.0",
                                      "10.255.255.255",
                                      "100.64.0.0",
                                      "100.127.255.255",
                                      "127.0.0.1",
                                      "127.255.255.255",
                                      "169.254.169.254",
                                      "172.16.0.0",
                                      "172.31.255.255",
                                      "192.0.0.1",
                                      "192.0.2.1",
                                      "192.88.99.1",
                                      "192.168.0.1",
                                      "198.18.0.1",
                                      "198.19.255.255",
                                      "198.51.100.1",
                                      "203.0.113.1",
                                      "224.0.0.1",
                                      "239.255.255.255",
                                      "240.0.0.1",
                                      "255.255.255.255",
                                      "[::]",
                                      "[::1]",
                                      "[::ffff:10.0.0.1]",
                                      "[::ffff:127.0.0.1]",
                                      "[64:ff9b::10.0.0.1]",
                                      "[64:ff9b:1::1]",
                                      "[2002:7f00:1::]",
                                      "[2002:0a00:0001::1]",
                                      "[fe80::1]",
                                      "[fc00::1]",
                                      "[fdff::1]",
                                      "[ff02::1]",
                                      "[2001:db8::1]",
                                      "[2001::1]",
                                      "[3fff::1]",
                                      "[100::1]",
                                      "[::10.0.0.1]",
                                      "[5f00::1]"};
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    assert_public(texts[i], 0);
  }
}

TEST(all_other_addresses_are_public) {
  static const char *const texts[] = {
      "1.1.1.1",          "9.255.255.255",      "11.0.0.0",
      "100.63.255.255",   "100.128.0.0",        "126.255.255.255",
      "128.0.0.0",        "169.253.255.255",    "169.255.0.0",
      "172.15.255.255",   "172.32.0.0",         "192.167.255.255",
      "192.169.0.0",      "198.17.255.255",     "198.20.0.0",
      "223.255.255.255",  "[2606:4700::1111]",  "[2a00:1450::1]",
      "[::ffff:8.8.8.8]", "[64:ff9b::8.8.8.8]", "[2002:0808:0808::1]"};
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    assert_public(texts[i], 1);
  }
}
