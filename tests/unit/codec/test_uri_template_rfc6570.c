/* SPDX-License-Identifier: MIT */
/* The examples of RFC 6570, all of them, section by section: each expands as it
 * is published, and is matched back where it determines its values. */
#include "codec/uri_template.h"

#include "support/cm.h"
#include <stdio.h>

/* What matching makes of an expansion. */
enum {
  EXACT,     /* the values that it was made of */
  AMBIGUOUS, /* others that expand to the same: it can be divided otherwise */
  NO_MATCH,  /* nothing: an empty value and none look alike */
  LEVEL_4    /* not asked: matching knows levels 1 to 3 */
};

typedef struct example {
  const char *text;
  const char *uri;
  int back;
} example;

/* 2.4 and 3.2; those of 1.2 are among them. */
static const char usual_values[] =
    "{\"count\":[\"one\",\"two\",\"three\"],"
    "\"dom\":[\"example\",\"com\"],"
    "\"dub\":\"me/too\","
    "\"hello\":\"Hello World!\","
    "\"half\":\"50%\","
    "\"var\":\"value\","
    "\"who\":\"fred\","
    "\"base\":\"http://example.com/home/\","
    "\"path\":\"/foo/bar\","
    "\"list\":[\"red\",\"green\",\"blue\"],"
    "\"keys\":{\"semi\":\";\",\"dot\":\".\",\"comma\":\",\"},"
    "\"v\":\"6\","
    "\"x\":\"1024\","
    "\"y\":\"768\","
    "\"empty\":\"\","
    "\"empty_keys\":[],"
    "\"undef\":null,"
    "\"semi\":\";\","
    "\"year\":[\"1965\",\"2000\",\"2012\"],"
    "\"address\":{\"city\":\"Newport Beach\",\"state\":\"CA\"}}";

/* 1.1 Overview: each with values of its own. */
static const struct {
  const char *values;
  example example;
} overview[] = {
    {"{\"username\":\"fred\"}",
     {"http://example.com/~{username}/", "http://example.com/~fred/", EXACT}},
    {"{\"username\":\"mark\"}",
     {"http://example.com/~{username}/", "http://example.com/~mark/", EXACT}},
    {"{\"term\":\"cat\"}",
     {"http://example.com/dictionary/{term:1}/{term}",
      "http://example.com/dictionary/c/cat", LEVEL_4}},
    {"{\"term\":\"dog\"}",
     {"http://example.com/dictionary/{term:1}/{term}",
      "http://example.com/dictionary/d/dog", LEVEL_4}},
    {"{\"q\":\"cat\",\"lang\":\"en\"}",
     {"http://example.com/search{?q,lang}",
      "http://example.com/search?q=cat&lang=en", EXACT}},
    {"{\"q\":\"chien\",\"lang\":\"fr\"}",
     {"http://example.com/search{?q,lang}",
      "http://example.com/search?q=chien&lang=fr", EXACT}},
    {"{\"query\":\"mycelium\",\"number\":100}",
     {"http://www.example.com/foo{?query,number}",
      "http://www.example.com/foo?query=mycelium&number=100", EXACT}},
    {"{\"number\":100}",
     {"http://www.example.com/foo{?query,number}",
      "http://www.example.com/foo?number=100", EXACT}},
    {"{}",
     {"http://www.example.com/foo{?query,number}", "http://www.example.com/foo",
      EXACT}},
};

/* 1.2, level 1 */
static const example level_1[] = {
    {"{var}", "value", EXACT},
    {"{hello}", "Hello%20World%21", EXACT},
};

/* 1.2, level 2 */
static const example level_2[] = {
    {"{+var}", "value", EXACT},
    {"{+hello}", "Hello%20World!", EXACT},
    {"{+path}/here", "/foo/bar/here", EXACT},
    {"here?ref={+path}", "here?ref=/foo/bar", EXACT},
    {"X{#var}", "X#value", EXACT},
    {"X{#hello}", "X#Hello%20World!", EXACT},
};

