// SPDX-License-Identifier: MIT
// interop-websocket, driven by the TypeScript SDK 1.x, which has a client for
// WebSockets on Node's own, and by the package `ws`, for what that does not do.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js';
import { WebSocket } from 'ws';
import { end, serve } from './serve.mjs';
import { Queue, test } from './suite.mjs';

const PROGRAM = join(process.env.BIN, '..', 'tests', 'interop-websocket');
const CERT = process.env.CERT;
const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

const asSocket = where => where.replace(/^http/, 'ws');

/** Runs tests with a server of its own; `run(url, child)`. */
async function serving(args, run) {
  const { child, where } = await serve(PROGRAM, args);
  await run(asSocket(where), child);
  await end(child);
}

// --- the SDK ---------------------------------------------------------------

async function bySdk(url) {
  const check = (name, look) => test(`SDK 1.x client: interop-websocket: ${name}`, look);
  const client = new Client({ name: 'interop', version: '1.0.0' });
  const errors = [];
  client.onerror = error => errors.push(error);
  const say = async text => (await client.callTool({ name: 'echo', arguments: { text } })).content[0].text;

  await check('connecting', async () => {
    await client.connect(new WebSocketClientTransport(new URL(url)));
    assert.equal(client.getServerVersion().name, 'websockets');
  });
  await check('tools', async () => {
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(({ name }) => name).sort(), ['count', 'echo', 'wait']);
  });
  await check('values come back as they went', async () => {
    for (const text of ['', 'é€😀\u2028"\\', 'x'.repeat(125), 'x'.repeat(65_535), 'x'.repeat(1_000_000)]) {
      assert.equal(await say(text), text);
    }
  });
  await check('many in flight', async () => {
    const all = Array.from({ length: 500 }, (_, i) => say(String(i)));
    assert.deepEqual(await Promise.all(all), all.map((_, i) => String(i)));
  });
  await check('cancellation', async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 10);
    await assert.rejects(client.callTool({ name: 'wait' }, undefined, { signal: stop.signal }));
    assert.equal(await say('still'), 'still');
  });
  await check('closing', async () => {
    const closed = new Promise(resolve => (client.onclose = resolve));
    await client.close();
    await closed;
    assert.deepEqual(errors, []);
  });
}

// --- ws --------------------------------------------------------------------

/** An open socket, and what comes on it. */
async function dial(url, options = {}) {
  const socket = new WebSocket(url, options.protocols ?? ['mcp'], options);
  const peer = { socket, messages: new Queue(), pongs: new Queue(), ends: new Queue() };
  socket.on('message', (data, isBinary) => peer.messages.push(isBinary ? data : data.toString()));
  socket.on('pong', data => peer.pongs.push(data.toString()));
  socket.on('close', (code, reason) => peer.ends.push({ code, reason: reason.toString() }));
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
    socket.once('unexpected-response', (_, response) => reject(new Error(`HTTP ${response.statusCode}`)));
  });
  return peer;
}

let lastId = 0;

const request = (method, params = {}) => JSON.stringify({ jsonrpc: '2.0', id: ++lastId, method, params });

async function ask({ socket, messages }, text) {
  socket.send(text);
  const { result } = JSON.parse(await messages.next('an answer'));
  assert.ok(result, text.slice(0, 200));
  return result;
}

