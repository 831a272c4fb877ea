// SPDX-License-Identifier: MIT
// mcpctl and servers that demand tokens, with a real authorization server.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { browse } from './oidc-browser.mjs';
import { KEY_MACHINE, MACHINE, RESOURCE_SERVER, startProvider } from './oidc.mjs';
import { end, serve } from './serve.mjs';
import { folder, isWanted, test, within } from './suite.mjs';

const BIN = process.env.BIN;
const MCPCTL = join(BIN, 'mcpctl');
const GUARDED = join(BIN, 'protected-server');
const BOUND = join(BIN, '..', 'tests', 'interop-bound');
const BROWSER = fileURLToPath(new URL('oidc-browser.mjs', import.meta.url));
// Gives a program a terminal, on which the tests type.
const ON_TERMINAL = ['python3', '-c', 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)'];

/** A folder with an xdg-open that needs no screen, for PATH. */
function browserFolder() {
  const path = folder();
  const opener = join(path, 'xdg-open');
  writeFileSync(opener, `#!/bin/sh\nexec '${process.execPath}' '${BROWSER}' "$1" >'${path}/page' 2>&1\n`);
  chmodSync(opener, 0o700);
  return path;
}

const WITH_BROWSER = `${browserFolder()}:${process.env.PATH}`;

const children = new Set();
process.on('exit', () => children.forEach(child => child.kill()));

/** A user of mcpctl, with logins of their own. */
class User {
  #state = folder();

  constructor(url) {
    this.url = url;
  }

  start(words, { before = [], env } = {}) {
    const [program, ...args] = [...before, MCPCTL, ...words];
    const child = spawn(program, args, {
      env: { ...process.env, XDG_STATE_HOME: this.#state, ...env },
      detached: true, // it has no terminal to ask a user
    });
    children.add(child);
    child.once('exit', () => children.delete(child));
    child.out = '';
    child.err = '';
    child.stdout.setEncoding('utf8').on('data', text => (child.out += text));
    child.stderr.setEncoding('utf8').on('data', text => (child.err += text));
    return child;
  }

  async finish(child, code = 0) {
    const [found] = await within(30_000, 'the end of mcpctl', once(child, 'close'));
    assert.equal(found, code, `exit code ${found}:\n${child.out}${child.err}`);
    return child.out;
  }

  /** Runs mcpctl without a terminal. */
  async run(words, { code, ...more } = {}) {
    const child = this.start(words, more);
    child.stdin.end();
    await this.finish(child, code);
    return child;
  }

  async call(tool, ...args) {
    return (await this.run([this.url, 'call', tool, ...args])).out.trim();
  }

  /** Logs in, with a browser on this machine. */
  async logIn(...options) {
    await this.run([this.url, 'login', ...options], { env: { PATH: WITH_BROWSER } });
  }

  /** The token that mcpctl keeps. */
  get token() {
    const path = join(this.#state, 'mcp', 'auth');
    const [file] = readdirSync(path).filter(name => name.endsWith('.json'));
    return JSON.parse(readFileSync(join(path, file))).token;
  }

  /** Waits until it has expired. */
  async expire() {
    await sleep(Math.max(0, this.token.expires_at_ms - Date.now() + 1));
  }
}

const machineWords = [
  '--client-id', MACHINE.id, '--client-secret-env', 'SECRET', '--client-credentials', '--scope', 'mcp:use',
];

/** Calls as a program without a user, with a new token. */
async function callAsMachine(url, words = machineWords) {
  const user = new User(url);
  const child = await user.run([...words, url, 'call', 'who'], { env: { SECRET: MACHINE.secret } });
  return { said: child.out.trim(), token: user.token.access_token };
}

const header = token => JSON.parse(Buffer.from(token.split('.')[0], 'base64url'));
const claims = token => JSON.parse(Buffer.from(token.split('.')[1], 'base64url'));

/** What the provider says of a token to the MCP server. */
async function introspect(provider, token) {
  const basic = Buffer.from(`${RESOURCE_SERVER.id}:${RESOURCE_SERVER.secret}`).toString('base64');
  const response = await fetch(`${provider.issuer}/token/introspection`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ token }),
  });
  return response.json();
}

/** The names of what has happened at the provider since the last time. */
async function eventsOf(provider) {
  const { events } = await provider.control({ events: true });
  return events.map(event => event.name);
}

const count = (names, name) => names.filter(found => found === name).length;

// --- users -----------------------------------------------------------------

