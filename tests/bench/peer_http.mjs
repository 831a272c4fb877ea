// SPDX-License-Identifier: MIT
// usage: peer_http.mjs 1|2
//
// The TypeScript SDK's server over HTTP on a free port, which it prints: 1.x with
// one session (legacy), 2.x with both eras. Its one tool adds two numbers.
import { McpServer as Server1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { createMcpHandler, McpServer as Server2 } from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { z } from 'zod';

const INFO = { name: 'calculator', version: '1.0.0' };
const SHAPE = { a: z.number(), b: z.number() };
const add = ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] });

async function handler1() {
  const server = new Server1(INFO);
  server.registerTool('add', { description: 'Adds two numbers', inputSchema: SHAPE }, add);
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
  });
  await server.connect(transport);
  return request => transport.handleRequest(request);
}

function handler2() {
  const handler = createMcpHandler(() => {
    const server = new Server2(INFO);
    server.registerTool('add', { description: 'Adds two numbers', inputSchema: z.object(SHAPE) }, add);
    return server;
  });
  return request => handler.fetch(request);
}

const handle = process.argv[2] === '1' ? await handler1() : handler2();

createServer(async (incoming, outgoing) => {
  const pieces = [];
  for await (const piece of incoming) pieces.push(piece);
  const answer = await handle(
    new Request(`http://127.0.0.1${incoming.url}`, {
      method: incoming.method,
      headers: incoming.headers,
      body: pieces.length > 0 ? Buffer.concat(pieces) : undefined,
    }),
  );
  const body = Buffer.from(await answer.arrayBuffer());
  outgoing.writeHead(answer.status, { ...Object.fromEntries(answer.headers), 'Content-Length': body.length });
  outgoing.end(body);
}).listen(0, '127.0.0.1', function () {
  console.log(`127.0.0.1:${this.address().port}`);
});
