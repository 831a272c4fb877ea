// SPDX-License-Identifier: MIT
// The iterators of mcp/mcp.hpp in C++20, which checks what a range is.
#include "unit/cpp/kit.hpp"

#include <algorithm>
#include <ranges>

static_assert(std::ranges::input_range<mcp::json>);
static_assert(std::ranges::input_range<mcp::json::member_range>);
static_assert(std::ranges::input_range<mcp::result>);

TEST(algorithms_read_json) {
  mcp::doc doc(R"({"a":1,"b":2})");
  auto members = doc.root().members();
  auto found = std::ranges::find_if(
      members, [](const auto &member) { return member.name == "b"; });
  assert_true(found != members.end());
  assert_int_equal((*found).value.integer(), 2);
  assert_int_equal(
      std::ranges::count_if(doc.root(),
                            [](mcp::json item) { return item.integer() > 1; }),
      1);
}
