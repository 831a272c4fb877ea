/* SPDX-License-Identifier: MIT */
/* What each part of ECMA-262's regular expressions means once PCRE2 has it. */
#include "regex/ecma.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/guarded.h"
#include <mcp/error.h>
#include <mcp/schema.h>

enum { REFUSED = -1000 };

/* 1 or 0; REFUSED with *offset. */
static int find_n(const char *pattern, size_t len, const char *text,
                  size_t text_len, size_t *offset) {
  void *regex = NULL;
  char *copy = guarded_copy(pattern, len);
  int rc = mcp_regex_pcre2()->compile(copy, len, &regex, offset);
  guarded_free(copy, len);
  if (rc != 0) {
    assert_int_equal(rc, MCP_ERR_PARSE);
    return REFUSED;
  }
  copy = guarded_copy(text, text_len);
  size_t steps = SIZE_MAX;
  int found = mcp_regex_pcre2()->match(regex, copy, text_len, &steps);
  guarded_free(copy, text_len);
  mcp_regex_pcre2()->release(regex);
  return found;
}

typedef struct match_case {
  const char *pattern;
  const char *text;
  int is_found;
} match_case;

static void check_matches(const match_case *cases, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const match_case *c = &cases[i];
    size_t offset = 0;
    int found = find_n(c->pattern, strlen(c->pattern), c->text, strlen(c->text),
                       &offset);
    if (found == REFUSED) {
      fail_msg("/%s/ is refused at %zu", c->pattern, offset);
    } else if (found != c->is_found) {
      fail_msg("/%s/ on \"%s\": %d", c->pattern, c->text, found);
    }
  }
}

#define CHECK_MATCHES(cases)                                                   \
  check_matches(cases, sizeof(cases) / sizeof((cases)[0]))

#define E_ACUTE "\xC3\xA9"
#define NBSP "\xC2\xA0"
#define EM_SPACE "\xE2\x80\x83"
#define LINE_SEPARATOR "\xE2\x80\xA8"
#define PARAGRAPH_SEPARATOR "\xE2\x80\xA9"
#define BYTE_ORDER_MARK "\xEF\xBB\xBF"
#define GRIN "\xF0\x9F\x98\x80" /* U+1F600 */

/* --- sets ---------------------------------------------------------------- */

TEST(spaces_are_unicodes) {
  static const match_case cases[] = {
      {"^\\s{12}$",
       "\t\n\v\f\r " NBSP EM_SPACE LINE_SEPARATOR PARAGRAPH_SEPARATOR
           BYTE_ORDER_MARK "\xE3\x80\x80",
       1},
      {"^\\s$", "\xE1\x9A\x80", 1},        /* U+1680 */
      {"^\\s$", "\xE2\x80\x8B", 0},        /* U+200B */
      {"^\\s$", "\xC2\x85", 0},            /* U+0085 */
      {"\\S", " \t\r\n" NBSP EM_SPACE, 0}, /* none of them */
      {"^\\S+$", "a\x01" E_ACUTE GRIN "\xE2\x80\x93", 1},
      {"^[\\s-]+$", " -" NBSP, 1},
      {"^[^\\s]$", NBSP, 0},
      {"^[^\\s]$", "a", 1},
      {"^[\\S]+$", "a" E_ACUTE GRIN "\xEF\xBF\xBF", 1},
      {"^[\\S]$", LINE_SEPARATOR, 0},
      {"^[\\S]$", "\xE2\x80\xAF", 0}, /* U+202F */
      {"^[\\S]$", BYTE_ORDER_MARK, 0},
      {"^[\\S\\n]+$", "a\n", 1},
      {"^[^\\S]$", EM_SPACE, 1},
      {"^[^\\S\\n]$", "\n", 0},
      {"^[\\s\\S]+$", "a \n" NBSP GRIN, 1},
  };
  CHECK_MATCHES(cases);
}

TEST(the_dot_stops_at_line_terminators) {
  static const match_case cases[] = {
      {"^.$", "\n", 0},           {"^.$", "\r", 0},
      {"^.$", LINE_SEPARATOR, 0}, {"^.$", PARAGRAPH_SEPARATOR, 0},
      {"^.$", "\v", 1},           {"^.$", "\xC2\x85", 1},
      {"^.$", GRIN, 1},           {"^[.]$", ".", 1},
      {"^[.]$", "a", 0},          {"^\\.$", "a", 0},
      {"a$", "a\n", 0}, /* only at the very end */
      {"^b", "a\nb", 0},
  };
  CHECK_MATCHES(cases);
}

