// SPDX-License-Identifier: MIT
// The servers of peer.mjs over Streamable HTTP, as either SDK's documentation
// mounts them, and over HTTP+SSE, which 1.x has.
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';
import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

const UNKNOWN = { jsonrpc: '2.0', error: { code: -32001, message: 'Session not found' }, id: null };

/** Sessions of the legacy era: a server and a transport for each. */
function sessions(build, Transport) {
  const transports = new Map();

  const begin = async () => {
    const transport = new Transport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: id => transports.set(id, transport),
    });
    transport.onclose = () => transports.delete(transport.sessionId);
    await build().connect(transport);
    return transport;
  };
  return async (request, response, body) => {
    const id = request.headers['mcp-session-id'];
    const transport = id === undefined ? await begin() : transports.get(id);
    if (transport) {
      await transport.handleRequest(request, response, body);
    } else {
      response.writeHead(404, { 'Content-Type': 'application/json' }).end(JSON.stringify(UNKNOWN));
    }
  };
}

/** Serves by a handler on a free port, and says where. */
function listen(handle, path = '/mcp') {
  const server = createServer(async (request, response) => {
    try {
      await handle(request, response, request.method === 'POST' ? await json(request) : undefined);
    } catch (error) {
      console.error(error);
      response.destroy();
    }
  });
  server.listen(0, '127.0.0.1', () =>
    console.error(`listening on http://127.0.0.1:${server.address().port}${path}`),
  );
}

/** By SDK 1.x. `build()` makes a server. */
export function serveHttp1(build) {
  listen(sessions(build, StreamableHTTPServerTransport));
}

/** By SDK 1.x: a server for each stream of events. */
export function serveSse(build) {
  const transports = new Map();
  listen(async (request, response, body) => {
    const url = new URL(request.url, 'http://localhost');
    const transport = transports.get(url.searchParams.get('sessionId'));
    if (request.method === 'GET' && url.pathname === '/sse') {
      const opened = new SSEServerTransport('/messages', response);
      transports.set(opened.sessionId, opened);
      response.once('close', () => transports.delete(opened.sessionId));
      await build().connect(opened);
    } else if (request.method === 'POST' && url.pathname === '/messages' && transport) {
      await transport.handlePostMessage(request, response, body);
    } else {
      response.writeHead(404).end('Not found');
    }
  }, '/sse');
}

/** By SDK 2.x: sessions beside requests of the modern era, or those alone.
 * `build({ era })` makes a server. Returns what tells modern clients of
 * changes. */
export function serveHttp2(build, isModernOnly) {
  const handler = createMcpHandler(build, { legacy: 'reject' });
  const modern = toNodeHandler(handler);
  const legacy = sessions(() => build({ era: 'legacy' }), NodeStreamableHTTPServerTransport);
  listen(async (request, response, body) => {
    const isLegacy = !isModernOnly && (await isLegacyRequest(await toWebRequest(request, body)));
    await (isLegacy ? legacy : modern)(request, response, body);
  });
  return handler.notify;
}