/* 1.2, level 3 */
static const example level_3[] = {
    {"map?{x,y}", "map?1024,768", EXACT},
    {"{x,hello,y}", "1024,Hello%20World%21,768", EXACT},
    {"{+x,hello,y}", "1024,Hello%20World!,768", EXACT},
    {"{+path,x}/here", "/foo/bar,1024/here", EXACT},
    {"{#x,hello,y}", "#1024,Hello%20World!,768", EXACT},
    {"{#path,x}/here", "#/foo/bar,1024/here", EXACT},
    {"X{.var}", "X.value", EXACT},
    {"X{.x,y}", "X.1024.768", EXACT},
    {"{/var}", "/value", EXACT},
    {"{/var,x}/here", "/value/1024/here", EXACT},
    {"{;x,y}", ";x=1024;y=768", EXACT},
    {"{;x,y,empty}", ";x=1024;y=768;empty", EXACT},
    {"{?x,y}", "?x=1024&y=768", EXACT},
    {"{?x,y,empty}", "?x=1024&y=768&empty=", EXACT},
    {"?fixed=yes{&x}", "?fixed=yes&x=1024", EXACT},
    {"{&x,y,empty}", "&x=1024&y=768&empty=", EXACT},
};

/* 1.2, level 4 */
static const example level_4[] = {
    {"{var:3}", "val", LEVEL_4},
    {"{var:30}", "value", LEVEL_4},
    {"{list}", "red,green,blue", LEVEL_4},
    {"{list*}", "red,green,blue", LEVEL_4},
    {"{keys}", "semi,%3B,dot,.,comma,%2C", LEVEL_4},
    {"{keys*}", "semi=%3B,dot=.,comma=%2C", LEVEL_4},
    {"{+path:6}/here", "/foo/b/here", LEVEL_4},
    {"{+list}", "red,green,blue", LEVEL_4},
    {"{+list*}", "red,green,blue", LEVEL_4},
    {"{+keys}", "semi,;,dot,.,comma,,", LEVEL_4},
    {"{+keys*}", "semi=;,dot=.,comma=,", LEVEL_4},
    {"{#path:6}/here", "#/foo/b/here", LEVEL_4},
    {"{#list}", "#red,green,blue", LEVEL_4},
    {"{#list*}", "#red,green,blue", LEVEL_4},
    {"{#keys}", "#semi,;,dot,.,comma,,", LEVEL_4},
    {"{#keys*}", "#semi=;,dot=.,comma=,", LEVEL_4},
    {"X{.var:3}", "X.val", LEVEL_4},
    {"X{.list}", "X.red,green,blue", LEVEL_4},
    {"X{.list*}", "X.red.green.blue", LEVEL_4},
    {"X{.keys}", "X.semi,%3B,dot,.,comma,%2C", LEVEL_4},
    {"X{.keys*}", "X.semi=%3B.dot=..comma=%2C", LEVEL_4},
    {"{/var:1,var}", "/v/value", LEVEL_4},
    {"{/list}", "/red,green,blue", LEVEL_4},
    {"{/list*}", "/red/green/blue", LEVEL_4},
    {"{/list*,path:4}", "/red/green/blue/%2Ffoo", LEVEL_4},
    {"{/keys}", "/semi,%3B,dot,.,comma,%2C", LEVEL_4},
    {"{/keys*}", "/semi=%3B/dot=./comma=%2C", LEVEL_4},
    {"{;hello:5}", ";hello=Hello", LEVEL_4},
    {"{;list}", ";list=red,green,blue", LEVEL_4},
    {"{;list*}", ";list=red;list=green;list=blue", LEVEL_4},
    {"{;keys}", ";keys=semi,%3B,dot,.,comma,%2C", LEVEL_4},
    {"{;keys*}", ";semi=%3B;dot=.;comma=%2C", LEVEL_4},
    {"{?var:3}", "?var=val", LEVEL_4},
    {"{?list}", "?list=red,green,blue", LEVEL_4},
    {"{?list*}", "?list=red&list=green&list=blue", LEVEL_4},
    {"{?keys}", "?keys=semi,%3B,dot,.,comma,%2C", LEVEL_4},
    {"{?keys*}", "?semi=%3B&dot=.&comma=%2C", LEVEL_4},
    {"{&var:3}", "&var=val", LEVEL_4},
    {"{&list}", "&list=red,green,blue", LEVEL_4},
    {"{&list*}", "&list=red&list=green&list=blue", LEVEL_4},
    {"{&keys}", "&keys=semi,%3B,dot,.,comma,%2C", LEVEL_4},
    {"{&keys*}", "&semi=%3B&dot=.&comma=%2C", LEVEL_4},
};

