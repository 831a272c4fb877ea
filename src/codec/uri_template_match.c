/* SPDX-License-Identifier: MIT */
/* From a URI back to the variables of a template.
 *
 * A template is a row of steps: literals, values, and groups of named values.
 * For each step, from the last to the first, it is noted at which places of the
 * URI it and all behind it can match: a table of steps by places, filled once.
 * Then one walk from the left takes for each value the shortest text from whose
 * end the rest can match. So nothing is ever tried twice, whatever the URI.
 *
 *     {+a}-{b}/c   x-y/z-w/c$
 *     {+a}         ^^^^^
 *     -                 ^
 *     {b}              ^^^
 *     /c                  ^
 *     end                   ^
 *
 * A caret: the step and all behind it can match from there. */
#include "codec/uri_template_parts.h"

enum { MAX_STEPS = 2 * MCPI_URI_MAX_VARS + 1 };

/* Either a literal part, or one variable of an expression, or all variables of
 * one whose operator names them. */
typedef struct step {
  const mcpi_uri_part *part;
  const mcpi_uri_spec *spec; /* a value; NULL: a literal or a group */
  char before;               /* what a value starts with; NUL: nothing */
  int is_optional;
  size_t skip_to; /* the step that follows when the value is absent */
} step;

typedef struct matcher {
  const mcpi_uri_template *tpl;
  mcpi_str uri;
  step steps[MAX_STEPS];
  size_t step_count;
  unsigned char *table; /* (step_count + 1) rows of uri.len + 1 places */
  mcpi_buf *values;
  mcpi_span *spans;
  uint32_t whole[MCPI_URI_MAX_VARS]; /* variables seen without {x:3} */
} matcher;

/* --- steps -------------------------------------------------------------- */

static void add_step(matcher *m, step next) {
  m->steps[m->step_count++] = next;
}

static void add_values(matcher *m, const mcpi_uri_part *part) {
  const mcpi_uri_op *op = part->op;
  size_t end = m->step_count + part->spec_count;
  for (size_t i = 0; i < part->spec_count; i++) {
    add_step(m, (step){part, &part->specs[i], i == 0 ? op->first : op->sep,
                       i > 0 || op->first != '\0', end});
  }
}

static void make_steps(matcher *m) {
  for (size_t i = 0; i < m->tpl->part_count; i++) {
    const mcpi_uri_part *part = &m->tpl->parts[i];
    if (part->op == NULL || part->op->is_named) {
      add_step(m, (step){part, NULL, '\0', 0, 0});
    } else {
      add_values(m, part);
    }
  }
}

static unsigned char *row(const matcher *m, size_t index) {
  return m->table + index * (m->uri.len + 1);
}

/* --- what a step can take ----------------------------------------------- */

/* Bytes of a value's next character at `at`; 0 when it cannot go on. */
static size_t unit_len(const matcher *m, size_t at, int allows_reserved) {
  size_t left = m->uri.len - at;
  if (left == 0) {
    return 0;
  }
  const char *p = m->uri.ptr + at;
  if (mcpi_uri_is_unreserved(*p) ||
      (allows_reserved && mcpi_uri_is_reserved(*p))) {
    return 1;
  }
  return mcpi_uri_is_encoded(p, left) ? 3 : 0;
}

/* Where a literal that begins at `at` ends, or SIZE_MAX. In the URI it stands
 * as expansion writes it. */
static size_t literal_end(const matcher *m, mcpi_str literal, size_t at) {
  for (size_t i = 0; i < literal.len; i++) {
    char c = literal.ptr[i];
    char text[3] = {c, '\0', '\0'};
    size_t len = 1;
    if (!mcpi_uri_is_unreserved(c) && !mcpi_uri_is_reserved(c) && c != '%') {
      mcpi_uri_encode(text, c);
      len = 3;
    }
    if (m->uri.len - at < len || memcmp(m->uri.ptr + at, text, len) != 0) {
      return SIZE_MAX;
    }
    at += len;
  }
  return at;
}

/* Where a value's text begins when it is there at all, or SIZE_MAX. */
static size_t value_start(const matcher *m, const step *s, size_t at) {
  if (s->before == '\0') {
    return at;
  }
  int is_there = at < m->uri.len && m->uri.ptr[at] == s->before;
  return is_there ? at + 1 : SIZE_MAX;
}

/* What comes before a value shows that it is there, also when it is empty. */
static int may_be_empty(const step *s) {
  return s->before != '\0';
}

/* --- named values ------------------------------------------------------- */

/* A walk over the pairs of a group. */
typedef struct pairs {
  const matcher *m;
  const mcpi_uri_part *part;
  uint64_t seen; /* a bit for each variable: each comes once */
  size_t at;     /* behind the pair, as far as its value goes */
  size_t spec;   /* of the pair */
  size_t value;  /* where its value begins */
} pairs;

/* The variable whose name stands at `at`, followed by an equals sign or, where
 * an empty value has none, by the end of the pair. */
