// SPDX-License-Identifier: MIT
// Tasks of the Rust SDK (rmcp), in both directions: those of 2026-07-28.
import { join } from 'node:path';
import { atAddress, relayProgram } from './our-client.mjs';
import { folder } from './suite.mjs';
import { bothClients, called, suite } from './tasks-kit.mjs';

const { BIN, RUST } = process.env;

async function server(who, target) {
  const check = suite(who, target);
  await Promise.all([
    bothClients(who, target, 'modern'),
    check('an error', called('refuse'), () => {}, 4),
  ]);
}

async function client(what, command) {
  const name = `Rust SDK client, tasks: ${what}`;
  const program = join(RUST, 'rust-tasks-client');
  await relayProgram(name, program, [what, ...command]);
  await atAddress([...command, '--http', '127.0.0.1:0'], url => relayProgram(`${name}, HTTP`, program, [what, url]));
}

export async function rustTasks() {
  if (!RUST) {
    return;
  }
  const command = [join(RUST, 'rust-tasks-server')];
  await Promise.all([
    server('Rust SDK server', command),
    atAddress([...command, 'http'], where => server('Rust SDK server, HTTP', where)),
    client('workbench', [join(BIN, 'workbench-server'), folder()]),
    client('tasks', [join(BIN, '..', 'tests', 'tasks-server')]),
  ]);
}
