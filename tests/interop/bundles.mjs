// SPDX-License-Identifier: MIT
// Bundles: mcpctl's with the official tool (the package @anthropic-ai/mcpb), and
// the tool's with mcpctl. And server.json against the registry's own schema.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folder, isWanted, test } from './suite.mjs';

const MCPCTL = join(process.env.BIN, 'mcpctl');
const HERE = dirname(fileURLToPath(import.meta.url));
const TOOL = join(HERE, 'node_modules', '@anthropic-ai', 'mcpb', 'dist', 'cli', 'cli.js');
const NAME = 'bundles';

const SERVER = `
const answers = {
  initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} },
                serverInfo: { name: 'greeter', version: '1.0.0' } },
  'tools/list': { tools: [{ name: 'greet', description: 'Greets',
                            inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text',
                              text: (process.env.WORD ?? 'hello') + process.argv.slice(2) }] },
};
require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
  const { id, method } = JSON.parse(line);
  if (id !== undefined) {
    const rest = answers[method] ? { result: answers[method] }
                                 : { error: { code: -32601, message: 'no' } };
    console.log(JSON.stringify({ jsonrpc: '2.0', id, ...rest }));
  }
});
`;
const MANIFEST = {
  manifest_version: '0.3',
  name: 'greeter',
  version: '1.0.0',
  description: 'Greets',
  author: { name: 'Ada', email: 'ada@example.com', url: 'https://example.com' },
  server: {
    type: 'node',
    entry_point: 'index.js',
    mcp_config: {
      command: 'node',
      args: ['${__dirname}/index.js', '${user_config.names}'],
      env: { WORD: '${user_config.word}' },
    },
  },
  tools: [{ name: 'greet', description: 'Greets' }],
  user_config: {
    word: { type: 'string', title: 'Word', description: 'Before the names', default: 'hi' },
    names: { type: 'string', title: 'Names', description: 'Whom', multiple: true },
  },
};

/** Runs a program; returns its exit code and all that it wrote. */
function run(cwd, file, ...words) {
  const path = `${dirname(process.execPath)}:${process.env.PATH}`;
  return new Promise(resolve =>
    execFile(file, words, { cwd, timeout: 50_000, env: { ...process.env, PATH: path } },
      (error, stdout, stderr) =>
        resolve({ code: error ? error.code ?? error.signal : 0, text: stdout + stderr, stdout })),
  );
}

const ctl = (cwd, ...words) => run(cwd, MCPCTL, ...words);
const tool = (cwd, ...words) => run(cwd, process.execPath, TOOL, ...words);

/** Runs it, and fails if it does. */
async function good(running) {
  const ran = await running;
  assert.equal(ran.code, 0, ran.text);
  return ran;
}

/** A folder `source` with the server and a manifest. */
function makeSource(place, manifest = MANIFEST) {
  const source = join(place, 'source');
  mkdirSync(source, { recursive: true });
  writeFileSync(join(source, 'index.js'), SERVER);
  writeFileSync(join(source, 'manifest.json'), JSON.stringify(manifest));
  return source;
}

async function toolReads(place, file) {
  const unpacked = join(place, 'unpacked');
  assert.match((await good(tool(place, 'info', file))).text, /Not signed/);
  await good(tool(place, 'unpack', file, unpacked));
  const said = await good(tool(place, 'validate', join(unpacked, 'manifest.json')));
  assert.match(said.text, /Manifest schema validation passes!/);
  return unpacked;
}

