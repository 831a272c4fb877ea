/* SPDX-License-Identifier: MIT */
/* The LM3S6965, a Cortex-M3 with 256 KB of flash memory and 64 KB of RAM. */
#include "board.h"

#define REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))

#define UART_DATA REGISTER(0x4000C000)
#define UART_FLAGS REGISTER(0x4000C018)
#define UART_CONTROL REGISTER(0x4000C030)
#define SYSTICK_CONTROL REGISTER(0xE000E010)
#define SYSTICK_RELOAD REGISTER(0xE000E014)
#define SYSTICK_CURRENT REGISTER(0xE000E018)

enum {
  UART_RX_EMPTY = 1 << 4,
  UART_TX_FULL = 1 << 5,
  UART_ENABLE = 0x301, /* both directions */
  SYSTICK_ENABLE = 5,  /* counts the processor's clock, without interrupts */
  SYSTICK_WRAPPED = 1 << 16,
  CLOCK_KHZ = 12000
};

static int64_t ticks_ms;

void board_init(void) {
  UART_CONTROL = UART_ENABLE;
  SYSTICK_RELOAD = CLOCK_KHZ - 1;
  SYSTICK_CURRENT = 0;
  SYSTICK_CONTROL = SYSTICK_ENABLE;
}

int board_read_byte(void) {
  return (UART_FLAGS & UART_RX_EMPTY) != 0 ? -1 : (int)(UART_DATA & 0xFF);
}

int board_can_write(void) {
  return (UART_FLAGS & UART_TX_FULL) == 0;
}

void board_write_byte(uint8_t byte) {
  UART_DATA = byte;
}

/* The timer wraps each millisecond; the flag is cleared when it is read. A real
 * device counts in an interrupt, so that it misses none. */
int64_t board_now_ms(void) {
  ticks_ms += (SYSTICK_CONTROL & SYSTICK_WRAPPED) != 0;
  return ticks_ms;
}
