/* SPDX-License-Identifier: MIT */
/* Visiting nodes, and the instructions that concern values of any type, numbers
 * and strings. */
#include "schema/validate.h"

#include "schema/format.h"
#include "schema/regex.h"
#include "json/inline.h"
#include "json/json.h"

void mcpi_mark_all(mcpi_marks *marks) {
  marks->before = SIZE_MAX;
}

MCPI_APART int mcpi_run_same_long(mcpi_run *run, mcpi_str a, mcpi_str b) {
  return mcpi_run_spend(run, a.len / 64) && memcmp(a.ptr, b.ptr, a.len) == 0;
}

static uint32_t child_of(const mcpi_run *run, const mcpi_insn *insn,
                         uint32_t index) {
  return run->program->children[insn->first + index];
}

static int give_up(mcpi_run *run) {
  run->is_given_up = 1;
  return 0;
}

int mcpi_run_give_up_on(mcpi_run *run, const mcpi_pattern *pattern,
                        const mcp_json *source, const mcp_json *value) {
  run->slow = (mcpi_slow){pattern, source, value};
  return give_up(run);
}

/* --- numbers and counts ------------------------------------------------- */

/* A number that is kept as its text has as many digits as its sender liked. */
static int spend_digits(mcpi_run *run, const mcp_json *number) {
  yyjson_val *val = mcp_json_to_yyjson(number);
  return !yyjson_is_raw(val) ||
         mcpi_run_spend(run, unsafe_yyjson_get_len(val) / 4);
}

int mcpi_run_is_integer(mcpi_run *run, const mcp_json *number) {
  return spend_digits(run, number) && mcp_json_is_integer(number);
}

static int is_within(const mcpi_insn *insn, const mcp_json *value) {
  int order = mcpi_json_number_compare(value, insn->source);
  switch (insn->op) {
  case MCPI_OP_MINIMUM:
    return order >= 0;
  case MCPI_OP_MAXIMUM:
    return order <= 0;
  case MCPI_OP_EXCLUSIVE_MINIMUM:
    return order > 0;
  default:
    return order < 0;
  }
}

static int check_bound(mcpi_run *run, const mcpi_insn *insn,
                       const mcp_json *value, mcpi_marks *marks) {
  (void)marks;
  if (!spend_digits(run, value) || !spend_digits(run, insn->source)) {
    return 0;
  }
  if (is_within(insn, value)) {
    return 1;
  }
  if (mcpi_run_explains(run)) {
    mcpi_report_bound(run->report, insn, value);
  }
  return 0;
}

static int check_multiple(mcpi_run *run, const mcpi_insn *insn,
                          const mcp_json *value, mcpi_marks *marks) {
  (void)marks;
  if (!spend_digits(run, value) || !spend_digits(run, insn->source)) {
    return 0;
  }
  int is_multiple = mcpi_json_is_multiple(value, insn->source);
  if (is_multiple < 0) {
    return give_up(run);
  }
  if (!is_multiple && mcpi_run_explains(run)) {
    mcpi_report_bound(run->report, insn, value);
  }
  return is_multiple;
}

/* Items or members. */
static int check_size(mcpi_run *run, const mcpi_insn *insn,
                      const mcp_json *value, mcpi_marks *marks) {
  int is_minimum =
      insn->op == MCPI_OP_MIN_ITEMS || insn->op == MCPI_OP_MIN_PROPERTIES;
  size_t count = mcpi_json_count(value);
  (void)marks;
  if (is_minimum ? count >= insn->limit : count <= insn->limit) {
    return 1;
  }
  if (mcpi_run_explains(run)) {
    mcpi_report_count(run->report, insn, value, count);
  }
  return 0;
}

/* --- strings ------------------------------------------------------------ */

/* Code points: every byte but those that continue a character. */
static size_t string_length(mcpi_str string) {
  size_t length = 0;
  for (size_t i = 0; i < string.len; i++) {
    length += ((unsigned char)string.ptr[i] & 0xC0) != 0x80;
  }
  return length;
}

