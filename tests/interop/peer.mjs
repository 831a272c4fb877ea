// SPDX-License-Identifier: MIT
// usage: peer.mjs 1|2 [stdio|http|sse|ws|tcp|unix:PATH] [serve|reject]
//
// A server for our client, by the TypeScript SDK 1.x (legacy) or 2.x (both
// eras, or the modern one alone): the same tools, resources and prompts.
import { completable as completable1 } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer as Server1, ResourceTemplate as Template1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import {
  completable as completable2,
  inputRequired,
  inputResponse,
  McpServer as Server2,
  ResourceTemplate as Template2,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { appendFileSync } from 'node:fs';
import { z } from 'zod';
import { createServer } from 'node:net';
import { serveHttp1, serveHttp2, serveSse } from './peer-http.mjs';
import { serveWs1 } from './peer-ws.mjs';
import { SocketTransport } from './socket-transport.mjs';

const NOTE = 'note://today';
const CITIES = ['Lagos', 'Lima', 'Lisbon', 'Oslo'];
const INFO = { name: 'peer', version: '1.0.0', title: 'Peer' };
const OPTIONS = {
  capabilities: { logging: {}, resources: { subscribe: true, listChanged: true }, tools: { listChanged: true } },
  instructions: 'Try everything.',
};

const text = value => ({ content: [{ type: 'text', text: String(value) }] });
const completeCity = start => CITIES.filter(city => city.startsWith(start));
const answered = (kind, value) => (value === undefined ? { kind: 'missing' } : { kind, ...value });

const FORM = {
  message: 'Who are you?',
  requestedSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 1 },
      age: { type: 'integer', minimum: 0, default: 30 },
      color: { type: 'string', enum: ['red', 'green'], default: 'green' },
    },
    required: ['name'],
  },
};
const VISIT = { message: 'Please log in', url: 'https://example.com/login' };
const SAMPLE = {
  messages: [{ role: 'user', content: { type: 'text', text: 'Capital of France?' } }],
  systemPrompt: 'Be brief',
  maxTokens: 100,
};

// What a handler of either SDK is given, under the names of 2.x. Questions are
// requests with 1.x, and rounds with 2.x, which makes requests of them for a
// legacy client.
const ask1 = (server, extra) => ({
  signal: extra.signal,
  progressToken: extra._meta?.progressToken,
  notify: note => extra.sendNotification(note),
  log: (level, data, logger) => server.sendLoggingMessage({ level, data, logger }, extra.sessionId),
  elicit: async then => then(answered('elicit', await server.server.elicitInput(FORM))),
  visit: async then =>
    then(answered('elicit', await server.server.elicitInput({ mode: 'url', elicitationId: 'login', ...VISIT }))),
  survey: async then => {
    const result = await server.server.createMessage(SAMPLE);
    const { roots } = await server.server.listRoots();
    return then({ kind: 'sampling', result }, { kind: 'roots', roots });
  },
});

const ask2 = (server, { mcpReq }) => {
  const rounds = (questions, then) => {
    const answers = Object.keys(questions).map(key => inputResponse(mcpReq.inputResponses, key));
    return answers.some(answer => answer.kind === 'missing')
      ? inputRequired({ inputRequests: questions, requestState: 'round one' })
      : then(...answers);
  };
  return {
    signal: mcpReq.signal,
    progressToken: mcpReq._meta?.progressToken,
    notify: mcpReq.notify,
    log: mcpReq.log,
    elicit: then => rounds({ who: inputRequired.elicit(FORM) }, then),
    visit: then => rounds({ login: inputRequired.elicitUrl(VISIT) }, then),
    survey: then =>
      rounds({ capital: inputRequired.createMessage(SAMPLE), roots: inputRequired.listRoots() }, then),
  };
};

let cancelled = 0;

// For tests that count the processes that are started.
if (process.env.INTEROP_STARTS) {
  appendFileSync(process.env.INTEROP_STARTS, 'started\n');
}

