// SPDX-License-Identifier: MIT
// Where Ajv is known to depart from the specification, or from itself.
//
// For most the reason is tried: the pair is rewritten so that the specification gives
// the same verdict and Ajv does not meet its mistake, and then ours must stay and
// Ajv's be the same. Each has an example, which must disagree too: what Ajv has
// mended must leave the table.
//
// `explains` gets the smallest pair, what both said of it, and a function that asks
// both for their verdicts on another pair.
import { isBeyondDouble, isMultiple } from './decimal.mjs';
import { isObject, isRaw, numberOf } from './values.mjs';

/** Rewrites each value inside a value, then itself. */
function rewrite(value, edit) {
  if (Array.isArray(value)) {
    return edit(value.map(inner => rewrite(inner, edit)));
  }
  return edit(isObject(value) ? each(value, inner => rewrite(inner, edit)) : value);
}

const each = (object, edit) => Object.fromEntries(Object.entries(object)
  .map(([name, inner]) => [name, edit(inner, name)]));

/** As valid as the schema, without annotations. */
const mute = schema => ({ not: { not: schema } });

/** Whether the rewritten pair has our verdict from both. */
async function isCured(pair, said, verdicts, edit, what = ['schema']) {
  const now = await verdicts(each(pair, (value, name) =>
    what.includes(name) ? rewrite(value, edit) : value));
  return now.theirs === now.ours && now.ours === said.ours;
}

const byEditing = edit => (pair, said, verdicts) => isCured(pair, said, verdicts,
  value => isObject(value) ? edit(value, pair) : value);

/** With another name for a name. */
const byRenaming = old => (pair, said, verdicts) => {
  const other = name => name === old ? 'another' : name;
  return isCured(pair, said, verdicts, value => isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [other(name), inner]))
    : other(value), ['schema', 'instance']);
};

/** Where a schema speaks of its own instance, and may say nothing of it. */
const ALTERNATIVES = ['if', 'then', 'else', 'anyOf', 'oneOf'];
const inAlternatives = edit => schema => each(schema, (value, name) =>
  !ALTERNATIVES.includes(name) ? value : Array.isArray(value) ? value.map(edit) : edit(value));

/** More than a generated array has. */
const MANY_ITEMS = 20;

/** `items` spelt out, item by item. */
function spellItems(schema) {
  return rewrite(schema, value => {
    if (!isObject(value) || !('items' in value || 'unevaluatedItems' in value)) {
      return value;
    }
    const { items, unevaluatedItems, prefixItems = [], ...rest } = value;
    const more = Array(MANY_ITEMS).fill(items ?? unevaluatedItems);
    return { ...rest, prefixItems: [...prefixItems, ...more] };
  });
}

function muteContains({ contains, minContains, maxContains, ...rest }) {
  if (contains === undefined) {
    return rest;
  }
  const bounds = Object.entries({ contains, minContains, maxContains })
    .filter(([, value]) => value !== undefined);
  return { ...rest, allOf: [...rest.allOf ?? [], mute(Object.fromEntries(bounds))] };
}

/** What Ajv makes of a number: a double, or no number at all. */
const asDouble = (value, ofInfinity) => !isRaw(value) ? value
  : Number.isFinite(numberOf(value)) ? numberOf(value) : ofInfinity;