/* A character has one to four bytes, so most strings need not be counted. */
static int check_length(mcpi_run *run, const mcpi_insn *insn,
                        const mcp_json *value, mcpi_marks *marks) {
  int is_minimum = insn->op == MCPI_OP_MIN_LENGTH;
  mcpi_str text = mcpi_json_text(value);
  (void)marks;
  if (is_minimum ? (text.len + 3) / 4 >= insn->limit
                 : text.len <= insn->limit) {
    return 1;
  }
  if (!mcpi_run_spend(run, text.len / 64)) {
    return 0;
  }
  size_t length = string_length(text);
  if (is_minimum ? length >= insn->limit : length <= insn->limit) {
    return 1;
  }
  if (mcpi_run_explains(run)) {
    mcpi_report_count(run->report, insn, value, length);
  }
  return 0;
}

static int check_pattern(mcpi_run *run, const mcpi_insn *insn,
                         const mcp_json *value, mcpi_marks *marks) {
  (void)marks;
  const mcpi_pattern *pattern = &run->program->patterns[insn->first];
  mcpi_str text = mcpi_json_text(value);
  if (!mcpi_run_spend(run, text.len / 16)) {
    return 0;
  }
  int is_found = mcpi_regex_engine()->match(pattern->regex, text.ptr, text.len,
                                            &run->steps_left);
  if (is_found < 0) {
    return mcpi_run_give_up_on(run, pattern, insn->source, value);
  }
  if (!is_found && mcpi_run_explains(run)) {
    mcpi_report_text(run->report, insn, value);
  }
  return is_found;
}

static int check_format(mcpi_run *run, const mcpi_insn *insn,
                        const mcp_json *value, mcpi_marks *marks) {
  (void)marks;
  mcpi_str text = mcpi_json_text(value);
  if (!mcpi_run_spend(run, text.len / 16)) {
    return 0;
  }
  int is_fine = mcpi_format_accepts((int)insn->first, text);
  if (is_fine < 0) {
    return give_up(run);
  }
  if (!is_fine && mcpi_run_explains(run)) {
    mcpi_report_text(run->report, insn, value);
  }
  return is_fine;
}

/* --- enum and const ----------------------------------------------------- */

MCPI_APART static int equals_other(mcpi_run *run, const mcp_json *wanted,
                                   const mcp_json *value) {
  int is_equal = mcpi_json_equal(wanted, value, &run->steps_left);
  return run->steps_left > 0 ? is_equal : give_up(run);
}

/* Not only by mcpi_json_equal, which also counts: most are two strings. */
static inline int equals(mcpi_run *run, const mcp_json *wanted,
                         const mcp_json *value) {
  if (mcpi_types_have(MCPI_TYPES_STRING, value)) {
    return mcpi_types_have(MCPI_TYPES_STRING, wanted) &&
           mcpi_run_same(run, mcpi_json_text(wanted), mcpi_json_text(value));
  }
  return equals_other(run, wanted, value);
}

static int is_one_of(mcpi_run *run, const mcp_json *values,
                     const mcp_json *value) {
  size_t count = mcpi_json_count(values);
  const mcp_json *other = count > 0 ? mcpi_json_first(values) : NULL;
  mcpi_run_spend(run, count);
  for (size_t i = 0; i < count && !run->is_given_up; i++) {
    if (equals(run, other, value)) {
      return 1;
    }
    other = mcpi_json_behind(other);
  }
  return 0;
}

static int refuse_choice(mcpi_run *run, const mcpi_insn *insn,
                         const mcp_json *value) {
  if (mcpi_run_explains(run)) {
    mcpi_report_choice(run->report, insn, 0, value);
  }
  return 0;
}

static int check_const(mcpi_run *run, const mcpi_insn *insn,
                       const mcp_json *value, mcpi_marks *marks) {
  (void)marks;
  return equals(run, insn->source, value) || refuse_choice(run, insn, value);
}

static int check_enum(mcpi_run *run, const mcpi_insn *insn,
                      const mcp_json *value, mcpi_marks *marks) {
  (void)marks;
  return is_one_of(run, insn->source, value) || refuse_choice(run, insn, value);
}

/* --- schemas in schemas ------------------------------------------------- */

static int check_all(mcpi_run *run, const mcpi_insn *insn,
                     const mcp_json *value, mcpi_marks *marks) {
  int is_fine = 1;
  for (uint32_t i = 0; i < insn->count; i++) {
    if (!mcpi_visit(run, child_of(run, insn, i), value, marks)) {
      is_fine = 0;
      if (mcpi_run_is_done(run)) {
        break;
      }
    }
  }
  return is_fine;
}

/* Whether a value fits that need not: without a word, and without a mark when
 * it does not. */