/* 2.4.1 Prefix values */
static const example prefixes[] = {
    {"{var}", "value", EXACT},    {"{var:20}", "value", LEVEL_4},
    {"{var:3}", "val", LEVEL_4},  {"{semi}", "%3B", EXACT},
    {"{semi:2}", "%3B", LEVEL_4},
};

/* 2.4.2 Composite values */
static const example composites[] = {
    {"/mapper{?address*}", "/mapper?city=Newport%20Beach&state=CA", LEVEL_4},
    {"find{?year*}", "find?year=1965&year=2000&year=2012", LEVEL_4},
    {"www{.dom*}", "www.example.com", LEVEL_4},
};

/* 3.2.1 Variable expansion */
static const example variables[] = {
    {"{count}", "one,two,three", LEVEL_4},
    {"{count*}", "one,two,three", LEVEL_4},
    {"{/count}", "/one,two,three", LEVEL_4},
    {"{/count*}", "/one/two/three", LEVEL_4},
    {"{;count}", ";count=one,two,three", LEVEL_4},
    {"{;count*}", ";count=one;count=two;count=three", LEVEL_4},
    {"{?count}", "?count=one,two,three", LEVEL_4},
    {"{?count*}", "?count=one&count=two&count=three", LEVEL_4},
    {"{&count*}", "&count=one&count=two&count=three", LEVEL_4},
};

/* 3.2.2 Simple string expansion */
static const example simple[] = {
    {"{var}", "value", EXACT},
    {"{hello}", "Hello%20World%21", EXACT},
    {"{half}", "50%25", EXACT},
    {"O{empty}X", "OX", NO_MATCH},
    {"O{undef}X", "OX", NO_MATCH},
    {"{x,y}", "1024,768", EXACT},
    {"{x,hello,y}", "1024,Hello%20World%21,768", EXACT},
    {"?{x,empty}", "?1024,", EXACT},
    {"?{x,undef}", "?1024", EXACT},
    {"?{undef,y}", "?768", AMBIGUOUS},
    {"{var:3}", "val", LEVEL_4},
    {"{var:30}", "value", LEVEL_4},
    {"{list}", "red,green,blue", LEVEL_4},
    {"{list*}", "red,green,blue", LEVEL_4},
    {"{keys}", "semi,%3B,dot,.,comma,%2C", LEVEL_4},
    {"{keys*}", "semi=%3B,dot=.,comma=%2C", LEVEL_4},
};

