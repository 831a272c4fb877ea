// SPDX-License-Identifier: MIT
// The mcp-core dialect over WebSockets, in both roles: peers on the package `ws`
// that do as the dialect's own package does.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { WebSocket, WebSocketServer } from 'ws';
import { end, serve } from './serve.mjs';
import { test } from './suite.mjs';

const TESTS = join(process.env.BIN, '..', 'tests');
const text = value => ({ content: [{ type: 'text', text: value }] });

// --- a client ----------------------------------------------------------------

/** No subprotocol, no headers; ids from 1; answers by numeric id, errors too. */
class Client {
  #next = 1;
  #pending = new Map();

  constructor(url) {
    this.socket = new WebSocket(url);
    this.socket.on('message', data => {
      const message = JSON.parse(data.toString());
      const resolve = typeof message.id === 'number' ? this.#pending.get(message.id) : undefined;
      this.#pending.delete(message.id);
      resolve?.(message.result ?? message);
    });
  }

  call(name, args) {
    const id = this.#next++;
    this.socket.send(JSON.stringify({ id, name, arguments: args }));
    return new Promise(resolve => this.#pending.set(id, resolve));
  }
}

async function byClient(url) {
  const check = (name, run) => test(`mcp-core client: dialect-server: ${name}`, run);
  const client = new Client(url);
  await once(client.socket, 'open');
  await check('no subprotocol', async () => assert.equal(client.socket.protocol, ''));
  await check('a result', async () =>
    assert.deepEqual(await client.call('add', { a: 2, b: 3 }), {
      ...text('5'),
      structuredContent: { sum: 5 },
    }));
  await check('an error', async () => {
    const { error } = await client.call('nope');
    assert.deepEqual(error, { code: -32602, message: 'unknown tool "nope"' });
  });
  await check('answers in any order', async () => {
    const all = [client.call('keep'), client.call('keep'), client.call('release')];
    assert.deepEqual(await Promise.all(all), [text('0'), text('1'), text('done')]);
  });
  await check('a message that is not JSON', async () => {
    const answered = once(client.socket, 'message');
    client.socket.send('{');
    assert.equal(JSON.parse((await answered)[0].toString()).error.code, -32700);
  });
  await check('a ping', async () => {
    client.socket.ping('x');
    assert.equal((await once(client.socket, 'pong'))[0].toString(), 'x');
  });
  await check('closing', async () => {
    client.socket.close(1000);
    assert.equal((await once(client.socket, 'close'))[0], 1000);
  });
}

// --- a server ----------------------------------------------------------------

/** Answers without "jsonrpc", says things unasked; ends the channel for `drop`. */
async function listen() {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', socket => {
    socket.on('message', data => {
      const { id, name, arguments: args, ...more } = JSON.parse(data.toString());
      assert.deepEqual(more, {});
      socket.send('{"type":"notification","event":"tick"}');
      if (name === 'drop') {
        socket.close(1011, 'internal error');
      } else if (name === 'nope') {
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, error: { code: 404, message: 'no tool named nope' } }));
      } else if (name === 'echo') {
        socket.send(JSON.stringify({ id, result: { ...text('x'), structuredContent: { id, args } } }));
      }
    });
  });
  await once(server, 'listening');
  return server;
}

async function runClient(url, ...calls) {
  const run = promisify(execFile);
  const { stdout } = await run(join(TESTS, 'dialect-client'), ['frame', url, ...calls]);
  return stdout.trim().split('\n');
}

async function byServer(url) {
  const check = (name, run) => test(`mcp-core server: dialect-client: ${name}`, run);
  await check('ids count from 1', async () => {
    const lines = await runClient(url, 'echo:{"a":1}', 'nope', 'echo:{"a":2}');
    assert.deepEqual(JSON.parse(lines[0]).structuredContent, { id: 1, args: { a: 1 } });
    assert.equal(lines[1], 'MCP_ERR_REMOTE 404: no tool named nope');
    assert.deepEqual(JSON.parse(lines[2]).structuredContent, { id: 3, args: { a: 2 } });
  });
  await check('all that waits ends with the socket', async () => {
    const lines = await runClient(url, 'wait', 'drop', 'wait');
    assert.deepEqual(lines.map(line => line.split(' ')[0]), Array(3).fill(lines[0].split(' ')[0]));
    assert.match(lines[0], /^MCP_ERR_/);
  });
}

export async function ourDialect() {
  const { child, where } = await serve(join(TESTS, 'dialect-server'), ['http']);
  await byClient(where.replace(/^http/, 'ws'));
  await end(child);
  const server = await listen();
  await byServer(`ws://127.0.0.1:${server.address().port}/tools`);
  server.close();
}
