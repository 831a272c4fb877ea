/* SPDX-License-Identifier: MIT */
/* Marks a function that few values need, so that compilers do not inline it.
 * Its registers and its stack frame are then its own, and the code for all
 * other values need not save them. */
#ifndef MCPI_BASE_APART_H
#define MCPI_BASE_APART_H

#if defined(__GNUC__)
#define MCPI_APART __attribute__((noinline))
#else
#define MCPI_APART
#endif

#endif
