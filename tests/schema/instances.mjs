// SPDX-License-Identifier: MIT
// Generated instances: made as a schema wants them, as far as that is easy, and
// then often spoilt.
import { STRINGS, isObject, isRaw, names, number, numberOf, value } from './values.mjs';

/** How far below the depth that is aimed at what is required may lead. */
const LOWEST = -3;

const pathOf = $ref => $ref.replace(/^[^#]*/, '');

/** What a reference of schemas.mjs leads to. */
function resolve(root, $ref) {
  const defs = Object.entries(root.$defs ?? root.definitions ?? {});
  const path = pathOf($ref);
  const found = defs.find(([name, schema]) => path === `#/$defs/${name}` ||
    path === `#/definitions/${name}` || schema.$id === $ref || schema.$id === path ||
    (schema.$anchor !== undefined && path === `#${schema.$anchor}`));
  return found ? found[1] : path === '#' || $ref === 'root' ? root : true;
}

function typeOf(schemas, random) {
  const wanted = schemas.filter(schema => schema.type !== undefined)
    .map(schema => [schema.type].flat());
  const all = wanted[0]?.filter(type => wanted.every(types => types.includes(type)));
  if (all?.length > 0) {
    return random.pick(all);
  }
  const has = (...names) => schemas.some(schema => names.some(name => name in schema));
  const likely = [];
  if (has('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf')) {
    likely.push('number');
  }
  if (has('minLength', 'maxLength', 'pattern')) {
    likely.push('string');
  }
  if (has('items', 'prefixItems', 'contains', 'minItems', 'maxItems', 'uniqueItems',
    'unevaluatedItems')) {
    likely.push('array');
  }
  if (has('properties', 'patternProperties', 'additionalProperties', 'required',
    'minProperties', 'maxProperties', 'propertyNames', 'dependencies', 'dependentRequired',
    'dependentSchemas', 'unevaluatedProperties')) {
    likely.push('object');
  }
  return likely.length > 0 ? random.pick(likely) : undefined;
}

class Maker {
  constructor(random, root) {
    this.random = random;
    this.root = root;
  }

  /** All schemas that a value may have to satisfy together. */
  #spread(schemas, out = [], fuel = 12) {
    const { random } = this;
    for (const schema of schemas) {
      if (!isObject(schema) || fuel <= 0) {
        continue;
      }
      out.push(schema);
      const next = [];
      if (schema.$ref !== undefined) {
        next.push(resolve(this.root, schema.$ref));
      }
      if (schema.$dynamicRef !== undefined) {
        next.push(this.root); // most often
      }
      next.push(...schema.allOf?.length > 0 ? schema.allOf : []);
      for (const name of ['anyOf', 'oneOf']) {
        next.push(...schema[name]?.length > 0 ? [random.pick(schema[name])] : []);
      }
      if (schema.if !== undefined) {
        next.push(...random.chance(0.5) ? [schema.if, schema.then] : [schema.else]);
      }
      if (random.chance(0.5)) {
        next.push(...Object.values(schema.dependentSchemas ?? {}));
      }
      this.#spread(next, out, fuel - 3);
    }
    return out;
  }

  make(schemas, depth) {
    const { random } = this;
    if (depth < LOWEST) {
      return value(random, 0);
    }
    const all = this.#spread(schemas);
    const fixed = all.find(schema => 'const' in schema || schema.enum?.length > 0);
    if (fixed !== undefined && random.chance(0.9)) {
      return 'const' in fixed ? fixed.const : random.pick(fixed.enum);
    }
    switch (typeOf(all, random)) {
      case 'number': return this.#number(all, false);
      case 'integer': return this.#number(all, true);
      case 'string': return this.#string(all);
      case 'array': return this.#array(all, depth);
      case 'object': return this.#object(all, depth);
      case 'boolean': return random.chance(0.5);
      case 'null': return null;
      default: return value(random, Math.min(depth, 2));
    }
  }

  /** The first of some that fits, or the last. */
  #tries(make, fits) {
    let made = make();
    for (let i = 0; i < 12 && !fits(made); i++) {
      made = make();
    }
    return made;
  }

  #number(schemas, isInteger) {
    const { random } = this;
    const bounds = schemas.flatMap(schema => ['minimum', 'maximum', 'exclusiveMinimum',
      'exclusiveMaximum'].filter(name => name in schema).map(name => schema[name]));
    const steps = schemas.filter(schema => 'multipleOf' in schema)
      .map(schema => numberOf(schema.multipleOf));
    const make = () => {
      const near = bounds.length > 0 && random.chance(0.6) ? random.pick(bounds) : number(random);
      if (steps.length > 0 && random.chance(0.7)) {
        const times = Math.round(numberOf(near) / random.pick(steps));
        return Number((times * random.pick(steps)).toPrecision(12));
      }
      return random.chance(0.5) ? near : numberOf(near) + random.pick([-1, 1, 0.5]);
    };
    const fits = made => {
      const x = numberOf(made);
      return Number.isFinite(x) && (!isInteger || Number.isInteger(x)) &&
        schemas.every(schema => !(x < numberOf(schema.minimum ?? x)) &&
          !(x > numberOf(schema.maximum ?? x)) &&
          !(x <= numberOf(schema.exclusiveMinimum ?? -Infinity)) &&
          !(x >= numberOf(schema.exclusiveMaximum ?? Infinity)));
    };
    const made = this.#tries(make, fits);
    return isRaw(made) || Number.isFinite(made) ? made : 0;
  }

  #string(schemas) {
    const { random } = this;
    const make = () => random.chance(0.8) ? random.pick(STRINGS)
      : random.pick(STRINGS) + random.pick(STRINGS);
    return this.#tries(make, made => schemas.every(schema => {
      const { length } = [...made];
      try {
        return length >= (schema.minLength ?? 0) && length <= (schema.maxLength ?? length) &&
          new RegExp(schema.pattern ?? '', 'u').test(made);
      } catch {
        return true; // the pattern is one of the wrong values
      }
    }));
  }

  #array(schemas, depth) {
    const { random } = this;
    const least = Math.max(0, ...schemas.map(schema => schema.minItems ?? 0));
    const most = Math.min(6, ...schemas.map(schema => schema.maxItems ?? 6));
    const count = Math.min(Math.max(least, random.below(5)), Math.max(most, 0));
    if (least > 10) {
      return Array.from({ length: least }, (_, i) => random.chance(0.02) ? value(random) : i / 8);
    }
    return Array.from({ length: depth > 0 ? count : least }, (_, i) => {
      const wanted = schemas.flatMap(schema => {
        const first = schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : []);
        const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items;
        const own = first[i] ?? rest ?? schema.unevaluatedItems;
        return [own, random.chance(0.4) ? schema.contains : true].filter(isObject);
      });
      return this.make(wanted, depth - 1);
    });
  }

  #names(schemas, depth) {
    const { random } = this;
    const chosen = new Set(schemas.flatMap(schema =>
      Array.isArray(schema.required) ? schema.required : []));
    if (depth > 0) {
      const known = schemas.flatMap(schema => Object.keys(schema.properties ?? {}));
      known.forEach(name => random.chance(0.6) && chosen.add(name));
      if (random.chance(0.3)) {
        chosen.add(names(random, 1)[0]);
      }
      const least = Math.max(0, ...schemas.map(schema => schema.minProperties ?? 0));
      for (let i = 0; i < 8 && chosen.size < least; i++) {
        chosen.add(names(random, 1)[0]);
      }
    }
    for (const schema of schemas) {
      const needs = Object.entries(schema.dependentRequired ?? schema.dependencies ?? {});
      needs.filter(([name, list]) => chosen.has(name) && Array.isArray(list))
        .forEach(([, list]) => list.forEach(name => chosen.add(name)));
    }
    return [...chosen];
  }

  #object(schemas, depth) {
    return Object.fromEntries(this.#names(schemas, depth).map(name => {
      const wanted = schemas.flatMap(schema => {
        const own = schema.properties ?? {};
        const found = Object.hasOwn(own, name) ? [own[name]] : [];
        for (const [pattern, inner] of Object.entries(schema.patternProperties ?? {})) {
          found.push(...new RegExp(pattern, 'u').test(name) ? [inner] : []);
        }
        return found.length > 0 ? found
          : [schema.additionalProperties ?? schema.unevaluatedProperties];
      });
      return [name, this.make(wanted, depth - 1)];
    }));
  }
}

