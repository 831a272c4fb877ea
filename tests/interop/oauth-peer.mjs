// SPDX-License-Identifier: MIT
// Servers on the TypeScript SDKs that demand tokens, with the authorization
// server of SDK 1.x (mcpAuthRouter) on the same port.
import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { InvalidGrantError, InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { requireBearerAuth as requireBearerAuth1 } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import { createOAuthMetadata, getOAuthProtectedResourceMetadataUrl, mcpAuthRouter } from '@modelcontextprotocol/sdk/server/auth/router.js';
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';
import {
  createMcpHandler, McpServer as McpServer2, OAuthError, OAuthErrorCode, oauthMetadataResponse,
  requireBearerAuth as requireBearerAuth2, requireScopes,
} from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

const SCOPES = ['mcp:use', 'notes:write'];
const NO_LIMIT = { rateLimit: false };

/** What the SDK's router asks; it keeps everything in memory. No user logs in.
 * (The provider of the SDK's examples renews and revokes no tokens.) */
class Provider {
  #clients = new Map();
  #codes = new Map();
  #access = new Map();
  #refresh = new Map();
  /** For how many seconds access tokens are valid. */
  ttl = 600;
  /** What has happened: 'register', 'authorize', 'code', 'refresh', 'revoke'. */
  events = [];
  /** The scopes of each authorization request. */
  asked = [];

  clientsStore = {
    getClient: id => this.#clients.get(id),
    registerClient: client => {
      this.events.push('register');
      this.#clients.set(client.client_id, client);
      return client;
    },
  };

  async authorize(client, { codeChallenge, redirectUri, resource, scopes, state }, response) {
    this.events.push('authorize');
    this.asked.push(scopes ?? []);
    const code = randomUUID();
    const grant = { id: randomUUID(), client: client.client_id, scopes: scopes ?? [], resource };
    this.#codes.set(code, { codeChallenge, redirectUri, grant });
    const url = new URL(redirectUri);
    url.searchParams.set('code', code);
    if (state !== undefined) {
      url.searchParams.set('state', state);
    }
    response.redirect(url.href);
  }

  async challengeForAuthorizationCode(client, code) {
    const found = this.#codes.get(code);
    if (found?.grant.client !== client.client_id) {
      throw new InvalidGrantError('unknown code');
    }
    return found.codeChallenge;
  }

  async exchangeAuthorizationCode(client, code, verifier, redirectUri, resource) {
    const { grant, redirectUri: expected } = this.#codes.get(code);
    this.#codes.delete(code);
    if (redirectUri !== expected || resource?.href !== grant.resource?.href) {
      throw new InvalidGrantError('another redirect_uri or resource');
    }
    this.events.push('code');
    return this.#issue(grant);
  }

  async exchangeRefreshToken(client, token, scopes, resource) {
    const grant = this.#refresh.get(token);
    if (grant?.client !== client.client_id || (resource && resource.href !== grant.resource.href)) {
      throw new InvalidGrantError('unknown refresh token');
    }
    this.#refresh.delete(token);
    this.events.push('refresh');
    return this.#issue(grant);
  }

  #issue(grant) {
    const tokens = {
      access_token: randomUUID(),
      token_type: 'bearer',
      expires_in: this.ttl,
      refresh_token: randomUUID(),
      scope: grant.scopes.join(' '),
    };
    const expiresAt = Math.floor(Date.now() / 1000) + this.ttl;
    this.#access.set(tokens.access_token, { ...grant, expiresAt });
    this.#refresh.set(tokens.refresh_token, grant);
    return tokens;
  }

  async verifyAccessToken(token) {
    const found = this.#access.get(token);
    if (found === undefined) {
      throw new InvalidTokenError('unknown token');
    }
    return { token, clientId: found.client, scopes: found.scopes, expiresAt: found.expiresAt, resource: found.resource };
  }

  /** Ends the grant: all its tokens. */
  async revokeToken(client, { token }) {
    const grant = this.#access.get(token) ?? this.#refresh.get(token);
    if (grant?.client !== client.client_id) {
      return;
    }
    this.events.push('revoke');
    for (const tokens of [this.#access, this.#refresh]) {
      [...tokens].filter(([, { id }]) => id === grant.id).forEach(([key]) => tokens.delete(key));
    }
  }

  isKnown(token) {
    return this.#access.has(token) || this.#refresh.has(token);
  }

  /** What has happened since the last time. */
  takeEvents() {
    return this.events.splice(0);
  }
}

const text = value => ({ content: [{ type: 'text', text: value }] });
const who = ({ clientId, scopes }) => text(`${clientId} may: ${scopes.join(' ')}`);

function build1() {
  const server = new McpServer1({ name: 'guarded-1', version: '1.0.0' });
  server.registerTool('who', {}, ({ authInfo }) => who(authInfo));
  server.registerTool('note', {}, () => text('noted'));
  return server;
}

function build2() {
  const server = new McpServer2({ name: 'guarded-2', version: '1.0.0' });
  server.registerTool('who', {}, ({ http }) => who(http.authInfo));
  server.registerTool('note', { scopeChallenge: requireScopes(...SCOPES) }, () => text('noted'));
  return server;
}

/** SDK 1.x, without sessions. Its middleware knows no tools: those that need
 * more scopes get a middleware of their own. */
function mount1(app, provider, url) {
  const common = {
    verifier: provider,
    resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(url),
    expectedResource: url,
  };
  const guard = requireBearerAuth1({ ...common, requiredScopes: ['mcp:use'] });
  const strictGuard = requireBearerAuth1({ ...common, requiredScopes: SCOPES });
  const choose = (request, ...rest) => (request.body?.params?.name === 'note' ? strictGuard : guard)(request, ...rest);
  app.all(url.pathname, choose, async (request, response) => {
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    response.once('close', () => transport.close());
    await build1().connect(transport);
    await transport.handleRequest(request, response, request.body);
  });
}

/** SDK 2.x has errors of its own. */
function verifier2(provider) {
  return {
    verifyAccessToken: token => provider.verifyAccessToken(token).catch(error => {
      throw new OAuthError(OAuthErrorCode.InvalidToken, error.message);
    }),
  };
}

async function forward(answer, response) {
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
}

/** SDK 2.x, in both eras. */
function mount2(app, provider, url, oauthMetadata) {
  const guard = requireBearerAuth2({
    verifier: verifier2(provider),
    requiredScopes: ['mcp:use'],
    resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(url),
    expectedResource: url,
  });
  const handle = toNodeHandler(createMcpHandler(build2));
  app.all(url.pathname, async (request, response) => {
    const auth = await guard(await toWebRequest(request, request.body));
    if (auth instanceof Response) {
      await forward(auth, response);
    } else {
      request.auth = auth;
      await handle(request, response, request.body);
    }
  });
  const options = { oauthMetadata, resourceServerUrl: url, scopesSupported: SCOPES };
  app.get(`/.well-known/oauth-protected-resource${url.pathname}`, async (request, response) =>
    forward(oauthMetadataResponse(await toWebRequest(request), options), response));
}

/** Starts both servers.
 *
 * @return the provider, the URLs of the servers by SDK, and `stop` */
export async function startPeers() {
  const app = createMcpExpressApp();
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${server.address().port}`;
  const urls = { 1: new URL(`${origin}/one`), 2: new URL(`${origin}/two`) };
  const provider = new Provider();
  const options = {
    provider,
    issuerUrl: new URL(origin),
    resourceServerUrl: urls[1],
    scopesSupported: SCOPES,
    // The defaults refuse a client's fiftieth token.
    authorizationOptions: NO_LIMIT,
    tokenOptions: NO_LIMIT,
    clientRegistrationOptions: NO_LIMIT,
    revocationOptions: NO_LIMIT,
  };
  app.use(mcpAuthRouter(options));
  mount1(app, provider, urls[1]);
  mount2(app, provider, urls[2], createOAuthMetadata(options));
  return {
    provider,
    urls: { 1: urls[1].href, 2: urls[2].href },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
