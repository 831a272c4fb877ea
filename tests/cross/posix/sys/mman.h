/* SPDX-License-Identifier: MIT */
#ifndef MCP_TESTS_CROSS_POSIX_SYS_MMAN_H
#define MCP_TESTS_CROSS_POSIX_SYS_MMAN_H

#include <stddef.h>

#define PROT_NONE 0
#define PROT_READ 1
#define PROT_WRITE 2
#define MAP_PRIVATE 0
#define MAP_ANONYMOUS 0
#define MAP_FAILED NULL
#define _SC_PAGESIZE 1

void *mmap(void *at, size_t len, int access, int flags, int fd, long long from);
int mprotect(void *at, size_t len, int access);
int munmap(void *at, size_t len);
long sysconf(int name);

#endif
