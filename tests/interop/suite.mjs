// SPDX-License-Identifier: MIT
// Tests: one line for each, and a summary.
import { AssertionError } from 'node:assert';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LIMIT_MS = 60_000;
const wanted = process.argv[2] ?? '';
let passed = 0;
let failed = 0;

/** Rejects after a time, saying what was waited for. */
export async function within(ms, what, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: ${ms} ms have passed`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Notes a test that somebody else has run. */
export function report(name, why) {
  if (why === undefined) {
    passed++;
    console.log(`ok ${name}`);
  } else {
    failed++;
    console.log(`not ok ${name}\n${why.replace(/^/gm, '    ')}`);
  }
}

function reason(error) {
  if (error instanceof AssertionError) {
    return error.message;
  }
  const data = error?.data === undefined ? '' : `\n${JSON.stringify(error.data)}`;
  return `${error?.stack ?? error}${data}`;
}

/** Runs one test; returns what it returned, undefined after a failure. */
export async function test(name, run) {
  if (!name.includes(wanted)) {
    return undefined;
  }
  try {
    const value = await within(LIMIT_MS, 'the test', run());
    report(name);
    return value;
  } catch (error) {
    report(name, reason(error));
    return undefined;
  }
}

/** Whether any of these names was asked for. */
export function isWanted(name) {
  return name.includes(wanted) || wanted.startsWith(name);
}

const folders = [];
process.on('exit', () => folders.forEach(path => rmSync(path, { recursive: true, force: true })));

/** An empty folder that goes with the process; its path has no links. */
export function folder() {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'interop-')));
  folders.push(path);
  return path;
}

/** Values that come one by one, and waiting for them. */
export class Queue {
  #values = [];
  #waiting = [];

  push(value) {
    const first = this.#waiting.shift();
    if (first) {
      first(value);
    } else {
      this.#values.push(value);
    }
  }

  next(what) {
    if (this.#values.length > 0) {
      return Promise.resolve(this.#values.shift());
    }
    return within(20_000, what, new Promise(resolve => this.#waiting.push(resolve)));
  }
}

export function finish() {
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 && passed > 0 ? 0 : 1);
}
