/* SPDX-License-Identifier: MIT */
/* For code that few values need: it keeps its registers and its stack frame to
 * itself, so that the code for all other values need not save them. */
#ifndef MCPI_BASE_APART_H
#define MCPI_BASE_APART_H

#if defined(__GNUC__)
#define MCPI_APART __attribute__((noinline))
#else
#define MCPI_APART
#endif

#endif
