// SPDX-License-Identifier: MIT
// Numbers as their JSON texts say them, exactly.

/** A number as {digits, exponent}: digits * 10 ** exponent. */
export function decimal(text) {
  const [, whole, fraction = '', exponent = '0'] =
    /^(-?\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(text);
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

const scaled = ({ digits, exponent }, lowest) => digits * 10n ** BigInt(exponent - lowest);

export function isMultiple(text, stepText) {
  const [value, step] = [decimal(text), decimal(stepText)];
  const lowest = Math.min(value.exponent, step.exponent);
  return scaled(value, lowest) % scaled(step, lowest) === 0n;
}

export function isEqual(text, otherText) {
  const [a, b] = [decimal(text), decimal(otherText)];
  const lowest = Math.min(a.exponent, b.exponent);
  return scaled(a, lowest) === scaled(b, lowest);
}

/** Whether a double is another number: it is spelt otherwise, at its shortest. */
export function isBeyondDouble(text) {
  const double = Number(text);
  return !Number.isFinite(double) || !isEqual(text, String(double));
}
