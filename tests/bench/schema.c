/* SPDX-License-Identifier: MIT */
/* What validating costs, beside parsing the same text with yyjson:
 *
 *     bench-schema              prints nanoseconds for each shape
 *     bench-schema --write DIR  writes DIR/NAME.json, with the members `schema`
 *                               and `instance`, for other validators
 *
 * Shapes: the two numbers of hello-server's tool; an object of 60 properties
 * with objects among them; 50 KB of arrays of objects that are one of three
 * kinds. */
#include <mcp/mcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <yyjson.h>

enum { ROUNDS = 7, FIELDS = 60, RECORDS = 630 };

typedef struct shape {
  const char *name;
  mcp_builder *schema;
  mcp_builder *instance;
} shape;

/* --- shapes -------------------------------------------------------------- */

static mcp_builder *text_of(const char *json) {
  mcp_builder *b = mcp_builder_new(NULL);
  mcp_builder_json(b, NULL, json);
  return b;
}

/* Of each seven fields: strings, numbers, an integer, a choice, a flag, and a
 * list of tags; each tenth holds an object of three. */
static void put_field(mcp_builder *schema, mcp_builder *instance, int i) {
  char name[32];
  snprintf(name, sizeof(name), "field_%d", i);
  if (i % 10 == 9) {
    mcp_builder_json(
        schema, name,
        "{\"type\":\"object\",\"properties\":{\"street\":{\"type\":"
        "\"string\"},\"zip\":{\"type\":\"string\",\"minLength\":4},"
        "\"number\":{\"type\":\"integer\",\"minimum\":1}},"
        "\"required\":[\"street\",\"zip\"],"
        "\"additionalProperties\":false}");
    mcp_builder_json(instance, name,
                     "{\"street\":\"Karl Johans gate\",\"zip\":\"0154\","
                     "\"number\":31}");
    return;
  }
  static const char *const kinds[][2] = {
      {"{\"type\":\"string\",\"maxLength\":80}", "\"a short text\""},
      {"{\"type\":\"number\",\"minimum\":-1000,\"maximum\":1000}", "12.5"},
      {"{\"type\":\"integer\"}", "42"},
      {"{\"type\":\"string\",\"enum\":[\"red\",\"green\",\"blue\",\"grey\"]}",
       "\"blue\""},
      {"{\"type\":\"boolean\"}", "true"},
      {"{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"maxItems\":8}",
       "[\"one\",\"two\",\"three\"]"},
      {"{\"type\":[\"string\",\"null\"]}", "null"}};
  mcp_builder_json(schema, name, kinds[i % 7][0]);
  mcp_builder_json(instance, name, kinds[i % 7][1]);
}

static shape make_object(void) {
  shape s = {"60 properties", mcp_builder_new(NULL), mcp_builder_new(NULL)};
  mcp_builder_object(s.schema, NULL);
  mcp_builder_string(s.schema, "type", "object");
  mcp_builder_object(s.schema, "properties");
  mcp_builder_object(s.instance, NULL);
  for (int i = 0; i < FIELDS; i++) {
    put_field(s.schema, s.instance, i);
  }
  mcp_builder_end(s.instance);
  mcp_builder_end(s.schema);
  mcp_builder_json(s.schema, "required",
                   "[\"field_0\",\"field_1\",\"field_9\",\"field_30\"]");
  mcp_builder_bool(s.schema, "additionalProperties", 0);
  mcp_builder_end(s.schema);
  return s;
}

static shape make_records(void) {
  static const char *const kinds[] = {
      "{\"kind\":\"circle\",\"at\":[10.5,20.25],\"radius\":3.5,\"id\":\"c-1\","
      "\"tags\":[\"round\",\"small\"]}",
      "{\"kind\":\"line\",\"from\":[0,0.5],\"to\":[100.125,7],\"width\":2,"
      "\"id\":\"l-1\"}",
      "{\"kind\":\"text\",\"at\":[1,2],\"text\":\"A label that is a little "
      "longer\",\"size\":12,\"id\":\"t-1\"}"};
  shape s = {"50 KB", NULL, mcp_builder_new(NULL)};
  s.schema = text_of(
      "{\"type\":\"object\",\"required\":[\"shapes\"],\"properties\":{"
      "\"shapes\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/shape\"}}},"
      "\"$defs\":{"
      "\"point\":{\"type\":\"array\",\"prefixItems\":[{\"type\":\"number\"},"
      "{\"type\":\"number\"}],\"minItems\":2,\"maxItems\":2},"
      "\"shape\":{\"type\":\"object\",\"required\":[\"kind\",\"id\"],"
      "\"properties\":{\"id\":{\"type\":\"string\",\"minLength\":1}},"
      "\"oneOf\":["
      "{\"properties\":{\"kind\":{\"const\":\"circle\"},\"at\":{\"$ref\":"
      "\"#/$defs/point\"},\"radius\":{\"type\":\"number\",\"exclusiveMinimum\":"
      "0},\"tags\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}},"
      "\"required\":[\"at\",\"radius\"]},"
      "{\"properties\":{\"kind\":{\"const\":\"line\"},\"from\":{\"$ref\":"
      "\"#/$defs/point\"},\"to\":{\"$ref\":\"#/$defs/point\"},\"width\":{"
      "\"type\":\"number\",\"minimum\":0}},\"required\":[\"from\",\"to\"]},"
      "{\"properties\":{\"kind\":{\"const\":\"text\"},\"at\":{\"$ref\":"
      "\"#/$defs/point\"},\"text\":{\"type\":\"string\",\"maxLength\":200},"
      "\"size\":{\"type\":\"integer\",\"minimum\":4,\"maximum\":400}},"
      "\"required\":[\"at\",\"text\"]}]}}}");
  mcp_builder_object(s.instance, NULL);
  mcp_builder_array(s.instance, "shapes");
  for (int i = 0; i < RECORDS; i++) {
    mcp_builder_json(s.instance, NULL, kinds[i % 3]);
  }
  mcp_builder_end(s.instance);
  mcp_builder_end(s.instance);
  return s;
}

