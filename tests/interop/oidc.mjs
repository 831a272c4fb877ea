// SPDX-License-Identifier: MIT
// An authorization server for tests: oidc-provider on a free port of
// 127.0.0.1, for MCP servers there. As a program (`node oidc.mjs`) it writes
// "running on ISSUER" to standard error, and serves until it is killed.
//
// It is steered by POST ISSUER/control with a JSON object, or by the method
// `control` of what `startProvider` returns. The members, and what they do:
//
//   "set": {...}     changes settings; see DEFAULTS
//   "rotate": true   signs with new keys; the old ones stay published
//   "drop": true     publishes only the newest keys
//   "revoke": true   revokes all that users have granted
//   "events": true   answers with {"events": [...]} since the last time, each
//                    {"name", "client", "grant", "resource", "scope", "error"}
//
// No user logs in: the page of the authorization endpoint agrees by itself and
// redirects. It needs cookies, as oidc-browser.mjs keeps them.
import { generateKeyPair } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import Provider, { errors } from 'oidc-provider';

const DEFAULTS = {
  // 'jwt', or 'opaque' for tokens that only introspection can check.
  format: 'jwt',
  // What signs access tokens: RS256, PS256, ES256 or EdDSA.
  alg: 'ES256',
  // For how many seconds access tokens are valid.
  ttl: 600,
  // The scopes that MCP servers know.
  scopes: 'mcp:use notes:write',
  // The error with which the page of the authorization endpoint refuses.
  refuse: '',
  // Whether DPoP proofs for the provider need a nonce of it.
  nonce: false,
  // The claim `aud` of access tokens; by default the resource.
  audience: '',
};

/** Clients that need no registration. */
export const MACHINE = { id: 'machine', secret: 'secret-of-the-machine-0123456789' };
export const KEY_MACHINE = { id: 'machine-with-key' };
export const RESOURCE_SERVER = { id: 'resource-server', secret: 'secret-of-the-resource-0123456789' };

const newKeyPair = promisify(generateKeyPair);

async function newKeys() {
  const pairs = await Promise.all([
    newKeyPair('rsa', { modulusLength: 2048 }),
    newKeyPair('ec', { namedCurve: 'P-256' }),
    newKeyPair('ed25519'),
  ]);
  return pairs.map(({ privateKey }) => ({ ...privateKey.export({ format: 'jwk' }), use: 'sig' }));
}

/** What the provider keeps. It outlives a provider, because new keys need a new
 * one. */
function storage() {
  const values = new Map();
  return class {
    constructor(model) {
      this.model = model;
    }

    key(id) {
      return `${this.model}:${id}`;
    }

    #where(member, wanted) {
      return [...values].find(([key, value]) => key.startsWith(`${this.model}:`) && value[member] === wanted)?.[1];
    }

    async upsert(id, value) {
      values.set(this.key(id), value);
    }

    async find(id) {
      return values.get(this.key(id));
    }

    async findByUid(uid) {
      return this.#where('uid', uid);
    }

    async findByUserCode(code) {
      return this.#where('userCode', code);
    }

    async consume(id) {
      values.get(this.key(id)).consumed = Math.floor(Date.now() / 1000);
    }

    async destroy(id) {
      values.delete(this.key(id));
    }

    async revokeByGrantId(grant) {
      [...values].filter(([, value]) => value.grantId === grant).forEach(([key]) => values.delete(key));
    }
  };
}

function isLoopback(text) {
  const url = URL.parse(text);
  return url !== null && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
}

/** About the MCP server that a token is for. */
function aboutResource(settings, resource) {
  if (!isLoopback(resource)) {
    throw new errors.InvalidTarget();
  }
  return {
    scope: settings.scopes,
    audience: settings.audience || resource,
    accessTokenTTL: settings.ttl,
    accessTokenFormat: settings.format,
    jwt: { sign: { alg: settings.alg } },
  };
}

function features(settings) {
  return {
    devInteractions: { enabled: false },
    userinfo: { enabled: false },
    registration: { enabled: true },
    revocation: { enabled: true, allowedPolicy: (_, client, token) => client.clientId === token.clientId },
    introspection: {
      enabled: true,
      allowedPolicy: (_, client, token) => client.clientId === RESOURCE_SERVER.id || client.clientId === token.clientId,
    },
    clientCredentials: { enabled: true },
    dPoP: { enabled: true, nonceSecret: Buffer.alloc(32, 'n'), requireNonce: () => settings.nonce },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_, resource) => aboutResource(settings, resource),
      useGrantedResource: () => true,
    },
  };
}

function machines({ scopes }, publicKey) {
  const common = { grant_types: ['client_credentials'], response_types: [], redirect_uris: [], scope: scopes };
  const list = [
    { ...common, client_id: MACHINE.id, client_secret: MACHINE.secret },
    { ...common, grant_types: [], client_id: RESOURCE_SERVER.id, client_secret: RESOURCE_SERVER.secret },
  ];
  if (publicKey) {
    list.push({
      ...common,
      client_id: KEY_MACHINE.id,
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [publicKey] },
    });
  }
  return list;
}

