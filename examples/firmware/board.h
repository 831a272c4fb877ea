/* SPDX-License-Identifier: MIT */
/* What the firmware needs of a board: a serial line and a clock. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

void board_init(void);

/* Returns the next byte of the serial line, or -1 if none has arrived. */
int board_read_byte(void);

/* Returns whether the serial line can take a byte now. */
int board_can_write(void);
void board_write_byte(uint8_t byte);

/* Returns the milliseconds since the start. */
int64_t board_now_ms(void);

#endif
