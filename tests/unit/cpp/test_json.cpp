// SPDX-License-Identifier: MIT
// JSON and errors of mcp/mcp.hpp.
#include "unit/cpp/kit.hpp"

TEST(an_error_has_a_message_always) {
  assert_string_equal(mcp::error(MCP_ERR_GONE).what(), "gone");
  assert_string_equal(mcp::error(MCP_ERR_GONE, "x").what(), "x");
  mcp_error detail = {MCP_ERR_REMOTE, -32000, 7, "no"};
  mcp::error copy = mcp::error(detail);
  assert_int_equal(copy.status(), -32000);
  assert_int_equal(copy.detail().offset, 7);
}

// A peer may send an error without a text.
TEST(an_error_without_a_message_keeps_its_details) {
  mcp::error copy = mcp::error(mcp_error{MCP_ERR_REMOTE, -32000, 7, ""});
  assert_string_equal(copy.what(), mcp_error_text(MCP_ERR_REMOTE));
  assert_int_equal(copy.status(), -32000);
  assert_int_equal(copy.detail().offset, 7);
}

// The language copies exceptions while it throws them.
TEST(a_copy_of_an_exception_cannot_fail) {
  static_assert(std::is_nothrow_copy_constructible_v<mcp::error>);
  assert_true(std::is_nothrow_copy_constructible_v<mcp::rpc_error>);
  assert_true(std::is_nothrow_copy_assignable_v<mcp::rpc_error>);
  mcp::rpc_error whole(42, "a text that is too long to be in place", "[1]");
  mcp::rpc_error moved = std::move(whole);
  assert_text(moved.what(), whole.what());
  assert_text(moved.data(), "[1]");
  assert_int_equal(moved.code(), 42);
}

TEST(a_lookup_of_nothing_is_nothing) {
  mcp::json none;
  assert_true(!none);
  assert_true(!none["a"][3]["b"].pointer("/c"));
  assert_int_equal(none["a"].integer(), 0);
  assert_true(none["a"].string().empty());
  assert_true(none.to_text().empty());
  assert_true(!none.as<std::string>());
  for (mcp::json item : none) {
    assert_true(item && false);
  }
  for (auto [name, value] : none.members()) {
    assert_true(name.empty() && value && false);
  }
}

TEST(values_have_their_types) {
  mcp::doc doc(R"({"b":true,"i":300,"n":-1,"d":1.5,"s":"x\u0000y","z":null})");
  mcp::json all = doc.root();
  assert_int_equal(all.size(), 6);
  assert_true(all["b"].boolean() && *all["b"].as<bool>());
  assert_int_equal(all["i"].as<int>().value(), 300);
  assert_true(!all["i"].as<int8_t>());
  assert_true(!all["i"].as<uint8_t>());
  assert_int_equal(all["i"].as<uint16_t>().value(), 300);
  assert_true(!all["n"].as<uint64_t>());
  assert_int_equal(all["n"].as<int64_t>().value(), -1);
  assert_true(!all["d"].as<int>());
  assert_true(all["d"].as<float>().value() == 1.5F);
  assert_true(all["d"].number() == 1.5);
  assert_true(all["s"].string() == std::string_view("x\0y", 3));
  assert_int_equal(all["s"].as<std::string>()->size(), 3);
  assert_true(!all["s"].as<int>());
  assert_true(!all["i"].as<std::string_view>());
  assert_true(all["z"] && all["z"].type() == MCP_JSON_NULL);
  assert_true(!all["none"]);
}

TEST(a_number_that_a_type_cannot_hold_is_nothing) {
  mcp::doc doc("[1e300, -1e300, 3.5e38, 3.4e38, 1e400]");
  mcp::json all = doc.root();
  assert_true(!all[0].as<float>() && !all[1].as<float>());
  assert_true(!all[2].as<float>());
  assert_true(*all[3].as<float>() > 3.3e38F);
  assert_true(*all[0].as<double>() == 1e300);
  assert_true(*all[0].as<long double>() == static_cast<long double>(1e300));
  assert_true(!all[4].as<double>() && !all[4].as<long double>());
}

// Where size_t has 32 bits, these indices would be cut.
TEST(an_index_that_size_t_cannot_hold_has_no_element) {
  mcp::doc doc("[1]");
  assert_true(!doc.root()[uint64_t(1) << 32]);
  assert_true(!doc.root()[int64_t(-4294967296)]);
}

TEST(a_large_number_is_unsigned) {
  mcp::doc doc("[18446744073709551615, 9223372036854775808, 1e19, 1e20,"
               " -9223372036854775809, 18446744073709551616]");
  mcp::json all = doc.root();
  assert_true(*all[0].as<uint64_t>() == UINT64_MAX);
  assert_true(*all[1].as<uint64_t>() == uint64_t(1) << 63);
  assert_true(*all[2].as<uint64_t>() == 10000000000000000000U);
  for (int i = 3; i < 6; i++) {
    assert_true(!all[i].as<uint64_t>());
  }
  for (mcp::json large : all) {
    assert_true(!large.as<int64_t>() && !large.as<uint32_t>());
  }
}

TEST(a_name_need_not_end_in_nul) {
  mcp::doc doc(R"({"path":1,"pat":2})");
  std::string_view name("path", 3);
  assert_int_equal(doc.root()[name].integer(), 2);
}