static int fits(mcpi_run *run, uint32_t node, const mcp_json *value,
                mcpi_marks *marks) {
  mcpi_report *report = run->report;
  int is_fine;
  run->report = NULL;
  if (marks == NULL) {
    is_fine = mcpi_visit(run, node, value, NULL);
  } else {
    mcpi_marks own = *marks;
    is_fine = mcpi_visit(run, node, value, &own);
    *marks = is_fine ? own : *marks;
  }
  run->report = report;
  return is_fine;
}

/* How many alternatives accept the value, up to `enough`; all are asked where
 * somebody wants to know what they evaluate. */
static uint32_t count_fitting(mcpi_run *run, const mcpi_insn *insn,
                              const mcp_json *value, mcpi_marks *marks,
                              uint32_t enough) {
  uint32_t fitting = 0;
  for (uint32_t i = 0; i < insn->count; i++) {
    fitting += (uint32_t)fits(run, child_of(run, insn, i), value, marks);
    if (fitting >= enough && marks == NULL) {
      break;
    }
  }
  return fitting;
}

/* The types that a value of that kind may be of. */
static uint32_t types_like(const mcp_json *value) {
  uint32_t types = UINT32_C(1) << mcpi_json_kind(value);
  return (types & MCPI_TYPES_NUMBER) != 0 ? types | MCPI_TYPES_INTEGRAL : types;
}

/* Those of the alternatives, if the value is of none of them; else 0. */
static uint32_t other_types(const mcpi_run *run, const mcpi_insn *insn,
                            const mcp_json *value) {
  uint32_t types = 0;
  for (uint32_t i = 0; i < insn->count; i++) {
    types |= run->program->nodes[child_of(run, insn, i)].types;
  }
  return (types & types_like(value)) == 0 ? types : 0;
}

/* The one alternative for values of that type, or MCPI_NONE. */
static uint32_t only_candidate(const mcpi_run *run, const mcpi_insn *insn,
                               const mcp_json *value) {
  uint32_t types = types_like(value);
  uint32_t found = MCPI_NONE;
  for (uint32_t i = 0; i < insn->count; i++) {
    uint32_t child = child_of(run, insn, i);
    if ((run->program->nodes[child].types & types) == 0) {
      continue;
    }
    if (found != MCPI_NONE) {
      return MCPI_NONE;
    }
    found = child;
  }
  return found;
}

/* The member that tells the alternatives apart is missing, or no string. */
static void report_no_tag(mcpi_run *run, const mcpi_insn *insn,
                          const mcp_json *object) {
  const mcpi_tag *tag = &run->program->tags[insn->others];
  const mcpi_str *values = run->program->tag_values + tag->values;
  const mcp_json *found = mcp_json_get_n(object, tag->name.ptr, tag->name.len);
  if (found == NULL) {
    mcpi_report_no_tag(run->report, insn, object, tag->name, values);
  } else {
    mcpi_report_tag(run->report, insn, found, values);
  }
}

/* "Fits none of 2" helps nobody. Where the type tells which alternative was
 * meant (an object or null, say), what is wrong by that one is said. */
static void report_no_fit(mcpi_run *run, const mcpi_insn *insn,
                          const mcp_json *value) {
  uint32_t candidate = only_candidate(run, insn, value);
  if (candidate != MCPI_NONE) {
    mcpi_visit(run, candidate, value, NULL);
  } else if (insn->others != MCPI_NONE &&
             mcp_json_type(value) == MCP_JSON_OBJECT) {
    report_no_tag(run, insn, value);
  } else {
    mcpi_report_choice(run->report, insn, other_types(run, insn, value), value);
  }
}

MCPI_APART static int check_untagged(mcpi_run *run, const mcpi_insn *insn,
                                     const mcp_json *value, mcpi_marks *marks) {
  int is_one = insn->op == MCPI_OP_ONE_OF;
  uint32_t fitting = count_fitting(run, insn, value, marks, is_one ? 2 : 1);
  int is_fine = is_one ? fitting == 1 : fitting > 0;
  if (is_fine || !mcpi_run_explains(run)) {
    return is_fine;
  }
  if (fitting == 0) {
    report_no_fit(run, insn, value);
  } else {
    mcpi_report_ambiguous(run->report, insn, value);
  }
  return 0;
}

