// SPDX-License-Identifier: MIT
// What tests/schema/ajv runs: our verdicts beside Ajv's. A disagreement is made
// small, and must be one of known.mjs.
import { parseArgs } from 'node:util';
import { makeInstance } from './instances.mjs';
import { KNOWN } from './known.mjs';
import { Random } from './random.mjs';
import { makeSchema } from './schemas.mjs';
import { shrink } from './shrink.mjs';
import { Ours, Theirs } from './subjects.mjs';

const INSTANCES = 6;
/** Then something general is wrong. */
const MOST_WRONG = 20;

const { values: options } = parseArgs({ options: {
  program: { type: 'string' },
  seed: { type: 'string', default: '1' },
  schemas: { type: 'string', default: '2000' },
  table: { type: 'boolean' },
} });
const ours = new Ours(options.program);
const theirs = new Theirs();
const met = new Map();
const count = { pairs: 0, valid: 0, disagreements: 0, wrong: 0 };

/** A pair without an instance is about whether the schema compiles. */
async function ask({ dialect, schema }, instances) {
  const texts = instances.map(instance => JSON.stringify(instance));
  const text = JSON.stringify(schema);
  return Promise.all([ours.ask(dialect, text, texts), theirs.ask(dialect, text, texts)]);
}

const compiles = ({ error }) => error === undefined ? 'compiles' : 'does not compile';

async function verdicts(pair) {
  if (!('instance' in pair)) {
    const [our, their] = await ask(pair, []);
    return { ours: compiles(our), theirs: compiles(their), errors: [our.error, their.error] };
  }
  const [our, their] = await ask(pair, [pair.instance]);
  return { ours: our.verdicts?.[0], theirs: their.verdicts?.[0], errors: [] };
}

/** What they say where they disagree, else undefined. */
async function disagree(pair) {
  const said = await verdicts(pair);
  const isAnswered = said.ours !== undefined && said.theirs !== undefined;
  return isAnswered && said.ours !== said.theirs ? said : undefined;
}

/** Whether two disagreements may have one reason. */
function isAlike(a, b) {
  const kind = error => error?.replace(/data\S*|\d|"[^"]*"/g, '');
  return a !== undefined && typeof a.theirs === typeof b.theirs &&
    a.errors.every((error, i) => kind(error) === kind(b.errors[i]));
}

async function explanation(pair, said) {
  for (const known of KNOWN) {
    if (await known.explains(pair, said, verdicts)) {
      return known;
    }
  }
  return undefined;
}

function show(pair, said) {
  console.log(`${pair.dialect}: ours says ${said.ours}, Ajv ${said.theirs}`);
  console.log(`    schema   ${JSON.stringify(pair.schema)}`);
  if ('instance' in pair) {
    console.log(`    instance ${JSON.stringify(pair.instance)}`);
  }
  said.errors.filter(Boolean).forEach(error => console.log(`    error    ${error}`));
}

async function explain(pair) {
  const said = await disagree(pair);
  const small = await shrink(pair, async next => isAlike(await disagree(next), said));
  const smallSaid = await disagree(small);
  const known = await explanation(small, smallSaid);
  count.disagreements++;
  met.set(known, (met.get(known) ?? 0) + 1);
  if (known === undefined) {
    count.wrong++;
    show(small, smallSaid);
  }
}

async function compare(dialect, number) {
  const random = new Random(Number(options.seed), number);
  const schema = makeSchema(random, dialect);
  const instances = Array.from({ length: INSTANCES }, () => makeInstance(random, schema));
  const [our, their] = await ask({ dialect, schema }, instances);
  if (compiles(our) !== compiles(their)) {
    await explain({ dialect, schema });
    return;
  }
  for (const [i, verdict] of (our.verdicts ?? []).entries()) {
    if (verdict === null) { // it costs us too much to tell
      continue;
    }
    count.pairs++;
    count.valid += verdict;
    if (verdict !== their.verdicts[i]) {
      await explain({ dialect, schema, instance: instances[i] });
    }
  }
}

/** The table must be true. */
async function checkExamples() {
  for (const known of KNOWN) {
    const said = await disagree(known.example);
    if (said === undefined || await explanation(known.example, said) !== known) {
      count.wrong++;
      console.log(`known.mjs: its example does not show it: ${known.name}`);
    }
  }
}

await checkExamples();
for (let number = 0; number < Number(options.schemas) && count.wrong < MOST_WRONG; number++) {
  await compare(number % 3 === 0 ? 'draft-07' : '2020-12', number);
}
ours.close();
if (options.table) {
  KNOWN.forEach(known => console.log(`${String(met.get(known) ?? 0).padStart(6)}  ${known.name}`));
}
for (const known of KNOWN.filter(each => !met.has(each))) {
  console.log(`not met but in its example: ${known.name}`);
}
console.log(`${count.pairs} pairs of ${options.schemas} schemas, seed ${options.seed}, ` +
  `${Math.round(100 * count.valid / count.pairs)} % valid: ${count.disagreements} ` +
  `disagreements with Ajv, ${count.wrong} unexplained`);
process.exit(count.wrong === 0 ? 0 : 1);
