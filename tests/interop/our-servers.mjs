// SPDX-License-Identifier: MIT
// hello-server, workbench-server and interop-server, driven by other people's
// clients.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { KINDS, Peer } from './clients.mjs';
import { folder, test } from './suite.mjs';

const BIN = process.env.BIN;
const NOTE = 'note://today';

const names = list => list.map(entry => entry.name).sort();

/** Connects, runs the tests, and closes: each is a test. */
async function session(kind, server, command, args, run) {
  const peer = new Peer(kind);
  const check = (name, look) => test(`${kind.name}: ${server}: ${name}`, look);
  const isConnected = await check('connecting', async () => {
    await peer.connect(command, args);
    assert.equal(peer.revision, kind.revision);
    return true;
  });
  if (isConnected) {
    if (kind.isHttp) {
      await check('a stream to listen on', () => listens(peer));
    }
    await run(peer, check);
    await check('closing', () => peer.close());
    await check('no message was refused', async () => assert.deepEqual(peer.refusals(), []));
  }
}

/** A client of the legacy era listens by GET once it is connected; one of the
 * modern era sends nothing but POST. */
async function listens(peer) {
  if (peer.isModern) {
    assert.ok(peer.sent.every(method => method === 'POST'));
  } else {
    assert.equal(await peer.streams.next('the answer to GET'), 200);
  }
}

/** The error that a promise ends with. */
export async function errorOf(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  assert.fail('there is no error');
}

// --- hello-server ----------------------------------------------------------

function hello(kind) {
  return session(kind, 'hello-server', join(BIN, 'hello-server'), [], async (peer, check) => {
    await check('info', async () => assert.equal(peer.client.getServerVersion().name, 'calculator'));
    await check('tools', async () => {
      const { tools } = await peer.client.listTools();
      assert.deepEqual(names(tools), ['add']);
      assert.deepEqual(tools[0].inputSchema.required, ['a', 'b']);
    });
    await check('call', async () => assert.equal(await peer.text('add', { a: 2, b: 0.5 }), '2.5'));
    await check('wrong arguments', async () => {
      const result = await peer.call('add', { a: 'two', b: 3 });
      assert.equal(result.isError, true);
      assert.match(result.content[0].text, /\/a\b/);
    });
    await check('no such tool', async () => assert.equal((await errorOf(peer.call('subtract'))).code, -32602));
    await check('many in flight', async () => {
      const sums = [];
      for (let i = 0; i < 100; i++) {
        sums.push(peer.text('add', { a: i, b: 1 }));
      }
      assert.deepEqual(await Promise.all(sums), sums.map((_, i) => String(i + 1)));
    });
    await check('one after another', async () => {
      const floor = await peer.floor(100);
      const begin = performance.now();
      for (let i = 0; i < 100; i++) {
        await peer.text('add', { a: i, b: 1 });
      }
      // A server that polls takes 20 ms for each.
      assert.ok(performance.now() - begin < floor + 1500);
    });
  });
}

// --- workbench-server ------------------------------------------------------

