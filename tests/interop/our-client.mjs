// SPDX-License-Identifier: MIT
// mcpctl, and interop-client for what mcpctl does not do, against other
// people's servers.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { end, freePort, serve } from './serve.mjs';
import { folder, isWanted, report, test } from './suite.mjs';

const BIN = process.env.BIN;
export const PACKAGES = join(dirname(fileURLToPath(import.meta.url)), 'node_modules', '@modelcontextprotocol');
const PEER = fileURLToPath(new URL('peer.mjs', import.meta.url));
const PLAIN = fileURLToPath(new URL('peer-plain.mjs', import.meta.url));

export const server = (path, ...args) => [process.execPath, path, ...args];

/** A server's name, by the wire that it is reached over. */
const named = (who, wire) => (wire === 'stdio' ? who : `${who}, ${wire}`);

/** Starts a server that says its URL, or `url` when it cannot, and runs tests
 * with that. */
export async function atAddress(command, run, { url, env } = {}) {
  const { child, where } = await serve(command[0], command.slice(1), { env: { ...process.env, ...env } });
  await run(url ?? where);
  await end(child);
}

/** Runs a program to its end. It is asked to end after a minute, so that it
 * can end its own child. */
export function run(program, args) {
  return new Promise(resolve => {
    const options = { timeout: 50_000, killSignal: 'SIGTERM', maxBuffer: 1 << 26 };
    const child = execFile(program, args, options, (error, stdout, stderr) =>
      resolve({ code: error ? error.code ?? error.signal : 0, stdout, stderr }),
    );
    child.stdin.end();
  });
}

/** What mcpctl prints, as JSON. The target is a command or a URL. */
export async function ctl(words, target, code = 0) {
  const rest = typeof target === 'string' ? [target, ...words] : [...words, '--', ...target];
  const result = await run(join(BIN, 'mcpctl'), ['--json', ...rest]);
  assert.equal(result.code, code, `mcpctl ${words.join(' ')}: exit code ${result.code}\n${result.stderr}`);
  return result.stdout === '' ? undefined : JSON.parse(result.stdout);
}

const names = (list, key = 'name') => list.map(entry => entry[key]).sort();

/** Tests with one server: `check(name, words, look)` looks at what mcpctl
 * printed. */
function suite(who, target, era) {
  return (name, words, look, code) =>
    test(`mcpctl, ${era}: ${who}: ${name}`, async () =>
      look(await ctl(['--era', era, ...words], target, code)),
    );
}

/** The tests of a client of ours, noted one by one. */
export function relay(who, target, era, client = 'interop-client', words = []) {
  const program = join(BIN, '..', 'tests', client);
  return relayProgram(`${client}, ${era}: ${who}`, program, [era, words, target].flat());
}

/** The tests that a program runs, noted one by one. */
export async function relayProgram(name, program, args) {
  if (!isWanted(name)) {
    return;
  }
  const { code, stdout, stderr } = await run(program, args);
  const lines = stdout.split('\n').filter(line => /^(not )?ok /.test(line));
  for (const line of lines) {
    const [, bad, what, why] = /^(not )?ok ([^:]*)(?:: (.*))?$/.exec(line);
    report(`${name}: ${what}`, bad ? `${why}\n${stderr}` : undefined);
  }
  const isWhole = code === (lines.some(line => line.startsWith('not')) ? 1 : 0) && lines.length > 1;
  if (!isWhole) {
    report(name, `it ended with ${code} after ${lines.length} tests\n${stderr}`);
  }
}

// --- peer.mjs --------------------------------------------------------------

