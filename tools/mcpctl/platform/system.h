/* SPDX-License-Identifier: MIT */
/* The operating system that this program was built for. */
#ifndef CTL_PLATFORM_SYSTEM_H
#define CTL_PLATFORM_SYSTEM_H

typedef enum ctl_system_kind {
  CTL_SYSTEM_POSIX, /* Linux, and others whose programs have its folders */
  CTL_SYSTEM_MACOS,
  CTL_SYSTEM_WINDOWS
} ctl_system_kind;

ctl_system_kind ctl_system(void);

#endif
