// SPDX-License-Identifier: MIT
// Makes a disagreement small: drops and simplifies what is not needed for it.
import { isObject } from './values.mjs';

/** What an array or object has in it. */
const inside = value => Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];

/** The same, at any depth. */
const allInside = value => inside(value).flatMap(inner => [inner, ...allInside(inner)]);

/** The schemas of that value with one thing less. */
function* lesser(value, root) {
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      yield value.toSpliced(i, 1);
    }
    yield* value;
    for (let i = 0; i < value.length; i++) {
      for (const inner of lesser(value[i], root)) {
        yield value.with(i, inner);
      }
    }
  } else if (isObject(value)) {
    yield* [true, false];
    const members = Object.entries(value);
    for (let i = 0; i < members.length; i++) {
      yield Object.fromEntries(members.toSpliced(i, 1));
    }
    yield* members.flatMap(([, inner]) => [inner, ...inside(inner)]);
    if (typeof value.$ref === 'string' && root !== undefined) {
      yield* inlined(value, root);
    }
    for (const [i, [name, inner]] of members.entries()) {
      for (const less of typeof inner === 'string' && name.startsWith('$') ? []
        : lesser(inner, root)) {
        yield Object.fromEntries(members.with(i, [name, less]));
      }
    }
  } else if (typeof value !== 'boolean' && value !== null) {
    yield* [0, 1, '', 'a'];
  }
}

/** What a reference leads to, in its place. */
function* inlined(schema, root) {
  const { $ref, ...rest } = schema;
  const [, name] = /^[^#]*#\/[^/]+\/(\w+)$/.exec($ref) ?? [];
  const target = (root.$defs ?? root.definitions)?.[name];
  if (isObject(target)) {
    yield { ...rest, ...target };
    yield { ...rest, allOf: [target] };
  }
}

const REFERENCE_WEIGHT = 10_000;

function weight({ schema, instance }) {
  const text = JSON.stringify([schema, instance ?? null]);
  return text.length + REFERENCE_WEIGHT * (text.split('"$ref"').length - 1);
}

function* smaller(pair) {
  for (const schema of lesser(pair.schema, pair.schema)) {
    yield { ...pair, schema };
  }
  if (pair.instance !== undefined) {
    for (const instance of lesser(pair.instance)) {
      yield { ...pair, instance };
    }
    for (const schema of allInside(pair.schema).filter(isObject)) {
      yield* inside(pair.instance).map(instance => ({ ...pair, schema, instance }));
    }
  }
}

/** The smallest pair to be found for which `holds`, an asynchronous function. */
export async function shrink(pair, holds) {
  let best = pair;
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (const next of smaller(best)) {
      if (weight(next) < weight(best) && await holds(next)) {
        best = next;
        isSmaller = true;
        break;
      }
    }
  }
  return best;
}
