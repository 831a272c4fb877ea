/* SPDX-License-Identifier: MIT */
#include "platform/arguments.h"

char **mcpi_arguments(int argc, char **argv) {
  (void)argc;
  return argv;
}