/* The string that tells which alternative is meant, or NULL. */
static inline const mcp_json *find_tag(mcpi_run *run, const mcpi_tag *tag,
                                       const mcp_json *object) {
  size_t count = mcpi_json_count(object);
  const mcp_json *name = mcpi_json_first(object);
  for (size_t i = 0; i < count; i++) {
    const mcp_json *value = mcpi_json_value_of(name);
    if (mcpi_run_same(run, mcpi_json_text(name), tag->name)) {
      return mcpi_types_have(MCPI_TYPES_STRING, value) ? value : NULL;
    }
    name = mcpi_json_behind(value);
  }
  return NULL;
}

static int check_all_insns(mcpi_run *run, const mcpi_node *node,
                           const mcp_json *value, mcpi_marks *marks);

/* Asks the alternative that is meant, if a tag tells it. `merged` is the node
 * around them when its properties are to be asked at once, or NULL. */
static int check_tagged(mcpi_run *run, const mcpi_insn *insn,
                        const mcp_json *object, mcpi_marks *marks,
                        const mcpi_node *merged) {
  const mcpi_program *program = run->program;
  const mcpi_tag *tag = &program->tags[insn->others];
  const mcpi_str *values = program->tag_values + tag->values;
  const mcp_json *found =
      mcpi_run_spend(run, 1 + mcpi_json_count(object) + insn->count)
          ? find_tag(run, tag, object)
          : NULL;
  if (found == NULL) {
    return merged != NULL ? check_all_insns(run, merged, object, marks)
                          : check_untagged(run, insn, object, marks);
  }
  mcpi_str text = mcpi_json_text(found);
  uint32_t i = 0;
  while (i < insn->count && !mcpi_run_same(run, values[i], text)) {
    i++;
  }
  if (i == insn->count) {
    if (mcpi_run_explains(run)) {
      mcpi_report_tag(run->report, insn, found, values);
    }
    return 0;
  }
  if (merged != NULL) {
    const mcpi_insn both = {.op = MCPI_OP_OBJECT, .first = tag->merged + i};
    return mcpi_check_object(run, &both, object, NULL);
  }
  return mcpi_visit_node(run, &program->nodes[child_of(run, insn, i)], object,
                         marks);
}

static int check_choice(mcpi_run *run, const mcpi_insn *insn,
                        const mcp_json *value, mcpi_marks *marks) {
  return insn->others != MCPI_NONE && mcpi_json_type(value) == MCP_JSON_OBJECT
             ? check_tagged(run, insn, value, marks, NULL)
             : check_untagged(run, insn, value, marks);
}

static int check_not(mcpi_run *run, const mcpi_insn *insn,
                     const mcp_json *value, mcpi_marks *marks) {
  (void)marks;
  if (!fits(run, insn->first, value, NULL)) {
    return !run->is_given_up;
  }
  if (mcpi_run_explains(run)) {
    mcpi_report_not(run->report, insn, value);
  }
  return 0;
}

static int check_if(mcpi_run *run, const mcpi_insn *insn, const mcp_json *value,
                    mcpi_marks *marks) {
  int is_then = fits(run, child_of(run, insn, 0), value, marks);
  uint32_t branch = child_of(run, insn, is_then ? 1 : 2);
  return branch == MCPI_NONE || mcpi_visit(run, branch, value, marks);
}

/* The outermost resource that was come by and has an anchor of the name says
 * where it leads. */
static uint32_t dynamic_node(mcpi_run *run, const mcpi_insn *insn) {
  const mcpi_dynamic *places = run->program->dynamics + insn->first;
  uint32_t found = insn->others;
  for (const mcpi_scope *s = run->scope;
       s != NULL && mcpi_run_spend(run, 1 + insn->count / 16); s = s->outer) {
    for (uint32_t i = 0; i < insn->count; i++) {
      if (places[i].resource == s->resource) {
        found = places[i].node;
      }
    }
  }
  return found;
}

static int check_ref(mcpi_run *run, const mcpi_insn *insn,
                     const mcp_json *value, mcpi_marks *marks) {
  return mcpi_visit(run, insn->first, value, marks);
}

static int check_dynamic_ref(mcpi_run *run, const mcpi_insn *insn,
                             const mcp_json *value, mcpi_marks *marks) {
  return mcpi_visit(run, dynamic_node(run, insn), value, marks);
}