static shape make_two(void) {
  return (shape){
      "two numbers",
      text_of("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"number\","
              "\"description\":\"first\"},\"b\":{\"type\":\"number\","
              "\"description\":\"second\"}},\"required\":[\"a\",\"b\"],"
              "\"additionalProperties\":false}"),
      text_of("{\"a\":2,\"b\":3}")};
}

/* --- measuring ----------------------------------------------------------- */

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

typedef struct subject {
  const char *text;
  size_t len;
  char *copy; /* of the text, for yyjson to parse in place */
  void *pool;
  size_t pool_len;
  const mcp_json *schema;
  const mcp_json *instance;
  mcp_validator *validator;
} subject;

static void parse(const subject *s) {
  yyjson_alc alc;
  memcpy(s->copy, s->text, s->len);
  memset(s->copy + s->len, 0, YYJSON_PADDING_SIZE);
  yyjson_alc_pool_init(&alc, s->pool, s->pool_len);
  yyjson_doc *doc =
      yyjson_read_opts(s->copy, s->len, YYJSON_READ_INSITU, &alc, NULL);
  if (doc == NULL) {
    abort();
  }
}

static void validate(const subject *s) {
  if (!mcp_validator_accepts(s->validator, s->instance)) {
    abort();
  }
}

static void compile(const subject *s) {
  mcp_validator *validator = NULL;
  if (mcp_validator_new(&validator, s->schema, NULL, NULL) != 0) {
    abort();
  }
  mcp_validator_unref(validator);
}

/* The best of some rounds, each of some milliseconds. */
static double cost_of(void (*run)(const subject *s), const subject *s) {
  double best = 0;
  size_t times = 1;
  for (int round = 0; round < ROUNDS;) {
    double start = now_ns();
    for (size_t i = 0; i < times; i++) {
      run(s);
    }
    double took = now_ns() - start;
    if (took < 2e7) {
      times *= 2;
      continue;
    }
    double each = took / (double)times;
    best = round == 0 || each < best ? each : best;
    round++;
  }
  return best;
}

static mcp_doc *doc_of(mcp_builder *b) {
  size_t len;
  mcp_doc *doc = NULL;
  const char *text = mcp_builder_text(b, &len);
  if (text == NULL || mcp_doc_parse(&doc, text, len, NULL, NULL, NULL) != 0) {
    abort();
  }
  return doc;
}

static void measure(const shape *of) {
  subject s = {.text = NULL};
  mcp_error err;
  mcp_doc *schema = doc_of(of->schema);
  mcp_doc *instance = doc_of(of->instance);
  s.text = mcp_builder_text(of->instance, &s.len);
  s.schema = mcp_doc_root(schema);
  s.instance = mcp_doc_root(instance);
  s.copy = malloc(s.len + YYJSON_PADDING_SIZE);
  s.pool_len = yyjson_read_max_memory_usage(s.len, YYJSON_READ_INSITU);
  s.pool = malloc(s.pool_len);
  if (mcp_validator_new(&s.validator, s.schema, NULL, &err) != 0) {
    fprintf(stderr, "bench-schema: %s\n", err.message);
    exit(1);
  }
  double parsing = cost_of(parse, &s);
  double validating = cost_of(validate, &s);
  double compiling = cost_of(compile, &s);
  printf("%-14s %10zu B %10.0f ns %10.0f ns %8.2f %12.0f ns\n", of->name, s.len,
         parsing, validating, validating / parsing, compiling);
  mcp_validator_unref(s.validator);
  mcp_doc_free(schema);
  mcp_doc_free(instance);
  free(s.copy);
  free(s.pool);
}

static void write_shape(const shape *of, const char *folder) {
  char path[4096];
  snprintf(path, sizeof(path), "%s/%s.json", folder, of->name);
  FILE *file = fopen(path, "w");
  if (file == NULL) {
    perror(path);
    exit(1);
  }
  fprintf(file, "{\"schema\":%s,\"instance\":%s}\n",
          mcp_builder_text(of->schema, NULL),
          mcp_builder_text(of->instance, NULL));
  fclose(file);
}

int main(int argc, char **argv) {
  shape shapes[] = {make_two(), make_object(), make_records()};
  int is_writing = argc == 3 && strcmp(argv[1], "--write") == 0;
  if (argc != 1 && !is_writing) {
    fprintf(stderr, "usage: bench-schema [--write DIR]\n");
    return 2;
  }
  if (!is_writing) {
    printf("%-14s %12s %13s %13s %8s %15s\n", "JSON Schema", "instance",
           "yyjson", "validate", "ratio", "compile");
  }
  for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
    if (is_writing) {
      write_shape(&shapes[i], argv[2]);
    } else {
      measure(&shapes[i]);
    }
    mcp_builder_free(shapes[i].schema);
    mcp_builder_free(shapes[i].instance);
  }
  return 0;
}
