// SPDX-License-Identifier: MIT
// What the tests of tasks share.
import assert from 'node:assert/strict';
import { ctl, relay } from './our-client.mjs';
import { test } from './suite.mjs';

/** The text of a result. */
export const text = ({ content }) => content.map(piece => piece.text).join('\n');

/** Tests of mcpctl with one server: `check(name, words, look)` looks at what it
 * printed. */
export function suite(who, target) {
  return (name, words, look, code) =>
    test(`mcpctl, tasks: ${who}: ${name}`, async () => look(await ctl(words, target, code)));
}

/** The words of a call of a tool, after answers such as name=Ada. */
export function called(...words) {
  return words.flatMap(word => (word.includes('=') ? ['--answer', word] : ['call', word]));
}

/** The tests of tasks-client with a server that has the tool `interview`. */
export function tasksClient(who, target, era) {
  return relay(who, target, era, 'tasks-client', ['interview', '{}', '{"name":"Ada"}', 'Hello Ada']);
}

/** The tests of mcpctl and tasks-client with a server that has the tools
 * `interview`, `think` and `fail`. */
export async function bothClients(who, target, era) {
  const check = suite(who, target);
  await Promise.all([
    check('a question', called('name=Ada', 'interview'), result => assert.equal(text(result), 'Hello Ada')),
    check('declining', called('action=decline', 'interview'), result => assert.equal(text(result), 'Hello decline')),
    check('sampling', called('text=Paris', 'think'), result => assert.equal(text(result), 'Paris')),
    check('failure', called('fail'), result => assert.equal(text(result), 'disk 3 is full'), 5),
    tasksClient(who, target, era),
  ]);
}