function workbench(kind) {
  const root = folder();
  const csv = join(root, 'sales.csv');
  const uri = pathToFileURL(csv).href;
  writeFileSync(csv, 'month,units,price\nJan,10,1.5\nFeb,20,2.5\n');
  writeFileSync(join(root, 'app.log'), '2026-03-14 15:32:11 started\n');
  const args = [root, '--allow-command', 'echo'];

  return session(kind, 'workbench-server', join(BIN, 'workbench-server'), args, async (peer, check) => {
    const { client } = peer;
    await check('info', async () => {
      assert.equal(client.getServerVersion().title, 'Workbench');
      assert.match(client.getInstructions(), /analyze_csv/);
    });
    await check('tools', async () => {
      const { tools } = await client.listTools();
      assert.ok(names(tools).includes('count_slowly'));
      assert.equal(tools.find(tool => tool.name === 'deploy').annotations.destructiveHint, true);
    });
    await check('structured result', async () => {
      const sum = await peer.call('calculate_sum', { numbers: [1, 2, 3.5] });
      assert.deepEqual(sum.structuredContent, { sum: 6.5 });
      const table = await peer.call('analyze_csv', { path: 'sales.csv', operation: 'average' });
      assert.equal(table.structuredContent.rows, 2);
      assert.deepEqual(table.structuredContent.columns, { units: 15, price: 2 });
    });
    await check('a tool that runs a program', async () =>
      assert.match(await peer.text('execute_command', { command: 'echo', args: ['hi'] }), /^hi\n/),
    );
    await check('failure', async () => {
      const result = await peer.call('execute_command', { command: 'rm' });
      assert.equal(result.isError, true);
    });
    await check('resources', async () => {
      const { resources } = await client.listResources();
      assert.ok(resources.some(resource => resource.uri === uri));
    });
    await check('templates', async () => {
      const { resourceTemplates } = await client.listResourceTemplates();
      assert.ok(resourceTemplates.some(({ uriTemplate }) => uriTemplate === 'file:///{+path}'));
    });
    await check('read', async () => {
      const { contents } = await client.readResource({ uri });
      assert.match(contents[0].text, /^month,units/);
    });
    await check('no way out', async () => {
      const error = await errorOf(client.readResource({ uri: 'file:///etc/passwd' }));
      // 2.x gives the legacy code, -32002, as the modern one.
      assert.equal(error.code, kind.sdk === 1 ? -32002 : -32602);
    });
    await check('prompts', async () => {
      const { prompts } = await client.listPrompts();
      assert.deepEqual(names(prompts), ['analyze-project', 'debug-error', 'explain-code', 'git-commit']);
    });
    await check('a prompt with embedded resources', async () => {
      const { messages } = await client.getPrompt({
        name: 'analyze-project',
        arguments: { timeframe: '1h', fileUri: uri },
      });
      assert.deepEqual(messages.map(({ content }) => content.type), ['text', 'resource', 'resource']);
      assert.match(messages[2].content.resource.text, /^month/);
    });
    await check('a prompt of several roles', async () => {
      const { messages } = await client.getPrompt({ name: 'debug-error', arguments: { error: 'E1' } });
      assert.deepEqual(messages.map(({ role }) => role), ['user', 'assistant', 'user']);
    });
    await check('completion', async () => {
      const prompt = { type: 'ref/prompt', name: 'explain-code' };
      const { completion } = await client.complete({ ref: prompt, argument: { name: 'language', value: 'C' } });
      assert.deepEqual(completion.values, ['C', 'C++']);
      const template = { type: 'ref/resource', uri: 'file:///{+path}' };
      const files = await client.complete({ ref: template, argument: { name: 'path', value: 'sal' } });
      assert.deepEqual(files.completion.values, [csv.slice(1)]);
    });
    await check('progress', async () => {
      const steps = [];
      await peer.call('count_slowly', { to: 5, delay_ms: 10 }, { onprogress: step => steps.push(step) });
      // The SDK loses the last one when the result comes in the same read.
      const expected = [1, 2, 3, 4, 5].map(progress => ({ progress, total: 5, message: 'counting' }));
      assert.ok(steps.length >= 4);
      assert.deepEqual(steps, expected.slice(0, steps.length));
    });
    await check('cancellation', async () => {
      const stop = new AbortController();
      const onprogress = () => stop.abort();
      await errorOf(peer.call('count_slowly', { to: 10_000 }, { signal: stop.signal, onprogress }));
      assert.match(await peer.text('calculate_sum', { numbers: [1] }), /1/);
    });
    await check('elicitation', async () => {
      peer.answers['elicitation/create'] = ({ message }) => {
        assert.equal(message, 'Deploy to staging?');
        return { action: 'accept', content: { confirm: true } };
      };
      assert.match(await peer.text('deploy', { environment: 'staging' }), /^Deployed to staging/);
      peer.answers['elicitation/create'] = () => ({ action: 'decline' });
      assert.match(await peer.text('deploy', { environment: 'staging' }), /^Not deployed/);
    });
    await check('sampling', async () => {
      peer.answers['sampling/createMessage'] = ({ messages, maxTokens }) => {
        assert.equal(maxTokens, 400);
        const { text } = messages[0].content;
        return { role: 'assistant', model: 'm', content: { type: 'text', text: text.toUpperCase() } };
      };
      assert.equal(await peer.text('summarize', { text: 'a tale' }), 'A TALE');
    });
    await check('changes', async () => {
      const heard = await peer.listen(uri);
      writeFileSync(csv, 'month,units\nMar,1\n');
      assert.equal((await peer.next('notifications/resources/updated')).uri, uri);
      writeFileSync(join(root, 'more.txt'), 'more');
      let list;
      do {
        // There may be one for the size of the other file.
        await peer.next('notifications/resources/list_changed');
        list = names((await client.listResources()).resources);
      } while (!list.includes('more.txt'));
      await heard.close();
    });
  });
}

// --- interop-server: what is left ------------------------------------------

