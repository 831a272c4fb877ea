/* SPDX-License-Identifier: MIT */
/* What each store of tasks must do, whatever keeps it. */
#ifndef MCP_TESTS_STORE_CASES_H
#define MCP_TESTS_STORE_CASES_H

#include "support/store_rig.h"

/* Adds the cases to the tests of this program. The maker must stay. */
void store_cases_add(const store_maker *maker);

#endif
