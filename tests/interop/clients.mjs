// SPDX-License-Identifier: MIT
// The TypeScript SDK's clients, 1.x and 2.x, over stdio, HTTP, HTTP+SSE and a
// transport of one's own, behind one face.
import assert from 'node:assert/strict';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { SSEClientTransport as Sse1 } from '@modelcontextprotocol/sdk/client/sse.js';
import * as types1 from '@modelcontextprotocol/sdk/types.js';
import {
  Client as Client2,
  SSEClientTransport as Sse2,
  StreamableHTTPClientTransport as Http2,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as Transport2 } from '@modelcontextprotocol/client/stdio';
import { join } from 'node:path';
import { end, serve } from './serve.mjs';
import { dial, SocketTransport } from './socket-transport.mjs';
import { folder, Queue, within } from './suite.mjs';

const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';

// What 1.x wants instead of a method's name.
const SCHEMAS = {
  'elicitation/create': types1.ElicitRequestSchema,
  'sampling/createMessage': types1.CreateMessageRequestSchema,
  'roots/list': types1.ListRootsRequestSchema,
  'notifications/tools/list_changed': types1.ToolListChangedNotificationSchema,
  'notifications/resources/list_changed': types1.ResourceListChangedNotificationSchema,
  'notifications/resources/updated': types1.ResourceUpdatedNotificationSchema,
  'notifications/message': types1.LoggingMessageNotificationSchema,
};

const CAPABILITIES = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: { listChanged: true },
};

const OVER_STDIO = [
  { name: 'SDK 1.x client', sdk: 1, revision: '2025-11-25' },
  { name: 'SDK 2.x client, legacy', sdk: 2, mode: 'legacy', revision: '2025-11-25' },
  { name: 'SDK 2.x client, modern', sdk: 2, mode: { pin: '2026-07-28' }, revision: '2026-07-28' },
  { name: 'SDK 2.x client, auto', sdk: 2, mode: 'auto', revision: '2026-07-28' },
];

export const KINDS = [
  ...OVER_STDIO,
  ...OVER_STDIO.map(kind => ({ ...kind, name: `${kind.name}, HTTP`, isHttp: true })),
  ...OVER_STDIO.map(kind => ({ ...kind, name: `${kind.name}, custom transport, TCP`, isTcp: true })),
  ...OVER_STDIO.map(kind => ({ ...kind, name: `${kind.name}, custom transport, Unix`, isUnix: true })),
  ...OVER_STDIO.map(kind => ({ ...kind, name: `${kind.name}, HTTP+SSE`, isSse: true })),
];

/** A connected client. What the server asks is answered by `answers`, set by
 * the tests; what it tells is in `told`. */
export class Peer {
  answers = {};
  questions = [];
  errors = [];
  told = new Map();
  sent = [];
  streams = new Queue();

  /** `more` are options of the SDK's client. */
  constructor(kind, { capabilities, ...more } = {}) {
    this.kind = kind;
    this.isModern = kind.revision === '2026-07-28';
    const info = { name: 'interop', version: '1.0.0' };
    const options = { capabilities: { ...CAPABILITIES, ...capabilities }, ...more };
    this.client =
      kind.sdk === 1
        ? new Client1(info, options)
        : new Client2(info, { ...options, versionNegotiation: { mode: kind.mode } });
    this.client.onerror = error => this.errors.push(error);
    for (const name of Object.keys(SCHEMAS)) {
      const key = kind.sdk === 1 ? SCHEMAS[name] : name;
      if (name.startsWith('notifications/')) {
        this.told.set(name, new Queue());
        this.client.setNotificationHandler(key, note => this.told.get(name).push(note.params));
      } else {
        this.client.setRequestHandler(key, (request, extra) => {
          this.questions.push(request);
          return this.answers[name](request.params, extra);
        });
      }
    }
  }

  async connect(command, args = [], cwd = undefined) {
    const transport = await this.#makeTransport(command, args, cwd);
    await within(20_000, 'connecting', this.client.connect(transport));
    this.child ??= transport._process;
    this.revision = transport.protocolVersion ?? this.client.getNegotiatedProtocolVersion();
  }