/* 3.2.3 Reserved expansion */
static const example reserved[] = {
    {"{+var}", "value", EXACT},
    {"{+hello}", "Hello%20World!", EXACT},
    {"{+half}", "50%25", EXACT},
    {"{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex", EXACT},
    {"{+base}index", "http://example.com/home/index", EXACT},
    {"O{+empty}X", "OX", NO_MATCH},
    {"O{+undef}X", "OX", NO_MATCH},
    {"{+path}/here", "/foo/bar/here", EXACT},
    {"here?ref={+path}", "here?ref=/foo/bar", EXACT},
    {"up{+path}{var}/here", "up/foo/barvalue/here", AMBIGUOUS},
    {"{+x,hello,y}", "1024,Hello%20World!,768", EXACT},
    {"{+path,x}/here", "/foo/bar,1024/here", EXACT},
    {"{+path:6}/here", "/foo/b/here", LEVEL_4},
    {"{+list}", "red,green,blue", LEVEL_4},
    {"{+list*}", "red,green,blue", LEVEL_4},
    {"{+keys}", "semi,;,dot,.,comma,,", LEVEL_4},
    {"{+keys*}", "semi=;,dot=.,comma=,", LEVEL_4},
};

/* 3.2.4 Fragment expansion */
static const example fragments[] = {
    {"{#var}", "#value", EXACT},
    {"{#hello}", "#Hello%20World!", EXACT},
    {"{#half}", "#50%25", EXACT},
    {"foo{#empty}", "foo#", EXACT},
    {"foo{#undef}", "foo", EXACT},
    {"{#x,hello,y}", "#1024,Hello%20World!,768", EXACT},
    {"{#path,x}/here", "#/foo/bar,1024/here", EXACT},
    {"{#path:6}/here", "#/foo/b/here", LEVEL_4},
    {"{#list}", "#red,green,blue", LEVEL_4},
    {"{#list*}", "#red,green,blue", LEVEL_4},
    {"{#keys}", "#semi,;,dot,.,comma,,", LEVEL_4},
    {"{#keys*}", "#semi=;,dot=.,comma=,", LEVEL_4},
};

/* 3.2.5 Label expansion with dot-prefix */
static const example labels[] = {
    {"{.who}", ".fred", EXACT},
    {"{.who,who}", ".fred.fred", EXACT},
    {"{.half,who}", ".50%25.fred", EXACT},
    {"www{.dom*}", "www.example.com", LEVEL_4},
    {"X{.var}", "X.value", EXACT},
    {"X{.empty}", "X.", EXACT},
    {"X{.undef}", "X", EXACT},
    {"X{.var:3}", "X.val", LEVEL_4},
    {"X{.list}", "X.red,green,blue", LEVEL_4},
    {"X{.list*}", "X.red.green.blue", LEVEL_4},
    {"X{.keys}", "X.semi,%3B,dot,.,comma,%2C", LEVEL_4},
    {"X{.keys*}", "X.semi=%3B.dot=..comma=%2C", LEVEL_4},
    {"X{.empty_keys}", "X", LEVEL_4},
    {"X{.empty_keys*}", "X", LEVEL_4},
};

/* 3.2.6 Path segment expansion */
static const example segments[] = {
    {"{/who}", "/fred", EXACT},
    {"{/who,who}", "/fred/fred", EXACT},
    {"{/half,who}", "/50%25/fred", EXACT},
    {"{/who,dub}", "/fred/me%2Ftoo", EXACT},
    {"{/var}", "/value", EXACT},
    {"{/var,empty}", "/value/", EXACT},
    {"{/var,undef}", "/value", EXACT},
    {"{/var,x}/here", "/value/1024/here", EXACT},
    {"{/var:1,var}", "/v/value", LEVEL_4},
    {"{/list}", "/red,green,blue", LEVEL_4},
    {"{/list*}", "/red/green/blue", LEVEL_4},
    {"{/list*,path:4}", "/red/green/blue/%2Ffoo", LEVEL_4},
    {"{/keys}", "/semi,%3B,dot,.,comma,%2C", LEVEL_4},
    {"{/keys*}", "/semi=%3B/dot=./comma=%2C", LEVEL_4},
};

