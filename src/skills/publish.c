/* SPDX-License-Identifier: MIT */
/* From one list of skills to the next: changes the server's resources, reports
 * skills that are not valid, and notifies clients. */
#include "base/error.h"
#include "server/server.h"
#include "skills/skills.h"

static void release_skills(void *userdata) {
  mcpi_skills_unref(userdata);
}

/* --- resources ------------------------------------------------------------ */

static int skills_add_resource(mcpi_skills *skills, const mcpi_skill *skill,
                               const mcpi_skill_file *file, mcp_error *err) {
  int is_main = mcpi_skill_file_is_main(file);
  mcpi_skills_ref(skills);
  int rc = mcp_server_add_resource(
      skills->server,
      &(mcp_resource){.size = sizeof(mcp_resource),
                      .uri = file->uri,
                      .name = is_main ? skill->name : file->path,
                      .description = is_main ? skill->description : NULL,
                      .mime_type = file->mime_type,
                      .resource_size = file->stamp.size,
                      .cache_ttl_ms = skills->options.cache_ttl_ms,
                      .handler = mcpi_skills_on_read,
                      .userdata = skills,
                      .is_blocking = 1,
                      .release = release_skills},
      err);
  if (rc != 0) {
    mcpi_skills_unref(skills);
  }
  return rc;
}

/* A failure to add one file does not keep the others from being served. */
static void add_one(mcpi_skills *skills, const mcpi_skill *skill,
                    const mcpi_skill_file *file) {
  mcp_error why;
  int rc = skills_add_resource(skills, skill, file, &why);
  if (rc != 0) {
    skills->publish_error = rc;
    mcpi_server_report(skills->server, rc, "%s/%s/%s is not served: %s",
                       skills->dir, skill->name, file->path, why.message);
  }
}

/* Whether a resource looks in lists as before. The SKILL.md of a skill that has
 * changed never does: the client's notice of a new list says that there are new
 * digests. */
static int is_shown_alike(const mcpi_skill_file *a, const mcpi_skill_file *b) {
  return !mcpi_skill_file_is_main(a) && a->stamp.size == b->stamp.size &&
         a->mime_type == b->mime_type;
}

/* Both files have the same path. */
static void replace_one(mcpi_skills *skills, const mcpi_skill *skill,
                        const mcpi_skill_file *before,
                        const mcpi_skill_file *now) {
  if (!is_shown_alike(before, now)) {
    mcp_server_remove_resource(skills->server, before->uri);
    add_one(skills, skill, now);
  }
  if (strcmp(before->digest, now->digest) != 0) {
    mcp_server_resource_updated(skills->server, now->uri);
  }
}

static size_t served_count(const mcpi_skill *skill) {
  return skill != NULL && mcpi_skill_is_valid(skill) ? skill->count : 0;
}

/* Compares two sorted lists of files. One that has ended comes last. */
static int compare_files(const mcpi_skill *a, size_t i, const mcpi_skill *b,
                         size_t j) {
  int has_a = i < served_count(a);
  int has_b = j < served_count(b);
  if (!has_a || !has_b) {
    return has_b - has_a;
  }
  return strcmp(a->files[i].path, b->files[j].path);
}

/* `before` and `now` have the same name; either may be NULL. */
static void replace_skill(mcpi_skills *skills, const mcpi_skill *before,
                          const mcpi_skill *now) {
  size_t i = 0;
  size_t j = 0;
  while (i < served_count(before) || j < served_count(now)) {
    int order = compare_files(before, i, now, j);
    if (order == 0) {
      replace_one(skills, now, &before->files[i], &now->files[j]);
    } else if (order < 0) {
      mcp_server_remove_resource(skills->server, before->files[i].uri);
    } else {
      add_one(skills, now, &now->files[j]);
    }
    i += order <= 0;
    j += order >= 0;
  }
}

/* --- reports -------------------------------------------------------------- */

static void report_skill(mcpi_skills *skills, const mcpi_skill *skill) {
  if (skill->fault != NULL) {
    mcpi_server_report(skills->server, skill->fault_code,
                       "the skill %s/%s is left out: %s", skills->dir,
                       skill->name, skill->fault);
  } else if (skill->other != NULL) {
    mcpi_server_report(skills->server, MCP_ERR_INVALID,
                       "%s/%s/%s is left out: it is a symbolic link or not a "
                       "file (left out in this skill: %zu)",
                       skills->dir, skill->name, skill->other,
                       skill->other_count);
  }
}

/* --- lists ---------------------------------------------------------------- */

static int compare_skills(const mcpi_skill_list *a, size_t i,
                          const mcpi_skill_list *b, size_t j) {
  if (i == a->count || j == b->count) {
    return (i == a->count) - (j == b->count);
  }
  return strcmp(a->skills[i]->name, b->skills[j]->name);
}

static void replace_list(mcpi_skills *skills, const mcpi_skill_list *before,
                         const mcpi_skill_list *now) {
  size_t i = 0;
  size_t j = 0;
  while (i < before->count || j < now->count) {
    int order = compare_skills(before, i, now, j);
    const mcpi_skill *was = order <= 0 ? before->skills[i] : NULL;
    const mcpi_skill *is = order >= 0 ? now->skills[j] : NULL;
    if (was != is) {
      replace_skill(skills, was, is);
    }
    if (is != NULL && was != is) {
      report_skill(skills, is);
    }
    i += order <= 0;
    j += order >= 0;
  }
}

/* The list changes first: a client that is notified gets the new one. The
 * program may free the server when it gets a report. */
int mcpi_skills_publish(mcpi_skills *skills, mcpi_skill_list *list) {
  mcp_server *server = skills->server;
  mcpi_server_ref(server);
  skills->publish_error = 0;
  uv_mutex_lock(&skills->lock);
  mcpi_skill_list *before = skills->list;
  skills->list = mcpi_skill_list_ref(list);
  uv_mutex_unlock(&skills->lock);
  replace_list(skills, before, list);
  int rc = skills->publish_error;
  mcpi_skill_list_unref(before);
  mcpi_skill_list_unref(list);
  mcpi_server_unref(server);
  return rc;
}
