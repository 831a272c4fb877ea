// SPDX-License-Identifier: MIT
// What generated schemas and instances are made of. A number that a double would
// not keep is a raw JSON text.

export const isRaw = JSON.isRawJSON;
export const isObject = value => typeof value === 'object' && value !== null &&
  !Array.isArray(value) && !isRaw(value);

const PLAIN = [-3, -1, 0, 1, 2, 3, 4, 5, 7, 10, 100, -0.5, 0.5, 1.5, 2.25];
const DECIMAL = [0.1, 0.2, 0.3, 0.01, 0.07, 1.1, 19.99, 4.35, 1e-7];
const LARGE = [4294967296, 9007199254740991, 1e20, 1e300];
const SPELT = ['1.0', '-0', '0.0', '1E2', '2e-1', '10.50'];
const BEYOND = ['9007199254740993', '18446744073709551615', '18446744073709551617',
  '123456789012345678901234567890', '1e400', '0.1000000000000000000001',
  '9007199254740992.5'];

const NAMES = ['a', 'b', 'c', 'ab', 'é', '😀', '', 'a/b', '~0'];
export const STRINGS = ['', 'a', 'b', 'ab', 'abc', 'aab', 'é', 'e\u0301', '😀', '😀😀', 'a😀b',
  '0', '12', 'a\nb', 'abcabcabc', 'A', ' ', 'a/b'];
export const PATTERNS = ['^a', 'b$', '^[a-c]+$', '^.$', '^..$', '\\d', '^\\w*$', '\\s', 'a|é',
  '^(a|b)*$', '[^a]', '^\\p{L}+$', '😀', '^[😀é]$', 'a{2}', '^(?!a)', '(.)\\1', '^$',
  '^\\u00e9$', '\\ud83d\\ude00', '\\Bb', '^[^]*$'];

export function number(random) {
  const kind = random.next();
  if (kind < 0.70) {
    return random.pick(PLAIN);
  }
  if (kind < 0.88) {
    return random.pick(DECIMAL);
  }
  if (kind < 0.94) {
    return JSON.rawJSON(random.pick(SPELT));
  }
  return kind < 0.975 ? random.pick(LARGE) : JSON.rawJSON(random.pick(BEYOND));
}

/** Names of members, seldom with one that objects of JavaScript inherit. */
export function names(random, count) {
  return random.some(random.chance(0.02) ? [...NAMES, 'toString'] : NAMES, count);
}

export const numberOf = value => Number(isRaw(value) ? value.rawJSON : value);

/** Any value, without much in it. */
export function value(random, depth = 2) {
  const kind = random.below(depth > 0 ? 7 : 5);
  switch (kind) {
    case 0: return null;
    case 1: return random.chance(0.5);
    case 2: return random.pick(STRINGS);
    case 5: return Array.from({ length: random.below(4) }, () => value(random, depth - 1));
    case 6: return Object.fromEntries(names(random, random.below(4))
      .map(name => [name, value(random, depth - 1)]));
    default: return number(random);
  }
}

/** For JSON.parse: what keeps raw numbers as they are. */
export const restore = (_, parsed, { source }) =>
  typeof parsed === 'number' && JSON.stringify(parsed) !== source ? JSON.rawJSON(source) : parsed;