/* 3.2.7 Path-style parameter expansion */
static const example parameters[] = {
    {"{;who}", ";who=fred", EXACT},
    {"{;half}", ";half=50%25", EXACT},
    {"{;empty}", ";empty", EXACT},
    {"{;v,empty,who}", ";v=6;empty;who=fred", EXACT},
    {"{;v,bar,who}", ";v=6;who=fred", EXACT},
    {"{;x,y}", ";x=1024;y=768", EXACT},
    {"{;x,y,empty}", ";x=1024;y=768;empty", EXACT},
    {"{;x,y,undef}", ";x=1024;y=768", EXACT},
    {"{;hello:5}", ";hello=Hello", LEVEL_4},
    {"{;list}", ";list=red,green,blue", LEVEL_4},
    {"{;list*}", ";list=red;list=green;list=blue", LEVEL_4},
    {"{;keys}", ";keys=semi,%3B,dot,.,comma,%2C", LEVEL_4},
    {"{;keys*}", ";semi=%3B;dot=.;comma=%2C", LEVEL_4},
};

/* 3.2.8 Form-style query expansion */
static const example queries[] = {
    {"{?who}", "?who=fred", EXACT},
    {"{?half}", "?half=50%25", EXACT},
    {"{?x,y}", "?x=1024&y=768", EXACT},
    {"{?x,y,empty}", "?x=1024&y=768&empty=", EXACT},
    {"{?x,y,undef}", "?x=1024&y=768", EXACT},
    {"{?var:3}", "?var=val", LEVEL_4},
    {"{?list}", "?list=red,green,blue", LEVEL_4},
    {"{?list*}", "?list=red&list=green&list=blue", LEVEL_4},
    {"{?keys}", "?keys=semi,%3B,dot,.,comma,%2C", LEVEL_4},
    {"{?keys*}", "?semi=%3B&dot=.&comma=%2C", LEVEL_4},
};

/* 3.2.9 Form-style query continuation */
static const example continued[] = {
    {"{&who}", "&who=fred", EXACT},
    {"{&half}", "&half=50%25", EXACT},
    {"?fixed=yes{&x}", "?fixed=yes&x=1024", EXACT},
    {"{&x,y,empty}", "&x=1024&y=768&empty=", EXACT},
    {"{&x,y,undef}", "&x=1024&y=768", EXACT},
    {"{&var:3}", "&var=val", LEVEL_4},
    {"{&list}", "&list=red,green,blue", LEVEL_4},
    {"{&list*}", "&list=red&list=green&list=blue", LEVEL_4},
    {"{&keys}", "&keys=semi,%3B,dot,.,comma,%2C", LEVEL_4},
    {"{&keys*}", "&semi=%3B&dot=.&comma=%2C", LEVEL_4},
};

static mcp_doc *parse(const char *text, size_t len) {
  mcp_doc *doc = mcp_doc_parse(text, len, NULL, NULL, NULL);
  assert_non_null(doc);
  return doc;
}

static void check_expansion(const mcpi_uri_template *tpl, const example *x,
                            const mcp_json *values) {
  mcpi_buf out;
  mcpi_buf_init(&out, mcp_allocator_default(), SIZE_MAX);
  assert_int_equal(mcpi_uri_template_expand(tpl, values, &out, NULL), 0);
  mcpi_buf_putc(&out, '\0');
  assert_string_equal(out.data, x->uri);
  mcpi_buf_deinit(&out);
}

/* The values that matching finds, as an object; NULL: no match. */
static mcp_doc *match(const mcpi_uri_template *tpl, const char *uri) {
  mcpi_span spans[64];
  mcpi_buf values;
  mcp_doc *doc = NULL;
  mcpi_buf_init(&values, mcp_allocator_default(), SIZE_MAX);
  if (mcpi_uri_template_match(tpl, mcpi_str_z(uri), &values, spans)) {
    mcpi_buf json;
    mcpi_buf_init(&json, mcp_allocator_default(), SIZE_MAX);
    for (size_t i = 0; i < mcpi_uri_template_var_count(tpl); i++) {
      if (spans[i].offset != SIZE_MAX) {
        mcpi_buf_putc(&json, json.len == 0 ? '{' : ',');
        mcpi_json_put_string(&json, mcpi_uri_template_var_name(tpl, i));
        mcpi_buf_putc(&json, ':');
        mcpi_json_put_string(
            &json, mcpi_str_n(values.data + spans[i].offset, spans[i].len));
      }
    }
    mcpi_buf_puts(&json, json.len == 0 ? MCPI_STR("{}") : MCPI_STR("}"));
    doc = parse(json.data, json.len);
    mcpi_buf_deinit(&json);
  }
  mcpi_buf_deinit(&values);
  return doc;
}

