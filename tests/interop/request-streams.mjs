// SPDX-License-Identifier: MIT
// A transport of one's own with a stream for each request, as the TypeScript
// SDK's guide has it: a request of the modern era is cancelled by ending its
// HTTP request, and no message says so.
import assert from 'node:assert/strict';
import { Client, parseJSONRPCMessage } from '@modelcontextprotocol/client';
import { join } from 'node:path';
import { end, serve } from './serve.mjs';
import { test } from './suite.mjs';

const SERVER = join(process.env.BIN, '..', 'tests', 'interop-server');
const MODERN = '2026-07-28';

/** Streamable HTTP wants these beside the body, and only the SDK's own transport
 * makes them. */
function mirror({ method, params }) {
  const headers = { 'mcp-protocol-version': MODERN, 'mcp-method': method };
  return params?.name === undefined ? headers : { ...headers, 'mcp-name': params.name };
}

class FetchTransport {
  hasPerRequestStream = true;
  sent = [];
  ends = [];

  constructor(endpoint) {
    this.endpoint = endpoint;
  }

  async start() {
    // Each request has a connection of its own.
  }

  /** `ends` has how each HTTP request of a request has ended. */
  async send(message, options) {
    this.sent.push(message.method);
    const answer = this.#ask(message, options);
    if (message.id !== undefined) {
      this.ends.push(answer.then(() => 'answered', ({ name }) => name));
    }
    return answer;
  }

  async #ask(message, options) {
    const response = await fetch(this.endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...mirror(message),
        ...options?.headers,
      },
      body: JSON.stringify(message),
      signal: options?.requestSignal,
    });
    if (message.id !== undefined) {
      this.onmessage?.(parseJSONRPCMessage(await response.json()));
    }
  }

  async close() {
    this.onclose?.();
  }
}

/** Asks a tool for its number until it says that one. */
async function until(client, name, number) {
  let text;
  do {
    ({ content: [{ text }] } = await client.callTool({ name, arguments: {} }));
  } while (text !== number);
}

export async function requestStreams() {
  const check = (name, run) => test(`SDK 2.x client, a stream for each request: interop-server: ${name}`, run);
  const { child, where } = await serve(SERVER, ['--http', '127.0.0.1:0']);
  const transport = new FetchTransport(where);
  const client = new Client({ name: 'streams', version: '1.0.0' }, { versionNegotiation: { mode: { pin: MODERN } } });

  await check('connecting', async () => {
    await client.connect(transport);
    assert.equal(client.getNegotiatedProtocolVersion(), MODERN);
  });
  await check('call', async () => {
    const { structuredContent } = await client.callTool({ name: 'echo', arguments: { a: 1 } });
    assert.deepEqual(structuredContent, { a: 1 });
  });
  await check('cancelling ends the HTTP request, and nothing else is sent', async () => {
    const stop = new AbortController();
    const place = transport.ends.length;
    const ended = assert.rejects(client.callTool({ name: 'wait', arguments: {} }, { signal: stop.signal }));
    await until(client, 'waiting', '1');
    stop.abort('enough');
    await ended;
    assert.equal(await transport.ends[place], 'AbortError');
    await until(client, 'cancelled', '1');
    assert.ok(!transport.sent.includes('notifications/cancelled'), String(transport.sent));
  });
  await check('closing', () => client.close());
  await end(child);
}
