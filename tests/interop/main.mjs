// SPDX-License-Identifier: MIT
import { aiSdk } from './ai-sdk.mjs';
import { doctor } from './doctor.mjs';
import { ourClient } from './our-client.mjs';
import { ourDialect } from './our-dialect.mjs';
import { ourLogins } from './our-logins.mjs';
import { ourRecordings } from './our-recordings.mjs';
import { ourServers } from './our-servers.mjs';
import { ourWebSockets } from './our-websockets.mjs';
import { pythonLogins } from './python-logins.mjs';
import { requestStreams } from './request-streams.mjs';
import { sdkLogins } from './sdk-logins.mjs';
import { finish } from './suite.mjs';
import { tasks } from './tasks.mjs';

await ourServers();
await ourWebSockets();
await requestStreams();
await aiSdk();
await ourDialect();
await ourClient();
await ourRecordings();
await ourLogins();
await sdkLogins();
await pythonLogins();
await tasks();
await doctor();
finish();
