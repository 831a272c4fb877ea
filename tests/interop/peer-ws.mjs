// SPDX-License-Identifier: MIT
// The server of peer.mjs over WebSockets, by the package `ws`: the SDK 1.x has a
// client for them and no server.
import { WebSocketServer } from 'ws';

/** A transport of the SDK's over an open socket. */
function transportOf(socket) {
  const transport = {
    start: async () => {},
    send: async message => socket.send(JSON.stringify(message)),
    close: async () => socket.close(1000, 'done'),
  };
  socket.on('message', (data, isBinary) => {
    if (isBinary) {
      socket.close(1003);
    } else {
      transport.onmessage?.(JSON.parse(data.toString()));
    }
  });
  socket.on('close', () => transport.onclose?.());
  socket.on('error', error => transport.onerror?.(error));
  return transport;
}

/** Serves on a free port, and says where. `build()` makes a server. */
export function serveWs1(build) {
  const server = new WebSocketServer({
    host: '127.0.0.1',
    port: 0,
    path: '/mcp',
    handleProtocols: protocols => (protocols.has('mcp') ? 'mcp' : false),
  });
  server.on('connection', socket => build().connect(transportOf(socket)));
  server.on('listening', () => console.error(`listening on ws://127.0.0.1:${server.address().port}/mcp`));
}