TEST(words_and_digits_are_ascii) {
  static const match_case cases[] = {
      {"^\\d+$", "0123456789", 1}, {"\\d", "\xD9\xA1", 0},
      {"^\\D$", "\xD9\xA1", 1},    {"^\\w+$", "azAZ09_", 1},
      {"\\w", E_ACUTE, 0},         {"^\\W$", E_ACUTE, 1},
      {"\\ba\\b", E_ACUTE "a", 1}, {"\\ba\\b", "ba", 0},
      {"\\Ba", "ba", 1},           {"^[\\d\\w]$", E_ACUTE, 0},
      {"^[\\D]$", "a", 1},         {"^[^\\W]$", "_", 1},
  };
  CHECK_MATCHES(cases);
}

TEST(properties_have_their_long_names) {
  static const match_case cases[] = {
      {"^\\p{L}$", E_ACUTE, 1},
      {"^\\p{Letter}$", E_ACUTE, 1},
      {"^\\P{Letter}$", E_ACUTE, 0},
      {"^\\p{Lu}$", "a", 0},
      {"^\\p{Uppercase_Letter}$", "A", 1},
      {"^\\p{gc=Lu}$", "A", 1},
      {"^\\p{General_Category=Uppercase_Letter}$", "a", 0},
      {"^\\p{LC}$", "a", 1},
      {"^\\p{Cased_Letter}$", "1", 0},
      {"^\\p{digit}+$", "42\xE0\xA7\xAA", 1},
      {"^\\p{Nd}+$", "\xE0\xA7\xAA", 1},
      {"^\\p{punct}$", "!", 1},
      {"^\\p{cntrl}$", "\x01", 1},
      {"^\\p{Script=Greek}+$", "\xCE\xB1\xCE\xB2", 1},
      {"^\\p{sc=Grek}$", "\xCE\xB1", 1},
      {"^\\p{scx=Cyrillic}$", "\xCE\xB1", 0},
      {"^\\p{Script_Extensions=Greek}$", "\xCE\xB1", 1},
      {"^\\P{Script=Greek}$", "a", 1},
      {"^[\\p{L}\\p{Nd}-]+$", "a" E_ACUTE "1-", 1},
      {"^[^\\p{L}]$", E_ACUTE, 0},
      {"^\\p{ASCII}$", "a", 1},
      {"^\\p{ASCII}$", E_ACUTE, 0},
      {"^\\p{Any}$", GRIN, 1},
      {"^\\p{Assigned}$", "a", 1},
      {"^\\p{Assigned}$", "\xEF\xBF\xBF", 0},
      {"^\\P{Assigned}$", "\xEF\xBF\xBF", 1},
      {"^\\p{Alphabetic}$", E_ACUTE, 1},
      {"^\\p{White_Space}$", NBSP, 1},
      {"^\\p{XID_Start}$", E_ACUTE, 1},
  };
  CHECK_MATCHES(cases);
}

/* --- characters ---------------------------------------------------------- */

TEST(escapes_are_characters) {
  static const match_case cases[] = {
      {"^\\t\\n\\v\\f\\r$", "\t\n\v\f\r", 1},
      {"^\\cC\\cc\\cZ$", "\x03\x03\x1A", 1},
      {"^\\x41\\x7e$", "A~", 1},
      {"^\\u0041$", "A", 1},
      {"^\\u00e9$", E_ACUTE, 1},
      {"^\\ud83d\\uDE00+$", GRIN GRIN, 1},
      {"^\\u{1F600}+$", GRIN GRIN, 1},
      {"^\\u{0000000041}$", "A", 1},
      {"^\\x2a$", "*", 1}, /* itself, not a quantifier */
      {"^a\\x2a$", "aa", 0},
      {"^\\u002e$", "a", 0},
      {"^[\\b]$", "\b", 1},
      {"^" GRIN "+$", GRIN GRIN, 1},
      {"^\\" E_ACUTE "$", E_ACUTE, 1},
      {"^\\-\\_\\/\\@\\ \\#\\'\\\"\\:\\,\\%\\&\\~\\`\\!\\;\\<\\=\\>$",
       "-_/@ #'\":,%&~`!;<=>", 1},
      {"^\\^\\$\\\\\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|$", "^$\\.*+?()[]{}|", 1},
      {"^a # b$", "a # b", 1},
      {"^]}{$", "]}{", 1},
  };
  CHECK_MATCHES(cases);
}

