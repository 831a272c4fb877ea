/* SPDX-License-Identifier: MIT */
#include "platform/group_spawn.h"

/* Nothing tells a child that its parent has died, except that its input
 * ends. */
int mcpi_spawn_dying_with_us(uv_loop_t *loop, uv_process_t *process,
                             const uv_process_options_t *options) {
  return uv_spawn(loop, process, options);
}