static int check_nothing(mcpi_run *run, const mcpi_insn *insn,
                         const mcp_json *value, mcpi_marks *marks) {
  (void)run;
  (void)insn;
  (void)value;
  (void)marks;
  return 1;
}

/* --- nodes -------------------------------------------------------------- */

static const mcpi_check checks[MCPI_OP_COUNT] = {
    [MCPI_OP_REF] = check_ref,
    [MCPI_OP_DYNAMIC_REF] = check_dynamic_ref,
    [MCPI_OP_ENUM] = check_enum,
    [MCPI_OP_CONST] = check_const,
    [MCPI_OP_LIMITS] = check_nothing,
    [MCPI_OP_MINIMUM] = check_bound,
    [MCPI_OP_MAXIMUM] = check_bound,
    [MCPI_OP_EXCLUSIVE_MINIMUM] = check_bound,
    [MCPI_OP_EXCLUSIVE_MAXIMUM] = check_bound,
    [MCPI_OP_MULTIPLE_OF] = check_multiple,
    [MCPI_OP_MIN_LENGTH] = check_length,
    [MCPI_OP_MAX_LENGTH] = check_length,
    [MCPI_OP_PATTERN] = check_pattern,
    [MCPI_OP_FORMAT] = check_format,
    [MCPI_OP_MIN_ITEMS] = check_size,
    [MCPI_OP_MAX_ITEMS] = check_size,
    [MCPI_OP_MIN_PROPERTIES] = check_size,
    [MCPI_OP_MAX_PROPERTIES] = check_size,
    [MCPI_OP_OBJECT] = mcpi_check_object,
    [MCPI_OP_PROPERTY_NAMES] = mcpi_check_property_names,
    [MCPI_OP_DEPENDENT_REQUIRED] = mcpi_check_dependent_required,
    [MCPI_OP_DEPENDENT_SCHEMAS] = mcpi_check_dependent_schemas,
    [MCPI_OP_ITEMS] = mcpi_check_items,
    [MCPI_OP_CONTAINS] = mcpi_check_contains,
    [MCPI_OP_UNIQUE_ITEMS] = mcpi_check_unique,
    [MCPI_OP_ALL_OF] = check_all,
    [MCPI_OP_ANY_OF] = check_choice,
    [MCPI_OP_ONE_OF] = check_choice,
    [MCPI_OP_NOT] = check_not,
    [MCPI_OP_IF] = check_if,
    [MCPI_OP_UNEVALUATED_ITEMS] = mcpi_check_unevaluated_items,
    [MCPI_OP_UNEVALUATED_PROPERTIES] = mcpi_check_unevaluated_properties,
};

/* What unevaluated* would say of a value that is wrong already may be wrong
 * itself: it is left out then. */
static const mcpi_insn *end_before_unevaluated(const mcpi_insn *insn,
                                               const mcpi_insn *end) {
  while (end > insn && end[-1].op >= MCPI_OP_UNEVALUATED_ITEMS) {
    end--;
  }
  return end;
}

/* Whether the value shows at once that it fulfils a LIMITS. Where it does not,
 * the instructions behind that one tell. */
static inline int is_within_limits(const mcpi_insn *limits,
                                   const mcp_json *value) {
  return mcpi_is_between(limits->least, limits->greatest, value);
}

MCPI_APART static int check_each(mcpi_run *run, const mcpi_insn *insn,
                                 const mcpi_insn *end, const mcp_json *value,
                                 mcpi_marks *marks) {
  int is_fine = 1;
  for (; insn < end; insn++) {
    if (!mcpi_types_have(insn->types, value)) {
      continue;
    }
    if (insn->op == MCPI_OP_LIMITS && is_within_limits(insn, value)) {
      insn += insn->count;
      continue;
    }
    if (!checks[insn->op](run, insn, value, marks)) {
      is_fine = 0;
      if (mcpi_run_is_done(run)) {
        break;
      }
      end = end_before_unevaluated(insn + 1, end);
    }
  }
  return is_fine;
}

static int check_all_insns(mcpi_run *run, const mcpi_node *node,
                           const mcp_json *value, mcpi_marks *marks) {
  const mcpi_insn *insn = run->program->insns + node->first;
  return check_each(run, insn, insn + node->count, value, marks);
}

/* The same for a node that has instructions: mostly limits, or another one, or
 * both. */
