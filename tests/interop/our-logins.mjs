// SPDX-License-Identifier: MIT
// mcpctl and servers that demand tokens, with a real authorization server.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { browse } from './oidc-browser.mjs';
import { KEY_MACHINE, MACHINE, RESOURCE_SERVER, startProvider } from './oidc.mjs';
import { end, serve } from './serve.mjs';
import { folder, isWanted, test, within } from './suite.mjs';
import { User, WITH_BROWSER } from './user.mjs';

const BIN = process.env.BIN;
const GUARDED = join(BIN, 'protected-server');
const BOUND = join(BIN, '..', 'tests', 'interop-bound');

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
    // The server lists it only to those who may call it.
    const words = [url, '--no-validate', 'call', 'note', 'text=hello'];
    await user.run(words, { code: 3 });
    assert.match(await user.runAndAgree(words), /noted/);
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