/** Changes something, at the top or below. */
function spoil(random, old) {
  if (Array.isArray(old) && old.length > 0 && random.chance(0.8)) {
    const i = random.below(old.length);
    switch (random.below(5)) {
      case 0: return old.toSpliced(i, 1);
      case 1: return old.toSpliced(i, 0, old[random.below(old.length)]);
      case 2: return [...old, value(random)];
      default: return old.with(i, spoil(random, old[i]));
    }
  }
  if (isObject(old) && random.chance(0.9)) {
    const members = Object.entries(old);
    const i = random.below(members.length);
    const more = [names(random, 1)[0], value(random)];
    switch (members.length > 0 ? random.below(5) : 4) {
      case 0: return Object.fromEntries(members.toSpliced(i, 1));
      case 1:
      case 2: return { ...old, [members[i][0]]: spoil(random, members[i][1]) };
      default: return Object.fromEntries([...members, more]);
    }
  }
  if (typeof old === 'number' && random.chance(0.6)) {
    return old + random.pick([-1, 1, 0.5, 0.1]);
  }
  if (typeof old === 'string' && random.chance(0.6)) {
    return random.chance(0.5) ? old + random.pick(STRINGS) : [...old].slice(1).join('');
  }
  return value(random);
}

export function makeInstance(random, root) {
  let made = new Maker(random, root).make([root], 4);
  while (random.chance(0.45)) {
    made = spoil(random, made);
  }
  return made;
}
