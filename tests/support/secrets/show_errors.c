/* SPDX-License-Identifier: MIT */
/* Shows each message of an mcp_error, also those that no test looks at. The
 * linker (--wrap) calls these functions in place of the library's.
 *
 * CTest sets MCP_TEST_SHOWS_ERRORS for the tests of authorization, and fails a
 * test whose output has one of the secrets that those tests use
 * (mcp_test_keeps_secrets in cmake/tests.cmake). */
#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>

int __real_mcpi_error_set_v(mcp_error *err, int code, const char *format,
                            va_list args);
int __wrap_mcpi_error_set_v(mcp_error *err, int code, const char *format,
                            va_list args);
int __wrap_mcp_error_set(mcp_error *err, int code, const char *format, ...);

int __wrap_mcpi_error_set_v(mcp_error *err, int code, const char *format,
                            va_list args) {
  int rc = __real_mcpi_error_set_v(err, code, format, args);
  if (getenv("MCP_TEST_SHOWS_ERRORS") != NULL) {
    printf("error %d: %s\n", code, err->message);
  }
  return rc;
}

/* Without an mcp_error, there is no message. */
int __wrap_mcp_error_set(mcp_error *err, int code, const char *format, ...) {
  if (err == NULL) {
    return code;
  }
  va_list args;
  va_start(args, format);
  __wrap_mcpi_error_set_v(err, code, format, args);
  va_end(args);
  return code;
}
