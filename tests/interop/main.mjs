// SPDX-License-Identifier: MIT
import { ourClient } from './our-client.mjs';
import { ourServers } from './our-servers.mjs';
import { ourWebSockets } from './our-websockets.mjs';
import { finish } from './suite.mjs';

await ourServers();
await ourWebSockets();
await ourClient();
finish();
