/* SPDX-License-Identifier: MIT */
/* A lock between processes: on a file, which stays. It ends with the process
 * that holds it, too. */
#ifndef MCPI_LOGIN_FILE_LOCK_H
#define MCPI_LOGIN_FILE_LOCK_H

/* Opens the file, readable by the user alone, and tries to lock it. Returns its
 * descriptor; MCP_ERR_BUSY: someone else holds the lock, perhaps this process;
 * or MCP_ERR_IO with *error, an errno value. */
int mcpi_file_lock(const char *path, int *error);
/* Unlocks it. */
void mcpi_file_unlock(int fd);

#endif
