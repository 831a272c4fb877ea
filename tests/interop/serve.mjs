// SPDX-License-Identifier: MIT
// Servers over HTTP, as processes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { within } from './suite.mjs';

const READY = /(?:listening|running) on (.*)/;
const children = new Set();
process.on('exit', () => children.forEach(child => child.kill('SIGKILL')));

/** Starts a server: its process, and what it says that it listens on. */
export async function serve(command, args, options = {}) {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  children.add(child);
  child.once('exit', () => children.delete(child));
  const lines = createInterface(child.stderr);
  const ready = new Promise((resolve, reject) => {
    lines.on('line', line => {
      const match = READY.exec(line);
      if (match) {
        resolve(match[1]);
      } else {
        console.error(line);
      }
    });
    lines.once('close', () => reject(new Error('the server ended')));
  });
  return { child, where: await within(20_000, 'the start', ready) };
}

/** Asks a server to end, and waits until it has. */
export async function end(child) {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    child.kill();
    await within(20_000, 'the end', ended);
  }
}

/** A port that nobody listens on, for a server that cannot tell which it was
 * given. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
