/* SPDX-License-Identifier: MIT */
/** @file
 * JSON values, documents and builders.
 * mcp/mcp.hpp explains the C++ headers.
 */
#ifndef MCP_JSON_HPP
#define MCP_JSON_HPP

#include <mcp/error.hpp>
#include <mcp/json.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

namespace mcp {
inline namespace v0 {

/** A JSON value, borrowed; perhaps there is none. Each function accepts that,
 * so lookups can be chained: `json["cities"][0]["name"].string()`. */
class json {
public:
  class iterator;
  class member_range;

  json() = default;
  json(const mcp_json *value) noexcept : value_(value) {}
  const mcp_json *get() const noexcept { return value_; }
  /** Whether there is a value; `null` is one. */
  explicit operator bool() const noexcept { return value_ != nullptr; }
  /** MCP_JSON_*. */
  int type() const noexcept { return mcp_json_type(value_); }
  json operator[](std::string_view name) const noexcept {
    return mcp_json_get_n(value_, name.data(), name.size());
  }
  json operator[](const char *name) const noexcept {
    return mcp_json_get(value_, name);
  }
  /** An element of an array; a negative index has none. */
  template <typename Index,
            typename = std::enable_if_t<std::is_integral_v<Index>>>
  json operator[](Index index) const noexcept {
    return mcp_json_at(value_, static_cast<size_t>(index));
  }
  json pointer(const c_string &pointer) const noexcept {
    return mcp_json_pointer(value_, pointer.get());
  }
  size_t size() const noexcept { return mcp_json_size(value_); }
  bool empty() const noexcept { return size() == 0; }

  /** The value of its type; 0, false or an empty view for any other. A string
   * may contain NUL; the view also ends in one. */
  double number() const noexcept { return mcp_json_number(value_); }
  int64_t integer() const noexcept { return mcp_json_int(value_); }
  bool boolean() const noexcept { return mcp_json_bool(value_) != 0; }
  std::string_view string() const noexcept {
    size_t len;
    const char *text = mcp_json_string_n(value_, &len);
    return {text, len};
  }

  /** The value as a T: bool, an integer, a floating-point type, std::string or
   * std::string_view. Nothing when its type is another, or when an integer has
   * a fraction or does not fit: `json["lines"].as<int>().value_or(10)`. */
  template <typename T> std::optional<T> as() const;

  /** JSON text in one line; empty when there is no value. */
  std::string to_text() const {
    std::unique_ptr<char, void (*)(char *)> text(
        mcp_json_to_text(value_, nullptr), mcp_text_free);
    if (text == nullptr && value_ != nullptr) {
      throw error(MCP_ERR_NOMEM);
    }
    return text != nullptr ? std::string(text.get()) : std::string();
  }

  /** The elements of an array, or the values of an object's members. */
  iterator begin() const noexcept;
  iterator end() const noexcept;
  /** An object's members: `for (auto [name, value] : json.members())`. */
  member_range members() const noexcept;

  /** Equality of JSON Schema: 1 is 1.0. */
  friend bool operator==(json a, json b) noexcept {
    return mcp_json_equal(a.value_, b.value_) != 0;
  }
  friend bool operator!=(json a, json b) noexcept { return !(a == b); }

private:
  template <typename T> std::optional<T> as_large() const;
  const mcp_json *value_ = nullptr;
};

class json::iterator {
public:
  using iterator_category = std::input_iterator_tag;
  using value_type = json;
  using difference_type = std::ptrdiff_t;
  using pointer = const json *;
  using reference = json;

  iterator() = default; // the end
  explicit iterator(json all) noexcept {
    mcp_json_iter_init(&iter_, all.get());
    ++*this;
  }
  json operator*() const noexcept { return value_; }
  /** The member's name; empty in an array. */
  std::string_view name() const noexcept { return name_.string(); }
  iterator &operator++() noexcept {
    const mcp_json *name = nullptr;
    value_ = mcp_json_iter_next(&iter_, &name);
    name_ = name;
    return *this;
  }
  iterator operator++(int) noexcept {
    iterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const iterator &a, const iterator &b) noexcept {
    return a.value_.get() == b.value_.get();
  }
  friend bool operator!=(const iterator &a, const iterator &b) noexcept {
    return !(a == b);
  }

private:
  mcp_json_iter iter_ = {};
  json value_;
  json name_;
};

class json::member_range {
public:
  struct member {
    std::string_view name;
    json value;
  };
  class iterator : public json::iterator {
  public:
    using value_type = member;
    using pointer = const member *;
    using reference = member;
    using json::iterator::iterator;
    member operator*() const noexcept {
      return {name(), json::iterator::operator*()};
    }
    iterator &operator++() noexcept {
      json::iterator::operator++();
      return *this;
    }
    iterator operator++(int) noexcept {
      iterator before = *this;
      ++*this;
      return before;
    }
  };
  explicit member_range(json object) noexcept : object_(object) {}
  iterator begin() const noexcept {
    return object_.type() == MCP_JSON_OBJECT ? iterator(object_) : end();
  }
  iterator end() const noexcept { return {}; }

private:
  json object_;
};

inline json::iterator json::begin() const noexcept {
  return iterator(*this);
}
inline json::iterator json::end() const noexcept {
  return {};
}
inline json::member_range json::members() const noexcept {
  return member_range(*this);
}

/* An integer that does not fit into int64_t. With a fraction or an exponent it
 * is a double, else its digits say it exactly. */
template <typename T> std::optional<T> json::as_large() const {
  const std::string text = to_text();
  const char *end = text.data() + text.size();
  T large = 0;
  const auto [rest, rc] = std::from_chars(text.data(), end, large);
  if (rc == std::errc() && rest == end) {
    return large;
  }
  constexpr double too_large = 18446744073709551616.0; // 2^64
  const double real = number();
  bool is_real = text.find_first_of(".eE") != text.npos;
  return is_real && real > 0 && real < too_large
             ? std::optional<T>(static_cast<T>(real))
             : std::nullopt;
}

template <typename T> std::optional<T> json::as() const {
  if constexpr (std::is_same_v<T, bool>) {
    return type() == MCP_JSON_BOOL ? std::optional<T>(boolean()) : std::nullopt;
  } else if constexpr (std::is_integral_v<T>) {
    int64_t wide;
    if constexpr (std::is_unsigned_v<T> && sizeof(T) >= sizeof(uint64_t)) {
      if (mcp_json_try_int(value_, &wide) == MCP_ERR_LIMIT) {
        return as_large<T>();
      }
    }
    if (mcp_json_try_int(value_, &wide) != 0 ||
        static_cast<int64_t>(static_cast<T>(wide)) != wide ||
        (std::is_unsigned_v<T> && wide < 0)) {
      return std::nullopt;
    }
    return static_cast<T>(wide);
  } else if constexpr (std::is_floating_point_v<T>) {
    return type() == MCP_JSON_NUMBER
               ? std::optional<T>(static_cast<T>(number()))
               : std::nullopt;
  } else {
    static_assert(std::is_constructible_v<T, std::string_view>,
                  "as<T>: bool, a number type or a string type");
    return type() == MCP_JSON_STRING ? std::optional<T>(T(string()))
                                     : std::nullopt;
  }
}

/** A parsed document, which owns its values. */
class doc : public detail::handle<mcp_doc, mcp_doc_free> {
public:
  using handle::handle;
  explicit doc(std::string_view text,
               const mcp_json_limits &limits = MCP_JSON_LIMITS_INIT) {
    const mcp_json_limits sized = detail::sized(limits);
    const char *bytes = text.data() != nullptr ? text.data() : "";
    mcp_error err = {};
    object_.reset(detail::check_made(
        mcp_doc_parse(bytes, text.size(), &sized, nullptr, &err), err));
  }
  /** Borrowed until the document ends. */
  json root() const noexcept { return mcp_doc_root(get()); }
  mcp_doc *release() noexcept { return object_.release(); }
};

/**
 * Writes JSON into a builder that another object owns.
 *
 *     writer.object().add("city", "Oslo").array("days").add(1).add(2).end();
 *     writer.end();
 *
 * The builder keeps its first error. text(), or the reply that takes the JSON,
 * throws it.
 */
class writer {
public:
  explicit writer(mcp_builder *builder) noexcept : builder_(builder) {}
  mcp_builder *get() const noexcept { return builder_; }
  writer &object() noexcept {
    mcp_builder_object(builder_, nullptr);
    return *this;
  }
  writer &object(std::string_view name) noexcept {
    return put_name(name).object();
  }
  writer &array() noexcept {
    mcp_builder_array(builder_, nullptr);
    return *this;
  }
  writer &array(std::string_view name) noexcept {
    return put_name(name).array();
  }
  writer &end() noexcept {
    mcp_builder_end(builder_);
    return *this;
  }
  /** Adds nullptr, a bool, a number, a string, an mcp::json, or a range of
   * these, which becomes an array. A C string that is NULL becomes null. */
  template <typename T> writer &add(const T &value);
  template <typename T> writer &add(std::string_view name, const T &value) {
    return put_name(name).add(value);
  }
  /** Adds JSON text as it is. */
  writer &add_json(const c_string &text) noexcept {
    mcp_builder_json(builder_, nullptr, text.get());
    return *this;
  }
  writer &add_json(std::string_view name, const c_string &text) noexcept {
    return put_name(name).add_json(text);
  }
  /** The whole text, borrowed until the next change. */
  std::string_view text() const {
    size_t len;
    const char *whole = mcp_builder_text(builder_, &len);
    if (whole == nullptr) {
      throw error(*mcp_builder_error(builder_));
    }
    return {whole, len};
  }

private:
  writer &put_name(std::string_view name) noexcept {
    mcp_builder_name_n(builder_, name.data() != nullptr ? name.data() : "",
                       name.size());
    return *this;
  }

protected:
  mcp_builder *builder_;
};

template <typename T> writer &writer::add(const T &value) {
  if constexpr (std::is_null_pointer_v<T>) {
    mcp_builder_null(builder_, nullptr);
  } else if constexpr (std::is_same_v<T, bool>) {
    mcp_builder_bool(builder_, nullptr, value);
  } else if constexpr (std::is_floating_point_v<T>) {
    mcp_builder_number(builder_, nullptr, static_cast<double>(value));
  } else if constexpr (std::is_integral_v<T>) {
    if constexpr (std::is_unsigned_v<T> && sizeof(T) >= sizeof(int64_t)) {
      mcp_builder_json(builder_, nullptr, std::to_string(value).c_str());
    } else {
      mcp_builder_int(builder_, nullptr, value);
    }
  } else if constexpr (std::is_convertible_v<const T &, const char *>) {
    mcp_builder_string(builder_, nullptr, value);
  } else if constexpr (std::is_convertible_v<const T &, std::string_view>) {
    std::string_view text = value;
    mcp_builder_string_n(builder_, nullptr,
                         text.data() != nullptr ? text.data() : "",
                         text.size());
  } else if constexpr (std::is_convertible_v<const T &, json>) {
    mcp_builder_value(builder_, nullptr, json(value).get());
  } else {
    array();
    for (const auto &item : value) {
      add(item);
    }
    end();
  }
  return *this;
}

/** A builder of its own. */
class builder : public writer {
public:
  builder() : writer(nullptr) {
    mcp_error err = {};
    builder_ = detail::check_made(mcp_builder_new(nullptr, &err), err);
  }
  builder(builder &&other) noexcept : writer(other.release()) {}
  builder &operator=(builder &&other) noexcept {
    builder moved(std::move(other));
    std::swap(builder_, moved.builder_);
    return *this;
  }
  ~builder() { mcp_builder_free(builder_); }
  mcp_builder *release() noexcept { return std::exchange(builder_, nullptr); }
  void clear() noexcept { mcp_builder_clear(builder_); }
};

} // namespace v0
} // namespace mcp

#endif
