/* SPDX-License-Identifier: MIT */
#ifndef MCPI_PLATFORM_GROUP_SPAWN_H
#define MCPI_PLATFORM_GROUP_SPAWN_H

#include <uv.h>

/* As uv_spawn. The child is killed when this process dies, where the system can
 * do that. */
int mcpi_spawn_dying_with_us(uv_loop_t *loop, uv_process_t *process,
                             const uv_process_options_t *options);

#endif
