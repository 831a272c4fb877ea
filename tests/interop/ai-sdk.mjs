// SPDX-License-Identifier: MIT
// hello-server, workbench-server and interop-server, driven by the AI SDK: by
// its own transports, and by the one that people write for it by hand.
import assert from 'node:assert/strict';
import { createMCPClient } from '@ai-sdk/mcp';
import { generateText, isStepCount } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { end, serve } from './serve.mjs';
import { folder, test } from './suite.mjs';
import { WorkingTransport } from './working-transport.mjs';

const BIN = process.env.BIN;
const INTEROP_SERVER = join(BIN, '..', 'tests', 'interop-server');
const PLAIN = ['--legacy', 'plain'];
const LEGACY = { protocolVersionDiscovery: false };

// Its http transport asks for its stream before there is a session, and perhaps
// again before it has been answered; and takes the empty event that a stream of
// 2025-11-25 begins with for a message. Nothing comes of it but these words.
const COMPLAINTS = /GET SSE failed: (400 Bad Request|409 Conflict)$|Transport Error: Failed to parse message$/;

const http = url => ({ type: 'http', url });
const KINDS = [
  { name: 'http transport', transport: http, revision: '2026-07-28' },
  { name: 'http transport, legacy', transport: http, config: LEGACY, revision: '2025-11-25', complains: COMPLAINTS },
  { name: 'http transport, plain', transport: http, server: PLAIN, revision: '2026-07-28' },
  { name: 'http transport, plain, legacy', transport: http, server: PLAIN, config: LEGACY, revision: '2025-11-25' },
  { name: 'WorkingTransport, plain', transport: url => new WorkingTransport(url), server: PLAIN, revision: '2025-11-25' },
  { name: 'sse transport', transport: url => ({ type: 'sse', url }), address: '--sse', revision: '2025-11-25' },
];

/** What a model's turn hands to a tool. */
const TURN = { toolCallId: 'call-1', messages: [] };

/** Connects a client to a program of ours, runs tests, and closes: each is a
 * test. */
async function session(kind, program, args, run) {
  const check = (name, look) => test(`AI SDK, ${kind.name}: ${program}: ${name}`, look);
  const command = program === 'interop-server' ? INTEROP_SERVER : join(BIN, program);
  const address = [kind.address ?? '--http', '127.0.0.1:0'];
  const errors = [];
  let child;
  const client = await check('connecting', async () => {
    const server = await serve(command, [...args, ...address, ...(kind.server ?? [])]);
    child = server.child;
    const config = { ...kind.config, onUncaughtError: error => errors.push(error) };
    const connected = await createMCPClient({ transport: kind.transport(server.where), ...config });
    assert.equal(connected.initializeResult.protocolVersion, kind.revision);
    return connected;
  });
  if (client) {
    await run(client, check);
    await check('nothing was refused', async () =>
      assert.deepEqual(errors.map(String).filter(text => !kind.complains?.test(text)), []),
    );
    await check('closing', () => client.close());
  }
  if (child) {
    await end(child);
  }
}

function hello(kind) {
  return session(kind, 'hello-server', [], async (client, check) => {
    const tools = await check('tools', async () => {
      const found = await client.tools();
      assert.deepEqual(Object.keys(found), ['add']);
      assert.equal(found.add.description, 'Adds two numbers');
      assert.deepEqual(Object.keys(found.add.inputSchema.jsonSchema.properties), ['a', 'b']);
      return found;
    });
    await check('execute', async () => {
      const { content, isError } = await tools.add.execute({ a: 2, b: 3 }, TURN);
      assert.deepEqual([content, isError], [[{ type: 'text', text: '5' }], false]);
    });
    await check('wrong arguments', async () => {
      const { content, isError } = await tools.add.execute({ a: 'two', b: 3 }, TURN);
      assert.equal(isError, true);
      assert.match(content[0].text, /\/a\b/);
    });
    await check('many at once', async () => {
      const sums = Array.from({ length: 50 }, (_, i) => tools.add.execute({ a: i, b: 1 }, TURN));
      const texts = (await Promise.all(sums)).map(({ content }) => content[0].text);
      assert.deepEqual(texts, texts.map((_, i) => String(i + 1)));
    });
    await check('a model that calls it', () => answersByTool(tools));
  });
}

/** A model without a mind: it calls the tool, then says what came. */
async function answersByTool(tools) {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const turn = (finish, ...content) => ({ content, finishReason: { unified: finish }, usage, warnings: [] });
  const model = new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const { role, content } = prompt.at(-1);
      if (role !== 'tool') {
        const input = JSON.stringify({ a: 20, b: 22 });
        return turn('tool-calls', { type: 'tool-call', toolCallId: 'call-1', toolName: 'add', input });
      }
      return turn('stop', { type: 'text', text: `It is ${content[0].output.value[0].text}.` });
    },
  });
  const { text, steps } = await generateText({ model, tools, prompt: '20 + 22?', stopWhen: isStepCount(3) });
  assert.equal(text, 'It is 42.');
  assert.equal(steps.length, 2);
}