async function byWs(url) {
  const check = (name, look) => test(`ws: interop-websocket: ${name}`, look);

  await check('the subprotocol', async () => {
    const peer = await dial(url, { protocols: ['chat', 'mcp'] });
    assert.equal(peer.socket.protocol, 'mcp');
    assert.equal(peer.socket.extensions, '');
    peer.socket.terminate();
    const plain = await dial(url, { protocols: [] });
    assert.equal(plain.socket.protocol, '');
    plain.socket.terminate();
  });
  await check('both eras at once', async () => {
    const peer = await dial(url);
    const { tools } = await ask(peer, request('tools/list', { _meta: MODERN }));
    assert.equal(tools.length, 3);
    const clientInfo = { name: 'ws', version: '1' };
    const hello = await ask(
      peer,
      request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }),
    );
    assert.equal(hello.protocolVersion, '2025-06-18');
    await ask(peer, request('ping'));
    peer.socket.send(request('tools/call', { name: 'count', arguments: { to: 2 }, _meta: { progressToken: 'p' } }));
    for (const progress of [1, 2]) {
      const { method, params } = JSON.parse(await peer.messages.next('progress'));
      assert.deepEqual([method, params.progress], ['notifications/progress', progress]);
    }
    assert.ok(JSON.parse(await peer.messages.next('the result')).result);
    peer.socket.close(1000);
    assert.equal((await peer.ends.next('the end')).code, 1000);
  });
  await check('fragments, and pings between them', async () => {
    const peer = await dial(url);
    const text = Buffer.from(request('tools/call', { name: 'echo', arguments: { text: '€€€' }, _meta: MODERN }));
    for (let at = 0; at < text.length; at++) {
      peer.socket.send(text.subarray(at, at + 1), { fin: at === text.length - 1, binary: false });
      peer.socket.ping(String(at));
      assert.equal(await peer.pongs.next('a pong'), String(at));
    }
    assert.equal(JSON.parse(await peer.messages.next('the answer')).result.content[0].text, '€€€');
    peer.socket.terminate();
  });
  const refuses = (name, code, say) =>
    check(name, async () => {
      const peer = await dial(url);
      say(peer.socket);
      const { code: given, reason } = await peer.ends.next('the end');
      assert.equal(given, code);
      assert.notEqual(reason, '');
    });
  await refuses('bytes that are no text', 1003, socket => socket.send(Buffer.from('{}')));
  await refuses('text that is not UTF-8', 1007, socket => socket.send(Buffer.from([0xff]), { binary: false }));
  await refuses('a message that is too long', 1009, socket => socket.send('x'.repeat(2 * 1024 * 1024 + 1)));
  await refuses('frames without masks', 1002, socket => socket.send('{}', { mask: false }));
  await check('a message that is as long as it may be', async () => {
    const peer = await dial(url);
    const text = request('tools/list', { _meta: MODERN });
    await ask(peer, text + ' '.repeat(2 * 1024 * 1024 - text.length));
    peer.socket.terminate();
  });
  await check('a page of another origin', () =>
    assert.rejects(dial(url, { origin: 'http://evil.example' }), /HTTP 403/),
  );
  await check('another path', () => assert.rejects(dial(`${url}x`), /HTTP 404/));
  await check('another version', () => assert.rejects(dial(url, { protocolVersion: 8 }), /HTTP 426/));
}

async function byTls(url) {
  const check = (name, look) => test(`ws: interop-websocket, TLS: ${name}`, look);
  await check('a call', async () => {
    const peer = await dial(url, { ca: readFileSync(CERT), checkServerIdentity: () => undefined });
    const text = 'x'.repeat(500_000);
    const call = request('tools/call', { name: 'echo', arguments: { text }, _meta: MODERN });
    assert.equal((await ask(peer, call)).content[0].text, text);
    peer.socket.close();
    assert.equal((await peer.ends.next('the end')).code, 1005);
  });
  await check('one that is not trusted', () => assert.rejects(dial(url), /certificate|self.signed/));
}

// --- all -------------------------------------------------------------------

export async function ourWebSockets() {
  await serving([], async (url, child) => {
    await bySdk(url);
    await byWs(url);
    await test('ws: interop-websocket: the end of the server', async () => {
      const peer = await dial(url);
      await ask(peer, request('tools/list', { _meta: MODERN }));
      child.kill('SIGTERM');
      assert.equal((await peer.ends.next('the end')).code, 1001);
    });
  });
  await serving([CERT], byTls);
}
