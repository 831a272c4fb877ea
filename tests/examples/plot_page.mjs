// SPDX-License-Identifier: MIT
// The page of workbench-server, shown by a small host: its script runs with the
// few objects of a browser that it uses, and its calls go to the server.
//
// usage: plot_page.mjs WORKBENCH-SERVER DATA
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import vm from 'node:vm';

const [program, data] = process.argv.slice(2);
const UI = 'io.modelcontextprotocol/ui';
const TYPE = 'text/html;profile=mcp-app';

// --- the server -------------------------------------------------------------

class Server {
  constructor(folder) {
    this.waiting = new Map();
    this.child = spawn(program, [folder], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.ended = new Promise((resolve) => this.child.on('close', resolve));
    createInterface({ input: this.child.stdout }).on('line', (line) => {
      const message = JSON.parse(line);
      this.waiting.get(message.id)?.(message);
    });
  }

  request(method, params = {}) {
    const id = this.waiting.size + 1;
    const answered = new Promise((resolve) => this.waiting.set(id, resolve));
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return answered;
  }

  async open() {
    await this.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: { extensions: { [UI]: { mimeTypes: [TYPE] } } },
      clientInfo: { name: 'host', version: '1' },
    });
    this.child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  }

  async end() {
    this.child.stdin.end();
    assert.equal(await this.ended, 0);
  }
}

// --- what the page uses of a browser ----------------------------------------

class Element {
  constructor(name) {
    this.name = name;
    this.children = [];
    this.attributes = {};
    this.listeners = {};
    this.textContent = '';
    this.style = { setProperty: (key, value) => { this.style[key] = value; } };
  }
  append(...children) { this.children.push(...children); }
  replaceChildren(...children) { this.children = children; }
  setAttribute(key, value) { this.attributes[key] = String(value); }
  addEventListener(type, listener) { this.listeners[type] = listener; }
  getBoundingClientRect() { return { width: 640.5, height: 400 }; }
  all(name) { return this.children.filter((child) => child.name === name); }
}

class Host {
  constructor(server, html) {
    this.server = server;
    this.seen = []; // what the page sent
    this.answers = new Map();
    const byId = new Map();
    const window = {
      parent: { postMessage: (message) => this.receive(structuredClone(message)) },
      addEventListener: (type, listener) => {
        assert.equal(type, 'message');
        this.listener = listener;
      },
    };
    this.window = window;
    this.root = new Element('html');
    this.element = (id) => {
      assert.match(html, new RegExp(`id="${id}"`));
      if (!byId.has(id)) {
        byId.set(id, new Element(id));
      }
      return byId.get(id);
    };
    vm.runInNewContext(html.match(/<script>([^]*)<\/script>/)[1], {
      window,
      document: {
        documentElement: this.root,
        getElementById: this.element,
        createElement: (name) => new Element(name),
        createElementNS: (space, name) => new Element(name),
      },
      ResizeObserver: class {
        constructor(observer) { this.observer = observer; }
        observe() { this.observer(); }
      },
    });
  }

  send(message, source = this.window.parent) {
    this.listener({ source, data: { jsonrpc: '2.0', ...message } });
  }

  notify(name, params) {
    this.send({ method: `ui/notifications/${name}`, params });
  }

  // Asks the page, and returns its answer.
  async ask(method) {
    const id = `h${this.seen.length}`;
    this.send({ id, method, params: {} });
    await settle();
    return this.seen.find((message) => message.id === id);
  }

  async receive(message) {
    assert.equal(message.jsonrpc, '2.0');
    this.seen.push(message);
    if (message.id === undefined || message.method === undefined) {
      return;
    }
    const { id, method, params } = message;
    if (method === 'ui/initialize') {
      this.send({ id, result: {
        protocolVersion: '2026-01-26', hostInfo: { name: 'host', version: '1' },
        hostCapabilities: { serverTools: {} },
        hostContext: { theme: 'dark', styles: { variables: { '--font-sans': 'Sans' } } },
      } });
      return;
    }
    const { result, error } = await this.server.request(method, params);
    this.send({ id, result, error });
  }

  methods() {
    return this.seen.map(({ method }) => method);
  }
}

function settle() {
  return new Promise((resolve) => { setImmediate(resolve); });
}

async function until(test) {
  const end = Date.now() + 60000; // sanitizers and busy machines are slow
  while (!test()) {
    assert.ok(Date.now() < end, `waited in vain: ${test}`);
    await new Promise((resolve) => { setTimeout(resolve, 5); });
  }
}

// --- the tests ---------------------------------------------------------------