function workbench(kind) {
  const root = folder();
  writeFileSync(join(root, 'sales.csv'), 'month,units,price\nJan,10,1.5\nFeb,20,2.5\n');
  return session(kind, 'workbench-server', [root], async (client, check) => {
    const tools = await check('tools', () => client.tools());
    await check('a structured result', async () => {
      const { structuredContent } = await tools.calculate_sum.execute({ numbers: [1, 2, 3.5] }, TURN);
      assert.deepEqual(structuredContent, { sum: 6.5 });
    });
    await check('a result by its schema', async () => {
      const outputSchema = z.object({ sum: z.number() });
      const inputSchema = z.object({ numbers: z.array(z.number()) });
      const typed = await client.tools({ schemas: { calculate_sum: { inputSchema, outputSchema } } });
      assert.deepEqual(Object.keys(typed), ['calculate_sum']);
      assert.deepEqual(await typed.calculate_sum.execute({ numbers: [1, 2] }, TURN), { sum: 3 });
    });
    await check('a tool that fails', async () => {
      const { isError } = await tools.execute_command.execute({ command: 'rm' }, TURN);
      assert.equal(isError, true);
    });
    await check('progress that nobody asked for', async () => {
      const { isError } = await tools.count_slowly.execute({ to: 3, delay_ms: 5 }, TURN);
      assert.equal(isError, false);
    });
    await check('resources', async () => {
      const { resources } = await client.listResources();
      const { uri } = resources.find(({ name }) => name === 'sales.csv');
      const { contents } = await client.readResource({ uri });
      assert.match(contents[0].text, /^month,units/);
    });
  });
}

function everything(kind) {
  return session(kind, 'interop-server', [], async (client, check) => {
    const tools = await check('pages of tools', async () => {
      const found = await client.tools();
      assert.equal(Object.keys(found).length, 13);
      return found;
    });
    await check('content of all kinds', async () => {
      const { content } = await tools.media.execute({}, TURN);
      assert.deepEqual(
        content.map(({ type }) => type),
        ['text', 'image', 'audio', 'resource', 'resource_link'],
      );
      assert.equal(content[0].text, 'tab\t, quote", €, 😀');
    });
    await check('failure', async () => {
      const { content, isError } = await tools.fail.execute({}, TURN);
      assert.deepEqual([isError, content[0].text], [true, 'disk 3 is full']);
    });
    await check('an error with data', async () => {
      const told = { name: 'MCPClientError', code: 42, message: 'not today', data: { retry: 'tomorrow' } };
      await assert.rejects(tools.refuse.execute({}, TURN), told);
    });
    if (kind.revision === '2026-07-28') {
      await check('aborting cancels the call', async () => {
        const stop = new AbortController();
        const ended = assert.rejects(tools.wait.execute({}, { ...TURN, abortSignal: stop.signal }));
        await until(tools.waiting, '1');
        stop.abort();
        await ended;
        await until(tools.cancelled, '1');
      });
    }
    await check('a question, which the AI SDK cannot be asked', () =>
      assert.rejects(tools.ask.execute({}, TURN), { name: 'MCPClientError' }),
    );
  });
}

/** As the page of transports has it. */
async function asDocumented() {
  await test('AI SDK, WorkingTransport: hello-server: as it is documented', async () => {
    const { child, where: url } = await serve(join(BIN, 'hello-server'), ['--http', '127.0.0.1:0', ...PLAIN]);
    const client = await createMCPClient({ transport: new WorkingTransport(url) });
    const tools = await client.tools();
    const { content } = await tools.add.execute({ a: 2, b: 3 }, { toolCallId: '1', messages: [] });
    await client.close();
    assert.deepEqual(content, [{ type: 'text', text: '5' }]);
    await end(child);
  });
}

/** Asks a tool for its number until it says that one. */
async function until(tool, number) {
  let text;
  do {
    ({ content: [{ text }] } = await tool.execute({}, TURN));
  } while (text !== number);
}

/** Without the plain profile there is no way for it: a notification is
 * answered with 202, whose body is not JSON. */
async function needsPlain() {
  await test('AI SDK, WorkingTransport: hello-server: needs the plain profile', async () => {
    const { child, where } = await serve(join(BIN, 'hello-server'), ['--http', '127.0.0.1:0', '--legacy', 'stateless']);
    await assert.rejects(createMCPClient({ transport: new WorkingTransport(where) }), /JSON/);
    await end(child);
  });
}

export async function aiSdk() {
  for (const kind of KINDS) {
    await hello(kind);
    await workbench(kind);
    await everything(kind);
  }
  await asDocumented();
  await needsPlain();
}
