/* SPDX-License-Identifier: MIT */
/* The same in C++17: what mcpctl generate c writes is for both. */
#include "caller.c"
