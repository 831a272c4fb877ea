/* SPDX-License-Identifier: MIT */
#ifndef MCPI_PLATFORM_ARGUMENTS_H
#define MCPI_PLATFORM_ARGUMENTS_H

/* The arguments of main in UTF-8. On Windows main gets them in the code page of
 * the user, which has no room for most characters; an argument that is not one
 * of the process's own stays as it is. The memory is never freed. */
char **mcpi_arguments(int argc, char **argv);

#endif
