/* SPDX-License-Identifier: MIT */
/* Instructions for arrays. */
#include "schema/validate_array.h"

#include "json/inline.h"
#include "json/json.h"

const mcpi_keyword_group mcpi_keywords_of_arrays = {1, "MCP_SCHEMA_ARRAYS"};

/* --- items -------------------------------------------------------------- */

/* Reports that the array is too long: no item is allowed at `index`. */
MCPI_APART static int array_refuse_item(mcpi_run *run, const mcpi_insn *insn,
                                        const mcp_json *array, size_t index) {
  if (mcpi_run_explains(run)) {
    mcpi_report_extra_item(run->report, insn, array, index);
  }
  return 0;
}

static inline int array_check_item(mcpi_run *run, const mcpi_node *node,
                                   const mcpi_insn *insn, const mcp_json *array,
                                   const mcp_json *item, size_t index) {
  if (mcpi_types_have(node->passes, item)) {
    return 1;
  }
  return node->types != 0 ? mcpi_visit_node(run, node, item, NULL)
                          : array_refuse_item(run, insn, array, index);
}

/* Returns the node for the item at that index, or MCPI_NONE. */
static inline uint32_t array_item_node(const mcpi_run *run,
                                       const mcpi_insn *insn, size_t index) {
  return index < insn->count ? run->program->children[insn->first + index]
                             : insn->others;
}

MCPI_APART static int array_check_each(mcpi_run *run, const mcpi_insn *insn,
                                       const mcp_json *array, size_t count,
                                       mcpi_marks *marks) {
  const mcpi_node *nodes = run->program->nodes;
  const mcp_json *item = mcpi_json_first(array);
  int is_fine = 1;
  for (size_t i = 0; i < count; i++, item = mcpi_json_behind(item)) {
    const mcpi_node *node = &nodes[array_item_node(run, insn, i)];
    if (marks != NULL) {
      mcpi_marks_set(marks, i);
    }
    if (!array_check_item(run, node, insn, array, item, i)) {
      is_fine = 0;
      if (mcpi_run_is_done(run)) {
        break;
      }
    }
  }
  return is_fine;
}

/* Whether one look at each item is enough: most arrays are lists of strings or
 * numbers. */
static inline int array_passes(const mcpi_run *run, const mcpi_insn *insn,
                               const mcp_json *array, size_t count) {
  const mcpi_node *nodes = run->program->nodes;
  const mcp_json *item = mcpi_json_first(array);
  size_t i = 0;
  while (i < count &&
         mcpi_types_have(nodes[array_item_node(run, insn, i)].passes, item)) {
    item = mcpi_json_behind(item);
    i++;
  }
  return i == count;
}

int mcpi_check_items(mcpi_run *run, const mcpi_insn *insn,
                     const mcp_json *array, mcpi_marks *marks) {
  size_t count = mcpi_json_count(array);
  if (!mcpi_run_spend(run, count)) {
    return 0;
  }
  if (insn->others == MCPI_NONE && count > insn->count) {
    count = insn->count;
  }
  return (marks == NULL && array_passes(run, insn, array, count)) ||
         array_check_each(run, insn, array, count, marks);
}

int mcpi_check_contains(mcpi_run *run, const mcpi_insn *insn,
                        const mcp_json *array, mcpi_marks *marks) {
  size_t count = mcpi_json_count(array);
  const mcp_json *item = count > 0 ? mcpi_json_first(array) : NULL;
  mcpi_report *report = run->report;
  size_t found = 0;
  run->report = NULL;
  for (size_t i = 0; i < count; i++, item = mcpi_json_behind(item)) {
    if (mcpi_visit(run, insn->first, item, NULL)) {
      found++;
      if (marks != NULL) {
        mcpi_marks_set(marks, i);
      } else if (found >= insn->limit && insn->most == SIZE_MAX) {
        break;
      }
    }
  }
  run->report = report;
  int is_fine = found >= insn->limit && found <= insn->most;
  if (!is_fine && mcpi_run_explains(run)) {
    mcpi_report_contains(report, insn, array, found);
  }
  return is_fine && !run->is_aborted;
}