/** Manifests that are wrong, and what is changed in each. */
const WRONG = {
  'no author': { author: undefined },
  'an author without a name': { author: { email: 'ada@example.com' } },
  'an address that is not one': { author: { name: 'A', email: 'ada' } },
  'an unknown member': { colour: 'red' },
  'an unknown version': { manifest_version: '7' },
  'no version of the form': { manifest_version: undefined },
  'icons before 0.3': { manifest_version: '0.2', icons: [] },
  'policies before 0.2': { manifest_version: '0.1', privacy_policies: [] },
  'uv before 0.4': { server: { ...MANIFEST.server, type: 'uv' } },
  'an unknown type': { server: { ...MANIFEST.server, type: 'perl' } },
  'no entry point': { server: { ...MANIFEST.server, entry_point: undefined } },
  'no command': { server: { ...MANIFEST.server, mcp_config: { args: [] } } },
  'arguments that are not text': {
    server: { ...MANIFEST.server, mcp_config: { command: 'node', args: [1] } },
  },
  'a tool without a name': { tools: [{ description: 'x' }] },
  'a prompt without a text': { prompts: [{ name: 'x' }] },
  'an unknown platform': { compatibility: { platforms: ['beos'] } },
  'a setting without a title': { user_config: { a: { type: 'string', description: 'x' } } },
  'a setting of an unknown type': {
    user_config: { a: { type: 'colour', title: 'x', description: 'x' } },
  },
  'a homepage that is not a URL': { homepage: 'here' },
  'an icon that is not there': { icon: 'none.png' },
  'an icon that is not PNG': { icon: 'index.js' },
};

/** Manifests that are right. */
const RIGHT = {
  'the old name of the version': { manifest_version: undefined, dxt_version: '0.1' },
  'version 0.4 with uv': { manifest_version: '0.4', server: { ...MANIFEST.server, type: 'uv' } },
  'all that a manifest can have': {
    display_name: 'Greeter', long_description: 'x', homepage: 'https://example.com/a',
    documentation: 'https://example.com', support: 'https://example.com',
    repository: { type: 'git', url: 'https://example.com/r.git' }, keywords: ['a'],
    license: 'MIT', privacy_policies: ['https://example.com'], tools_generated: true,
    prompts: [{ name: 'p', description: 'x', arguments: ['a'], text: '${arguments.a}' }],
    prompts_generated: true, compatibility: {
      claude_desktop: '>=1.0.0', platforms: ['linux', 'darwin', 'win32'],
      runtimes: { node: '>=16' } },
    localization: { resources: 'r/${locale}.json', default_locale: 'en-US' },
    _meta: { 'com.example': { a: [1] } },
  },
};

async function compareVerdicts(changed, isRight) {
  const place = folder();
  const source = makeSource(place, { ...MANIFEST, ...changed });
  const theirs = await tool(place, 'validate', join(source, 'manifest.json'));
  const ours = await ctl(place, 'pack', source, '--output', 'x.mcpb');
  assert.equal(theirs.code === 0, isRight, theirs.text);
  if (isRight) {
    assert.doesNotMatch(ours.text, /manifest-form|manifest-version: \/|icon/, ours.text);
  } else {
    assert.match(ours.text, /manifest-form|manifest-version|missing-file|icon/, ours.text);
    assert.notEqual(ours.code, 0);
  }
}

