// SPDX-License-Identifier: MIT
// Tasks: our clients and servers against other people's. Most of the time is
// that of tasks which take theirs, so many tests run at the same time.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atAddress, PACKAGES, relay, server } from './our-client.mjs';
import { pythonTasks } from './python-tasks.mjs';
import { rustTasks } from './rust-tasks.mjs';
import { sdkTasks } from './sdk-tasks.mjs';
import { freePort } from './serve.mjs';
import { bothClients, called, suite, text } from './tasks-kit.mjs';

const PEER = fileURLToPath(new URL('peer-tasks.mjs', import.meta.url));

// --- server-everything -----------------------------------------------------

// Departures of the TypeScript SDK 1.x that these tests pass by:
// - It reports the error -32601 for a tool that requires a task as a result
//   with isError. So mcpctl lists the tools first, which it does by itself.
// - The server reports changes of its tools while the client fetches the list.
// - The first notifications/tasks/status comes before the task's id.
function research(who, target) {
  const args = { topic: 'python', ambiguous: true };
  const words = ['simulate-research-query', JSON.stringify(args), '{"interpretation":"snake"}'];
  return relay(who, target, 'legacy', 'tasks-client', [...words, '**Clarification**: snake']);
}

async function everything(who, target) {
  const check = suite(who, target);
  const query = ['call', 'simulate-research-query', 'topic=python'];
  await Promise.all([
    check('a tool that requires a task', query, result => {
      assert.match(text(result), /^# Research Report: python$/m);
      assert.doesNotMatch(text(result), /Clarification/);
    }),
    check('a question', ['--answer', 'interpretation=comedy', ...query, 'ambiguous:=true'], result =>
      assert.match(text(result), /^- \*\*Clarification\*\*: comedy$/m),
    ),
    check('declining', ['--answer', 'action=decline', ...query, 'ambiguous:=true'], result =>
      assert.match(text(result), /User declined/),
    ),
    check(
      'sampling as a task',
      ['--answer', 'text=Paris', 'call', 'trigger-sampling-request-async', 'prompt=Capital?'],
      result => {
        assert.match(text(result), /^\[COMPLETED\]/);
        assert.match(text(result), /^Task created: [A-Za-z0-9_-]{31}$/m);
        assert.match(text(result), /"text": "Paris"/);
      },
    ),
    check(
      'elicitation as a task',
      ['--answer', 'name=Ada', '--answer', 'favoriteColor=Blue', 'call', 'trigger-elicitation-request-async'],
      result => {
        assert.match(text(result), /^\[COMPLETED\]/);
        assert.match(text(result), /^Task created: [A-Za-z0-9_-]{31}$/m);
        assert.match(text(result), /^- Name: Ada\n- Favorite Color: Blue$/m);
      },
    ),
    check(
      'declining as a task',
      ['--answer', 'action=decline', 'call', 'trigger-elicitation-request-async'],
      result => assert.match(text(result), /^\[DECLINED\]/),
    ),
    // No user is there: the task fails, and mcpctl says that, too.
    check('an unanswered question as a task', ['call', 'trigger-elicitation-request-async'], () => {}, 6),
    research(who, target),
  ]);
}

async function serverEverything() {
  const command = server(join(PACKAGES, 'server-everything', 'dist', 'index.js'));
  const PORT = await freePort();
  const url = `http://127.0.0.1:${PORT}/mcp`;
  await Promise.all([
    everything('server-everything', command),
    atAddress([...command, 'streamableHttp'], where => everything('server-everything, HTTP', where), {
      url,
      env: { PORT },
    }),
  ]);
}

// --- peer-tasks.mjs --------------------------------------------------------

async function peer(who, target) {
  const check = suite(who, target);
  await Promise.all([
    bothClients(who, target, 'legacy'),
    check('a tool that can be one', ['call', 'count', 'to:=3'], result => assert.equal(text(result), 'Counted to 3')),
    check('a question as a task', called('name=Ada', 'ask'), result => assert.equal(text(result), 'working, Ada')),
    check('declining as a task', called('action=decline', 'ask'), result =>
      assert.equal(text(result), 'working, decline'),
    ),
  ]);
}

async function sdkServer() {
  await Promise.all([
    peer('SDK 1.x server', server(PEER)),
    atAddress(server(PEER, 'http'), where => peer('SDK 1.x server, HTTP', where)),
  ]);
}

// --- all -------------------------------------------------------------------

export async function tasks() {
  const sdk = async () => {
    await sdkTasks();
    await sdkServer();
    await rustTasks();
  };
  await Promise.all([serverEverything(), sdk()]);
  await pythonTasks();
}