async function peer(sdk, era, wire, target) {
  const who = named(`SDK ${sdk}.x server`, wire);
  const check = suite(who, target, era);
  const root = folder();
  const revision = sdk === 2 && era !== 'legacy' ? '2026-07-28' : '2025-11-25';

  await check('info', ['info'], info => {
    assert.equal(info.protocolVersion ?? info.supportedVersions[0], revision);
    assert.equal((info.serverInfo ?? info._meta['io.modelcontextprotocol/serverInfo']).name, 'peer');
    assert.equal(info.instructions, 'Try everything.');
  });
  await check('tools', ['tools'], ({ tools }) => {
    assert.equal(tools.length, 12);
    assert.equal(tools.find(tool => tool.name === 'add').description, 'Adds two numbers');
  });
  await check('call', ['call', 'add', 'a:=2', 'b:=3'], result => assert.equal(result.content[0].text, '5'));
  await check('structured result', ['call', 'weather', 'city=Oslo'], result =>
    assert.deepEqual(result.structuredContent, { celsius: 21.5, sky: 'clear' }),
  );
  await check('failure', ['call', 'fail'], result => assert.equal(result.isError, true), 5);
  await check('wrong arguments', ['--no-validate', 'call', 'add', 'a=x'], result => assert.equal(result.isError, true), 5);
  await check('resources', ['resources'], ({ resources }) =>
    assert.deepEqual(names(resources, 'uri'), ['note://bytes', 'note://today']),
  );
  await check('templates', ['templates'], ({ resourceTemplates }) =>
    assert.deepEqual(names(resourceTemplates, 'uriTemplate'), ['city://{name}']),
  );
  await check('read', ['read', 'note://today'], ({ contents }) => assert.equal(contents[0].text, 'Buy milk'));
  await check('read bytes', ['read', 'note://bytes'], ({ contents }) => assert.equal(contents[0].blob, 'AP+A'));
  await check('read by template', ['read', 'city://Oslo'], ({ contents }) =>
    assert.match(contents[0].text, /^Oslo is a city$/i),
  );
  await check('no such resource', ['read', 'note://none'], () => {}, 4);
  await check('prompts', ['prompts'], ({ prompts }) => {
    assert.deepEqual(names(prompts), ['travel']);
    assert.equal(prompts[0].arguments[0].required, true);
  });
  await check('prompt', ['prompt', 'travel', 'city=Oslo'], ({ messages }) => {
    assert.equal(messages[0].content.text, 'Plan a journey to Oslo.');
    assert.equal(messages[1].content.resource.text, 'Buy milk');
  });
  await check('completion of a prompt', ['complete', 'travel', 'city=Li'], ({ completion }) =>
    assert.deepEqual(completion.values, ['Lima', 'Lisbon']),
  );
  await check('completion of a template', ['complete', 'city://{name}', 'name=L'], ({ completion }) =>
    assert.deepEqual(completion.values, ['Lagos', 'Lima', 'Lisbon']),
  );
  const answer = (...answers) => answers.flatMap(one => ['--answer', one]);
  await check('elicitation', [...answer('name=Ada'), 'call', 'ask'], result =>
    assert.equal(result.content[0].text, 'Ada, 30, green'),
  );
  await check('declining', [...answer('action=decline'), 'call', 'ask'], result =>
    assert.equal(result.content[0].text, 'decline'),
  );
  await check('elicitation by URL', [...answer('action=accept'), 'call', 'visit'], result =>
    assert.equal(result.content[0].text, 'accept'),
  );
  await check('sampling and roots', [...answer('text=Paris'), '--root', root, 'call', 'survey'], result =>
    assert.equal(result.content[0].text, `Paris, ${pathToFileURL(root).href}`),
  );
  await check('an unanswered question', ['call', 'ask'], () => {}, 6);
  await check('ping', ['ping'], () => {});
  await relay(who, target, era);
}

async function modernOnly(wire, target) {
  const who = named('SDK 2.x server, modern only', wire);
  for (const era of ['auto', 'modern']) {
    const check = suite(who, target, era);
    await check('call', ['call', 'add', 'a:=2', 'b:=3'], result => assert.equal(result.content[0].text, '5'));
  }
  await suite(who, target, 'legacy')('is refused', ['info'], () => {}, 4);
}

async function probe() {
  for (const sdk of ['1', '2']) {
    await test(`mcpctl, auto: SDK ${sdk}.x server: the probe starts no process of its own`, async () => {
      const starts = join(folder(), 'starts');
      await ctl(['--env', `INTEROP_STARTS=${starts}`, 'ping'], server(PEER, sdk));
      assert.equal(readFileSync(starts, 'utf8'), 'started\n');
    });
  }
}

async function helloClient() {
  for (const sdk of ['1', '2']) {
    await test(`hello-client: SDK ${sdk}.x server`, async () => {
      const { code, stdout } = await run(join(BIN, 'hello-client'), server(PEER, sdk));
      assert.equal(code, 0);
      assert.match(stdout, /^tool: add$/m);
      assert.match(stdout, /^2 \+ 3 = 5$/m);
    });
  }
}

// --- reference servers -----------------------------------------------------

