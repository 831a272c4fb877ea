// SPDX-License-Identifier: MIT
// Generated schemas.
import { PATTERNS, names, number, numberOf, restore, value } from './values.mjs';

export const DIALECTS = {
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
  'draft-07': 'http://json-schema.org/draft-07/schema',
};

const TYPES = ['number', 'integer', 'string', 'array', 'object', 'boolean', 'null'];
const KINDS = ['number', 'string', 'array', 'object', 'object', 'array'];

/** Makes one schema. Its subschemas mostly speak of the same kind of value as the
 * schema that they are part of, so that their keywords meet. */
class Maker {
  constructor(random, dialect) {
    this.random = random;
    this.isNew = dialect === '2020-12';
    this.hasIds = random.chance(0.15);
    this.defsName = this.isNew ? '$defs' : 'definitions';
    this.anchors = Array.from({ length: random.below(4) }, () => random.chance(0.3));
    this.ids = this.anchors.map(hasAnchor => this.hasIds && !hasAnchor && random.chance(0.5));
    this.isDynamic = this.isNew && random.chance(this.hasIds ? 0.5 : 0.05);
    this.isRootDynamic = this.isDynamic && random.chance(0.6);
  }

  root() {
    const kinds = this.anchors.map(() => this.random.pick(KINDS));
    this.kinds = kinds;
    const root = this.#object(this.random.pick(KINDS), 3, -1);
    if (kinds.length > 0) {
      root[this.defsName] = Object.fromEntries(kinds.map((kind, i) =>
        [`d${i}`, this.#definition(kind, i)]));
    }
    if (!this.isNew) {
      delete root.$ref;
    }
    if (this.isRootDynamic) {
      root.$dynamicAnchor = 'node';
    }
    return this.hasIds ? { ...root, $id: 'http://example.com/root' } : root;
  }

  #definition(kind, i) {
    const schema = this.#object(kind, 2, i);
    // A reference of draft-07 hides what stands beside it.
    if (!this.isNew && (this.anchors[i] || this.ids[i])) {
      delete schema.$ref;
    }
    if (this.ids[i]) {
      schema.$id = `d${i}`;
      Object.assign(schema, this.isDynamic ? { $dynamicAnchor: 'node' } : {});
    } else if (this.anchors[i]) {
      Object.assign(schema, this.isNew ? { $anchor: `at${i}` } : { $id: `#at${i}` });
    }
    return schema;
  }

  /** In place, only to a definition behind this one, so that none is circular. */
  #reference(level, isChild) {
    const first = isChild ? -1 : level + 1;
    const count = this.anchors.length - first;
    if (count <= 0) {
      return undefined;
    }
    const target = first + this.random.below(count);
    const root = this.hasIds ? 'root' : '';
    if (target < 0) {
      return `${root}#`;
    }
    if (this.ids[target]) {
      return `d${target}`;
    }
    return this.anchors[target] && this.random.chance(0.7) ? `${root}#at${target}`
      : `${root}#/${this.defsName}/d${target}`;
  }

  /** Of the same value. */
  #same(kind, depth, level) {
    return this.#any(this.random.chance(0.9) ? kind : this.random.pick(KINDS), depth - 1, level,
      false);
  }

  /** Of a value inside. */
  #inner(depth, level) {
    return this.#any(this.random.pick(KINDS), depth - 1, level, true);
  }

  #any(kind, depth, level, isChild) {
    const { random } = this;
    const chance = random.next();
    if (chance < 0.10) {
      return random.chance(0.6);
    }
    // Each resource that refers to the anchor has it.
    if (isChild && chance < 0.18 && (this.ids[level] ? this.isDynamic : this.isRootDynamic)) {
      return { $dynamicRef: '#node' };
    }
    if (chance < 0.22) {
      const $ref = this.#reference(level, isChild);
      if ($ref !== undefined) {
        return { $ref };
      }
    }
    return this.#object(kind, depth, level);
  }

  #object(kind, depth, level) {
    const { random } = this;
    const schema = {};
    if (random.chance(0.25)) {
      schema.type = this.#type(kind);
    }
    if (random.chance(0.08)) {
      this.#choices(schema);
    }
    if (depth <= 0) {
      return { ...schema, ...this.#leaf(kind) };
    }
    if (random.chance(0.01)) {
      return this.#wide(kind);
    }
    if (random.chance(0.85)) {
      this.#keywords(schema, kind, depth, level);
    }
    if (random.chance(0.45)) {
      this.#combine(schema, kind, depth, level);
    }
    if (random.chance(this.isNew ? 0.1 : 0.02)) {
      const $ref = this.#reference(level, false);
      Object.assign(schema, $ref === undefined ? {} : { $ref });
    }
    if (this.isNew && random.chance(0.35)) {
      this.#unevaluated(schema, kind, depth, level);
    }
    return schema;
  }

  #type(kind) {
    const { random } = this;
    const type = kind === 'number' && random.chance(0.4) ? 'integer' : kind;
    return random.chance(0.3) ? [...new Set([type, random.pick(TYPES)])] : type;
  }

  #choices(schema) {
    const { random } = this;
    if (random.chance(0.4)) {
      schema.const = value(random);
    } else {
      const texts = Array.from({ length: 1 + random.below(4) }, () => JSON.stringify(value(random)));
      schema.enum = [...new Set(texts)].map(text => JSON.parse(text, restore));
    }
  }

  #leaf(kind) {
    const { random } = this;
    const count = random.below(4);
    const name = names(random, 1)[0];
    switch (kind) {
      case 'number': return this.#numbers(1);
      case 'string': return this.#strings(1);
      case 'array': return random.pick([{ minItems: count }, { maxItems: count },
        { uniqueItems: true }]);
      default: return random.pick([{ required: [name] }, { minProperties: count },
        { maxProperties: count }, { properties: { [name]: random.chance(0.7) } }]);
    }
  }

  #numbers(count) {
    const { random } = this;
    const all = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
    return Object.fromEntries(random.some(all, count).map(name => {
      let bound = number(random);
      while (name === 'multipleOf' && !(numberOf(bound) > 0)) {
        bound = number(random);
      }
      return [name, bound];
    }));
  }

  #strings(count) {
    const { random } = this;
    const all = { minLength: random.below(4), maxLength: random.below(5),
      pattern: random.pick(PATTERNS) };
    return Object.fromEntries(random.some(Object.entries(all), count));
  }

  #keywords(schema, kind, depth, level) {
    const { random } = this;
    switch (kind) {
      case 'number':
        Object.assign(schema, this.#numbers(1 + random.below(3)));
        break;
      case 'string':
        Object.assign(schema, this.#strings(1 + random.below(2)));
        break;
      case 'array':
        this.#array(schema, depth, level);
        break;
      default:
        this.#properties(schema, depth, level);
    }
  }

  #list(depth, level) {
    return Array.from({ length: 1 + this.random.below(3) }, () => this.#inner(depth, level));
  }

  #array(schema, depth, level) {
    const { random } = this;
    if (random.chance(0.4)) {
      schema[this.isNew ? 'prefixItems' : 'items'] = this.#list(depth, level);
    }
    if (random.chance(0.4)) {
      const rest = this.isNew || !('items' in schema) ? 'items' : 'additionalItems';
      schema[rest] = this.#inner(depth, level);
    }
    if (random.chance(0.3)) {
      this.#contains(schema, depth, level);
    }
    if (random.chance(0.2)) {
      schema.minItems = random.below(3);
    }
    if (random.chance(0.2)) {
      schema.maxItems = random.below(5);
    }
    if (random.chance(0.2)) {
      schema.uniqueItems = random.chance(0.9);
    }
  }

  /** Draft-07 knows no bounds: there they say nothing. */
  #contains(schema, depth, level) {
    const { random } = this;
    schema.contains = this.#inner(depth, level);
    if (random.chance(this.isNew ? 0.4 : 0.1)) {
      schema.minContains = random.below(3);
    }
    if (random.chance(this.isNew ? 0.3 : 0.1)) {
      schema.maxContains = random.below(3);
    }
  }

  #named(keys, depth, level) {
    return Object.fromEntries(keys.map(name => [name, this.#inner(depth, level)]));
  }

  #properties(schema, depth, level) {
    const { random } = this;
    if (random.chance(0.6)) {
      schema.properties = this.#named(names(random, 1 + random.below(3)), depth, level);
    }
    if (random.chance(0.25)) {
      const patterns = random.some(PATTERNS, 1 + random.below(2));
      schema.patternProperties = this.#named(patterns, depth, level);
    }
    if (random.chance(0.3)) {
      schema.additionalProperties = random.chance(0.4) ? false : this.#inner(depth, level);
    }
    if (random.chance(0.25)) {
      schema.required = names(random, 1 + random.below(2));
    }
    if (random.chance(0.15)) {
      schema.propertyNames = this.#any('string', depth - 1, level, true);
    }
    if (random.chance(0.1)) {
      schema.minProperties = random.below(3);
    }
    if (random.chance(0.1)) {
      schema.maxProperties = random.below(4);
    }
    if (random.chance(0.2)) {
      this.#dependent(schema, depth, level);
    }
  }

  #dependent(schema, depth, level) {
    const { random } = this;
    const when = names(random, 1 + random.below(2));
    const required = when.map(name => [name, names(random, random.below(3))]);
    const schemas = when.map(name => [name, this.#same('object', depth, level)]);
    if (!this.isNew) {
      schema.dependencies = Object.fromEntries(random.chance(0.5) ? required : schemas);
    } else if (random.chance(0.5)) {
      schema.dependentRequired = Object.fromEntries(required);
    } else {
      schema.dependentSchemas = Object.fromEntries(schemas);
    }
  }

  #combine(schema, kind, depth, level) {
    const { random } = this;
    const same = () => this.#same(kind, depth, level);
    switch (random.below(kind === 'object' ? 6 : 5)) {
      case 0: schema.allOf = Array.from({ length: 1 + random.below(2) }, same); break;
      case 1: schema.anyOf = Array.from({ length: 1 + random.below(3) }, same); break;
      case 2: schema.oneOf = Array.from({ length: 1 + random.below(3) }, same); break;
      case 3: schema.not = same(); break;
      case 5: this.#tagged(schema, depth, level); break;
      default:
        for (const [name, probability] of [['if', 0.95], ['then', 0.7], ['else', 0.7]]) {
          if (random.chance(probability)) {
            schema[name] = same();
          }
        }
    }
  }

  /** Alternatives that a member's value mostly tells apart. */
  #tagged(schema, depth, level) {
    const { random } = this;
    const [tag] = names(random, 1);
    const count = 2 + random.below(4);
    schema[random.chance(0.6) ? 'oneOf' : 'anyOf'] = Array.from({ length: count }, () => {
      const branch = this.#object('object', depth - 1, level);
      const choice = random.chance(0.7) ? { const: value(random, 0) }
        : { enum: [value(random, 1), JSON.stringify(value(random, 1))] };
      branch.properties = { ...branch.properties, [tag]: choice };
      return random.chance(0.7) ? { ...branch, required: [tag] } : branch;
    });
  }

  /** More members and choices than are looked at one by one. */
  #wide(kind) {
    const { random } = this;
    const count = 20 + random.below(60);
    const many = Array.from({ length: count }, (_, i) => `n${i}`);
    switch (kind) {
      case 'object': {
        const properties = Object.fromEntries(many.map(name => [name, this.#object(
          random.pick(KINDS), 0, this.anchors.length)]));
        return { properties, required: random.some(many, random.below(5)),
          additionalProperties: random.chance(0.5) };
      }
      case 'array': return { uniqueItems: true, minItems: count };
      default: return { enum: [...new Set([...many, ...many.map((_, i) => i)])] };
    }
  }

  #unevaluated(schema, kind, depth, level) {
    const name = kind === 'array' ? 'unevaluatedItems' : 'unevaluatedProperties';
    schema[name] = this.random.chance(0.6) ? false : this.#inner(depth, level);
  }
}

/** Wrong values of keywords. */
const WRONG = { type: 'text', minimum: '1', multipleOf: 0, minLength: -1, maxItems: 1.5,
  pattern: '[', required: 'a', enum: 1, properties: [], items: 'a', allOf: [], not: null,
  $ref: '#/none', uniqueItems: 1, additionalProperties: 1, dependentRequired: { a: 1 } };

/** A schema. Few are invalid: they have a keyword with a wrong value. */
export function makeSchema(random, dialect) {
  const schema = new Maker(random, dialect).root();
  if (random.chance(0.03)) {
    const name = random.pick(Object.keys(WRONG));
    schema[name] = WRONG[name];
  }
  return schema;
}