int mcpi_check_unevaluated_items(mcpi_run *run, const mcpi_insn *insn,
                                 const mcp_json *array, mcpi_marks *marks) {
  size_t count = mcpi_json_count(array);
  const mcp_json *item = count > 0 ? mcpi_json_first(array) : NULL;
  const mcpi_node *node = &run->program->nodes[insn->first];
  size_t end = mcpi_marks_end(marks, count);
  /* Items of the window are checked, items before it are skipped. */
  int is_fine = mcpi_run_spend(run, end - marks->first + end / 16);
  for (size_t i = 0; i < end && !run->is_aborted;
       i++, item = mcpi_json_behind(item)) {
    if (i >= marks->first && !mcpi_marks_has(marks, i) &&
        !array_check_item(run, node, insn, array, item, i)) {
      is_fine = 0;
      if (mcpi_run_is_done(run)) {
        break;
      }
    }
  }
  return is_fine;
}

/* --- uniqueItems -------------------------------------------------------- */

enum {
  /* Up to this many items are compared each with each. */
  FEW_ITEMS = 16,
  /* Hashes that are held at once, in twice as many slots. Longer arrays take a
   * pass for each share of the hashes. */
  HASHES = 512
};

/* Returns a hash that is equal for equal values: of numbers by their nearest
 * double, of objects in any order. */
static uint64_t hash_of(mcpi_run *run, const mcp_json *value);

/* Mixes each bit of both into all bits of the result. */
static uint64_t hash_mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ hash >> 32 ^ word) * UINT64_C(0xFF51AFD7ED558CCD);
  hash = (hash ^ hash >> 33) * UINT64_C(0xC4CEB9FE1A85EC53);
  return hash ^ hash >> 33;
}

static uint64_t hash_text(mcpi_run *run, mcpi_str text) {
  uint64_t hash = text.len;
  size_t i = 0;
  mcpi_run_spend(run, text.len / 64);
  for (; text.len - i >= 8; i += 8) {
    hash = hash_mix(hash, mcpi_load_word(text.ptr + i));
  }
  for (; i < text.len; i++) {
    hash = hash_mix(hash, (unsigned char)text.ptr[i]);
  }
  return hash;
}

static uint64_t hash_number(const mcp_json *number) {
  double nearest = mcp_json_number(number) + 0.0; /* 0.0 for -0.0, too */
  uint64_t bits = 0;
  memcpy(&bits, &nearest, sizeof(nearest));
  return hash_mix(MCP_JSON_NUMBER, bits);
}

static uint64_t hash_members(mcpi_run *run, const mcp_json *object) {
  size_t count = mcpi_json_count(object);
  const mcp_json *name = count > 0 ? mcpi_json_first(object) : NULL;
  uint64_t hash = count;
  for (size_t i = 0; i < count; i++) {
    const mcp_json *value = mcpi_json_value_of(name);
    hash += hash_mix(hash_text(run, mcpi_json_text(name)), hash_of(run, value));
    name = mcpi_json_behind(value);
  }
  return hash_mix(MCP_JSON_OBJECT, hash);
}

static uint64_t hash_items(mcpi_run *run, const mcp_json *array) {
  size_t count = mcpi_json_count(array);
  const mcp_json *item = count > 0 ? mcpi_json_first(array) : NULL;
  uint64_t hash = hash_mix(MCP_JSON_ARRAY, count);
  for (size_t i = 0; i < count; i++, item = mcpi_json_behind(item)) {
    hash = hash_mix(hash, hash_of(run, item));
  }
  return hash;
}

static uint64_t hash_of(mcpi_run *run, const mcp_json *value) {
  int type = mcpi_json_type(value);
  if (!mcpi_run_spend(run, 1)) {
    return 0;
  }
  switch (type) {
  case MCP_JSON_NUMBER:
    return hash_number(value);
  case MCP_JSON_STRING:
    return hash_mix(MCP_JSON_STRING, hash_text(run, mcpi_json_text(value)));
  case MCP_JSON_ARRAY:
    return hash_items(run, value);
  case MCP_JSON_OBJECT:
    return hash_members(run, value);
  default:
    return hash_mix((uint64_t)type, (uint64_t)mcp_json_bool(value));
  }
}