/* As text, since a URI has no numbers; NULL: undefined. */
static const char *text_of(const mcp_json *values, mcpi_str name,
                           char digits[32]) {
  const mcp_json *value = mcp_json_get_n(values, name.ptr, name.len);
  if (mcp_json_type(value) == MCP_JSON_NUMBER) {
    snprintf(digits, 32, "%g", mcp_json_number(value));
    return digits;
  }
  return mcp_json_string(value);
}

static int has_same(const mcpi_uri_template *tpl, const mcp_json *values,
                    const mcp_json *found) {
  for (size_t i = 0; i < mcpi_uri_template_var_count(tpl); i++) {
    char digits[32];
    mcpi_str name = mcpi_uri_template_var_name(tpl, i);
    const char *before = text_of(values, name, digits);
    const char *now = text_of(found, name, NULL);
    if ((before == NULL) != (now == NULL) ||
        (before != NULL && strcmp(before, now) != 0)) {
      return 0;
    }
  }
  return 1;
}

static void check_match(const mcpi_uri_template *tpl, const example *x,
                        const mcp_json *values) {
  mcp_doc *found = match(tpl, x->uri);
  if ((found == NULL) != (x->back == NO_MATCH)) {
    fail_msg("%s and %s: match %d", x->text, x->uri, found != NULL);
  }
  if (found != NULL) {
    check_expansion(tpl, x, mcp_doc_root(found));
    if (has_same(tpl, values, mcp_doc_root(found)) != (x->back == EXACT)) {
      fail_msg("%s and %s: other values", x->text, x->uri);
    }
  }
  mcp_doc_free(found);
}

static void check(const example *x, const mcp_json *values) {
  mcpi_uri_template *tpl = NULL;
  assert_int_equal(mcpi_uri_template_new(&tpl, mcpi_str_z(x->text),
                                         mcp_allocator_default(), NULL),
                   0);
  check_expansion(tpl, x, values);
  if (x->back != LEVEL_4) {
    check_match(tpl, x, values);
  }
  mcpi_uri_template_free(tpl);
}

TEST(the_overview) {
  for (size_t i = 0; i < sizeof(overview) / sizeof(overview[0]); i++) {
    mcp_doc *doc = parse(overview[i].values, strlen(overview[i].values));
    check(&overview[i].example, mcp_doc_root(doc));
    mcp_doc_free(doc);
  }
}

TEST(the_sections) {
#define SECTION(name)                                                          \
  { name, sizeof(name) / sizeof(example) }
  static const struct {
    const example *examples;
    size_t count;
  } sections[] = {
      SECTION(level_1),    SECTION(level_2),  SECTION(level_3),
      SECTION(level_4),    SECTION(prefixes), SECTION(composites),
      SECTION(variables),  SECTION(simple),   SECTION(reserved),
      SECTION(fragments),  SECTION(labels),   SECTION(segments),
      SECTION(parameters), SECTION(queries),  SECTION(continued),
  };
  mcp_doc *doc = parse(usual_values, strlen(usual_values));
  size_t count = 0;
  for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
    for (size_t k = 0; k < sections[i].count; k++, count++) {
      check(&sections[i].examples[k], mcp_doc_root(doc));
    }
  }
  assert_int_equal(count, 189);
  mcp_doc_free(doc);
}
