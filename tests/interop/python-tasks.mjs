// SPDX-License-Identifier: MIT
// Tasks of the official Python SDK 1.x, in both directions. The SDK 2.x has
// none. How the SDK departs from the specification: python_tasks_server.py.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atAddress, relayProgram } from './our-client.mjs';
import { folder } from './suite.mjs';
import { called, suite, tasksClient, text } from './tasks-kit.mjs';

const { BIN, PYTHON_1 } = process.env;
const CLIENT = fileURLToPath(new URL('python_tasks_client.py', import.meta.url));
const SERVER = fileURLToPath(new URL('python_tasks_server.py', import.meta.url));

async function overStdio() {
  const who = 'Python SDK server';
  const target = [PYTHON_1, SERVER];
  const check = suite(who, target);
  await Promise.all([
    check('a question', called('name=Ada', 'interview'), result => assert.equal(text(result), 'Hello Ada')),
    check('sampling', called('text=Paris', 'think'), result => assert.equal(text(result), 'Paris')),
    check('a question as a task', called('name=Ada', 'ask'), result => assert.equal(text(result), 'Ada')),
    check('a question as a task, in a task', called('action=decline', 'ask_in_task'), result =>
      assert.equal(text(result), 'decline'),
    ),
    check('sampling as a task', called('text=Paris', 'think_now'), result => assert.equal(text(result), 'Paris')),
    // An empty result, and the status `failed`.
    check('failure', called('fail'), () => {}, 4),
    tasksClient(who, target, 'legacy'),
  ]);
}

// One session after another: when one ends, the SDK makes no more tasks for
// the others.
async function overHttp(url) {
  const who = 'Python SDK server, HTTP';
  const check = suite(who, url);
  await tasksClient(who, url, 'legacy');
  await check('sampling', called('text=Paris', 'think'), result => assert.equal(text(result), 'Paris'));
  await check('a question as a task', called('name=Ada', 'ask'), result => assert.equal(text(result), 'Ada'));
}

async function client(what, command) {
  const name = `Python SDK client, tasks: ${what}`;
  const run = (wire, target) => relayProgram(`${name}${wire}`, PYTHON_1, [CLIENT, what, ...target]);
  await run('', command);
  await atAddress([...command, '--http', '127.0.0.1:0'], where => run(', HTTP', [where]));
}

export async function pythonTasks() {
  if (!PYTHON_1) {
    return;
  }
  const tasksServer = [join(BIN, '..', 'tests', 'tasks-server')];
  await Promise.all([
    overStdio(),
    atAddress([PYTHON_1, SERVER, 'http'], overHttp),
    client('workbench', [join(BIN, 'workbench-server'), folder()]),
    client('asking', tasksServer),
    client('running', tasksServer),
  ]);
}