function fill(server, { Template, completable, object, ask, tell }) {
  const tool = (name, inputSchema, run, more = {}) =>
    server.registerTool(name, { inputSchema: z.object(inputSchema), ...more }, (args, context) =>
      run(args, ask(server, context)),
    );

  tool('add', { a: z.number(), b: z.number() }, ({ a, b }) => text(a + b), { description: 'Adds two numbers' });
  tool(
    'weather',
    { city: z.string() },
    () => {
      const structuredContent = { celsius: 21.5, sky: 'clear' };
      return { ...text(JSON.stringify(structuredContent)), structuredContent };
    },
    { outputSchema: z.object({ celsius: z.number(), sky: z.string() }) },
  );
  tool('fail', {}, () => ({ ...text('disk 3 is full'), isError: true }));
  tool('count', { to: z.number() }, async ({ to }, { notify, progressToken }) => {
    for (let progress = 1; progressToken !== undefined && progress <= to; progress++) {
      await notify({ method: 'notifications/progress', params: { progressToken, progress, total: to } });
    }
    return text(to);
  });
  tool('wait', {}, async (_, { notify, progressToken, signal }) => {
    await notify({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
    await new Promise(resolve => signal.addEventListener('abort', resolve));
    cancelled++;
    return text('nobody reads this');
  });
  tool('cancelled', {}, () => text(cancelled));
  tool('log', {}, async (_, { log }) => {
    await log('debug', 'too small to be sent');
    await log('warning', { free: 0 }, 'disk');
    return text('logged');
  });
  tool('grow', {}, () => {
    server.registerTool('grown', { inputSchema: z.object({}) }, () => text('grown'));
    tell.grown();
    return text('grown');
  });
  tool('touch', {}, async () => {
    await tell.touched();
    return text('touched');
  });
  tool('ask', {}, (_, { elicit }) =>
    elicit(({ action, content }) =>
      text(action === 'accept' ? `${content.name}, ${content.age}, ${content.color}` : action),
    ),
  );
  tool('visit', {}, (_, { visit }) => visit(({ action }) => text(action)));
  tool('survey', {}, (_, { survey }) =>
    survey((model, { roots }) => text(`${[model.result.content].flat()[0].text}, ${roots[0].uri}`)),
  );

  server.registerResource('today', NOTE, { mimeType: 'text/plain' }, () => ({
    contents: [{ uri: NOTE, mimeType: 'text/plain', text: 'Buy milk' }],
  }));
  server.registerResource('bytes', 'note://bytes', {}, () => ({
    contents: [{ uri: 'note://bytes', mimeType: 'application/octet-stream', blob: 'AP+A' }],
  }));
  server.registerResource(
    'city',
    new Template('city://{name}', { list: undefined, complete: { name: completeCity } }),
    { mimeType: 'text/plain' },
    (uri, { name }) => ({ contents: [{ uri: uri.href, text: `${name} is a city` }] }),
  );
  server.registerPrompt(
    'travel',
    { description: 'Plans a journey', argsSchema: object({ city: completable(z.string(), completeCity) }) },
    ({ city }) => ({
      messages: [
        { role: 'user', content: { type: 'text', text: `Plan a journey to ${city}.` } },
        { role: 'assistant', content: { type: 'resource', resource: { uri: NOTE, text: 'Buy milk' } } },
      ],
    }),
  );
}

const [sdk, wire = 'stdio', legacy = 'serve'] = process.argv.slice(2);

function build1() {
  const server = new Server1(INFO, OPTIONS);
  const tell = { grown: () => {}, touched: () => server.server.sendResourceUpdated({ uri: NOTE }) };
  fill(server, { Template: Template1, completable: completable1, object: shape => shape, ask: ask1, tell });
  server.server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  return server;
}

// Set where a server lives for one request alone: it cannot tell of changes.
let notifier;

function build2({ era }) {
  const server = new Server2(INFO, OPTIONS);
  const tell =
    era === 'modern' && notifier
      ? { grown: () => notifier.toolsChanged(), touched: () => notifier.resourceUpdated(NOTE) }
      : { grown: () => {}, touched: () => server.server.sendResourceUpdated({ uri: NOTE }) };
  fill(server, { Template: Template2, completable: completable2, object: z.object, ask: ask2, tell });
  if (era === 'legacy') {
    server.server.setRequestHandler('resources/subscribe', () => ({}));
    server.server.setRequestHandler('resources/unsubscribe', () => ({}));
  }
  return server;
}

if (wire === 'ws') {
  serveWs1(build1);
} else if (wire === 'http') {
  if (sdk === '1') {
    serveHttp1(build1);
  } else {
    notifier = serveHttp2(build2, legacy === 'reject');
  }
} else if (wire === 'sse') {
  serveSse(build1);
} else if (wire === 'tcp' || wire.startsWith('unix:')) {
  const listener = createServer(socket => {
    const transport = new SocketTransport(socket, Number(sdk));
    if (sdk === '1') {
      build1().connect(transport);
    } else {
      serveStdio(build2, { legacy, transport });
    }
  });
  if (wire === 'tcp') {
    listener.listen(0, '127.0.0.1', () => console.error(`listening on tcp://127.0.0.1:${listener.address().port}`));
  } else {
    listener.listen(wire.slice('unix:'.length), () => console.error(`listening on ${wire}`));
  }
} else if (sdk === '1') {
  const server = build1();
  await server.connect(new StdioServerTransport());
  process.stdin.on('end', () => server.close());
} else {
  serveStdio(build2, { legacy });
}
