/* SPDX-License-Identifier: MIT */
/** @file
 * Errors as exceptions, and what the other C++ headers share.
 * mcp/mcp.hpp explains the C++ headers.
 */
#ifndef MCP_ERROR_HPP
#define MCP_ERROR_HPP

#if __cplusplus < 201703L
#error libmcp needs C++17
#endif

#include <mcp/error.h>

#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace mcp {
inline namespace v0 {

/** What went wrong, as mcp_error says it. */
class error : public std::exception {
public:
  explicit error(const mcp_error &detail) noexcept : detail_(detail) {
    if (detail.message[0] == '\0') {
      mcp_error_set(&detail_, detail.code, "%s", mcp_error_text(detail.code));
    }
  }
  /** @param code    MCP_ERR_*
   *  @param message NULL: the general text of the code */
  explicit error(int code, const char *message = nullptr) noexcept : detail_() {
    mcp_error_set(&detail_, code, "%s",
                  message != nullptr ? message : mcp_error_text(code));
  }
  const char *what() const noexcept override { return detail_.message; }
  /** One of MCP_ERR_*. */
  int code() const noexcept { return detail_.code; }
  /** With MCP_ERR_REMOTE the peer's code; else as mcp_error.status. */
  int status() const noexcept { return detail_.status; }
  const mcp_error &detail() const noexcept { return detail_; }

private:
  mcp_error detail_;
};

/** For handlers of a server: answers the call with a JSON-RPC error, as
 * mcp_call_reply_error does. */
class rpc_error : public std::exception {
public:
  /** @param data JSON text; empty: none */
  rpc_error(int code, std::string message, std::string data = {})
      : code_(code), message_(std::move(message)), data_(std::move(data)) {}
  const char *what() const noexcept override { return message_.c_str(); }
  int code() const noexcept { return code_; }
  const std::string &data() const noexcept { return data_; }

private:
  int code_;
  std::string message_;
  std::string data_;
};

/** A string parameter of a C function. It is made from a C string (NULL: not
 * stated), a std::string or a std::string_view; only the last is copied.
 * Throws MCP_ERR_INVALID for a string that contains NUL, which a C function
 * would cut there. */
class c_string {
public:
  c_string(const char *text) noexcept : text_(text) {}
  c_string(const std::string &text) : text_(text.c_str()) { refuse_nul(text); }
  c_string(std::string_view text) : copy_(text), text_(copy_.c_str()) {
    refuse_nul(text);
  }
  c_string(const c_string &) = delete;
  c_string &operator=(const c_string &) = delete;
  const char *get() const noexcept { return text_; }

private:
  static void refuse_nul(std::string_view text) {
    if (text.find('\0') != text.npos) {
      throw error(MCP_ERR_INVALID, "a string parameter contains NUL");
    }
  }
  std::string copy_;
  const char *text_;
};

namespace detail {

/* What fails on a call is recorded there, and answers it. */
class recorded : public error {
public:
  using error::error;
};

/* Ends a handler that reads an answer that is not there yet. It is not a
 * std::exception, so that a handler that catches those lets it pass. */
struct pending {};

inline void check(int rc, const mcp_error &err) {
  if (rc < 0) {
    throw err.code != 0 ? error(err) : error(rc);
  }
}

template <typename T> T *check_made(T *object, const mcp_error &err) {
  if (object == nullptr) {
    throw err.code != 0 ? error(err) : error(MCP_ERR_NOMEM);
  }
  return object;
}

inline std::string_view view(const char *text) noexcept {
  return text != nullptr ? std::string_view(text) : std::string_view();
}

template <typename Structure> Structure sized(Structure structure) noexcept {
  structure.size = sizeof(Structure);
  return structure;
}

/* Hooks use the userdata of the options, so the program's own callbacks would
 * get it too. */
template <typename Member>
void refuse_beside_hooks(Member value, const char *member) {
  if (value != nullptr) {
    const std::string message =
        std::string("hooks cannot be used together with options.") + member;
    throw error(MCP_ERR_INVALID, message.c_str());
  }
}

/* Owns an object of the C library. */
template <typename T, void (*Free)(T *)> class handle {
public:
  handle() = default;
  explicit handle(T *object) noexcept : object_(object) {}
  /** The C object; NULL after a move. */
  T *get() const noexcept { return object_.get(); }
  explicit operator bool() const noexcept { return object_ != nullptr; }

protected:
  struct freed {
    void operator()(T *object) const noexcept { Free(object); }
  };
  std::unique_ptr<T, freed> object_;
};

} // namespace detail

} // namespace v0
} // namespace mcp

#endif