function everything(kind) {
  const command = join(BIN, '..', 'tests', 'interop-server');
  return session(kind, 'interop-server', command, [], async (peer, check) => {
    const { client } = peer;
    await check('pages', async () => {
      const tools = [];
      let cursor;
      do {
        // Without a cursor 2.x walks all pages by itself.
        const page = await client.listTools(cursor ? { cursor } : undefined);
        tools.push(...page.tools);
        cursor = page.nextCursor;
      } while (cursor);
      assert.equal(new Set(names(tools)).size, 13);
    });
    await check('content of all kinds', async () => {
      const { content } = await peer.call('media');
      assert.deepEqual(
        content.map(({ type }) => type),
        ['text', 'image', 'audio', 'resource', 'resource_link'],
      );
      assert.equal(content[0].text, 'tab\t, quote", €, 😀');
      assert.equal(content[1].data, Buffer.from([0x89, 0x50, 0x4e, 0x47]).toString('base64'));
    });
    await check('values come back as they went', async () => {
      const args = { text: 'é\u2028\0"\\', big: 2 ** 53 - 1, real: 0.1, list: [null, true, {}], '': '' };
      assert.deepEqual((await peer.call('echo', args)).structuredContent, args);
    });
    await check('a large message', async () => {
      const args = { text: 'x'.repeat(1_000_000) };
      assert.deepEqual((await peer.call('echo', args)).structuredContent, args);
    });
    await check('failure', async () => {
      const result = await peer.call('fail');
      assert.deepEqual([result.isError, result.content[0].text], [true, 'disk 3 is full']);
    });
    await check('an error with data', async () => {
      const { code, message, data } = await errorOf(peer.call('refuse'));
      assert.equal(code, 42);
      assert.match(message, /not today/);
      assert.deepEqual(data, { retry: 'tomorrow' });
    });
    await check('bytes', async () => {
      const { contents } = await client.readResource({ uri: 'note://bytes' });
      assert.equal(contents[0].blob, 'AP+A');
    });
    await check('a template', async () => {
      const { contents } = await client.readResource({ uri: 'city://Oslo' });
      assert.equal(contents[0].text, 'Oslo is a city');
      const ref = { type: 'ref/resource', uri: 'city://{name}' };
      const { completion } = await client.complete({ ref, argument: { name: 'name', value: 'Li' } });
      assert.deepEqual(completion.values, ['Lima', 'Lisbon']);
    });
    await check('a prompt', async () => {
      const { description, messages } = await client.getPrompt({ name: 'travel', arguments: { city: 'Oslo' } });
      assert.equal(description, 'A journey');
      assert.equal(messages[0].content.text, 'Plan a journey to Oslo.');
      assert.equal(messages[1].content.resource.text, 'Buy milk');
      assert.equal((await errorOf(client.getPrompt({ name: 'travel' }))).code, -32602);
    });
    await check('cancellation reaches the server', async () => {
      const stop = new AbortController();
      await errorOf(peer.call('wait', {}, { signal: stop.signal, onprogress: () => stop.abort('enough') }));
      assert.equal(await peer.text('cancelled'), '1');
    });
    await check('logging', async () => {
      if (!peer.isModern) {
        await client.setLoggingLevel('warning');
      }
      await peer.call('log', {}, { logLevel: 'warning' });
      const { level, logger, data } = await peer.next('notifications/message');
      assert.deepEqual({ level, logger, data }, { level: 'warning', logger: 'disk', data: { free: 0 } });
    });
    await check('changes', async () => {
      const heard = await peer.listen(NOTE);
      await peer.call('grow');
      await peer.next('notifications/tools/list_changed');
      assert.equal(await peer.text('grown_1'), '1');
      await peer.call('touch');
      assert.equal((await peer.next('notifications/resources/updated')).uri, NOTE);
      await heard.close();
    });
    await check('questions in two rounds', async () => {
      const asked = [];
      peer.answers['elicitation/create'] = ({ message, requestedSchema }) => {
        asked.push(message);
        return { action: 'accept', content: requestedSchema.properties.name ? { name: 'Ada' } : { years: 36 } };
      };
      assert.equal(await peer.text('ask'), 'Ada is 36');
      assert.deepEqual(asked, ['Who are you?', 'How old are you, Ada?']);
      peer.answers['elicitation/create'] = () => ({ action: 'cancel' });
      assert.equal(await peer.text('ask'), 'nobody');
    });
    await check('elicitation by URL', async () => {
      peer.answers['elicitation/create'] = ({ mode, url }) => {
        assert.deepEqual([mode, url], ['url', 'https://example.com/login']);
        return { action: 'accept' };
      };
      assert.equal(await peer.text('visit'), 'accept');
    });
    await check('two questions in one round', async () => {
      peer.answers['sampling/createMessage'] = ({ systemPrompt }) => ({
        role: 'assistant',
        model: 'm',
        content: { type: 'text', text: systemPrompt === 'Be brief' ? 'Paris' : '?' },
      });
      peer.answers['roots/list'] = () => ({ roots: [{ uri: 'file:///srv' }] });
      assert.equal(await peer.text('survey'), 'Paris, file:///srv');
    });
    await check('ping', async () => (peer.isModern ? client.discover() : client.ping()));
  });
}

export async function ourServers() {
  for (const kind of KINDS) {
    await hello(kind);
    await workbench(kind);
    await everything(kind);
  }
}
