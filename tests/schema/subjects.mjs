// SPDX-License-Identifier: MIT
// Who is asked: each gives verdicts of one schema on several instances, all given
// as JSON texts, as {verdicts} or, when it does not compile the schema, {error}.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import Ajv from 'ajv';
import Ajv2020 from 'ajv/dist/2020.js';
import { DIALECTS } from './schemas.mjs';
import { isObject } from './values.mjs';

/** build/bin/schema-verdicts. */
export class Ours {
  #child;
  #lines;

  constructor(program) {
    this.#child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async ask(dialect, schema, instances) {
    this.#child.stdin.write(`{"dialect":"${DIALECTS[dialect]}","schema":${schema},` +
      `"instances":[${instances}]}\n`);
    const { value, done } = await this.#lines.next();
    if (done) {
      throw new Error(`schema-verdicts ended, asked about ${schema} and ${instances}`);
    }
    return JSON.parse(value);
  }

  close() {
    this.#child.stdin.end();
  }
}

/** A property is what an object has itself, not what each object of JavaScript
 * inherits; formats only describe. */
const OPTIONS = { strict: false, logger: false, validateFormats: false, ownProperties: true };

export class Theirs {
  #ajvs = { '2020-12': new Ajv2020(OPTIONS), 'draft-07': new Ajv(OPTIONS) };
  #known = {};

  constructor() {
    for (const [dialect, ajv] of Object.entries(this.#ajvs)) {
      ajv.compile({});
      this.#known[dialect] = new Set(Object.keys(ajv.refs));
    }
  }

  async ask(dialect, schema, instances) {
    const ajv = this.#ajvs[dialect];
    const parsed = JSON.parse(schema);
    try {
      const validate = ajv.compile(parsed);
      return { verdicts: instances.map(instance => this.#verdict(validate, instance)) };
    } catch (error) {
      return { error: error.message };
    } finally {
      this.#forget(dialect, parsed);
    }
  }

  #verdict(validate, instance) {
    try {
      return validate(JSON.parse(instance));
    } catch (error) {
      return error.message;
    }
  }

  /** An instance of Ajv is slow to make, and remembers schemas and their ids. */
  #forget(dialect, schema) {
    const ajv = this.#ajvs[dialect];
    if (isObject(schema)) {
      ajv.removeSchema(schema);
    }
    Object.keys(ajv.refs).filter(name => !this.#known[dialect].has(name))
      .forEach(name => delete ajv.refs[name]);
  }
}
