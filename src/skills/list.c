/* SPDX-License-Identifier: MIT */
#include "skills/list.h"

#include "base/error.h"

#include "platform/descriptors.h"
#include "platform/folders.h"

/* --- life ----------------------------------------------------------------- */

static mcpi_skill_list *list_new(size_t cap, const mcp_allocator *allocator) {
  mcpi_skill_list *list = mcpi_calloc(allocator, 1, sizeof(*list));
  if (list == NULL) {
    return NULL;
  }
  list->allocator = *allocator;
  atomic_init(&list->refs, 1);
  list->skills = mcpi_calloc(allocator, cap, sizeof(mcpi_skill *));
  list->cap = cap;
  if (cap > 0 && list->skills == NULL) {
    mcpi_free(allocator, list, sizeof(*list));
    return NULL;
  }
  return list;
}

mcpi_skill_list *mcpi_skill_list_ref(mcpi_skill_list *list) {
  atomic_fetch_add_explicit(&list->refs, 1, memory_order_relaxed);
  return list;
}

void mcpi_skill_list_unref(mcpi_skill_list *list) {
  if (list == NULL || atomic_fetch_sub(&list->refs, 1) != 1) {
    return;
  }
  mcp_allocator allocator = list->allocator;
  for (size_t i = 0; i < list->count; i++) {
    mcpi_skill_unref(list->skills[i]);
  }
  mcpi_free(&allocator, list->skills, list->cap * sizeof(mcpi_skill *));
  mcpi_free(&allocator, list, sizeof(*list));
}

/* --- asking --------------------------------------------------------------- */

int mcpi_skill_list_eq(const mcpi_skill_list *a, const mcpi_skill_list *b) {
  if (a->count != b->count) {
    return 0;
  }
  for (size_t i = 0; i < a->count; i++) {
    if (a->skills[i] != b->skills[i]) {
      return 0; /* a skill that has not changed is the same object */
    }
  }
  return 1;
}

static int list_compare(mcpi_str a, mcpi_str b) {
  size_t len = a.len < b.len ? a.len : b.len;
  int order = len > 0 ? memcmp(a.ptr, b.ptr, len) : 0;
  return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

size_t mcpi_skill_list_seek(const mcpi_skill_list *list, mcpi_str name) {
  size_t low = 0;
  size_t high = list->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (list_compare(mcpi_str_z(list->skills[middle]->name), name) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

mcpi_skill *mcpi_skill_list_get(const mcpi_skill_list *list, mcpi_str name) {
  size_t at = mcpi_skill_list_seek(list, name);
  return at < list->count &&
                 mcpi_str_eq(mcpi_str_z(list->skills[at]->name), name)
             ? list->skills[at]
             : NULL;
}

/* --- scanning ------------------------------------------------------------- */

static mcpi_skill *find_before(const mcpi_skill_scan *scan, const char *name) {
  return scan->before != NULL
             ? mcpi_skill_list_get(scan->before, mcpi_str_z(name))
             : NULL;
}

/* A fault that stays is the same object, so that it is reported once. */
static int add_faulty(mcpi_skill_list *list, const mcpi_skill_scan *scan,
                      const char *name, const mcp_error *why) {
  mcpi_skill *before = find_before(scan, name);
  mcpi_skill *skill = NULL;
  if (before != NULL && before->fault != NULL && before->count == 0 &&
      strcmp(before->fault, why->message) == 0) {
    skill = mcpi_skill_ref(before);
  } else {
    skill = mcpi_skill_faulty(name, why, &list->allocator);
  }
  if (skill == NULL) {
    return MCP_ERR_NOMEM;
  }
  list->skills[list->count++] = skill;
  return 0;
}

static int is_quiet(const mcpi_skill_scan *scan, const mcpi_walk *walk) {
  for (size_t i = 0; i < walk->count; i++) {
    if (walk->files[i].stamp.changed_ns > scan->quiet_since_ns) {
      return 0;
    }
  }
  return 1;
}

static int add_walked(mcpi_skill_list *list, mcpi_skill_scan *scan, int folder,
                      const char *name, const mcpi_walk *walk, mcp_error *err) {
  mcpi_skill *before = find_before(scan, name);
  mcpi_skill *skill = NULL;
  int rc = 0;
  if (before != NULL && mcpi_skill_matches(before, walk)) {
    skill = mcpi_skill_ref(before);
  } else if (!is_quiet(scan, walk)) {
    scan->unquiet_count++;
    skill = before != NULL ? mcpi_skill_ref(before) : NULL;
  } else {
    rc = mcpi_skill_read(&skill, folder, name, walk, &list->allocator, err);
  }
  if (rc == 0 && skill != NULL) {
    list->skills[list->count++] = skill;
  }
  return rc;
}

static int add_folder(mcpi_skill_list *list, mcpi_skill_scan *scan, int folder,
                      const char *name, mcp_error *err) {
  mcpi_walk walk;
  mcp_error why = {0};
  int rc = mcpi_folder_walk(&walk, folder, name, &list->allocator, &why);
  if (rc == MCP_ERR_NOMEM) {
    return mcpi_no_memory(err);
  }
  if (rc != 0) {
    return add_faulty(list, scan, name, &why);
  }
  rc = add_walked(list, scan, folder, name, &walk, err);
  mcpi_walk_deinit(&walk);
  return rc;
}

/* Files beside the skills, such as a README, say nothing. */
static int add_name(mcpi_skill_list *list, mcpi_skill_scan *scan, int folder,
                    const char *name, mcp_error *err) {
  mcpi_entry entry;
  mcp_error why;
  if (mcpi_entry_look(folder, name, &entry) != 0) {
    return 0; /* it has gone */
  }
  if (entry.kind == MCPI_ENTRY_LINK) {
    mcp_error_set(&why, MCP_ERR_INVALID,
                  "it is a symbolic link, which is not followed");
    return add_faulty(list, scan, name, &why);
  }
  return entry.kind == MCPI_ENTRY_FOLDER
             ? add_folder(list, scan, folder, name, err)
             : 0;
}

static int scan_names(mcpi_skill_list **out, mcpi_skill_scan *scan, int folder,
                      const mcp_allocator *allocator, mcp_error *err) {
  mcpi_names names;
  int rc = mcpi_folder_names(&names, folder, MCPI_SKILLS_MAX, allocator, err);
  if (rc != 0) {
    return rc;
  }
  mcpi_skill_list *list = list_new(names.count, allocator);
  if (list == NULL) {
    mcpi_names_deinit(&names);
    return mcpi_no_memory(err);
  }
  for (size_t i = 0; rc == 0 && i < names.count; i++) {
    rc = add_name(list, scan, folder, names.names[i], err);
  }
  mcpi_names_deinit(&names);
  if (rc != 0) {
    mcpi_skill_list_unref(list);
    return rc == MCP_ERR_NOMEM ? mcpi_no_memory(err) : rc;
  }
  *out = list;
  return 0;
}

int mcpi_skill_list_scan(mcpi_skill_list **out, mcpi_skill_scan *scan,
                         const mcp_allocator *allocator, mcp_error *err) {
  scan->unquiet_count = 0;
  int folder = mcpi_folder_open(scan->dir, err);
  if (folder < 0) {
    return MCP_ERR_IO;
  }
  int rc = scan_names(out, scan, folder, allocator, err);
  mcpi_fd_close(folder);
  return rc;
}
