// SPDX-License-Identifier: MIT
// A server as people write it by hand for the AI SDK: a POST for each message, and
// its answer. It has the legacy era, and what of the modern one needs no headers.
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const MODERN = '2026-07-28';
const CAPABILITIES = { tools: {}, resources: {}, prompts: {} };
const INFO = { name: 'plain', version: '1.0.0' };
const OBJECT = { type: 'object' };
const TOOLS = [
  {
    name: 'calculator',
    description: 'Calculates',
    inputSchema: {
      type: 'object',
      properties: { operation: { type: 'string' }, a: { type: 'number' }, b: { type: 'number' } },
      required: ['operation', 'a', 'b'],
    },
  },
  { name: 'fail', inputSchema: OBJECT },
  { name: 'wait', description: 'Never answers', inputSchema: OBJECT },
  { name: 'seen', description: 'What has been until now', inputSchema: OBJECT },
];

/** Calls of `wait`, HTTP requests that ended before their answer, and messages
 * that say so. */
const seen = { waiting: 0, broken: 0, cancelled: 0 };
const text = value => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });
const fault = (code, message) => ({ error: { code, message } });

function call({ name, arguments: { operation, a, b } = {} }) {
  switch (name) {
    case 'calculator':
      return operation === 'add' ? { result: text({ result: a + b }) } : fault(-32602, `no operation ${operation}`);
    case 'fail':
      return { result: { ...text('disk 3 is full'), isError: true } };
    case 'seen':
      return { result: text(seen) };
    default:
      return fault(-32602, `no tool ${name}`);
  }
}

function answer({ method, params }) {
  switch (method) {
    case 'initialize':
      return { result: { protocolVersion: params.protocolVersion, capabilities: CAPABILITIES, serverInfo: INFO } };
    case 'server/discover':
      return { result: { supportedVersions: [MODERN], capabilities: CAPABILITIES, ttlMs: 0, cacheScope: 'private' } };
    case 'tools/list':
      return { result: { tools: TOOLS } };
    case 'tools/call':
      return call(params);
    default:
      return fault(-32601, `no method ${method}`);
  }
}

/** What the client must not know of: it sends JSON by POST, and no header of
 * MCP's. */
function isPlain({ method, headers }) {
  const isJson = headers['content-type'] === 'application/json';
  return method === 'POST' && isJson && !Object.keys(headers).some(name => name.startsWith('mcp-'));
}

async function handle(request, response) {
  if (!isPlain(request)) {
    response.writeHead(400).end();
    return;
  }
  const message = await json(request);
  seen.cancelled += message.method === 'notifications/cancelled';
  response.once('close', () => (seen.broken += !response.writableEnded));
  if (message.id === undefined) {
    response.writeHead(204).end();
  } else if (message.params?.name === 'wait') {
    seen.waiting++;
  } else {
    const isModern = message.params?._meta?.[VERSION] === MODERN;
    const { result, error } = answer(message);
    const more = isModern ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {};
    const body = { jsonrpc: '2.0', id: message.id, ...(error ? { error } : { result: { ...more, ...result } }) };
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  }
}

const server = createServer((request, response) =>
  handle(request, response).catch(error => {
    console.error(error);
    response.destroy();
  }),
);
server.listen(0, '127.0.0.1', () => console.error(`listening on http://127.0.0.1:${server.address().port}/mcp`));