async function users(provider, url) {
  const named = what => `login, mcpctl: ${what}`;

  await test(named('a browser on this machine'), async () => {
    const user = new User(url);
    await user.logIn();
    assert.equal(await user.call('who'), 'anna (no mail address) may: mcp:use');
    const { access_token: token } = user.token;
    assert.equal(header(token).typ, 'at+jwt');
    assert.equal(claims(token).aud, url);
  });

  await test(named('a browser on another machine'), async () => {
    const user = new User(url);
    const child = user.start(['--no-browser', url, 'login']);
    const page = new Promise(resolve =>
      createInterface(child.stderr).on('line', line => {
        const found = /http:\S*response_type=\S*/.exec(line);
        if (found) {
          resolve(found[0]);
        }
      }),
    );
    const address = await browse(await within(20_000, 'the page', page));
    child.stdin.end(`${address}\n`);
    await user.finish(child);
    assert.match(await user.call('who'), /^anna /);
  });

  await test(named('each algorithm'), async () => {
    for (const alg of ['RS256', 'PS256', 'EdDSA', 'ES256']) {
      await provider.control({ set: { alg } });
      const { said, token } = await callAsMachine(url);
      assert.equal(header(token).alg, alg);
      assert.match(said, /machine /);
    }
  });

  await test(named('the user refuses'), async () => {
    const user = new User(url);
    await provider.control({ set: { refuse: 'access_denied' } });
    const child = await user.run([url, 'login'], { code: 3, env: { PATH: WITH_BROWSER } });
    await provider.control({ set: { refuse: '' } });
    assert.match(child.err, /the user refuses/);
  });

  await test(named('a tool that needs another scope'), async () => {
    const user = new User(url);
    await user.logIn();
    const words = [url, 'call', 'note', 'text=hello'];
    await user.run(words, { code: 3 });
    const child = user.start(words, { before: ON_TERMINAL, env: { PATH: WITH_BROWSER } });
    const asked = new Promise(resolve =>
      child.stdout.on('data', () => child.out.includes('(yes/no)') && resolve()),
    );
    await within(20_000, 'the question', asked);
    child.stdin.write('yes\n');
    assert.match(await user.finish(child), /noted/);
    assert.match(await user.call('who'), /may: mcp:use notes:write$/);
  });
}

// --- tokens that end -------------------------------------------------------

/** Users whose first tokens have expired; the next ones are valid for long.
 * mcpctl would use a token that is valid for less than a second until the
 * server refuses it. */
async function expiredUsers(provider, url, many) {
  const found = Array.from({ length: many }, () => new User(url));
  await provider.control({ set: { ttl: 2 } });
  await Promise.all(found.map(user => user.logIn()));
  await provider.control({ set: { ttl: 600 }, events: true });
  await Promise.all(found.map(user => user.expire()));
  return found;
}

async function renewals(provider, url) {
  const named = what => `login, renewal: ${what}`;
  if (!isWanted('login, renewal')) {
    return;
  }
  const expired = expiredUsers(provider, url, 3);
  expired.catch(() => {}); // the tests report it

  await test(named('an expired token'), async () => {
    const [one] = await expired;
    assert.match(await one.call('who'), /^anna /);
    assert.match(await one.call('who'), /^anna /);
    assert.equal(count(await eventsOf(provider), 'refresh_token.consumed'), 1);
  });

  // A refresh token that is used twice would revoke the grant.
  await test(named('four processes at once use the refresh token once'), async () => {
    const [, shared] = await expired;
    const said = await Promise.all([1, 2, 3, 4].map(() => shared.call('who')));
    said.forEach(text => assert.match(text, /^anna /));
    const events = await eventsOf(provider);
    assert.equal(count(events, 'refresh_token.consumed'), 1);
    assert.equal(count(events, 'grant.error') + count(events, 'grant.revoked'), 0);
  });

  await test(named('a revoked grant asks for a login'), async () => {
    const [, , revoked] = await expired;
    await provider.control({ revoke: true });
    const child = await revoked.run([url, 'call', 'who'], { code: 3 });
    assert.match(child.err, /run mcpctl \S+ login/);
    await revoked.logIn();
    assert.match(await revoked.call('who'), /^anna /);
  });
}

// --- keys ------------------------------------------------------------------

