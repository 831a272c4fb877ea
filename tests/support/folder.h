/* SPDX-License-Identifier: MIT */
/* A folder for the files of a test. */
#ifndef MCP_TESTS_FOLDER_H
#define MCP_TESTS_FOLDER_H

/* Makes it; as a fixture's set_up. */
int folder_make(void **state);
/* Removes it with its files; as a fixture's tear_down. */
int folder_remove(void **state);
/* Removes its files. */
void folder_empty(void);
/* The path of a file in it, valid until 4 more calls; "": the folder's own. */
const char *folder_path(const char *name);
/* Makes a file. */
void folder_write(const char *name, const char *text, unsigned mode);

#define FOLDER_TEST(name) TEST_WITH(name, folder_make, folder_remove)

#endif