function configuration(settings, adapter, keys, publicKey) {
  return {
    adapter,
    jwks: { keys },
    clients: machines(settings, publicKey),
    scopes: ['offline_access', ...settings.scopes.split(' ')],
    enabledJWA: {
      clientAuthSigningAlgValues: ['RS256', 'PS256', 'ES256', 'EdDSA'],
      dPoPSigningAlgValues: ['RS256', 'ES256', 'EdDSA'],
    },
    features: features(settings),
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    cookies: { keys: ['test'] },
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    responseTypes: ['code'],
    pkce: { required: () => true },
    issueRefreshToken: (_, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    expiresWithSession: () => false,
    clockTolerance: 5,
    ttl: {
      AccessToken: settings.ttl,
      ClientCredentials: settings.ttl,
      RefreshToken: 86400,
      Grant: 86400,
      Session: 86400,
      Interaction: 600,
    },
  };
}

/** What the event was about: the first argument is a context of a request or
 * what was issued. */
function describe(name, ctx, error) {
  const params = ctx?.oidc?.params ?? {};
  return {
    name,
    client: ctx?.oidc?.client?.clientId,
    grant: params.grant_type,
    resource: params.resource,
    scope: params.scope,
    error: error?.error ?? error?.message,
  };
}

const EVENTS = [
  'authorization.success', 'authorization.error', 'grant.success', 'grant.error', 'grant.revoked',
  'registration_create.success', 'registration_create.error', 'introspection.error', 'revocation.error',
  'refresh_token.consumed', 'refresh_token.saved', 'server_error',
];

class TestProvider {
  #server;
  #settings;
  #adapter = storage();
  #keys = [];
  #grants = new Set();
  #events = [];
  #publicKey;
  #provider;
  #answer;

  constructor(options) {
    const { publicKey, ...settings } = options;
    this.#settings = { ...DEFAULTS, ...settings };
    this.#publicKey = publicKey;
  }

  /** Makes a provider with the keys of now. */
  #renew() {
    const provider = new Provider(
      this.issuer, configuration(this.#settings, this.#adapter, this.#keys, this.#publicKey));
    for (const name of EVENTS) {
      provider.on(name, (ctx, error) => this.#events.push(describe(name, ctx, error)));
    }
    this.#provider = provider;
    this.#answer = provider.callback();
  }

  async start() {
    this.#server = createServer((request, response) => this.#route(request, response));
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.issuer = `http://127.0.0.1:${this.#server.address().port}`;
    this.#keys = await newKeys();
    this.#renew();
  }

  async #route(request, response) {
    try {
      if (request.method === 'POST' && request.url === '/control') {
        const text = await Array.fromAsync(request.setEncoding('utf8'));
        const answer = await this.control(JSON.parse(text.join('')));
        response.setHeader('Content-Type', 'application/json').end(JSON.stringify(answer));
      } else if (request.url.startsWith('/interaction/')) {
        await this.#agree(request, response);
      } else {
        this.#answer(request, response);
      }
    } catch (error) {
      response.writeHead(500).end(`${error.stack}\n`);
    }
  }

  /** Answers for the user: logs in and agrees, or refuses. */
  async #agree(request, response) {
    const provider = this.#provider;
    const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
    let result;
    if (this.#settings.refuse) {
      result = { error: this.#settings.refuse, error_description: 'the user refuses' };
    } else if (prompt.name === 'login') {
      result = { login: { accountId: 'anna' } };
    } else {
      const grant = grantId
        ? await provider.Grant.find(grantId)
        : new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
      result = { consent: { grantId: await this.#grant(grant, prompt.details) } };
    }
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
  }

  async #grant(grant, { missingOIDCScope, missingResourceScopes }) {
    if (missingOIDCScope) {
      grant.addOIDCScope(missingOIDCScope.join(' '));
    }
    for (const [resource, scopes] of Object.entries(missingResourceScopes ?? {})) {
      grant.addResourceScope(resource, scopes.join(' '));
    }
    const id = await grant.save();
    this.#grants.add(id);
    return id;
  }

  async #revoke() {
    const { AccessToken, AuthorizationCode, Grant, RefreshToken } = this.#provider;
    for (const id of this.#grants) {
      await Promise.all([AccessToken, AuthorizationCode, RefreshToken].map(model => model.revokeByGrantId(id)));
      await Grant.adapter.destroy(id);
    }
    this.#grants.clear();
  }

  /** See the start of this file. */
  async control(order) {
    Object.assign(this.#settings, order.set);
    if (order.rotate) {
      this.#keys = [...(await newKeys()), ...this.#keys];
    }
    if (order.drop) {
      this.#keys = this.#keys.slice(0, 3);
    }
    if (order.set || order.rotate || order.drop) {
      this.#renew();
    }
    if (order.revoke) {
      await this.#revoke();
    }
    return order.events ? { events: this.#events.splice(0) } : {};
  }

  async stop() {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Starts a provider; see DEFAULTS for the options. `publicKey` is the JWK of
 * the client machine-with-key.
 *
 * @return an object with `issuer`, `control` and `stop` */
export async function startProvider(options = {}) {
  const provider = new TestProvider(options);
  await provider.start();
  return provider;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const provider = await startProvider(JSON.parse(process.argv[2] ?? '{}'));
  console.error(`running on ${provider.issuer}`);
}