async function everything(era, wire, target) {
  const check = suite(named('server-everything', wire), target, era);
  const text = ({ content }) => content.map(piece => piece.text ?? `[${piece.type}]`).join('\n');
  const answer = (...answers) => answers.flatMap(one => ['--answer', one]);

  await check('info', ['info'], info => {
    assert.equal(info.serverInfo.name, 'mcp-servers/everything');
    assert.ok(info.instructions.length > 100);
  });
  await check('tools', ['tools'], ({ tools }) => assert.ok(tools.length >= 13));
  await check('call', ['call', 'get-sum', 'a:=2', 'b:=3'], result => assert.match(text(result), /\b5\b/));
  await check('text and image', ['call', 'get-tiny-image'], ({ content }) =>
    assert.ok(content.some(piece => piece.type === 'image' && piece.data.length > 1000)),
  );
  await check('annotations', ['call', 'get-annotated-message', 'messageType=error'], ({ content }) =>
    assert.equal(content[0].annotations.priority, 1),
  );
  await check('links', ['call', 'get-resource-links', 'count:=3'], ({ content }) =>
    assert.equal(content.filter(piece => piece.type === 'resource_link').length, 3),
  );
  await check('embedded resource', ['call', 'get-resource-reference', 'resourceType=Text', 'resourceId:=1'], result =>
    assert.ok(result.content.some(piece => piece.type === 'resource')),
  );
  await check('structured result', ['call', 'get-structured-content', 'location=Chicago'], result =>
    assert.equal(result.structuredContent.temperature, 36),
  );
  await check('progress', ['call', 'trigger-long-running-operation', 'duration:=0.5', 'steps:=5'], result =>
    assert.match(text(result), /completed/),
  );
  await check('resources', ['resources'], ({ resources }) => assert.ok(resources.length >= 5));
  await check('templates', ['templates'], ({ resourceTemplates }) => assert.equal(resourceTemplates.length, 2));
  await check('read', ['read', 'demo://resource/dynamic/text/7'], ({ contents }) =>
    assert.match(contents[0].text, /^Resource 7/),
  );
  await check('read bytes', ['read', 'demo://resource/dynamic/blob/7'], ({ contents }) =>
    assert.match(Buffer.from(contents[0].blob, 'base64').toString(), /^Resource 7/),
  );
  await check('prompts', ['prompts'], ({ prompts }) =>
    assert.deepEqual(names(prompts), ['args-prompt', 'completable-prompt', 'resource-prompt', 'simple-prompt']),
  );
  await check('prompt', ['prompt', 'args-prompt', 'city=Oslo'], ({ messages }) =>
    assert.match(messages[0].content.text, /Oslo/),
  );
  await check('completion', ['complete', 'completable-prompt', 'department=S'], ({ completion }) =>
    assert.deepEqual(completion.values, ['Sales', 'Support']),
  );
  await check(
    'completion in context',
    ['complete', 'completable-prompt', 'name=', 'department=Sales'],
    ({ completion }) => assert.deepEqual(completion.values, ['David', 'Eve', 'Frank']),
  );
  await check('elicitation', [...answer('name=Ada', 'check=yes'), 'call', 'trigger-elicitation-request'], result => {
    assert.match(text(result), /provided the requested information/);
    assert.match(text(result), /"titledMultipleSelectEnum": \[\s*"fish-1"/);
  });
  await check(
    'elicitation by URL',
    [...answer('action=accept'), 'call', 'trigger-url-elicitation', 'url=https://example.com/', 'message=Go'],
    result => assert.match(text(result), /completed the URL elicitation/),
  );
  await check(
    'sampling',
    [...answer('text=Paris'), 'call', 'trigger-sampling-request', 'prompt=Capital?', 'maxTokens:=50'],
    result => assert.match(text(result), /Paris/),
  );
  const root = folder();
  await check('roots', ['--root', root, 'call', 'get-roots-list'], result =>
    assert.ok(text(result).includes(pathToFileURL(root).href)),
  );
}

async function filesystem(era) {
  const root = folder();
  const file = join(root, 'a b.txt');
  const command = server(join(PACKAGES, 'server-filesystem', 'dist', 'index.js'), root);
  const check = suite('server-filesystem', command, era);

  writeFileSync(file, 'one\ntwo\n');
  await check('info', ['info'], info => assert.equal(info.serverInfo.name, 'secure-filesystem-server'));
  await check('tools', ['tools'], ({ tools }) => assert.ok(names(tools).includes('read_text_file')));
  await check('call', ['call', 'read_text_file', `path=${file}`], result => {
    assert.equal(result.content[0].text, 'one\ntwo\n');
    assert.equal(result.structuredContent.content, 'one\ntwo\n');
  });
  await check('writing', ['call', 'write_file', `path=${join(root, 'new')}`, 'content=€'], result =>
    assert.notEqual(result.isError, true),
  );
  await check('what it forbids', ['call', 'read_text_file', 'path=/etc/passwd'], () => {}, 5);
}

// --- a server that was written by hand -------------------------------------

async function plain() {
  const who = 'plain server';
  await atAddress(server(PLAIN), async url => {
    const check = (name, words, look, code) =>
      test(`mcpctl, plain: ${who}: ${name}`, async () => look(await ctl(['--plain', ...words], url, code)));
    await check('info', ['info'], info => {
      assert.equal(info.serverInfo.name, 'plain');
      assert.deepEqual(info.capabilities, { tools: {}, resources: {}, prompts: {} });
    });
    await check('tools', ['tools'], ({ tools }) =>
      assert.deepEqual(names(tools), ['calculator', 'fail', 'seen', 'wait']),
    );
    await check('call', ['call', 'calculator', 'operation=add', 'a:=5', 'b:=3'], ({ content }) =>
      assert.deepEqual(JSON.parse(content[0].text), { result: 8 }),
    );
    await check('failure', ['call', 'fail'], result => assert.equal(result.isError, true), 5);
    await check('an error', ['call', 'calculator', 'operation=divide', 'a:=5', 'b:=0'], () => {}, 4);
    await test(`plain-client: ${who}`, async () => {
      const sum = ['calculator', '{"operation":"add","a":5,"b":3}'];
      const { code, stdout } = await run(join(BIN, 'plain-client'), [url, ...sum]);
      assert.equal(code, 0);
      assert.match(stdout, /^tool: calculator$/m);
      assert.match(stdout, /^{"result":8}$/m);
    });
  });
  for (const era of ['legacy', 'modern']) {
    await atAddress(server(PLAIN), url => relay(who, url, era, 'post-client'));
  }
}

// --- all -------------------------------------------------------------------

async function peers() {
  for (const [sdk, era] of [
    [1, 'legacy'],
    [1, 'auto'],
    [2, 'legacy'],
    [2, 'modern'],
    [2, 'auto'],
  ]) {
    await peer(sdk, era, 'stdio', server(PEER, String(sdk)));
    await atAddress(server(PEER, String(sdk), 'http'), url => peer(sdk, era, 'HTTP', url));
    for (const wire of ['tcp', `unix:${join(folder(), 'socket')}`]) {
      const name = `custom transport, ${wire === 'tcp' ? 'TCP' : 'Unix'}`;
      await atAddress(server(PEER, String(sdk), wire), url => peer(sdk, era, name, url));
    }
  }
  for (const era of ['legacy', 'auto']) {
    await atAddress(server(PEER, '1', 'ws'), url => relay('peer 1.x, ws', url, era));
    await atAddress(server(PEER, '1', 'sse'), url => peer(1, era, 'HTTP+SSE', `sse+${url}`));
    await atAddress(server(PEER, '1', 'sse'), url => peer(1, era, 'HTTP+SSE found out', url));
  }
  await modernOnly('stdio', server(PEER, '2', 'stdio', 'reject'));
  await atAddress(server(PEER, '2', 'http', 'reject'), url => modernOnly('HTTP', url));
}

async function references() {
  const command = server(join(PACKAGES, 'server-everything', 'dist', 'index.js'));
  const PORT = await freePort();
  for (const era of ['legacy', 'auto']) {
    await everything(era, 'stdio', command);
    await atAddress([...command, 'streamableHttp'], url => everything(era, 'HTTP', url), {
      url: `http://127.0.0.1:${PORT}/mcp`,
      env: { PORT },
    });
    for (const scheme of ['sse+http', 'http']) {
      await atAddress([...command, 'sse'], url => everything(era, `HTTP+SSE, ${scheme}`, url), {
        url: `${scheme}://127.0.0.1:${PORT}/sse`,
        env: { PORT },
      });
    }
    await filesystem(era);
  }
}

export async function ourClient() {
  await peers();
  await helloClient();
  await probe();
  await references();
  await plain();
}
