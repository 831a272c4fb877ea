/* SPDX-License-Identifier: MIT */
#include "schema/meta.h"

const mcpi_meta_text *mcpi_meta_find(mcpi_str uri) {
  for (const mcpi_meta_text *meta = mcpi_meta_texts; meta->uri != NULL;
       meta++) {
    if (mcpi_str_eq(uri, mcpi_str_z(meta->uri))) {
      return meta;
    }
  }
  return NULL;
}