TEST(half_a_pair_matches_nothing) {
  static const match_case cases[] = {
      {"\\uD83D", GRIN, 0},
      {"^\\uD83Dx$", "x", 0},
      {"^\\uD83D?x$", "x", 1},
      {"^\\uD83D\\u0041$", "A", 0},
      {"^[\\uD800-\\uDFFF]$", GRIN, 0},
      {"^[\\u0000-\\uD83D]$", "a", 1},
      {"^[\\uDC00-\\uFFFF]$", "\xEE\x80\x80", 1},
      {"^[^\\uD800-\\uDFFF]$", GRIN, 1},
      {"^[\\u0000-\\uFFFF]$", GRIN, 0},
  };
  CHECK_MATCHES(cases);
  size_t offset = 0;
  assert_int_equal(find_n("^a\0b$", 5, "a\0b", 3, &offset), 1);
  assert_int_equal(find_n("^a\\0b$", 6, "a\0b", 3, &offset), 1);
  assert_int_equal(find_n("^[\0-\x01]$", 7, "\0", 1, &offset), 1);
}

TEST(classes_are_ecmascripts) {
  static const match_case cases[] = {
      {"a[]|b", "a", 0},
      {"a[]|b", "b", 1},
      {"^[]?a[]*$", "a", 1},
      {"[]", "a\n", 0},
      {"^[\\uD800]?a$", "a", 1},
      {"^[^]+$", "a\n" GRIN, 1},
      {"^[^\\uD800]$", "\n", 1},
      {"^a[^]b$", "a\nb", 1},
      {"^[a-z]+$", "abz", 1},
      {"^[a-z]$", "-", 0},
      {"^[-a]+$", "-a", 1},
      {"^[a-]+$", "a-", 1},
      {"^[\\w-.]+$", "a-.", 1},
      {"^[a-\\d]+$", "a-5", 1},
      {"^[+--]+$", "+,-", 1},
      {"^[a\\-z]+$", "b", 0},
      {"^[[:alpha:]]$", "a]", 1}, /* a class of [:alph, then a bracket */
      {"^[[:alpha:]]$", "b", 0},
      {"^[[]$", "[", 1},
      {"^[\\]]$", "]", 1},
      {"^[a^]+$", "^a", 1},
      {"^[$.|?*+(){}]+$", "$.|?*+(){}", 1},
      {"^[\\u{1F600}-\\u{1F64F}]$", GRIN, 1},
      {"^[" GRIN "-\xF0\x9F\x99\x8F]$", GRIN, 1},
      {"^[\\x00-\\x1F]$", "\t", 1},
      {"^[&&a]+$", "a&", 1},
  };
  CHECK_MATCHES(cases);
}

/* --- structure ----------------------------------------------------------- */

TEST(groups_and_quantifiers_are_ecmascripts) {
  static const match_case cases[] = {
      {"^(?:ab)+$", "abab", 1},
      {"^a(?=b)b$", "ab", 1},
      {"^a(?!b)", "ab", 0},
      {"(?<=a)b", "ab", 1},
      {"(?<!a)b", "ab", 0},
      {"(?<=a|bc)d", "bcd", 1},
      {"^(?<year>\\d)-\\k<year>$", "1-1", 1},
      {"^(?<year>\\d)-\\k<year>$", "1-2", 0},
      {"^\\k<a>(?<a>x)$", "x", 1}, /* not captured yet: empty */
      {"^(?<" E_ACUTE "_1>.)\\k<" E_ACUTE "_1>$", "aa", 1},
      {"^(a)\\1$", "aa", 1},
      {"^(a)\\1\\x31$", "aa1", 1},
      {"^(a)|\\1b$", "b", 1},
      {"^(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)\\10$", "abcdefghijj", 1},
      {"^a{2}$", "aa", 1},
      {"^a{2,}$", "aaa", 1},
      {"^a{1,2}$", "aaa", 0},
      {"^a{,2}$", "aa", 0}, /* as it is written */
      {"^a{,2}$", "a{,2}", 1},
      {"^a{}$", "a{}", 1},
      {"^a{b}$", "a{b}", 1},
      {"^a{1$", "a{1", 1},
      {"^a{1, 2}$", "a{1, 2}", 1},
      {"^{", "{", 1},
      {"^a+?b*?c??$", "aab", 1},
      {"^a{1,2}?$", "aa", 1},
      {"^(?=a)*a$", "a", 1},
      {"|a", "", 1},
      {"()", "", 1},
      {"", "", 1},
  };
  CHECK_MATCHES(cases);
}

