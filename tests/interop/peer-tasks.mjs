// SPDX-License-Identifier: MIT
// usage: peer-tasks.mjs [http]
//
// A server with tasks for our client, by the TypeScript SDK 1.x.
import { InMemoryTaskMessageQueue, InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CreateMessageResultSchema, ElicitResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { serveHttp1 } from './peer-http.mjs';

const text = value => ({ content: [{ type: 'text', text: String(value) }] });

const form = message => ({
  mode: 'form',
  message,
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
});
const SAMPLE = {
  messages: [{ role: 'user', content: { type: 'text', text: 'Capital of France?' } }],
  maxTokens: 100,
};

/** What a task asks goes on the stream of tasks/result. */
async function interview({ taskStore, sendRequest }, task) {
  const ask = (method, params, schema) =>
    sendRequest({ method, params }, schema, { relatedTask: { taskId: task.taskId } });

  await taskStore.updateTaskStatus(task.taskId, 'working', 'thinking of a question');
  await sleep(300);
  const who = await ask('elicitation/create', form('Who are you?'), ElicitResultSchema);
  await taskStore.updateTaskStatus(task.taskId, 'working', 'thinking of an answer');
  await sleep(100);
  return text(`Hello ${who.content?.name ?? who.action}`);
}

async function think({ sendRequest }, task) {
  const answer = await sendRequest({ method: 'sampling/createMessage', params: SAMPLE }, CreateMessageResultSchema, {
    relatedTask: { taskId: task.taskId },
  });
  return text(answer.content.text);
}

async function count({ taskStore }, task, { to }) {
  for (let i = 1; i <= to; i++) {
    await sleep(50);
    await taskStore.updateTaskStatus(task.taskId, 'working', `${i} of ${to}`);
  }
  return text(`Counted to ${to}`);
}

function addTask(server, name, inputSchema, run, taskSupport = 'required') {
  const work = async (args, extra, task) => {
    try {
      const result = await run(extra, task, args);
      await extra.taskStore.storeTaskResult(task.taskId, result.isError ? 'failed' : 'completed', result);
    } catch {
      // It was cancelled meanwhile: then the store takes no changes.
    }
  };
  server.experimental.tasks.registerToolTask(
    name,
    { inputSchema, execution: { taskSupport } },
    {
      createTask: async (args, extra) => {
        const task = await extra.taskStore.createTask({ ttl: extra.taskRequestedTtl ?? 60_000, pollInterval: 100 });
        work(args, extra, task);
        return { task };
      },
      getTask: (_, { taskId, taskStore }) => taskStore.getTask(taskId),
      getTaskResult: (_, { taskId, taskStore }) => taskStore.getTaskResult(taskId),
    },
  );
}

/** Asks by a task of the client. */
async function askAsTask(server, message, requestId) {
  const options = { task: { ttl: 60_000 }, relatedRequestId: requestId };
  const stream = server.experimental.tasks.elicitInputStream(form(message), options);
  const { value } = await stream.next();
  return { task: value.task, stream };
}

/** Asks, and takes the question back. */
async function withdraw(server, options) {
  const { tasks } = server.experimental;
  const { task } = await askAsTask(server, 'Never mind', options.relatedRequestId);
  const listed = await tasks.listTasks(undefined, options);
  const cancelled = await tasks.cancelTask(task.taskId, options);
  const got = await tasks.getTask(task.taskId, options);
  const again = await tasks.cancelTask(task.taskId, options).catch(({ code }) => ({ status: code }));
  const isListed = listed.tasks.some(({ taskId, status }) => taskId === task.taskId && status === 'working');
  return text([isListed, cancelled.status, got.status, again.status].join(', '));
}

function build() {
  const server = new McpServer(
    { name: 'peer', version: '1.0.0' },
    {
      capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
      taskStore: new InMemoryTaskStore(),
      taskMessageQueue: new InMemoryTaskMessageQueue(),
    },
  );
  addTask(server, 'interview', {}, interview);
  addTask(server, 'think', {}, think);
  addTask(server, 'count', { to: z.number() }, count, 'optional');
  addTask(server, 'fail', {}, () => ({ ...text('disk 3 is full'), isError: true }));
  server.registerTool('ask', {}, async extra => {
    const { task, stream } = await askAsTask(server.server, 'Who are you?', extra.requestId);
    let last;
    for await (const message of stream) {
      last = message;
    }
    return text(`${task.status}, ${last.result?.content?.name ?? last.result?.action ?? last.error.message}`);
  });
  server.registerTool('withdraw', {}, extra => withdraw(server.server, { relatedRequestId: extra.requestId }));
  return server;
}

if (process.argv[2] === 'http') {
  serveHttp1(build);
} else {
  await build().connect(new StdioServerTransport());
}