/** Calls go on with an old token, and with new ones, while keys change. */
async function rotation(provider, url) {
  await test('login: new keys under load', async () => {
    const user = new User(url);
    await user.logIn();
    const load = user.start(['--json', url, 'bench', 'who', '--connections', '4', '--duration', '2']);
    const old = await callAsMachine(url);
    await provider.control({ rotate: true });
    const [first] = await Promise.all([1, 2, 3].map(() => callAsMachine(url)));
    await provider.control({ drop: true });
    const second = await callAsMachine(url);
    assert.notEqual(header(old.token).kid, header(first.token).kid);
    assert.equal(header(first.token).kid, header(second.token).kid);
    const { calls, failed } = JSON.parse(await user.finish(load));
    assert.equal(failed, 0);
    assert.ok(calls > 10, `${calls} calls`);
  });
}

// --- programs without a user -----------------------------------------------

async function machines(url, key) {
  await test('login: a client with a secret', async () => {
    const { said } = await callAsMachine(url);
    assert.match(said, /machine .*may: mcp:use$/);
  });

  await test('login: a client with a private key', async () => {
    const path = join(folder(), 'key.pem');
    writeFileSync(path, key.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
    const words = ['--client-id', KEY_MACHINE.id, '--client-key', path, '--client-credentials', '--scope', 'mcp:use'];
    const { said } = await callAsMachine(url, words);
    assert.match(said, /machine-with-key .*may: mcp:use$/);
  });

  await test('login: a wrong secret', async () => {
    const child = await new User(url).run([...machineWords, url, 'call', 'who'],
      { code: 3, env: { SECRET: 'wrong' } });
    assert.match(child.err, /invalid_client/);
  });
}

// --- bound tokens ----------------------------------------------------------

async function boundTokens(provider) {
  if (!isWanted('login: a token that is bound')) {
    return;
  }
  const { child, where } = await serve(BOUND, ['--http', '127.0.0.1:0', '--auth-issuer', provider.issuer]);

  await test('login: a token that is bound to a key', async () => {
    const user = new User(where);
    await user.logIn('--scope', 'mcp:use');
    assert.equal(await user.call('who'), 'anna');
    const { access_token: token } = user.token;
    assert.ok(claims(token).cnf.jkt);
    const response = await fetch(where, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    });
    assert.equal(response.status, 401);
    assert.match(response.headers.get('www-authenticate'), /DPoP/);
  });

  await test('login: a token that is bound to a key, renewed with a nonce of the provider', async () => {
    await provider.control({ set: { nonce: true, ttl: 2 } });
    const user = new User(where);
    await user.logIn('--scope', 'mcp:use');
    const { jkt } = claims(user.token.access_token).cnf;
    await provider.control({ set: { ttl: 600 }, events: true });
    await user.expire();
    assert.equal(await user.call('who'), 'anna');
    assert.equal(count(await eventsOf(provider), 'refresh_token.consumed'), 1);
    assert.equal(claims(user.token.access_token).cnf.jkt, jkt);
  });

  await provider.control({ set: { nonce: false, ttl: 600 } });
  await end(child);
}

// --- introspection ---------------------------------------------------------

async function introspection(provider) {
  await test('login: the server asks about tokens; a logout revokes them', async () => {
    const { child, where } = await serve(GUARDED, [
      '--http', '127.0.0.1:0', '--auth-issuer', provider.issuer, '--auth-scopes', 'mcp:use',
      '--auth-introspection', `${provider.issuer}/token/introspection`,
      '--auth-client-id', RESOURCE_SERVER.id, '--auth-client-secret-env', 'SECRET',
    ], { env: { ...process.env, SECRET: RESOURCE_SERVER.secret } });
    await provider.control({ set: { format: 'opaque' } });
    const user = new User(where);
    await user.logIn();
    assert.match(await user.call('who'), /^anna /);
    const { access_token: token, refresh_token: refresh } = user.token;
    assert.equal((await introspect(provider, token)).active, true);
    await user.run([where, 'logout']);
    assert.equal((await introspect(provider, token)).active, false);
    assert.equal((await introspect(provider, refresh)).active, false);
    await user.run([where, 'call', 'who'], { code: 3 });
    await provider.control({ set: { format: 'jwt' } });
    await end(child);
  });
}

export async function ourLogins() {
  if (!isWanted('login')) {
    return;
  }
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const provider = await startProvider({ publicKey: publicKey.export({ format: 'jwk' }) });
  const { child, where } = await serve(GUARDED,
    ['--http', '127.0.0.1:0', '--auth-issuer', provider.issuer, '--auth-scopes', 'mcp:use']);
  await users(provider, where);
  await renewals(provider, where);
  await rotation(provider, where);
  await machines(where, privateKey);
  await boundTokens(provider);
  await introspection(provider);
  await end(child);
  await provider.stop();
}