export async function bundles() {
  if (!isWanted(NAME)) {
    return;
  }
  await test(`${NAME}: mcpb reads that of a program`, async () => {
    const place = folder();
    await good(ctl(place, 'pack', join(process.env.BIN, 'hello-server'), '--author', 'Ada',
      '--output', 'hello.mcpb'));
    const unpacked = await toolReads(place, 'hello.mcpb');
    const program = join(unpacked, 'server', 'hello-server');
    accessSync(program, constants.X_OK);
    assert.match((await good(ctl(place, 'tools', '--', program))).stdout, /add/);
  });
  await test(`${NAME}: mcpb reads that of a program with prompts and settings`, async () => {
    const place = folder();
    mkdirSync(join(place, 'data'));
    await good(ctl(place, 'pack', join(process.env.BIN, 'workbench-server'), '--author', 'Ada',
      '--output', 'w.mcpb', '--setting', `folder=${join(place, 'data')}`, '--',
      '${user_config.folder}'));
    const unpacked = await toolReads(place, 'w.mcpb');
    const manifest = JSON.parse(readFileSync(join(unpacked, 'manifest.json')));
    assert.equal(manifest.user_config.folder.required, true);
    assert.ok(manifest.tools.length > 5);
    assert.ok(manifest.prompts?.length > 0 || manifest.prompts_generated);
  });
  await test(`${NAME}: mcpb reads that of a folder`, async () => {
    const place = folder();
    const source = makeSource(place);
    await good(ctl(place, 'pack', source, '--output', 'f.mcpb'));
    const unpacked = await toolReads(place, 'f.mcpb');
    assert.equal(readFileSync(join(unpacked, 'index.js'), 'utf8'), SERVER);
  });
  await test(`${NAME}: mcpctl uses that of mcpb pack`, async () => {
    const place = folder();
    await good(tool(place, 'pack', makeSource(place), 'theirs.mcpb'));
    const said = await good(ctl(place, 'verify', 'theirs.mcpb'));
    assert.match(said.stdout, /not signed\n0 faults, 0 warnings, 0 notes\n$/);
    assert.equal((await good(ctl(place, 'theirs.mcpb', 'call', 'greet', '--setting', 'names=a',
      '--setting', 'names=b'))).stdout, 'hia,b\n');
  });
  await test(`${NAME}: mcpctl knows the signature of mcpb sign`, async () => {
    const place = folder();
    await good(ctl(place, 'pack', makeSource(place), '--output', 's.mcpb'));
    await good(tool(place, 'sign', 's.mcpb', '--self-signed'));
    assert.match((await good(ctl(place, 'verify', 's.mcpb'))).stdout, /; signed\nnote signature: /);
    assert.equal((await good(ctl(place, 's.mcpb', 'call', 'greet'))).stdout, 'hi\n');
    await good(tool(place, 'unsign', 's.mcpb'));
    assert.match((await good(ctl(place, 'verify', 's.mcpb'))).stdout, /; not signed\n0 faults/);
  });
  for (const [what, changed] of Object.entries(WRONG)) {
    await test(`${NAME}: both refuse ${what}`, () => compareVerdicts(changed, false));
  }
  for (const [what, changed] of Object.entries(RIGHT)) {
    await test(`${NAME}: both take ${what}`, () => compareVerdicts(changed, true));
  }
  await registry();
}

/** Where pip has put the schema; undefined: it is not there. */
async function findSchema() {
  const { PYTHON } = process.env;
  if (!PYTHON) {
    return undefined;
  }
  const print = 'import sysconfig; print(sysconfig.get_path("purelib"))';
  const where = (await good(run('.', PYTHON, '-c', print))).stdout.trim();
  return join(where, 'skillsaw', 'schemas', 'mcp_registry', 'v2025_12_11', 'server.schema.json');
}

const CHECK = `
import json, sys, jsonschema
schema, *files = [json.load(open(path)) for path in sys.argv[1:]]
for file in files:
    jsonschema.validate(file, schema, format_checker=jsonschema.FormatChecker())
`;

async function registry() {
  const schema = await findSchema();
  if (schema === undefined || !existsSync(schema)) {
    return;
  }
  await test(`${NAME}: server.json is valid by the registry's schema`, async () => {
    const place = folder();
    const write = async (file, ...words) =>
      writeFileSync(join(place, file), (await good(ctl(place, ...words))).stdout);
    const name = ['describe', '--registry', '--name', 'io.github.ada/greeter'];
    await good(ctl(place, 'pack', makeSource(place), '--output', 'g.mcpb'));
    await write('bundle.json', 'g.mcpb', ...name, '--package', 'https://example.com/g.mcpb');
    await write('command.json', ...name, '--', join(process.env.BIN, 'workbench-server'), place);
    assert.match(readFileSync(join(place, 'bundle.json'), 'utf8'), /fileSha256/);
    const files = ['bundle.json', 'command.json'];
    await good(run(place, process.env.PYTHON, '-c', CHECK, schema, ...files));
    const said = await good(ctl(place, 'schema', 'check', '--formats', schema, ...files));
    assert.equal(said.stdout, 'bundle.json: valid\ncommand.json: valid\n');
  });
}
