/* SPDX-License-Identifier: MIT */
/* The skills of a server. */
#ifndef MCPI_SKILLS_SKILLS_H
#define MCPI_SKILLS_SKILLS_H

#include "skills/list.h"
#include <mcp/skills.h>
#include <uv.h>

/* The skills of a server are held by the server's methods and resources, and by
 * the watch. The last of them frees them.
 *
 * Handlers, which run on any thread of the server and its pools, read `list`
 * under the lock. Only the thread of the watch's loop replaces it. */
typedef struct mcpi_skills {
  atomic_uint refs;
  mcp_allocator allocator;
  mcp_skills_options options; /* defaults filled in */
  char *dir;
  /* NULL: the server has ended. It is valid as long as the lock is held, or
   * while one of its calls runs. */
  mcp_server *server;
  uv_mutex_t lock;
  mcpi_skill_list *list;
  int publish_error; /* the last one of a file, while a list is published */
} mcpi_skills;

/* state.c. Copies `dir` and the options. The list is empty. The caller has a
 * reference. Returns NULL when out of memory. */
mcpi_skills *mcpi_skills_new(mcp_server *server, const char *dir,
                             const mcp_skills_options *options);
void mcpi_skills_ref(mcpi_skills *skills);
void mcpi_skills_unref(mcpi_skills *skills);
/* Returns a reference to the list. */
mcpi_skill_list *mcpi_skills_list(mcpi_skills *skills);

/* methods.c: `skills/list`, `skills/get`, `resources/directory/read`. The
 * first error ends it. */
int mcpi_skills_add_methods(mcpi_skills *skills, mcp_error *err);

/* publish.c: makes a list, which is taken, the one that is served. Registers
 * what is new, removes what has gone, reports skills that are not valid, and
 * notifies clients. Returns 0, or the last error of a file that the server does
 * not take, which was reported. On the loop's thread, with a reference to the
 * skills. */
int mcpi_skills_publish(mcpi_skills *skills, mcpi_skill_list *list);

/* watch.c: looks for changes from now on, until the loop or the server ends. On
 * the loop's thread. */
int mcpi_skills_watch(mcpi_skills *skills, mcp_error *err);

/* read.c: reads a file, on a thread of the pool. */
int mcpi_skills_on_read(mcp_call *call, void *userdata);

#endif
