/* SPDX-License-Identifier: MIT */
/* QEMU's RISC-V machine "virt": a UART of the kind 16550 and a timer. */
#include "board.h"

#define BYTE(address) (*(volatile uint8_t *)(uintptr_t)(address))
#define WORD(address) (*(volatile uint32_t *)(uintptr_t)(address))

#define UART_DATA BYTE(0x10000000)
#define UART_STATUS BYTE(0x10000005)
#define TIME_LOW WORD(0x0200BFF8)
#define TIME_HIGH WORD(0x0200BFFC)

enum { UART_HAS_BYTE = 1, UART_CAN_WRITE = 1 << 5, TICKS_EACH_MS = 10000 };

void board_init(void) {
}

int board_read_byte(void) {
  return (UART_STATUS & UART_HAS_BYTE) != 0 ? UART_DATA : -1;
}

int board_can_write(void) {
  return (UART_STATUS & UART_CAN_WRITE) != 0;
}

void board_write_byte(uint8_t byte) {
  UART_DATA = byte;
}

int64_t board_now_ms(void) {
  uint32_t high;
  uint32_t low;
  do { /* the low half may wrap in between */
    high = TIME_HIGH;
    low = TIME_LOW;
  } while (high != TIME_HIGH);
  return (int64_t)(((uint64_t)high << 32 | low) / TICKS_EACH_MS);
}
