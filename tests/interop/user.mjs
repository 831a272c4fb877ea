// SPDX-License-Identifier: MIT
// Users of mcpctl who log in.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { folder, within } from './suite.mjs';

const MCPCTL = join(process.env.BIN, 'mcpctl');
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

export const WITH_BROWSER = `${browserFolder()}:${process.env.PATH}`;

const children = new Set();
process.on('exit', () => children.forEach(child => child.kill()));

/** A user of mcpctl, with logins of their own. */
export class User {
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

  /** Runs mcpctl on a terminal, and agrees to log in for more scopes. */
  async runAndAgree(words) {
    const child = this.start(words, { before: ON_TERMINAL, env: { PATH: WITH_BROWSER } });
    const asked = new Promise(resolve =>
      child.stdout.on('data', () => child.out.includes('(yes/no)') && resolve()),
    );
    await within(20_000, 'the question', asked);
    child.stdin.write('yes\n');
    return this.finish(child);
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
