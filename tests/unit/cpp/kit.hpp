// SPDX-License-Identifier: MIT
// What the tests of mcp/mcp.hpp share.
#ifndef MCP_TESTS_CPP_KIT_HPP
#define MCP_TESTS_CPP_KIT_HPP

#include <mcp/mcp.hpp>

extern "C" {
#include "support/cm.h"
}

#undef fail // a macro of cmocka's, and a name of ours

// That of support/cm.h, which uses C that C++ does not have.
#undef TEST
#define TEST(name)                                                             \
  static void name(void **);                                                   \
  [[gnu::constructor]] static void add_##name() {                              \
    static const CMUnitTest test = {#name, name, nullptr, nullptr, nullptr};   \
    tests_add(&test);                                                          \
  }                                                                            \
  static void name(void **)

#include <cstring>
#include <stdexcept>

// Counts how often what a lambda captures is freed.
struct witness {
  explicit witness(int *count)
      : freed(count, [](int *counted) { ++*counted; }) {}
  std::shared_ptr<int> freed;
};

// What a function throws; empty: nothing.
template <typename Function> std::string thrown_by(Function function) {
  try {
    function();
  } catch (const std::exception &why) {
    assert_true(std::strlen(why.what()) > 0);
    return why.what();
  }
  return {};
}

// The code of the mcp::error that a function throws; 0: nothing.
template <typename Function> int error_of(Function function) {
  try {
    function();
  } catch (const mcp::error &why) {
    assert_true(std::strlen(why.what()) > 0);
    return why.code();
  }
  return 0;
}

inline void assert_text(std::string_view text, std::string_view expected) {
  assert_string_equal(std::string(text).c_str(), std::string(expected).c_str());
}

#endif