TEST(patterns_from_life_work) {
  static const match_case cases[] = {
      {"^\\S+@\\S+$", "a@b", 1},
      {"^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$", "a@b.c", 1},
      {"^[A-Za-z0-9\\-\\_\\.]+$", "a-b_c.d", 1},
      {"^#([a-fA-F0-9]{6}|[a-fA-F0-9]{3})$", "#C0ffee", 1},
      {"^(\\([0-9]{3}\\))?[0-9]{3}-[0-9]{4}$", "(888)555-1212", 1},
      {"^https?:\\/\\/[^\\s/$.?#].[^\\s]*$", "https://a.b/c", 1},
      {"^(?!.*\\.\\.)[\\w./-]+$", "a/b-c.d", 1},
      {"^(?!.*\\.\\.)[\\w./-]+$", "a/../d", 0},
      {"^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?Z$",
       "2026-11-22T05:23:54Z", 1},
      {"^[\\u4e00-\\u9fa5]+$", "\xE4\xB8\xAD", 1},
      {"^([a-z0-9]+(-[a-z0-9]+)*\\.)+[a-z]{2,}$", "a-b.example", 1},
      {"^\\$\\{[^}]+\\}$", "${a}", 1},
      {"^x-", "x-a", 1},
  };
  CHECK_MATCHES(cases);
}

/* --- what is refused ----------------------------------------------------- */

typedef struct refusal {
  const char *pattern;
  size_t offset;
} refusal;

static void check_refusals(const refusal *refusals, size_t count) {
  for (size_t i = 0; i < count; i++) {
    size_t offset = SIZE_MAX;
    const char *pattern = refusals[i].pattern;
    if (find_n(pattern, strlen(pattern), "", 0, &offset) != REFUSED) {
      fail_msg("/%s/ is accepted", pattern);
    } else if (offset != refusals[i].offset) {
      fail_msg("/%s/ is refused at %zu", pattern, offset);
    }
  }
}

#define CHECK_REFUSALS(refusals)                                               \
  check_refusals(refusals, sizeof(refusals) / sizeof((refusals)[0]))

TEST(what_only_perl_knows_is_refused) {
  static const refusal refusals[] = {
      {"\\a", 0},
      {"x\\A", 1},
      {"x\\Z", 1},
      {"x\\z", 1},
      {"\\G", 0},
      {"\\Qa\\E", 0},
      {"\\e", 0},
      {"\\h", 0},
      {"\\H", 0},
      {"\\R", 0},
      {"\\X", 0},
      {"\\K", 0},
      {"\\N", 0},
      {"\\N{U+41}", 0},
      {"\\C", 0},
      {"\\V", 0},
      {"\\o{101}", 0},
      {"\\g1", 0},
      {"\\g{1}", 0},
      {"\\l", 0},
      {"\\U", 0},
      {"\\x{41}", 0},
      {"a++", 2},
      {"a*+", 2},
      {"a?+", 2},
      {"a{1}+", 4},
      {"(?>a)", 0},
      {"(?i)a", 0},
      {"(?i:a)", 0},
      {"(?-i)a", 0},
      {"(?^)a", 0},
      {"(a)(?R)", 3},
      {"(a)(?1)", 3},
      {"(?&a)", 0},
      {"(?P<a>a)", 0},
      {"(?P=a)", 0},
      {"(?'a'a)", 0},
      {"(?<*a>b)", 0},
      {"(?*a)", 0},
      {"(?<>a)", 0},
      {"(?<1>a)", 0},
      {"(a)\\k<1>", 3},
      {"(?<a>a)\\k<-1>", 7},
      {"(?<a>a)(?<b a)", 7},
      {"(?#a)", 0},
      {"(?|a)", 0},
      {"(?(1)a)", 0},
      {"(?C)", 0},
      {"(?", 0},
      {"(*FAIL)", 1},
      {"(*UTF)a", 1},
      {"(*pla:a)", 1},
      {"(a)\\k{a}", 3},
      {"(a)\\k'a'", 3},
      {"\\k", 0},
      {"[\\a]", 1},
      {"[\\1]", 1},
      {"[\\B]", 1},
      {"[\\h]", 1},
      {"[a\\R]", 2},
      {"\\pL", 0},
      {"\\p{^L}", 0},
      {"\\p{L&}", 0},
      {"\\p{Xan}", 0},
      {"\\p{letter}", 0},
      {"\\p{}", 0},
      {"\\p{L", 0},
      {"\\p", 0},
      {"\\p{gc=Foo}", 0},
      {"\\p{sc=}", 0},
      {"\\p{Foo=Bar}", 0},
      {"x[\\p{}]", 2},
      {"\\p{sc:Greek}", 0},
  };
  CHECK_REFUSALS(refusals);
}

