// A process that receives deliveries for all endpoints of a run, misbehaves as configured, and logs
// what it received: the second record besides the database.

import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Svc } from '../../libraries/server/src/index.ts';
import { type Random, seeded } from '../kit/random.ts';
import { drawDeed, type FaultShares, type ReceiverBehaviour } from './receiver-behaviour.ts';

export type Listener = {
  readonly number: number;
  readonly secret: string;
  readonly temper: FaultShares;
  readonly seed: number;
};

export type Arrival = {
  readonly endpoint: number;
  readonly eventId: string;
  readonly sha256: string;
  readonly deed: ReceiverBehaviour;
  /** Whether `constructEvent` accepts the signature with the endpoint's secret. */
  readonly isGenuine: boolean;
  /**
   * Wall clock, in milliseconds. The end is when the response was complete or the connection
   * closed.
   */
  readonly at: number;
  readonly end: number | null;
};

export type ReceiverLog = {
  readonly arrivals: readonly Arrival[];
  /** Requests to the target of a redirect, which nobody may follow. */
  readonly followed: number;
};

export type ToReceiver =
  | { readonly kind: 'listen'; readonly listeners: readonly Listener[] }
  | { readonly kind: 'report' };

export type FromReceiver =
  | { readonly kind: 'ready'; readonly port: number }
  /** A request has arrived, or its response was just sent: the moment to kill its sender. */
  | { readonly kind: 'strike' }
  | { readonly kind: 'log'; readonly log: ReceiverLog };

const strikeRate = 0.05;
const heldMs = 25;

const sendToBench = (told: FromReceiver) => process.send?.(told);
const svc = new Svc('sk_test_none');
const known = new Map<number, Listener & { readonly random: Random }>();
let arrivals: { -readonly [K in keyof Arrival]: Arrival[K] }[] = [];
let followed = 0;

function isGenuine(body: Buffer, { headers }: IncomingMessage, secret: string): boolean {
  try {
    const event = svc.webhooks.constructEvent(body, String(headers['svc-signature']), secret);
    return event.id === headers['webhook-id'];
  } catch {
    return false;
  }
}

const server = createServer((request, response) => {
  const at = Date.now();
  const chunks: Buffer[] = [];
  request.on('error', () => undefined);
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => receive({ request, response, at, body: Buffer.concat(chunks) }));
});

type CompleteRequest = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly at: number;
  readonly body: Buffer;
};

function receive({ request, response, at, body }: CompleteRequest): void {
  const listener = known.get(Number(/^\/e\/(\d+)$/.exec(request.url ?? '')?.[1]));
  if (!listener) {
    followed += 1;
    response.end();
    return;
  }
  const { random, temper, secret, number } = listener;
  const deed = drawDeed(temper, random);
  const arrival = {
    ...{ endpoint: number, eventId: String(request.headers['webhook-id']), deed, at },
    sha256: createHash('sha256').update(body).digest('base64'),
    isGenuine: isGenuine(body, request, secret),
    end: null as number | null,
  };
  arrivals.push(arrival);
  response.on('error', () => undefined);
  response.once('close', () => {
    arrival.end = Date.now();
  });
  const isStruck = random.chance(strikeRate);
  if (isStruck && random.chance(0.5)) {
    sendToBench({ kind: 'strike' });
    setTimeout(() => answer(deed, request, response), heldMs);
    return;
  }
  answer(deed, request, response);
  if (isStruck) response.once('close', () => sendToBench({ kind: 'strike' }));
}

function answer(
  deed: ReceiverBehaviour,
  { socket }: IncomingMessage,
  response: ServerResponse,
): void {
  if (socket.destroyed) return;
  const answerPlainly = (status: number, headers = {}) =>
    void response.writeHead(status, headers).end('x');
  const deeds: Readonly<Record<ReceiverBehaviour, () => void>> = {
    ok: () => answerPlainly(200),
    redirect: () => answerPlainly(302, { location: '/followed' }),
    refused: () => answerPlainly(404),
    broken: () => answerPlainly(503),
    busy: () => answerPlainly(429, { 'retry-after': String(1 + (Date.now() % 90)) }),
    gone: () => answerPlainly(410),
    silent: () => undefined,
    slow: () => dripResponse(response, 'x', 60),
    endless: () => dripResponse(response, 'x'.repeat(3000), 1),
    reset: () => void socket.resetAndDestroy(),
    garbled: () => void socket.end('HTTP/1.1 fine\r\n\r\n'),
  };
  deeds[deed]();
}

function dripResponse(response: ServerResponse, text: string, everyMs: number): void {
  response.writeHead(200);
  const timer = setInterval(() => response.write(text), everyMs);
  response.once('close', () => clearInterval(timer));
}

// A client that starts TLS, which this server does not support.
server.on('clientError', (_, socket) => {
  socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
});

process.on('message', (message: ToReceiver) => {
  if (message.kind === 'listen') {
    for (const one of message.listeners)
      known.set(one.number, { ...one, random: seeded(one.seed) });
    return;
  }
  sendToBench({ kind: 'log', log: { arrivals, followed } });
  arrivals = [];
  followed = 0;
  known.clear();
});
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () =>
  sendToBench({ kind: 'ready', port: (server.address() as AddressInfo).port }),
);
