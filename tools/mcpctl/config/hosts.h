/* SPDX-License-Identifier: MIT */
/* The programs whose configuration files name MCP servers, such as VS Code
 * ("hosts"), and what is particular to the files of each. */
#ifndef CTL_HOSTS_H
#define CTL_HOSTS_H

/* What a host replaces in the strings of a server's entry. */
enum {
  CTL_REF_SHELL = 1,   /* ${NAME} and ${NAME:-default} */
  CTL_REF_ENV = 2,     /* ${env:NAME} */
  CTL_REF_FOLDERS = 4, /* ${userHome}, ${workspaceFolder} and the like */
  CTL_REF_FILE = 8,    /* ${file:PATH}: the text of the file */
  CTL_REF_INPUT = 16,  /* ${input:ID}: what the user types in the host */
  CTL_REF_ALL = 31
};

typedef struct ctl_host {
  const char *name;  /* as --for has it: "vscode" */
  const char *title; /* "VS Code" */
  /* The user's file. "config:" stands for $XDG_CONFIG_HOME or ~/.config on each
   * platform, and "data:" for the platform's folder for the data of programs.
   * Other paths begin in the home folder. */
  const char *user;
  const char *project;    /* the file in a project's folder; NULL: none */
  const char *member;     /* the member of the file that holds the servers */
  const char *url_member; /* the member of an entry that holds the URL */
  unsigned references;    /* CTL_REF_* */
  int by_folder;          /* `projects` of the user's file holds more servers */
} ctl_host;

/* Where a platform has the files of users. */
typedef struct ctl_platform {
  const char *home; /* the variable that names the home folder */
  /* The variable that names the folder for the data of programs. NULL: none. */
  const char *data_variable;
  const char *data; /* that folder without the variable, in the home folder */
  int has_drives;   /* an absolute path may begin with a drive's letter */
} ctl_platform;

extern const ctl_platform ctl_linux, ctl_macos, ctl_windows;

/* In the order in which servers are sought. The first is mcpctl itself. The
 * last entry has no name. */
extern const ctl_host ctl_hosts[];

/* NULL: there is no host of that name. */
const ctl_host *ctl_host_find(const char *name);

/* The host whose file has this path, by the path's end. NULL: it is the file of
 * none. */
const ctl_host *ctl_host_of_file(const char *path);

/* The path of the user's file on this platform. Owned: end it with free. NULL:
 * out of memory, or there is no home folder. */
char *ctl_host_user_file(const ctl_host *host);

/* The same on another platform. */
char *ctl_host_user_file_on(const ctl_platform *platform, const ctl_host *host);

#endif
