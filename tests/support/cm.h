/* SPDX-License-Identifier: MIT */
/* cmocka, with the headers that it wants before it. */
#ifndef MCP_TESTS_CM_H
#define MCP_TESTS_CM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