TEST(broken_patterns_are_refused) {
  static const refusal refusals[] = {
      {"\\", 0},      {"a\\", 1},       {"*", 0},           {"a|*", 2},
      {"(+a)", 1},    {"^*", 1},        {"$?", 1},          {"\\b+", 2},
      {"a**", 2},     {"a{1}{2}", 4},   {"{1}", 0},         {"[", 0},
      {"ab[c", 2},    {"[^", 0},        {"[\\]", 0},        {"[a-", 0},
      {"[b-a]", 1},   {"[ab-a]", 2},    {"\\x4", 0},        {"\\xg1", 0},
      {"\\u004", 0},  {"\\u{}", 0},     {"\\u{110000}", 0}, {"\\u{41", 0},
      {"\\u{4g}", 0}, {"\\c", 0},       {"\\c1", 0},        {"\\00", 0},
      {"\\01", 0},    {"(?<a", 0},      {"\\k<a", 0},       {"(", 1},
      {"ab(c", 4},    {".(\\s", 4},     {E_ACUTE "(", 3},   {"a)", 1},
      {".\\s)", 3},   {"(?<a-b>c)", 0}, {"\xC3\xA9\\q", 2},
  };
  CHECK_REFUSALS(refusals);
  size_t offset = 0;
  assert_int_equal(find_n("a\xC3", 2, "", 0, &offset), REFUSED);
  assert_int_equal(offset, 1);
  assert_int_equal(find_n("[\xED\xA0\x80]", 5, "", 0, &offset), REFUSED);
  assert_int_equal(find_n("\\1", 2, "", 0, &offset), REFUSED);
  assert_int_equal(find_n("\\k<a>", 5, "", 0, &offset), REFUSED);
  assert_int_equal(find_n("(?<a>.)(?<a>.)", 14, "", 0, &offset), REFUSED);
  assert_int_equal(find_n("a{2,1}", 6, "", 0, &offset), REFUSED);
}

/* Limits of PCRE2 that regex_ecma.h names. */
TEST(what_pcre2_cannot_is_refused) {
  size_t offset = 0;
  assert_int_equal(find_n("(?<=a+)b", 8, "ab", 2, &offset), REFUSED);
  assert_int_equal(find_n("a{65535}", 8, "", 0, &offset), 0);
  assert_int_equal(find_n("a{65536}", 8, "", 0, &offset), REFUSED);
}

/* --- the translation itself ---------------------------------------------- */

TEST(places_lead_back) {
  mcpi_str pattern = MCPI_STR("a.[b]\\s");
  mcpi_buf out;
  size_t offset = 0;
  mcpi_buf_init(&out, mcp_allocator_default(), SIZE_MAX);
  assert_int_equal(mcpi_regex_ecma(&out, pattern, &offset), 0);
  assert_int_equal(mcpi_regex_ecma_place(pattern, 0), 0);
  assert_int_equal(mcpi_regex_ecma_place(pattern, 1), 1);
  assert_int_equal(mcpi_regex_ecma_place(pattern, 2), 1);
  const char *class = memchr(out.data, 'b', out.len);
  assert_non_null(class);
  assert_int_equal(
      mcpi_regex_ecma_place(pattern, (size_t)(class - out.data) - 1), 2);
  assert_int_equal(mcpi_regex_ecma_place(pattern, out.len - 1), 5);
  assert_int_equal(mcpi_regex_ecma_place(pattern, out.len), 7);
  assert_int_equal(mcpi_regex_ecma_place(MCPI_STR(""), 0), 0);
  mcpi_buf_deinit(&out);
}

TEST(memory_may_run_out) {
  failing_alloc alloc;
  mcpi_buf out;
  size_t offset = 0;
  for (size_t i = 1; i <= 2; i++) {
    failing_alloc_init(&alloc);
    alloc.fail_at = i;
    mcpi_buf_init(&out, &alloc.allocator, SIZE_MAX);
    assert_int_equal(mcpi_regex_ecma(&out,
                                     MCPI_STR("\\s\\s\\s\\s\\s\\s\\s\\s\\s\\s"),
                                     &offset),
                     MCP_ERR_NOMEM);
    mcpi_buf_deinit(&out);
    assert_int_equal(alloc.live_blocks, 0);
  }
}

TEST(a_translation_too_long_is_refused) {
  mcpi_buf out;
  size_t offset = 0;
  mcpi_buf_init(&out, mcp_allocator_default(), 5);
  assert_int_equal(mcpi_regex_ecma(&out, MCPI_STR("abcde"), &offset), 0);
  mcpi_buf_clear(&out);
  assert_int_equal(mcpi_regex_ecma(&out, MCPI_STR("abcdef"), &offset),
                   MCP_ERR_LIMIT);
  mcpi_buf_deinit(&out);
}