static inline int check_insns(mcpi_run *run, const mcpi_node *node,
                              const mcp_json *value, mcpi_marks *marks) {
  const mcpi_insn *insn = run->program->insns + node->first;
  const mcpi_insn *end = insn + node->count;
  if (insn->op == MCPI_OP_LIMITS && mcpi_types_have(insn->types, value) &&
      is_within_limits(insn, value)) {
    insn += 1 + insn->count;
    if (insn == end) {
      return 1;
    }
  }
  return insn + 1 == end && mcpi_types_have(insn->types, value)
             ? checks[insn->op](run, insn, value, marks)
             : check_each(run, insn, end, value, marks);
}

static size_t next_window(const mcpi_marks *marks) {
  size_t first = marks->first + MCPI_MARKS;
  return first < marks->before ? marks->before : first;
}

/* A node that asks what its keywords have evaluated. Whoever asks the same
 * around it is told that all was. */
static int check_collecting(mcpi_run *run, const mcpi_node *node,
                            const mcp_json *value, mcpi_marks *outer) {
  mcpi_marks own = {.first = 0};
  int is_fine = check_all_insns(run, node, value, &own);
  while (is_fine && next_window(&own) < own.end) {
    own = (mcpi_marks){.first = next_window(&own)};
    is_fine = check_all_insns(run, node, value, &own);
  }
  if (is_fine && outer != NULL) {
    mcpi_mark_all(outer);
  }
  return is_fine;
}

/* What few schemas need: to remember what is evaluated, or the way here, which
 * goes through the node's resource. */
MCPI_APART static int check_remembering(mcpi_run *run, const mcpi_node *node,
                                        const mcp_json *value,
                                        mcpi_marks *marks) {
  const mcpi_scope scope = {run->scope, node->resource};
  const mcpi_scope *outer = run->scope;
  if (outer == NULL || outer->resource != node->resource) {
    run->scope = &scope;
  }
  int is_fine = mcpi_types_have(node->collects, value)
                    ? check_collecting(run, node, value, marks)
                    : check_all_insns(run, node, value, marks);
  run->scope = outer;
  return is_fine;
}

/* A node whose instructions have children, one level further down. */
MCPI_APART static int visit_inside(mcpi_run *run, const mcpi_node *node,
                                   const mcp_json *value, mcpi_marks *marks) {
  if (run->depth_left == 0) {
    return give_up(run);
  }
  run->depth_left--;
  int is_fine;
  if (run->program->has_dynamics || node->collects != 0) {
    is_fine = check_remembering(run, node, value, marks);
  } else if (node->is_merged && run->report == NULL && marks == NULL &&
             mcpi_json_type(value) == MCP_JSON_OBJECT) {
    const mcpi_insn *choice = run->program->insns + node->first + 1;
    is_fine = check_tagged(run, choice, value, NULL, node);
  } else {
    is_fine = check_insns(run, node, value, marks);
  }
  run->depth_left++;
  return is_fine;
}

/* A value that is not of the node's types, as it seems: it may be an integer
 * all the same. */
MCPI_APART static int visit_other(mcpi_run *run, const mcpi_node *node,
                                  const mcp_json *value, mcpi_marks *marks) {
  if ((node->types & MCPI_TYPES_INTEGRAL) != 0 &&
      mcpi_types_have(MCPI_TYPES_NUMBER, value) &&
      mcpi_run_is_integer(run, value)) {
    return node->count == 0 || visit_inside(run, node, value, marks);
  }
  if (mcpi_run_explains(run)) {
    mcpi_report_type(run->report, node, value);
  }
  return 0;
}

int mcpi_visit_node(mcpi_run *run, const mcpi_node *node, const mcp_json *value,
                    mcpi_marks *marks) {
  if (!mcpi_types_have(node->types, value)) {
    return visit_other(run, node, value, marks);
  }
  return node->is_leaf ? check_insns(run, node, value, marks)
                       : visit_inside(run, node, value, marks);
}

int mcpi_visit(mcpi_run *run, uint32_t index, const mcp_json *value,
               mcpi_marks *marks) {
  const mcpi_node *node = &run->program->nodes[index];
  if (!mcpi_run_spend(run, 1)) {
    return 0;
  }
  if (mcpi_types_have(node->passes, value)) {
    return 1;
  }
  return run->depth_left > 0 ? mcpi_visit_node(run, node, value, marks)
                             : give_up(run);
}