export const KNOWN = [
  {
    name: 'multipleOf divides doubles',
    why: 'validation 6.2.1: the division must result in an integer; that of 0.3 by 0.1 does',
    example: { dialect: '2020-12', schema: { multipleOf: 0.1 }, instance: 0.3 },
    explains: ({ schema, instance }, said) => Object.keys(schema).join() === 'multipleOf' &&
      said.ours === isMultiple(JSON.stringify(instance), JSON.stringify(schema.multipleOf)),
  },
  {
    name: 'numbers are doubles',
    why: 'core 4.2.1 and 4.2.2: numbers are of arbitrary precision, and equal by their value',
    example: { dialect: '2020-12', schema: { const: 9007199254740992 },
      instance: JSON.rawJSON('9007199254740993') },
    async explains(pair, said, verdicts) {
      const numbers = [];
      rewrite([pair.schema, pair.instance], value => isRaw(value) && numbers.push(value.rawJSON));
      const now = await verdicts({ ...pair,
        schema: rewrite(pair.schema, value => asDouble(value, Number.MAX_VALUE)),
        instance: rewrite(pair.instance, value => asDouble(value, 'no number')) });
      return numbers.some(isBeyondDouble) && now.ours === said.theirs;
    },
  },
  {
    name: 'each object has what Object.prototype has',
    why: 'core 4.2.1: an object has the members of its text; its comparisons throw, and ' +
      'such a member counts as evaluated',
    example: { dialect: '2020-12', schema: { const: {} }, instance: { toString: 0 } },
    explains: byRenaming('toString'),
  },
  {
    name: 'a missing member with an empty name is not missed',
    why: 'validation 6.5.3: every item in the array is the name of a property',
    example: { dialect: '2020-12', schema: { required: [''] }, instance: {} },
    explains: byRenaming(''),
  },
  {
    name: 'patternProperties throw where nothing was evaluated before',
    why: 'no instance may do that',
    example: { dialect: '2020-12', schema: { patternProperties: { a: true }, if: false,
      then: { unevaluatedProperties: true } }, instance: { a: 0 } },
    explains: ({ schema }, said) => JSON.stringify(schema).includes('"patternProperties"') &&
      /^Cannot set properties of undefined/.test(said.theirs),
  },
  {
    name: 'contains says of an empty array what was said before',
    why: 'core 10.3.1.3 and draft-07 6.4.6: at least one element',
    example: { dialect: '2020-12', schema: { prefixItems: [false], contains: { type: 'null' } },
      instance: [] },
    // An empty array is refused then by minItems, which says the same.
    explains: byEditing((schema, { dialect }) => 'contains' in schema &&
      (dialect === 'draft-07' || schema.minContains !== 0) ? { minItems: 1, ...schema } : schema),
  },
  {
    name: 'contains evaluates all items, or none',
    why: 'core 10.3.1.3 and 11.2: it evaluates those that it matches',
    example: { dialect: '2020-12', schema: { contains: { const: 1 }, unevaluatedItems: false },
      instance: [1, 2] },
    async explains(pair, said, verdicts) {
      const edit = value => isObject(value) ? muteContains(value) : value;
      const now = await verdicts({ ...pair, schema: rewrite(pair.schema, edit) });
      return now.ours === now.theirs && (now.ours === said.ours || now.ours === said.theirs);
    },
  },
  {
    name: 'an alternative that failed has evaluated something',
    why: 'core 7.7.1.2: what fails produces no annotations',
    example: { dialect: '2020-12', schema: { oneOf: [{ prefixItems: [false] }, {}],
      unevaluatedItems: false }, instance: [true] },
    explains: byEditing(inAlternatives(mute)),
  },
  {
    name: 'an alternative that evaluates all items evaluates one',
    why: 'core 11.2: all items are evaluated; it compares their number with `true`',
    example: { dialect: '2020-12', schema: { anyOf: [{ items: true }], unevaluatedItems: false },
      instance: [0, 0] },
    explains: byEditing(inAlternatives(spellItems)),
  },
  {
    name: 'if without then and else is passed over',
    why: 'core 10.2.2.1: annotations are collected from it in the usual way',
    example: { dialect: '2020-12', schema: { if: { properties: { a: true } },
      unevaluatedProperties: false }, instance: { a: 0 } },
    explains: byEditing(schema => 'if' in schema && !('then' in schema) && !('else' in schema)
      ? { ...schema, then: mute(true) } : schema),
  },
  {
    name: 'dependentSchemas forget what was evaluated before',
    why: 'core 10.2.2.4 and 11.3: they take nothing from what `properties` says',
    example: { dialect: '2020-12', schema: { properties: { a: true },
      dependentSchemas: { b: { properties: { c: true } } }, unevaluatedProperties: false },
      instance: { a: 0 } },
    explains: byEditing(schema => 'dependentSchemas' in schema
      ? { ...schema, dependentSchemas: each(schema.dependentSchemas, mute) } : schema),
  },
  {
    name: 'keywords beside $ref count',
    why: 'draft-07 core 8.3: they must be ignored',
    example: { dialect: 'draft-07', schema: { properties: { a: { $ref: '#/definitions/a',
      type: 'null' } }, definitions: { a: {} } }, instance: { a: 0 } },
    explains: (pair, said, verdicts) => pair.dialect === 'draft-07' &&
      byEditing(({ $ref, definitions, ...rest }) => $ref === undefined
        ? { ...rest, ...definitions && { definitions } }
        : { $ref, ...definitions && { definitions } })(pair, said, verdicts),
  },
  {
    name: 'a choice that is given twice is refused',
    why: 'draft-07 validation 6.1.2: they should be unique',
    example: { dialect: 'draft-07', schema: { enum: [0, 0] } },
    explains: ({ dialect }, said) => dialect === 'draft-07' && said.ours === 'compiles' &&
      /enum must NOT have duplicate items/.test(said.errors[1]),
  },
];