static int has_name(const pairs *p, size_t spec, size_t at) {
  const matcher *m = p->m;
  mcpi_str name = m->tpl->names[p->part->specs[spec].var];
  size_t left = m->uri.len - at;
  if ((p->seen >> spec & 1) != 0 || left < name.len ||
      memcmp(m->uri.ptr + at, name.ptr, name.len) != 0) {
    return 0;
  }
  if (left > name.len && m->uri.ptr[at + name.len] == '=') {
    return 1;
  }
  return p->part->op->if_empty == '\0' && unit_len(m, at + name.len, 0) == 0;
}

/* Steps to the next pair. 0 at the end of them. */
static int next_pair(pairs *p) {
  const matcher *m = p->m;
  char before = p->seen == 0 ? p->part->op->first : p->part->op->sep;
  if (p->at == m->uri.len || m->uri.ptr[p->at] != before) {
    return 0;
  }
  size_t at = p->at + 1;
  for (p->spec = 0; p->spec < p->part->spec_count; p->spec++) {
    if (has_name(p, p->spec, at)) {
      break;
    }
  }
  if (p->spec == p->part->spec_count) {
    return 0;
  }
  p->seen |= UINT64_C(1) << p->spec;
  at += m->tpl->names[p->part->specs[p->spec].var].len;
  p->value = at < m->uri.len && m->uri.ptr[at] == '=' ? at + 1 : at;
  p->at = p->value;
  for (size_t len = 1; len > 0; p->at += len) {
    len = unit_len(m, p->at, 0);
  }
  return 1;
}

/* The farthest place of the value from which the rest can match, or SIZE_MAX.
 * Only the last pair's value may stop before it must. */
static size_t last_end(const pairs *p, const unsigned char *next) {
  size_t found = SIZE_MAX;
  size_t at = p->value;
  for (size_t len = 1; len > 0; at += len) {
    found = next[at] ? at : found;
    len = unit_len(p->m, at, 0);
  }
  return found;
}

/* Where the group that begins at `at` should end: as far on as the rest can
 * match from, or SIZE_MAX. */
static size_t group_end(const matcher *m, size_t index, size_t at) {
  const unsigned char *next = row(m, index + 1);
  pairs p = {.m = m, .part = m->steps[index].part, .at = at};
  size_t found = next[at] ? at : SIZE_MAX;
  while (next_pair(&p)) {
    size_t end = last_end(&p, next);
    found = end != SIZE_MAX ? end : found;
  }
  return found;
}

/* --- the table ---------------------------------------------------------- */

static void fill_literal(const matcher *m, size_t index) {
  mcpi_str literal = m->steps[index].part->literal;
  for (size_t at = 0; at <= m->uri.len; at++) {
    size_t end = literal_end(m, literal, at);
    row(m, index)[at] = end != SIZE_MAX && row(m, index + 1)[end];
  }
}

static void fill_group(const matcher *m, size_t index) {
  for (size_t at = 0; at <= m->uri.len; at++) {
    row(m, index)[at] = group_end(m, index, at) != SIZE_MAX;
  }
}

/* First: whether a value's text can begin here, which it can when the rest
 * matches behind its first character or the text can go on from there; or here,
 * when it is empty. Backwards this takes one look at each place. */
static void fill_texts(const matcher *m, size_t index) {
  const step *s = &m->steps[index];
  const unsigned char *next = row(m, index + 1);
  unsigned char *here = row(m, index);
  for (size_t at = m->uri.len + 1; at-- > 0;) {
    size_t len = unit_len(m, at, s->part->op->allows_reserved);
    here[at] = (may_be_empty(s) && next[at]) ||
               (len > 0 && (next[at + len] || here[at + len]));
  }
}

/* Then: whether the whole value can, with what comes before it, or without
 * being there. Forwards, since a text begins at most one behind. */
static void fill_value(const matcher *m, size_t index) {
  const step *s = &m->steps[index];
  const unsigned char *skipped = row(m, s->skip_to);
  unsigned char *here = row(m, index);
  fill_texts(m, index);
  for (size_t at = 0; at <= m->uri.len; at++) {
    size_t start = value_start(m, s, at);
    here[at] =
        (start != SIZE_MAX && here[start]) || (s->is_optional && skipped[at]);
  }
}

static void fill_table(const matcher *m) {
  memset(row(m, m->step_count), 0, m->uri.len);
  row(m, m->step_count)[m->uri.len] = 1;
  for (size_t index = m->step_count; index-- > 0;) {
    const step *s = &m->steps[index];
    if (s->spec != NULL) {
      fill_value(m, index);
    } else if (s->part->op != NULL) {
      fill_group(m, index);
    } else {
      fill_literal(m, index);
    }
  }
}

/* --- values ------------------------------------------------------------- */

/* Appends the text from `start` to `end`, decoded. The memory is there: the
 * table lies behind what all texts can become. */
static mcpi_span decode(matcher *m, size_t start, size_t end) {
  mcpi_span span = {m->values->len, 0};
  char *to = m->values->data + m->values->len;
  for (size_t at = start; at < end; span.len++) {
    const char *p = m->uri.ptr + at;
    to[span.len] = *p == '%' ? (char)mcpi_uri_decode(p) : *p;
    at += *p == '%' ? 3 : 1;
  }
  mcpi_buf_commit(m->values, span.len);
  return span;
}