TEST(ranges) {
  mcp::doc doc(R"({"list":[1,2,3],"more":{"a":1,"b":2}})");
  int64_t sum = 0;
  for (mcp::json item : doc.root()["list"]) {
    sum += item.integer();
  }
  assert_int_equal(sum, 6);
  std::string names;
  for (auto [name, value] : doc.root()["more"].members()) {
    names += name;
    sum += value.integer();
  }
  assert_string_equal(names.c_str(), "ab");
  assert_int_equal(sum, 9);
  mcp::json::member_range more = doc.root()["more"].members();
  mcp::json::member_range::iterator at = more.begin();
  assert_text((*at++).name, "a");
  assert_text((*at++).name, "b");
  assert_true(at == more.end());
  for (auto [name, value] : doc.root()["list"].members()) {
    assert_true(name.empty() && value && false);
  }
  uint32_t last = 2;
  assert_int_equal(doc.root()["list"][last].integer(), 3);
  assert_true(!doc.root()["list"][-1]);
}

TEST(equality_and_text) {
  mcp::doc a("{\"x\": 1, \"y\": []}");
  mcp::doc b("{\"y\": [], \"x\": 1.0}");
  assert_true(a.root() == b.root());
  assert_true(a.root() != b.root()["x"]);
  assert_string_equal(a.root().to_text().c_str(), "{\"x\":1,\"y\":[]}");
}

TEST(a_document_that_is_wrong_says_where) {
  assert_int_equal(error_of([] { mcp::doc("[1,]"); }), MCP_ERR_PARSE);
  assert_int_equal(error_of([] { mcp::doc none{std::string_view()}; }),
                   MCP_ERR_PARSE);
  mcp_json_limits limits = {};
  limits.max_depth = 1;
  assert_int_equal(error_of([&] { mcp::doc("[[1]]", limits); }), MCP_ERR_LIMIT);
  // A view that does not end in NUL.
  assert_int_equal(mcp::doc(std::string_view("12345", 3)).root().integer(),
                   123);
}

TEST(documents_are_moved) {
  mcp::doc a("1");
  mcp::doc b = std::move(a);
  assert_true(!a);
  assert_null(a.get());
  assert_true(!a.root());
  mcp::doc c = std::move(a); // of nothing
  assert_true(!c);
  mcp::doc &same = b;
  b = std::move(same);
  assert_int_equal(b.root().integer(), 1);
  c = std::move(b);
  assert_int_equal(c.root().integer(), 1);
  mcp_doc_free(c.release());
  assert_true(!c);
}

TEST(a_writer_writes_each_type) {
  mcp::doc other("[true]");
  mcp::builder b;
  b.object().add("null", nullptr).add("bool", true).add("int", -3);
  b.add("max", std::numeric_limits<uint64_t>::max()).add("double", 0.5);
  b.add("text", "x").add("view", std::string_view("yz", 1));
  b.add(std::string_view("nul\0", 4), std::string("a\0b", 3));
  b.add("empty", std::string_view()).add("value", other.root());
  b.add("list", std::vector<int>{1, 2});
  b.array("array").add(1).object().end().end();
  b.object("object").end().add_json("json", "[ 1 ]").end();
  assert_string_equal(
      b.text().data(),
      R"({"null":null,"bool":true,"int":-3,"max":18446744073709551615,)"
      R"("double":0.5,"text":"x","view":"y","nul\u0000":"a\u0000b",)"
      R"("empty":"","value":[true],"list":[1,2],"array":[1,{}],)"
      R"("object":{},"json":[ 1 ]})");
}

TEST(a_null_string_is_null) {
  const char *nothing = nullptr;
  mcp::builder b;
  b.object().add("a", nothing).end();
  assert_string_equal(b.text().data(), "{\"a\":null}");
}

TEST(a_writer_keeps_its_first_error) {
  mcp::builder b;
  b.object().add("a", "\xff").add("b", 1).end();
  assert_int_equal(error_of([&] { b.text(); }), MCP_ERR_INVALID);
  b.clear();
  b.object();
  assert_int_equal(error_of([&] { b.text(); }), MCP_ERR_INVALID);
  b.end();
  assert_string_equal(b.text().data(), "{}");
  mcp::builder moved = std::move(b);
  assert_null(b.get());
  assert_string_equal(moved.text().data(), "{}");
  mcp::builder &same = moved;
  moved = std::move(same);
  assert_string_equal(moved.text().data(), "{}");
  assert_int_equal(error_of([&] { b.add(1).text(); }), MCP_ERR_NOMEM);
}

TEST(a_parameter_does_not_contain_nul) {
  assert_null(mcp::c_string(nullptr).get());
  std::string text = "long enough to be on the heap, this text is";
  assert_ptr_equal(mcp::c_string(text).get(), text.c_str());
  std::string_view part = std::string_view(text).substr(0, 4);
  assert_string_equal(mcp::c_string(part).get(), "long");
  assert_int_equal(error_of([] { mcp::c_string(std::string("a\0b", 3)); }),
                   MCP_ERR_INVALID);
  assert_int_equal(error_of([] { mcp::c_string(std::string_view("a\0b", 3)); }),
                   MCP_ERR_INVALID);
}
