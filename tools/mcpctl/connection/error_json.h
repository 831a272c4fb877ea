/* SPDX-License-Identifier: MIT */
/* The error of a run with --json as JSON on standard output:
 *
 *     {"error": {"code": -32602, "message": "...", "data": ..., "hint": "..."}}
 *
 * `code` is a number if the server answered with an error of JSON-RPC: that
 * error's code. Otherwise it is the name of the exit code. `data` is that of
 * the server's error. `hint` has all other lines of standard error. Members
 * without a value are left out. docs/MCPCTL.md lists the names. */
#ifndef CTL_ERROR_JSON_H
#define CTL_ERROR_JSON_H

/* The server has answered with this error. `data` is JSON text; NULL: none. */
void ctl_error_json_set_remote(int code, const char *message, const char *data);

/* Prints the error of a run that ends with this exit code, unless the run has
 * printed JSON already: the result of a tool that failed, for example. */
void ctl_error_json_print(int exit_code);

/* Forgets what the run has reported and printed, before another run: the next
 * line of a shell. */
void ctl_error_json_forget(void);

#endif
