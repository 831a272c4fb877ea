// SPDX-License-Identifier: MIT
// mcpctl record and replay with server-everything: the recording answers the
// same lines of mcpctl with the same bytes as the server did, and the server
// answers the recorded requests again as it did before.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { atAddress, ctl, PACKAGES, server } from './our-client.mjs';
import { freePort } from './serve.mjs';
import { folder, isWanted, test } from './suite.mjs';

const MCPCTL = join(process.env.BIN, 'mcpctl');
const SERVER = server(join(PACKAGES, 'server-everything', 'dist', 'index.js'));
const NAME = 'mcpctl record and replay: server-everything';

// All on one connection, so that the recording has them all.
const LINES = `
info
tools
--json tools
resources
templates
prompts
call echo message=hello
call get-sum a=2 b=3
call get-sum a=x b=3 --no-validate
--json call get-structured-content location=Chicago
--json call get-tiny-image
--json call get-annotated-message messageType=error includeImage=true
call get-resource-links count=3
call get-resource-reference resourceType=Blob resourceId=2
-v call trigger-long-running-operation duration=0.4 steps=4
call trigger-elicitation-request --answer name=Ada --answer check=yes
call trigger-elicitation-request --answer action=decline
call trigger-sampling-request prompt=Capital? --answer text=Paris
call get-roots-list
read demo://resource/static/document/features.md
read demo://resource/dynamic/text/3
read demo://none
prompt args-prompt city=Oslo
prompt no-such-prompt
complete completable-prompt department=E
raw resources/subscribe uri=demo://resource/dynamic/text/1
`;

// They hold the time of day.
const CLOCKS = ['/result/contents/0/text', '/result/content/1/resource/blob'];

/** What a shell of mcpctl prints for these lines, when it is the client of
 * this command. */
function shell(era, root, command) {
  const words = ['--era', era, '--root', root, 'shell', '--', MCPCTL, ...command];
  return new Promise(resolve => {
    const child = execFile(MCPCTL, words, { timeout: 50_000 }, (error, stdout, stderr) =>
      resolve({ code: error ? error.code ?? error.signal : 0, stdout, stderr }),
    );
    child.stdin.end(LINES);
  });
}

/** The steps of the progress, in their order. The server's notifications come
 * when they will, between the others. */
const steps = stderr => stderr.split('\n').filter(line => /^\d\/\d$/.test(line));

async function recorded(era, wire, target) {
  const check = (name, look) => test(`${NAME}, ${wire}, ${era}: ${name}`, look);
  const file = join(folder(), 'session.ndjson');
  const root = folder();
  const isUrl = typeof target === 'string';
  const record = isUrl ? [target, 'record', file] : ['record', file, '--', ...target];

  const said = await check('recording', async () => {
    const first = await shell(era, root, record);
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stdout, /Hello|Echo: hello/);
    assert.match(first.stdout, /"name": "Ada"/);
    assert.ok(first.stdout.includes('Paris') && first.stdout.includes(root));
    assert.deepEqual(steps(first.stderr), ['1/4', '2/4', '3/4', '4/4']);
    return first;
  });
  if (said) {
    await check('the recording says the same', async () => {
      const second = await shell(era, root, ['replay', file]);
      assert.equal(second.code, said.code, second.stderr);
      assert.equal(second.stdout, said.stdout);
      assert.deepEqual(steps(second.stderr), steps(said.stderr));
    });
    await check('the server says the same', async () => {
      const words = ['replay', file, ...CLOCKS.flatMap(pointer => ['--ignore', pointer])];
      const { answers, same, differences } = await ctl(words, target);
      assert.deepEqual(differences, []);
      assert.ok(answers > 30 && same === answers);
    });
  }
}

export async function ourRecordings() {
  if (!isWanted(NAME)) {
    return;
  }
  const http = era =>
    freePort().then(port =>
      atAddress([...SERVER, 'streamableHttp'], url => recorded(era, 'HTTP', url), {
        url: `http://127.0.0.1:${port}/mcp`,
        env: { PORT: port },
      }),
    );
  await Promise.all([recorded('auto', 'stdio', SERVER), recorded('legacy', 'stdio', SERVER), http('auto')]);
}
