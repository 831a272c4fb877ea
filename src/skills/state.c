/* SPDX-License-Identifier: MIT */
/* The life of a server's skills, and the list that is served. */
#include "server/server.h"
#include "skills/skills.h"

/* Returns an empty list, so that the first one that is published is compared
 * with something. */
static mcpi_skill_list *make_empty(const mcp_allocator *allocator) {
  mcpi_skill_list *list = mcpi_calloc(allocator, 1, sizeof(*list));
  if (list != NULL) {
    atomic_init(&list->refs, 1);
    list->allocator = *allocator;
  }
  return list;
}

mcpi_skills *mcpi_skills_new(mcp_server *server, const char *dir,
                             const mcp_skills_options *options) {
  const mcp_allocator *allocator = &server->allocator;
  mcpi_skills *skills = mcpi_calloc(allocator, 1, sizeof(*skills));
  if (skills == NULL) {
    return NULL;
  }
  skills->dir = mcpi_strdup(allocator, dir);
  skills->list = make_empty(allocator);
  if (skills->dir == NULL || skills->list == NULL ||
      uv_mutex_init(&skills->lock) != 0) {
    mcpi_skill_list_unref(skills->list);
    mcpi_strfree(allocator, skills->dir);
    mcpi_free(allocator, skills, sizeof(*skills));
    return NULL;
  }
  atomic_init(&skills->refs, 1);
  skills->allocator = *allocator;
  skills->server = server;
  skills->options = *options;
  return skills;
}

void mcpi_skills_ref(mcpi_skills *skills) {
  atomic_fetch_add_explicit(&skills->refs, 1, memory_order_relaxed);
}

void mcpi_skills_unref(mcpi_skills *skills) {
  if (atomic_fetch_sub(&skills->refs, 1) != 1) {
    return;
  }
  mcp_allocator allocator = skills->allocator;
  mcpi_skill_list_unref(skills->list);
  uv_mutex_destroy(&skills->lock);
  mcpi_strfree(&allocator, skills->dir);
  mcpi_free(&allocator, skills, sizeof(*skills));
}

mcpi_skill_list *mcpi_skills_list(mcpi_skills *skills) {
  uv_mutex_lock(&skills->lock);
  mcpi_skill_list *list = mcpi_skill_list_ref(skills->list);
  uv_mutex_unlock(&skills->lock);
  return list;
}
