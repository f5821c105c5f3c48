// The cheapest possible replacement for the card provider: it answers every capture, at once or
// after the delay in its path (`/delay/50`), and stores nothing. It takes one response from the
// sandbox at the start and replaces the ids in it, so that the service has as much to parse as from
// the real provider. When it delays, it records how long it held each request (`/stamps`).

import { createServer, type Socket } from 'node:net';
import { startSandbox } from '@svc/sandbox';
import { limitIntentPrefix } from './load/limit.ts';
import { readRequests } from './raw-requests.ts';
import { openSandboxAccount } from './sandbox-wire.ts';

const path = /^POST \/v1\/payment_intents\/(\w+)\/capture /;

/** Returns the sandbox's response to one capture, with `{id}` in place of each object's id. */
async function recordCaptureAnswer(): Promise<string> {
  const sandbox = await startSandbox({ limits: null });
  try {
    const account = await openSandboxAccount(sandbox.url);
    const intent = await account.holdIntent();
    const text = JSON.stringify(JSON.parse(await account.captureIntent(intent)));
    return text.replaceAll(/"(pi|ch|txn)_(\w+)"/g, (whole, kind: string) =>
      whole === `"${intent}"` ? '"{id}"' : `"${kind}_{id}"`,
    );
  } finally {
    await sandbox.close();
  }
}

const respond = (status: string, body: string): string =>
  `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\nrequest-id: req_stub\r\n` +
  `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const template = await recordCaptureAnswer();
/** The number of captures by the service. */
let calls = 0;
const intents = new Set<string>();
let delayMs = 0;
/** By intent: the time in ms from the last byte of the request to the response. */
let stamps: Record<string, number> = {};

function capture(socket: Socket, intent: string): void {
  if (!intent.startsWith(limitIntentPrefix)) {
    calls += 1;
    intents.add(intent);
  }
  const send = () => socket.write(respond('200 OK', template.replaceAll('{id}', intent)));
  if (delayMs === 0) return void send();
  const arrived = performance.now();
  setTimeout(() => {
    stamps[intent] = performance.now() - arrived;
    send();
  }, delayMs);
}

function answerRequest(head: string): string {
  const [, delay] = /^GET \/delay\/(\d+) /.exec(head) ?? [];
  if (delay) {
    delayMs = Number(delay);
    return respond('200 OK', '{}');
  }
  if (head.startsWith('GET /stamps ')) {
    const noted = JSON.stringify(stamps);
    stamps = {};
    return respond('200 OK', noted);
  }
  if (head.startsWith('GET /counted ')) {
    return respond('200 OK', JSON.stringify({ calls, intents: intents.size }));
  }
  return respond('404 Not Found', '{"error":{"message":"the stub only knows captures"}}');
}

const serve = (socket: Socket): void =>
  readRequests(socket, (head) => {
    const [, intent] = path.exec(head) ?? [];
    if (intent) capture(socket, intent);
    else socket.write(answerRequest(head));
  });

const server = createServer(serve);
process.once('SIGTERM', () => process.exit(0));
server.listen(Number(process.env.SANDBOX_PORT), '127.0.0.1', () => {
  console.log(JSON.stringify({ ready: true }));
});
