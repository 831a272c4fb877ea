/* SPDX-License-Identifier: MIT */
/* libyaml's part is a library of its own. */
#include "yaml/yaml.h"

#include <stdatomic.h>

const mcpi_yaml *mcpi_yaml_get(mcp_error *err) {
  static _Atomic(const mcpi_yaml *) found;
  const mcpi_yaml *yaml = atomic_load_explicit(&found, memory_order_acquire);
  if (yaml == NULL) {
    yaml = (const mcpi_yaml *)mcpi_module_open(
        MCPI_MODULE_FILE("yaml"), "mcpi_yaml_table", sizeof(*yaml), err);
    atomic_store_explicit(&found, yaml, memory_order_release);
  }
  return yaml;
}