async function findPage(server) {
  const { result: { tools } } = await server.request('tools/list');
  const plot = tools.find(({ name }) => name === 'plot_csv');
  const list = tools.find(({ name }) => name === 'list_tables');
  assert.equal(plot._meta['ui/resourceUri'], plot._meta.ui.resourceUri);
  assert.equal(plot._meta.ui.visibility, undefined);
  assert.deepEqual(list._meta.ui.visibility, ['app']);
  const { result } = await server.request('resources/read', { uri: plot._meta.ui.resourceUri });
  const [page] = result.contents;
  assert.equal(page.mimeType, TYPE);
  assert.deepEqual(page._meta.ui, { prefersBorder: true });
  return page.text;
}

// It needs no other origin, and makes no HTML of texts.
function lookAtPage(html) {
  assert.match(html, /^<!doctype html>/);
  assert.doesNotMatch(html, /\b(src|href)=|@import|\bimport\b|fetch\(/);
  assert.doesNotMatch(html, /innerHTML|outerHTML|insertAdjacent|document\.write|eval\(/);
}

async function opens(host) {
  await until(() => host.methods().includes('ui/notifications/size-changed'));
  const [first, second, third] = host.seen;
  assert.equal(first.method, 'ui/initialize');
  assert.equal(first.params.protocolVersion, '2026-01-26');
  assert.deepEqual(first.params.appCapabilities, { availableDisplayModes: ['inline'] });
  assert.equal(second.method, 'ui/notifications/initialized');
  assert.deepEqual(third.params, { width: 641, height: 400 });
  assert.equal(host.root.style.colorScheme, 'dark');
  assert.equal(host.root.style['--font-sans'], 'Sans');
  await until(() => host.element('tables').hidden === false);
  const options = host.element('tables').children.map(({ value }) => value);
  assert.deepEqual(options, ['gap.csv', 'odd.csv', 'sales.csv', 'temperatures.csv']);
}

async function showsTheResult(host, server) {
  const input = { path: 'sales.csv' };
  const { result } = await server.request('tools/call', { name: 'plot_csv', arguments: input });
  assert.match(result.content[0].text, /^sales\.csv has 12 rows\. The user sees a chart/);
  host.notify('tool-input', { arguments: input });
  assert.equal(host.element('status').textContent, 'Reading ...');
  host.notify('tool-result', result);
  assert.equal(host.element('title').textContent, 'sales.csv');
  assert.equal(host.element('status').textContent, '12 rows');
  const paths = host.element('chart').all('path');
  assert.equal(paths.length, 3); // units, unit_price, revenue
  for (const path of paths) {
    assert.match(path.attributes.d, /^M[\d.]+ [\d.]+(L[\d.]+ [\d.]+){11}$/);
  }
}

async function callsTools(host) {
  host.element('tables').value = 'gap.csv';
  host.element('tables').listeners.change();
  await until(() => host.element('status').textContent === '4 rows');
  const [path] = host.element('chart').all('path');
  assert.equal(path.attributes.d.match(/M/g).length, 2); // a gap
  host.element('again').listeners.click();
  await until(() => host.seen.at(-1).params?.name === 'plot_csv');
  await until(() => host.element('status').textContent === '4 rows');
  host.element('tables').value = 'none.csv';
  host.element('tables').listeners.change();
  await until(() => /^none\.csv: /.test(host.element('status').textContent));
}

async function showsNamesAsText(host) {
  host.element('tables').value = 'odd.csv';
  host.element('tables').listeners.change();
  await until(() => host.element('status').textContent === '1 rows');
  const texts = host.element('chart').all('text').map(({ textContent }) => textContent);
  assert.ok(texts.includes('<img src=x>'));
}

async function answersTheHost(host) {
  assert.deepEqual((await host.ask('ping')).result, {});
  assert.deepEqual((await host.ask('ui/resource-teardown')).result, {});
  assert.equal((await host.ask('tools/list')).error.code, -32601);
  host.notify('tool-cancelled', { reason: 'The user left.' });
  assert.match(host.element('status').textContent, /cancelled. The user left.$/);
  const before = host.element('status').textContent;
  host.send({ method: 'ui/notifications/tool-cancelled', params: { reason: 'x' } }, {});
  assert.equal(host.element('status').textContent, before); // another window
  host.notify('unknown', {});
  host.notify('host-context-changed', { theme: 'light' });
  assert.equal(host.root.style.colorScheme, 'light');
}

const folder = mkdtempSync(join(tmpdir(), 'plot-'));
try {
  cpSync(data, folder, { recursive: true });
  writeFileSync(join(folder, 'gap.csv'), 'x,y\na,1\nb,\nc,-3\nd,4\n');
  writeFileSync(join(folder, 'odd.csv'), '<b>,<img src=x>\n<i>,7\n');
  const server = new Server(folder);
  await server.open();
  const html = await findPage(server);
  lookAtPage(html);
  const host = new Host(server, html);
  await opens(host);
  await showsTheResult(host, server);
  await callsTools(host);
  await showsNamesAsText(host);
  await answersTheHost(host);
  await server.end();
} finally {
  rmSync(folder, { recursive: true });
}
