// SPDX-License-Identifier: MIT
// Tasks of the TypeScript SDK 1.x: its client against our servers. The SDK 2.x
// has none.
//
// Departures of its client that these tests pass by:
// - Its callToolStream does not fetch the result of a task that has failed: it
//   reports an error of its own.
// - With a taskMessageQueue it never answers a question that is related to a
//   task: it keeps the answer for a request of tasks/result that a server does
//   not send for its own task. So its clients here have none.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks';
import {
  CallToolResultSchema,
  CreateTaskResultSchema,
  TaskStatusNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { KINDS, Peer } from './clients.mjs';
import { errorOf } from './our-servers.mjs';
import { Queue, test } from './suite.mjs';
import { text } from './tasks-kit.mjs';

const BIN = process.env.BIN;
const RELATED = 'io.modelcontextprotocol/related-task';

/** A client that can run elicitation and sampling as tasks. It then must. */
const withTasks = () => ({
  capabilities: {
    tasks: { list: {}, cancel: {}, requests: { elicitation: { create: {} }, sampling: { createMessage: {} } } },
  },
  taskStore: new InMemoryTaskStore(),
});

/** Connects, runs the tests, and closes. */
async function session(kind, name, command, run, options = {}) {
  const peer = new Peer(kind, options);
  const check = (what, look) => test(`${kind.name}, tasks: ${name}: ${what}`, look);
  peer.statuses = new Queue();
  peer.tasks = peer.client.experimental.tasks;
  peer.client.setNotificationHandler(TaskStatusNotificationSchema, note => peer.statuses.push(note.params));
  peer.start = async (tool, args = {}, ttl = 60_000) => {
    const params = { name: tool, arguments: args };
    const { task } = await peer.client.request({ method: 'tools/call', params }, CreateTaskResultSchema, {
      task: { ttl },
    });
    return task;
  };
  peer.follow = async (tool, args = {}) => {
    const messages = [];
    const stream = peer.tasks.callToolStream({ name: tool, arguments: args }, undefined, { task: {} });
    for await (const message of stream) {
      messages.push(message);
    }
    return messages;
  };
  /** The status at the end of a task. */
  peer.ended = async id => {
    let note;
    do {
      note = await peer.statuses.next('the end of the task');
    } while (note.taskId !== id || note.status === 'working' || note.status === 'input_required');
    return note;
  };
  const isConnected = await check('connecting', async () => {
    await peer.connect(command);
    return true;
  });
  if (isConnected) {
    await run(peer, check);
    await check('closing', () => peer.close());
    await check('no message was refused', async () => assert.deepEqual(peer.refusals(), []));
  }
}

// --- workbench-server ------------------------------------------------------

function workbench(kind) {
  return session(kind, 'workbench-server', join(BIN, 'workbench-server'), async (peer, check) => {
    await check('the tool says that it can be one', async () => {
      const { tools } = await peer.client.listTools();
      assert.deepEqual(tools.find(({ name }) => name === 'count_slowly').execution, { taskSupport: 'optional' });
    });
    await check('a call that follows its task', async () => {
      const messages = await peer.follow('count_slowly', { to: 6, delay_ms: 200 });
      const [first, ...statuses] = messages;
      const last = statuses.pop();
      assert.equal(first.type, 'taskCreated');
      assert.equal(first.task.status, 'working');
      assert.equal(first.task.pollInterval, 1000);
      assert.ok(statuses.every(({ type, task }) => type === 'taskStatus' && task.taskId === first.task.taskId));
      assert.match(statuses[1].task.statusMessage, /^counting \([1-6] of 6\)$/);
      assert.equal(statuses.at(-1).task.status, 'completed');
      assert.equal(text(last.result), 'Counted to 6');
      assert.equal(last.result._meta[RELATED].taskId, first.task.taskId);
    });
    await check('its id, and the result', async () => {
      const { taskId, ttl } = await peer.start('count_slowly', { to: 3, delay_ms: 50 }, 30_000);
      assert.equal(ttl, 30_000);
      assert.equal(text(await peer.tasks.getTaskResult(taskId, CallToolResultSchema)), 'Counted to 3');
      assert.equal((await peer.tasks.getTask(taskId)).status, 'completed');
      assert.equal((await peer.ended(taskId)).status, 'completed');
      assert.equal(text(await peer.tasks.getTaskResult(taskId, CallToolResultSchema)), 'Counted to 3');
    });
    await check('cancelling', async () => {
      const { taskId } = await peer.start('count_slowly', { to: 10_000 });
      assert.equal((await peer.tasks.getTask(taskId)).status, 'working');
      const waiting = errorOf(peer.tasks.getTaskResult(taskId, CallToolResultSchema));
      assert.equal((await peer.tasks.cancelTask(taskId)).status, 'cancelled');
      assert.match((await waiting).message, /cancelled/);
      assert.equal((await peer.tasks.getTask(taskId)).status, 'cancelled');
      assert.equal((await errorOf(peer.tasks.cancelTask(taskId))).code, -32602);
    });
    await check('an unknown id', async () => {
      assert.equal((await errorOf(peer.tasks.getTask('nobody'))).code, -32602);
      assert.equal((await errorOf(peer.tasks.getTaskResult('nobody', CallToolResultSchema))).code, -32602);
      assert.equal((await errorOf(peer.tasks.cancelTask('nobody'))).code, -32602);
    });
    // Over a Unix socket the server knows the user.
    await check(kind.isUnix ? 'the list' : 'no list', async () => {
      const { list } = peer.client.getServerCapabilities().tasks;
      assert.equal(list !== undefined, kind.isUnix === true);
      if (list) {
        const { taskId } = await peer.start('count_slowly', { to: 1, delay_ms: 0 });
        const { tasks } = await peer.tasks.listTasks();
        assert.ok(tasks.length >= 4);
        assert.ok(tasks.some(task => task.taskId === taskId));
      } else {
        assert.equal((await errorOf(peer.tasks.listTasks())).code, -32601);
      }
    });
    await check('a call without a task', async () =>
      assert.equal(await peer.text('count_slowly', { to: 2, delay_ms: 1 }), 'Counted to 2'),
    );
    await check('a task of a tool that cannot be one', async () =>
      assert.equal((await errorOf(peer.start('calculate_sum', { numbers: [1] }))).code, -32601),
    );
  });
}

// --- tasks-server: what is left --------------------------------------------

/** Answers a question as a task, some time later. */
const later = (answer, status = 'completed') => async (params, { taskStore }) => {
  assert.ok(params.task.ttl > 0);
  const task = await taskStore.createTask({ ttl: params.task.ttl, pollInterval: 100 });
  setTimeout(
    () =>
      status === 'cancelled'
        ? taskStore.updateTaskStatus(task.taskId, status)
        : taskStore.storeTaskResult(task.taskId, status, answer(params)),
    150,
  );
  return { task };
};

const introduce = ({ requestedSchema: { properties } }) => ({
  action: 'accept',
  content: properties.name ? { name: 'Ada' } : { years: 36 },
});
const paris = () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'Paris' } });

