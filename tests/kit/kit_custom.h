/* SPDX-License-Identifier: MIT */
#ifndef MCP_TESTS_KIT_CUSTOM_H
#define MCP_TESTS_KIT_CUSTOM_H

#include "kit.h"

extern const kit_transport kit_custom;

#endif
