// SPDX-License-Identifier: MIT
// Chance that can be had again: the same seeds give the same choices.

export class Random {
  #state;

  constructor(seed, number) {
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(number + 1, 0xc2b2ae35);
  }

  /** From 0 to just under 1 (mulberry32). */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from 0 to just under count. */
  below(count) {
    return Math.floor(this.next() * count);
  }

  chance(probability) {
    return this.next() < probability;
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  /** Some of a list's values, none twice, in the list's order. */
  some(list, count) {
    const left = list.map((_, index) => index);
    while (left.length > count) {
      left.splice(this.below(left.length), 1);
    }
    return left.map(index => list[index]);
  }
}
