/* SPDX-License-Identifier: MIT */
/** @file
 * JSON values, documents and builders.
 *
 * mcp/mcp.hpp explains the C++ headers.
 *
 * Threads: as mcp/json.h. Several threads may read one value at the same
 * time.
 */
#ifndef MCP_JSON_HPP
#define MCP_JSON_HPP

#include <mcp/error.hpp>
#include <mcp/json.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

namespace mcp {
inline namespace v0 {

/**
 * A JSON value, or none. Each function accepts that there is none, so lookups
 * can be chained: `json["cities"][0]["name"].string()`.
 *
 * The value is borrowed: it belongs to a document, a call or a result, which
 * must outlive this object and all views that it returns. In particular, a
 * range-based `for` over a value of a temporary result needs a variable for the
 * result:
 *
 *     mcp::result called = client.call_tool("list");
 *     for (mcp::json item : called.structured()["items"]) { ... }
 */
class json {
public:
  class iterator;
  class member_range;

  /** No value. */
  json() = default;
  /** Refers to a value of the C functions; nullptr: no value. */
  json(const mcp_json *value) noexcept : value_(value) {}
  /** Returns the C value; nullptr if there is none. */
  const mcp_json *get() const noexcept { return value_; }
  /** Whether there is a value; `null` is one. */
  explicit operator bool() const noexcept { return value_ != nullptr; }
  /** Returns MCP_JSON_*; MCP_JSON_NONE if there is no value. */
  int type() const noexcept { return mcp_json_type(value_); }
  ///@{
  /** Returns the member of an object with this name; no value if there is no
   * such member, or if this is not an object. */
  json operator[](std::string_view name) const noexcept {
    return mcp_json_get_n(value_, name.data(), name.size());
  }
  json operator[](const char *name) const noexcept {
    return mcp_json_get(value_, name);
  }
  ///@}
  /** Returns the element of an array at this index, from 0. No value if the
   * index is negative or too large, or if this is not an array. */
  template <typename Index,
            typename = std::enable_if_t<std::is_integral_v<Index>>>
  json operator[](Index index) const noexcept {
    const auto at = static_cast<size_t>(index);
    return static_cast<Index>(at) == index ? mcp_json_at(value_, at) : nullptr;
  }
  /** Returns the value at a JSON pointer, such as "/cities/0/name"
   * (mcp_json_pointer); no value if there is none. */
  json pointer(const c_string &pointer) const noexcept {
    return mcp_json_pointer(value_, pointer.get());
  }
  /** Returns the number of elements or members; 0 for all other values. */
  size_t size() const noexcept { return mcp_json_size(value_); }
  /** Whether size() is 0. */
  bool empty() const noexcept { return size() == 0; }

  ///@{
  /** Returns the value if it has this type; else 0, false or an empty view. An
   * integer is read as mcp_json_int reads it; as() also says whether it fits.
   * A string may contain NUL, and there is a NUL after its end. */
  double number() const noexcept { return mcp_json_number(value_); }
  int64_t integer() const noexcept { return mcp_json_int(value_); }
  bool boolean() const noexcept { return mcp_json_bool(value_) != 0; }
  std::string_view string() const noexcept {
    size_t len;
    const char *text = mcp_json_string_n(value_, &len);
    return {text, len};
  }
  ///@}

  /** Returns the value as a T: bool, an integer, a floating-point type,
   * std::string or std::string_view. std::nullopt if the value has another
   * type, if a number does not fit into T, or if T is an integer and the number
   * has a fraction: `json["lines"].as<int>().value_or(10)`. */
  template <typename T> std::optional<T> as() const;

  /** Returns the value as JSON text in one line; an empty text if there is no
   * value. */
  std::string to_text() const {
    std::unique_ptr<char, void (*)(char *)> text(
        mcp_json_to_text(value_, nullptr), mcp_text_free);
    if (text == nullptr && value_ != nullptr) {
      throw error(MCP_ERR_NOMEM);
    }
    return text != nullptr ? std::string(text.get()) : std::string();
  }

  ///@{
  /** The elements of an array, or the values of an object's members:
   * `for (mcp::json item : json)`. Any other value has none. */
  iterator begin() const noexcept;
  iterator end() const noexcept;
  ///@}
  /** Returns the members of an object, with their names:
   * `for (auto [name, value] : json.members())`. Any other value has none. */
  member_range members() const noexcept;

  ///@{
  /** Compares as JSON Schema does: 1 equals 1.0, and the order of members does
   * not matter (mcp_json_equal). */
  friend bool operator==(json a, json b) noexcept {
    return mcp_json_equal(a.value_, b.value_) != 0;
  }
  friend bool operator!=(json a, json b) noexcept { return !(a == b); }
  ///@}

private:
  template <typename T> std::optional<T> as_large() const;
  const mcp_json *value_ = nullptr;
};

/** Goes through the elements of an array, or through the members of an object.
 * Borrowed like its json. */
class json::iterator {
public:
  ///@{
  /** An input iterator, whose elements are made when they are read. */
  using iterator_category = std::input_iterator_tag;
  using value_type = json;
  using difference_type = std::ptrdiff_t;
  using pointer = const json *;
  using reference = json;
  ///@}

  /** The end of every array and object. */
  iterator() = default;
  /** Begins with the first element or member. */
  explicit iterator(json all) noexcept {
    mcp_json_iter_init(&iter_, all.get());
    ++*this;
  }
  /** Returns the element, or the value of the member. */
  json operator*() const noexcept { return value_; }
  /** Returns the member's name; an empty view in an array. */
  std::string_view name() const noexcept { return name_.string(); }
  ///@{
  /** Goes to the next element or member. */
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
  ///@}
  ///@{
  /** Whether both are at the same value, or both at the end. */
  friend bool operator==(const iterator &a, const iterator &b) noexcept {
    return a.value_.get() == b.value_.get();
  }
  friend bool operator!=(const iterator &a, const iterator &b) noexcept {
    return !(a == b);
  }
  ///@}

private:
  mcp_json_iter iter_ = {};
  json value_;
  json name_;
};

/** The members of an object, for a range-based `for`. Borrowed like its json.
 */
class json::member_range {
public:
  /** A member of an object. Both are borrowed like the json. */
  struct member {
    /** Its name, which may contain NUL. */
    std::string_view name;
    /** Its value. */
    json value;
  };
  /** Goes through the members. */
  class iterator : public json::iterator {
  public:
    ///@{
    /** An input iterator, whose elements are made when they are read. */
    using value_type = member;
    using pointer = const member *;
    using reference = member;
    ///@}
    using json::iterator::iterator;
    /** Returns the member. */
    member operator*() const noexcept {
      return {name(), json::iterator::operator*()};
    }
    ///@{
    /** Goes to the next member. */
    iterator &operator++() noexcept {
      json::iterator::operator++();
      return *this;
    }
    iterator operator++(int) noexcept {
      iterator before = *this;
      ++*this;
      return before;
    }
    ///@}
  };
  /** The members of an object; of any other value, or of none, no members. */
  explicit member_range(json object) noexcept : object_(object) {}
  ///@{
  /** For a range-based `for`. */
  iterator begin() const noexcept {
    return object_.type() == MCP_JSON_OBJECT ? iterator(object_) : end();
  }
  iterator end() const noexcept { return {}; }
  ///@}

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
    using narrow = std::conditional_t<(sizeof(T) < sizeof(double)), T, double>;
    const double real = number(); // infinite if it does not fit into a double
    bool fits = type() == MCP_JSON_NUMBER &&
                real <= std::numeric_limits<narrow>::max() &&
                real >= std::numeric_limits<narrow>::lowest();
    return fits ? std::optional<T>(static_cast<T>(real)) : std::nullopt;
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
  /** Takes a document of the C functions. */
  explicit doc(mcp_doc *taken) noexcept : handle(taken) {}
  /**
   * Parses a text.
   * @param text   JSON in UTF-8; need not end in NUL. Not used afterwards
   * @param limits what the text may need
   * @throws mcp::error as mcp_doc_parse says, with the offset of the fault
   */
  explicit doc(std::string_view text,
               const mcp_json_limits &limits = MCP_JSON_LIMITS_INIT) {
    const mcp_json_limits sized = detail::sized(limits);
    const char *bytes = text.data() != nullptr ? text.data() : "";
    mcp_error err = {};
    object_.reset(detail::check_made(
        mcp_doc_parse(bytes, text.size(), &sized, nullptr, &err), err));
  }
  /** Returns the value. It and all values in it are borrowed until the document
   * ends; a move does not end it. */
  json root() const noexcept { return mcp_doc_root(get()); }
  /** Gives the document to the caller, who frees it with mcp_doc_free. */
  [[nodiscard]] mcp_doc *release() noexcept { return object_.release(); }
};

/**
 * Writes JSON into a builder that another object owns, such as the call of
 * mcp::call::structured(). A writer is valid as long as that builder.
 *
 *     writer.object().add("city", "Oslo").array("days").add(1).add(2).end();
 *     writer.end();
 *
 * The functions that add return the writer itself. In an object, each value
 * needs a name; elsewhere it must not have one. Names and strings are UTF-8.
 * The builder keeps its first error, such as a text that is not UTF-8. text(),
 * or the reply that takes the JSON, throws it.
 */
class writer {
public:
  /** Writes into a builder of the C functions. */
  explicit writer(mcp_builder *builder) noexcept : builder_(builder) {}
  /** Returns the C builder; nullptr after a move or a release. */
  mcp_builder *get() const noexcept { return builder_; }
  ///@{
  /** Begins an object or an array. The next values are inside it, until end().
   */
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
  ///@}
  /** Ends the innermost object or array. */
  writer &end() noexcept {
    mcp_builder_end(builder_);
    return *this;
  }
  ///@{
  /** Adds a copy of nullptr, a bool, a number, a string, an mcp::json, or a
   * range of these, which becomes an array. A C string that is NULL and an
   * mcp::json without a value become `null`. A `char` is a number. */
  template <typename T> writer &add(const T &value);
  template <typename T> writer &add(std::string_view name, const T &value) {
    return put_name(name).add(value);
  }
  ///@}
  ///@{
  /** Adds JSON text as it is, as mcp_builder_json does. */
  writer &add_json(const c_string &text) noexcept {
    mcp_builder_json(builder_, nullptr, text.get());
    return *this;
  }
  writer &add_json(std::string_view name, const c_string &text) noexcept {
    return put_name(name).add_json(text);
  }
  ///@}
  /**
   * Returns the whole text, after which there is a NUL. Borrowed until the
   * builder's next change or its end.
   * @throws mcp::error the first error of the builder; MCP_ERR_INVALID: the
   *         text is unfinished, as mcp_builder_text says
   */
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

/**
 * A writer that owns its builder:
 *
 *     mcp::builder arguments;
 *     arguments.object().add("a", 1).end();
 *     client.call_tool("add", arguments.text());
 *
 * It is moved and not copied. A builder that was moved from ignores what is
 * added; text() throws MCP_ERR_NOMEM.
 */
class builder : public writer {
public:
  /** Begins without a value. */
  builder() : writer(nullptr) {
    mcp_error err = {};
    builder_ = detail::check_made(mcp_builder_new(nullptr, &err), err);
  }
  ///@{
  /** Takes the builder of another object, which is then empty. */
  builder(builder &&other) noexcept : writer(other.release()) {}
  builder &operator=(builder &&other) noexcept {
    builder moved(std::move(other));
    std::swap(builder_, moved.builder_);
    return *this;
  }
  ///@}
  /** Frees the builder and its text. */
  ~builder() { mcp_builder_free(builder_); }
  /** Gives the builder to the caller, who frees it with mcp_builder_free. */
  [[nodiscard]] mcp_builder *release() noexcept {
    return std::exchange(builder_, nullptr);
  }
  /** Removes all that was added, and the error. */
  void clear() noexcept { mcp_builder_clear(builder_); }
};

} // namespace v0
} // namespace mcp

#endif
