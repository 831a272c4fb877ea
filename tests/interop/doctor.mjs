// SPDX-License-Identifier: MIT
// What mcpctl doctor finds in other people's servers. Each finding was compared
// with the bytes that the server sent; none is a fault of doctor.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atAddress, PACKAGES, run, server } from './our-client.mjs';
import { freePort } from './serve.mjs';
import { folder, isWanted, test } from './suite.mjs';

const { BIN, PYTHON_1, PYTHON_SERVERS } = process.env;
const FASTMCP = fileURLToPath(new URL('python_fastmcp_server.py', import.meta.url));
const EVERYTHING = join(PACKAGES, 'server-everything/dist/index.js');

// The TypeScript SDK 1.x: it ignores cursors and lines that are not JSON, has
// -32603 for wrong params, and a result for an unknown tool.
const TYPESCRIPT = ['cursor-unknown', 'params-code', 'tool-unknown-code'];
// Over standard input and output also:
const LINES = ['batch', 'parse-error'];
// The Python SDK 1.x: it has -32602 for unknown methods, 0 for what is missing,
// and logs lines that are not JSON without having declared logging.
const PYTHON = ['cursor-unknown', 'prompt-unknown', 'resource-missing', 'tool-unknown-code', 'unknown-method'];

async function look(name, target, expected, code) {
  await test(`doctor: ${name}`, async () => {
    const words = typeof target === 'string' ? [target, 'doctor'] : ['doctor', '--', ...target];
    const result = await run(join(BIN, 'mcpctl'), ['--json', ...words]);
    const { findings, connections } = JSON.parse(result.stdout);
    // A busy machine may be slow.
    const ids = new Set(findings.map(one => one.id).filter(id => id !== 'start-slow'));
    assert.deepEqual([...ids].sort(), [...expected].sort(), result.stdout);
    assert.equal(result.code, code, result.stderr);
    assert.ok(connections.filter(one => one.state === 'works').length >= 4);
  });
}

const overStdio = () => [
  look('server-everything', server(EVERYTHING), [...TYPESCRIPT, ...LINES], 0),
  look('server-filesystem', server(join(PACKAGES, 'server-filesystem/dist/index.js'), folder()), [...TYPESCRIPT, ...LINES], 0),
  look('server-memory', server(join(PACKAGES, 'server-memory/dist/index.js')), [...TYPESCRIPT, ...LINES], 0),
];

// It checks neither Origin nor Host, and answers 400 for an ended session.
const OPEN = ['cors', 'host-unchecked', 'origin-unchecked'];
async function everythingAt(kind, path, expected) {
  const port = await freePort();
  await atAddress(server(EVERYTHING, kind), url => look(`server-everything, ${kind}`, url, expected, 5), {
    url: `http://127.0.0.1:${port}${path}`,
    env: { PORT: `${port}` },
  });
}

async function fastmcpAt() {
  const port = await freePort();
  await atAddress([PYTHON_1, FASTMCP, `${port}`], url => look('FastMCP, HTTP', url, PYTHON, 5), {
    url: `http://127.0.0.1:${port}/mcp`,
  });
}

export async function doctor() {
  if (!isWanted('doctor')) {
    return;
  }
  const all = [
    ...overStdio(),
    everythingAt('streamableHttp', '/mcp', [...TYPESCRIPT, ...OPEN, 'session-unknown']),
    everythingAt('sse', '/sse', [...TYPESCRIPT, ...OPEN]),
  ];
  if (PYTHON_1) {
    all.push(look('FastMCP', [PYTHON_1, FASTMCP, 'stdio'], [...PYTHON, ...LINES, 'log-undeclared'], 5), fastmcpAt());
  }
  if (PYTHON_SERVERS) {
    const program = name => [join(PYTHON_SERVERS, '..', name)];
    all.push(
      look('mcp-server-git', program('mcp-server-git'), ['cursor-unknown', 'prompt-unknown', ...LINES], 0),
      look('mcp-server-fetch', program('mcp-server-fetch'), ['cursor-unknown', ...LINES], 0),
    );
  }
  await Promise.all(all);
}