  #makeTransport(...server) {
    if (this.kind.isHttp) {
      return this.#overHttp(...server);
    }
    if (this.kind.isSse) {
      return this.#overSse(...server);
    }
    if (this.kind.isTcp) {
      return this.#overSocket(['--tcp', '127.0.0.1:0'], ...server);
    }
    if (this.kind.isUnix) {
      return this.#overSocket(['--unix', join(folder(), 'socket')], ...server);
    }
    return this.#overStdio(...server);
  }

  async #overSse(command, args, cwd) {
    const { child, where } = await serve(command, [...args, '--sse', '127.0.0.1:0'], { cwd });
    this.child = child;
    this.url = new URL(where);
    const Sse = this.kind.sdk === 1 ? Sse1 : Sse2;
    const transport = new Sse(this.url, { fetch: (...request) => this.#fetchAndCount(...request) });
    const noteVersion = transport.setProtocolVersion.bind(transport);
    transport.setProtocolVersion = version => {
      transport.protocolVersion = version;
      noteVersion(version);
    };
    return transport;
  }

  async #overSocket(address, command, args, cwd) {
    const { child, where } = await serve(command, [...args, ...address], { cwd });
    this.child = child;
    return new SocketTransport(await dial(where), this.kind.sdk);
  }

  #overStdio(command, args, cwd) {
    const Transport = this.kind.sdk === 1 ? Transport1 : Transport2;
    const transport = new Transport({ command, args, cwd, stderr: 'inherit' });
    if (this.kind.sdk === 1) {
      transport.setProtocolVersion = version => (transport.protocolVersion = version);
    }
    return transport;
  }

  async #overHttp(command, args, cwd) {
    const { child, where } = await serve(command, [...args, '--http', '127.0.0.1:0'], { cwd });
    this.child = child;
    this.url = new URL(where);
    const Http = this.kind.sdk === 1 ? Http1 : Http2;
    return new Http(this.url, { fetch: (...request) => this.#fetch(...request) });
  }

  /** Notes what is sent, and when the stream that the client listens on is
   * there: neither SDK tells. */
  async #fetch(url, init) {
    const method = init.method ?? 'GET';
    this.sent.push(method);
    const answer = await fetch(url, init);
    if (method === 'GET') {
      this.streams.push(answer.status);
    }
    return answer;
  }

  /** A result may come before the answer to the POST that asked for it. */
  #fetchAndCount(url, init) {
    const answer = fetch(url, init);
    const settled = answer.then(
      ({ ok }) => assert.ok(ok),
      error => this.errors.push(error),
    );
    this.posts = Promise.all([this.posts, settled]);
    return answer;
  }

  call(name, args = {}, options = {}) {
    const params = { name, arguments: args };
    if (this.isModern && options.logLevel) {
      params._meta = { [LOG_LEVEL]: options.logLevel };
    }
    return this.kind.sdk === 1
      ? this.client.callTool(params, undefined, options)
      : this.client.callTool(params, options);
  }

  async text(name, args, options) {
    const result = await this.call(name, args, options);
    return result.content.map(piece => piece.text ?? `[${piece.type}]`).join('\n');
  }

  /** Wants to hear of changed lists and of one resource. */
  async listen(uri) {
    if (this.isModern) {
      return this.client.listen({
        toolsListChanged: true,
        resourcesListChanged: true,
        resourceSubscriptions: [uri],
      });
    }
    await this.client.subscribeResource({ uri });
    return { close: () => this.client.unsubscribeResource({ uri }) };
  }

  /** Milliseconds that so many round trips take at least, without MCP. */
  async floor(count) {
    const begin = performance.now();
    for (let i = 0; this.url && i < count; i++) {
      await (await fetch(new URL('/health', this.url))).text();
    }
    return performance.now() - begin;
  }

  /** What the server tells next. */
  next(name) {
    return this.told.get(name).next(name);
  }

  /** The errors of the server's that the client reported. Progress of a request
   * that has ended is not an error: it was on its way. */
  refusals() {
    return this.errors.filter(({ message }) => !/^Received a progress notification/.test(message));
  }

  /** Closes. Over stdio the server must end by itself, before the client sends
   * a signal. */
  async close() {
    await this.posts;
    await (this.kind.isHttp ? this.#closeHttp() : this.client.close());
    if (this.kind.isTcp || this.kind.isUnix || this.kind.isSse) {
      await end(this.child);
    }
    const { exitCode, signalCode } = this.child;
    if (exitCode !== 0) {
      throw new Error(`the server ended with exit code ${exitCode}, signal ${signalCode}`);
    }
  }

  /** Ends the session, where there is one: the server must not know it any
   * more. */
  async #closeHttp() {
    const { transport } = this.client;
    const { sessionId } = transport;
    assert.equal(sessionId === undefined, this.isModern);
    if (sessionId !== undefined) {
      await transport.terminateSession();
      const headers = { 'Content-Type': 'application/json', 'Mcp-Session-Id': sessionId };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
      const answer = await fetch(this.url, { method: 'POST', headers, body });
      assert.equal(answer.status, 404);
      await answer.text();
    }
    await this.client.close();
    await end(this.child);
  }
}
