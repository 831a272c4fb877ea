// SPDX-License-Identifier: MIT
import { ourClient } from './our-client.mjs';
import { ourServers } from './our-servers.mjs';
import { finish } from './suite.mjs';

await ourServers();
await ourClient();
finish();
