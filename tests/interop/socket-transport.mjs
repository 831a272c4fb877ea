// SPDX-License-Identifier: MIT
// A transport of one's own, as the TypeScript SDK's guide has it: start, send,
// close and three callbacks, over a stream socket, framed by the SDK's helpers.
import * as framing1 from '@modelcontextprotocol/sdk/shared/stdio.js';
import * as framing2 from '@modelcontextprotocol/client';
import { once } from 'node:events';
import { connect } from 'node:net';

/** A socket that is connected to tcp://HOST:PORT or unix:PATH. */
export async function dial(where) {
  const { protocol, hostname, port, pathname } = new URL(where);
  const socket = protocol === 'unix:' ? connect(pathname) : connect(port, hostname);
  await once(socket, 'connect');
  return socket;
}

export class SocketTransport {
  #socket;
  #serialize;
  #input;

  constructor(socket, sdk) {
    const { ReadBuffer, serializeMessage } = sdk === 1 ? framing1 : framing2;
    this.#socket = socket;
    this.#serialize = serializeMessage;
    this.#input = new ReadBuffer();
  }

  async start() {
    this.#socket.on('data', chunk => this.#read(chunk));
    this.#socket.on('error', error => this.onerror?.(error));
    this.#socket.on('close', () => this.onclose?.());
  }

  #read(chunk) {
    try {
      this.#input.append(chunk);
      for (let message; (message = this.#input.readMessage()) !== null; ) {
        this.onmessage?.(message);
      }
    } catch (error) {
      this.onerror?.(error);
    }
  }

  async send(message) {
    this.#socket.write(this.#serialize(message));
  }

  async close() {
    this.#socket.end();
  }

  setProtocolVersion(version) {
    this.protocolVersion = version;
  }
}