static mcpi_str span_str(const matcher *m, mcpi_span span) {
  return mcpi_str_n(m->values->data + span.offset, span.len);
}

static int is_text(mcpi_str value) {
  return mcpi_utf8_valid_prefix(value.ptr, value.len) == value.len &&
         (value.len == 0 || memchr(value.ptr, '\0', value.len) == NULL);
}

/* A name that occurs again must have the same value, or one of which it is the
 * beginning where only that was asked for. The longer one is kept. */
static int set_again(matcher *m, const mcpi_uri_spec *spec, mcpi_span span) {
  mcpi_span *old = &m->spans[spec->var];
  mcpi_str before = span_str(m, *old);
  mcpi_str now = span_str(m, span);
  if (spec->max_chars > 0 && mcpi_str_starts_with(before, now)) {
    return 1;
  }
  if (m->whole[spec->var] ? mcpi_str_eq(before, now)
                          : mcpi_str_starts_with(now, before)) {
    *old = span;
    m->whole[spec->var] = spec->max_chars == 0;
    return 1;
  }
  return 0;
}

static int set_value(matcher *m, const mcpi_uri_spec *spec, size_t start,
                     size_t end) {
  mcpi_span span = decode(m, start, end);
  if (!is_text(span_str(m, span))) {
    return 0;
  }
  if (m->spans[spec->var].offset != SIZE_MAX) {
    return set_again(m, spec, span);
  }
  m->spans[spec->var] = span;
  m->whole[spec->var] = spec->max_chars == 0;
  return 1;
}

/* --- the walk ----------------------------------------------------------- */

/* The end of the shortest text from `start` behind which the rest can match,
 * or SIZE_MAX. */
static size_t text_end(const matcher *m, size_t index, size_t start) {
  const step *s = &m->steps[index];
  int reserved = s->part->op->allows_reserved;
  const unsigned char *next = row(m, index + 1);
  size_t len = unit_len(m, start, reserved);
  if (may_be_empty(s) && next[start]) {
    return start;
  }
  for (size_t at = start; len > 0; len = unit_len(m, at, reserved)) {
    at += len;
    if (next[at]) {
      return at;
    }
  }
  return SIZE_MAX;
}

static int take_value(matcher *m, size_t *index, size_t *at) {
  const step *s = &m->steps[*index];
  size_t start = value_start(m, s, *at);
  size_t end = start != SIZE_MAX ? text_end(m, *index, start) : SIZE_MAX;
  if (end == SIZE_MAX) {
    *index = s->skip_to;
    return 1;
  }
  *index += 1;
  *at = end;
  return set_value(m, s->spec, start, end);
}

static int take_group(matcher *m, size_t *index, size_t *at) {
  const mcpi_uri_part *part = m->steps[*index].part;
  size_t end = group_end(m, *index, *at);
  pairs p = {.m = m, .part = part, .at = *at};
  while (p.at < end && next_pair(&p)) {
    size_t value_end = p.at < end ? p.at : end;
    if (!set_value(m, &part->specs[p.spec], p.value, value_end)) {
      return 0;
    }
  }
  *index += 1;
  *at = end;
  return 1;
}

static int take_literal(const matcher *m, size_t *index, size_t *at) {
  *at = literal_end(m, m->steps[*index].part->literal, *at);
  *index += 1;
  return 1;
}

static int walk(matcher *m) {
  size_t index = 0;
  size_t at = 0;
  int ok = 1;
  while (ok && index < m->step_count) {
    const step *s = &m->steps[index];
    if (s->spec != NULL) {
      ok = take_value(m, &index, &at);
    } else if (s->part->op != NULL) {
      ok = take_group(m, &index, &at);
    } else {
      ok = take_literal(m, &index, &at);
    }
  }
  return ok;
}

static int match(matcher *m) {
  size_t table_len = (m->step_count + 1) * (m->uri.len + 1);
  /* Decoding makes no text longer, so all values together fit before it. */
  char *space = mcpi_buf_reserve(m->values, m->uri.len + table_len);
  if (space == NULL) {
    return 0;
  }
  m->table = (unsigned char *)space + m->uri.len;
  fill_table(m);
  return row(m, 0)[0] && walk(m);
}

int mcpi_uri_template_match(const mcpi_uri_template *tpl, mcpi_str uri,
                            mcpi_buf *values, mcpi_span *spans) {
  matcher m = {.tpl = tpl, .uri = uri, .values = values, .spans = spans};
  if (values->error != 0 || uri.len > MCPI_URI_MAX) {
    return 0;
  }
  for (size_t i = 0; i < tpl->name_count; i++) {
    spans[i] = (mcpi_span){SIZE_MAX, 0};
  }
  size_t from = values->len;
  make_steps(&m);
  int matches = match(&m);
  if (!matches && values->error == 0) {
    mcpi_buf_rewind(values, from);
  }
  return matches;
}
