// SPDX-License-Identifier: MIT
// Ajv beside bench-schema (schema.c): reads a line with a schema and an instance,
// then answers each further line by what a validation and a compilation take, in
// nanoseconds.
import { createInterface } from 'node:readline';
import Ajv2020 from 'ajv/dist/2020.js';

const ROUND_NS = 5e6; // as in schema.c
/** Until then V8 has compiled what it will compile. */
const WARM_NS = 5e8;

/** Processor time, that of V8's own threads with it. */
function timeOf(run, times) {
  const start = process.cpuUsage();
  run(times);
  const { user, system } = process.cpuUsage(start);
  return 1e3 * (user + system);
}

/** Warms it up, and returns a function that tells what one takes. */
function prepare(run) {
  let times = 1;
  let took = 0;
  for (let spent = 0; spent < WARM_NS; spent += Math.max(took, 1e3)) {
    took = timeOf(run, times);
    times *= took < ROUND_NS ? 2 : 1;
  }
  return () => timeOf(run, times) / times;
}

function validation(validate, text) {
  // Two, so that nothing of it can be done once for all.
  const instances = [JSON.parse(text), JSON.parse(text)];
  return times => {
    for (let i = 0; i < times; i++) {
      if (!validate(instances[i & 1])) {
        throw new Error('the instance is not valid');
      }
    }
  };
}

function compilation(ajv, schema) {
  return times => {
    for (let i = 0; i < times; i++) {
      ajv.compile(schema);
      ajv.removeSchema(schema); // else it is found again
    }
  };
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { schema, instance } = JSON.parse((await lines.next()).value);
const ajv = new Ajv2020({ strict: false, logger: false });
const rounds = [prepare(validation(ajv.compile(schema), JSON.stringify(instance))),
  prepare(compilation(ajv, schema))];

for await (const _ of lines) {
  console.log(rounds.map(round => round().toFixed(1)).join(' '));
}
