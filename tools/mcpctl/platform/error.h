/* SPDX-License-Identifier: MIT */
/* The errors of libuv as errno, which messages print with strerror. */
#ifndef CTL_PLATFORM_ERROR_H
#define CTL_PLATFORM_ERROR_H

/* Sets errno for a negative UV_*. Returns `code`, or -1 for a negative one. */
int ctl_error_take(int code);

#endif
