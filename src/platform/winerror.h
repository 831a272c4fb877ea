/* SPDX-License-Identifier: MIT */
/* Errors of Windows as values of errno. */
#ifndef MCPI_PLATFORM_WINERROR_H
#define MCPI_PLATFORM_WINERROR_H

/* The errno value for GetLastError() or WSAGetLastError(). */
int mcpi_errno_of(int error);

#endif
