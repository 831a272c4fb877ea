/* SPDX-License-Identifier: MIT */
/** @file
 * Errors as exceptions, string parameters, and what the other C++ headers
 * share.
 *
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

/**
 * A failure, as an exception: it holds an mcp_error. The functions of these
 * headers throw it, and handlers and callbacks may throw it too (mcp/mcp.hpp).
 */
class error : public std::exception {
public:
  /** Copies an mcp_error. If it has no message, what() returns the general text
   * of its code. */
  explicit error(const mcp_error &detail) noexcept : detail_(detail) {
    if (detail.message[0] == '\0') {
      mcp_error_set(&detail_, detail.code, "%s", mcp_error_text(detail.code));
      detail_.status = detail.status;
      detail_.offset = detail.offset;
    }
  }
  /**
   * Makes an error of the program's.
   * @param code    MCP_ERR_*
   * @param message copied, as mcp_error_set does; nullptr: the general text of
   *                the code
   */
  explicit error(int code, const char *message = nullptr) noexcept : detail_() {
    mcp_error_set(&detail_, code, "%s",
                  message != nullptr ? message : mcp_error_text(code));
  }
  /** Returns the message. Borrowed until the error ends. */
  const char *what() const noexcept override { return detail_.message; }
  /** Returns the code, one of MCP_ERR_*. */
  int code() const noexcept { return detail_.code; }
  /** Returns mcp_error.status: for MCP_ERR_REMOTE the peer's code. */
  int status() const noexcept { return detail_.status; }
  /** Returns the whole error. Borrowed until the error ends. */
  const mcp_error &detail() const noexcept { return detail_; }

private:
  mcp_error detail_;
};

/**
 * A JSON-RPC error. When a handler of a server throws it, the server answers
 * the call with it, as mcp_call_reply_error does.
 */
class rpc_error : public std::exception {
public:
  /**
   * Makes an error. Unlike a copy, this may throw std::bad_alloc.
   * @param code    as in mcp_call_reply_error, not 0
   * @param message UTF-8 without NUL; may be empty
   * @param data    JSON text; empty: no data
   */
  rpc_error(int code, std::string message, std::string data = {})
      : code_(code), texts_(std::make_shared<const texts>(
                         texts{std::move(message), std::move(data)})) {}
  ///@{
  /** Copies share their texts, so copying cannot fail, and what() of a copy is
   * valid as long as any of the copies. A move is a copy. */
  rpc_error(const rpc_error &) noexcept = default;
  rpc_error &operator=(const rpc_error &) noexcept = default;
  ///@}
  /** Returns the message. Borrowed until the last copy ends. */
  const char *what() const noexcept override { return texts_->message.c_str(); }
  /** Returns the code. */
  int code() const noexcept { return code_; }
  /** Returns the data. Borrowed until the last copy ends. */
  const std::string &data() const noexcept { return texts_->data; }

private:
  struct texts {
    std::string message;
    std::string data;
  };
  int code_;
  std::shared_ptr<const texts> texts_;
};

/**
 * A string parameter. A program does not make one itself: it passes a C string,
 * a std::string or a std::string_view. nullptr stands for NULL.
 *
 * A C function reads a string up to its first NUL. So a std::string or
 * std::string_view that contains NUL throws MCP_ERR_INVALID, and is not cut.
 */
class c_string {
public:
  ///@{
  /** Refers to a C string or a std::string, and copies a std::string_view. */
  c_string(const char *text) noexcept : text_(text) {}
  c_string(const std::string &text) : text_(text.c_str()) { refuse_nul(text); }
  c_string(std::string_view text) : copy_(text), text_(copy_.c_str()) {
    refuse_nul(text);
  }
  ///@}
  ///@{
  /** It is not copied: it only lasts for the call that it is a parameter of. */
  c_string(const c_string &) = delete;
  c_string &operator=(const c_string &) = delete;
  ///@}
  /** Returns the C string; nullptr if it was made from nullptr. */
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
struct recorded : error {
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

/* Lambdas use the userdata of a structure, so the program's own callbacks would
 * get it too. */
template <typename Member>
void refuse_beside(const char *lambdas, Member value, const char *member) {
  if (value != nullptr) {
    const std::string message =
        std::string(lambdas) + " cannot be used together with " + member;
    throw error(MCP_ERR_INVALID, message.c_str());
  }
}

/**
 * What objects that own an object of the C functions have in common. They are
 * moved and not copied. At their end they call the C function that frees.
 */
template <typename T, void (*Free)(T *)> class handle {
public:
  /** Owns nothing. */
  handle() = default;
  /** Takes an object of the C functions. */
  explicit handle(T *object) noexcept : object_(object) {}
  /** Returns the C object, for functions that these headers do not have.
   * Borrowed until this object ends; nullptr after a move or a release. */
  T *get() const noexcept { return object_.get(); }
  /** Whether this object owns one: false after a move or a release. */
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