/* Two equal items. */
typedef struct pair {
  size_t first;
  size_t second;
} pair;

static int are_equal(mcpi_run *run, const mcp_json *a, const mcp_json *b) {
  int is_equal = mcpi_json_equal(a, b, &run->steps_left);
  if (run->steps_left == 0) {
    run->is_aborted = 1;
  }
  return is_equal && !run->is_aborted;
}

static int find_pair_of_few(mcpi_run *run, const mcp_json *array, pair *out) {
  size_t count = mcpi_json_count(array);
  const mcp_json *item = count > 0 ? mcpi_json_first(array) : NULL;
  for (size_t i = 0; i + 1 < count; i++, item = mcpi_json_behind(item)) {
    const mcp_json *other = mcpi_json_behind(item);
    for (size_t k = i + 1; k < count && !run->is_aborted; k++) {
      if (are_equal(run, item, other)) {
        *out = (pair){i, k};
        return 1;
      }
      other = mcpi_json_behind(other);
    }
  }
  return 0;
}

typedef struct held {
  const mcp_json *item; /* NULL: the slot is free */
  uint64_t hash;
  size_t index;
} held;

/* Looks for an equal item among those held, and holds this one. */
static int hold_item(mcpi_run *run, held *slots, held one, pair *out) {
  size_t at = (size_t)(one.hash >> 32) % (2 * HASHES);
  while (slots[at].item != NULL) {
    if (!mcpi_run_spend(run, 1)) {
      return 0;
    }
    if (slots[at].hash == one.hash &&
        are_equal(run, slots[at].item, one.item)) {
      *out = (pair){slots[at].index, one.index};
      return 1;
    }
    at = (at + 1) % (2 * HASHES);
  }
  slots[at] = one;
  return 0;
}

/* Compares the items whose hashes are in one share. Sets *is_full when there
 * are more of them than can be held. */
static int find_pair_in_share(mcpi_run *run, const mcp_json *array,
                              size_t share, size_t shares, int *is_full,
                              pair *out) {
  held slots[2 * HASHES];
  size_t count = mcpi_json_count(array);
  const mcp_json *item = mcpi_json_first(array);
  size_t used = 0;
  memset(slots, 0, sizeof(slots));
  for (size_t i = 0; i < count && !run->is_aborted; i++) {
    held one = {item, hash_of(run, item), i};
    if ((one.hash & UINT32_MAX) % shares == share) {
      if (used == 2 * HASHES - 1) {
        *is_full = 1;
        return 0;
      }
      if (hold_item(run, slots, one, out)) {
        return 1;
      }
      used++;
    }
    item = mcpi_json_behind(item);
  }
  return 0;
}

/* If a peer chose items whose hashes do not spread, they cost steps until these
 * are used up. */
static int find_pair(mcpi_run *run, const mcp_json *array, pair *out) {
  size_t count = mcpi_json_count(array);
  size_t shares = count / HASHES + 1;
  if (count <= FEW_ITEMS) {
    return find_pair_of_few(run, array, out);
  }
  for (size_t share = 0; share < shares && !run->is_aborted; share++) {
    int is_full = 0;
    if (find_pair_in_share(run, array, share, shares, &is_full, out)) {
      return 1;
    }
    if (is_full) {
      return find_pair_of_few(run, array, out);
    }
  }
  return 0;
}

int mcpi_check_unique(mcpi_run *run, const mcpi_insn *insn,
                      const mcp_json *array, mcpi_marks *marks) {
  (void)marks;
  pair found;
  if (!find_pair(run, array, &found)) {
    return !run->is_aborted;
  }
  if (mcpi_run_explains(run)) {
    mcpi_report_equal_items(run->report, insn, array, found.first,
                            found.second);
  }
  return 0;
}