function everything(kind) {
  return session(kind, 'tasks-server', join(BIN, '..', 'tests', 'tasks-server'), async (peer, check) => {
    await check('a tool that requires a task', async () =>
      assert.equal((await errorOf(peer.call('ask'))).code, -32601),
    );
    await check('questions', async () => {
      peer.answers['elicitation/create'] = introduce;
      peer.questions.length = 0;
      const messages = await peer.follow('ask');
      const { taskId } = messages[0].task;
      assert.equal(text(messages.at(-1).result), 'Ada is 36');
      assert.deepEqual(peer.questions.map(({ params }) => params._meta[RELATED].taskId), [taskId, taskId]);
      assert.ok(messages.some(({ task }) => task?.status === 'input_required'));
    });
    await check('sampling', async () => {
      peer.answers['sampling/createMessage'] = paris;
      assert.equal(text((await peer.follow('think')).at(-1).result), 'Paris');
    });
    await check('cancelling a task that asks', async () => {
      const { taskId } = await peer.start('ask');
      let task;
      do {
        task = await peer.tasks.getTask(taskId);
      } while (task.status === 'working');
      assert.equal(task.status, 'input_required');
      assert.equal((await peer.tasks.cancelTask(taskId)).status, 'cancelled');
    });
    await check('failure', async () => {
      const { taskId } = await peer.start('fail');
      const result = await peer.tasks.getTaskResult(taskId, CallToolResultSchema);
      assert.deepEqual([result.isError, text(result)], [true, 'disk 3 is full']);
      assert.equal((await peer.tasks.getTask(taskId)).status, 'failed');
      assert.match((await peer.follow('fail')).at(-1).error.message, /failed/);
    });
    await check('an error', async () => {
      const { taskId } = await peer.start('refuse');
      const error = await errorOf(peer.tasks.getTaskResult(taskId, CallToolResultSchema));
      assert.deepEqual([error.code, error.data], [42, { retry: 'tomorrow' }]);
      assert.equal((await peer.tasks.getTask(taskId)).status, 'failed');
    });
    await check('cancellation reaches the handler', async () => {
      const { taskId } = await peer.start('wait');
      assert.equal((await peer.tasks.getTask(taskId)).statusMessage, 'waiting (1 of 3)');
      await peer.tasks.cancelTask(taskId);
      assert.equal(await peer.text('cancelled'), '1');
    });
  });
}

function asksTasks(kind) {
  const command = join(BIN, '..', 'tests', 'tasks-server');
  const run = async (peer, check) => {
    await check('elicitation as a task of the client', async () => {
      peer.answers['elicitation/create'] = later(introduce);
      assert.equal(await peer.text('ask_now'), 'Ada is 36');
      peer.answers['elicitation/create'] = later(() => ({ action: 'decline' }));
      assert.equal(await peer.text('ask_now'), 'nobody');
    });
    await check('sampling as a task of the client', async () => {
      peer.answers['sampling/createMessage'] = later(paris);
      assert.equal(await peer.text('think_now'), 'Paris');
    });
    await check('a task that the client cancels', async () => {
      peer.answers['elicitation/create'] = later(introduce, 'cancelled');
      assert.equal(await peer.text('ask_now'), 'no answer');
    });
    await check('a task of the client, in a task', async () => {
      peer.answers['elicitation/create'] = later(introduce);
      peer.questions.length = 0;
      const messages = await peer.follow('ask');
      const { taskId } = messages[0].task;
      assert.equal(text(messages.at(-1).result), 'Ada is 36');
      assert.deepEqual(peer.questions.map(({ params }) => params._meta[RELATED].taskId), [taskId, taskId]);
    });
  };
  return session(kind, 'tasks-server that asks as tasks', command, run, withTasks());
}

export async function sdkTasks() {
  const kinds = KINDS.filter(({ sdk }) => sdk === 1);
  await Promise.all(kinds.flatMap(kind => [workbench(kind), everything(kind), asksTasks(kind)]));
}
