// Responses that a proxy, a broken wallet or a hostile one may send, byte for byte: each leads to
// an outcome, within the budget. Reliability §2.1, F10 and F11.

import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Gateway, HoldCall } from '../../engine/ports.ts';
import { openProviders } from '../registry.ts';
import type { WalletProvider } from './port.ts';

type Behaviour = (socket: Socket) => void;

let behaviours: Behaviour[] = [];
let paths: string[] = [];
let provider: WalletProvider;
let close: () => Promise<void>;
const budgetMs = 3000;

const raw = (status: string, type: string, body: string) => (socket: Socket) =>
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` +
      `connection: close\r\n\r\n${body}`,
  );
const json = (status: string, body: unknown) =>
  raw(status, 'application/json', JSON.stringify(body));

const amount = { currency_code: 'EUR', value: '19.90' };
const orderWith = (more: object = {}, capture: object = {}) => ({
  id: 'ORDER1',
  status: 'COMPLETED',
  purchase_units: [
    { amount, payments: { captures: [{ id: 'CAP1', status: 'COMPLETED', amount, ...capture }] } },
  ],
  ...more,
});
const open = { id: 'ORDER1', status: 'APPROVED', purchase_units: [{ amount }] };
const envelope = { name: 'INTERNAL_SERVER_ERROR', debug_id: 'd1' };

const answers = {
  silence: () => undefined,
  reset: (socket: Socket) => socket.resetAndDestroy(),
  close: (socket: Socket) => socket.destroy(),
  drip: (socket: Socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{');
    const timer = setInterval(() => socket.write(' '), 30);
    socket.on('close', () => clearInterval(timer));
  },
  flood: (socket: Socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n');
    const chunk = ' '.repeat(64 * 1024);
    for (let i = 0; i < 160; i++) socket.write(chunk);
    socket.end();
  },
  half: (socket: Socket) => {
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{"id":"ORDER1"');
  },
  done: json('201 Created', orderWith()),
  open: json('200 OK', open),
} satisfies Record<string, Behaviour>;

const call: HoldCall = {
  key: 'op-1-1',
  isFirstSend: true,
  operationId: 'o',
  paymentId: 'p',
  intentId: 'ORDER1',
  amountMinor: 1990,
  currency: 'EUR',
};

beforeAll(async () => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
      const [head = '', body] = text.split('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (body === undefined || body.length < length) return;
      text = '';
      const path = head.split(' ').slice(0, 2).join(' ');
      if (path.endsWith('/v1/oauth2/token')) {
        json('200 OK', { access_token: 'tok', expires_in: 3600 })(socket);
        return;
      }
      paths.push(path);
      (behaviours.shift() ?? answers.silence)(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const walletUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = { budgetMs, answerMs: 500, resendMs: 100, pauseMs: 5 };
  const providers = openProviders({ ...settings, cardUrl: walletUrl, walletUrl });
  provider = providers.wallet({
    id: 'g',
    clientId: 'c',
    provider: 'wallet',
    accountId: 'M',
    publishableKey: 'id',
    secretKey: 'secret',
  } satisfies Gateway);
  // The first call of a new process may take longer than a test's time limits.
  const warmUpProvider = async () => {
    behaviours = [answers.open];
    expect(await provider.retrieve('ORDER1')).toMatchObject({ kind: 'found' });
  };
  await vi.waitFor(warmUpProvider, { timeout: 20_000 });
  paths = [];
  close = async () => {
    for (const socket of sockets) socket.destroy();
    await providers.close();
    await new Promise((resolve) => server.close(resolve));
  };
});
afterEach(() => {
  behaviours = [];
  paths = [];
});
afterAll(() => close());

const countSends = () => paths.filter((path) => path.startsWith('POST')).length;

/** Both sends get this behaviour; the read after them returns that the order is still open. */
async function captureAgainst(behaviour: Behaviour, reading: Behaviour = answers.open) {
  behaviours = [behaviour, behaviour, reading];
  const started = performance.now();
  const outcome = await provider.capture(call);
  return { outcome, took: performance.now() - started };
}

describe('a capture answered by something that is not the provider', () => {
  it.each<[string, Behaviour]>([
    ['a reset connection', answers.reset],
    ['a closed connection', answers.close],
    ['no answer', answers.silence],
    ['half a body', answers.half],
    ['a body that drips for ever', answers.drip],
    ['a body of 10 MiB', answers.flood],
    ['HTML under 200', raw('200 OK', 'text/html', '<html>hello</html>')],
    ['a text under 200', json('200 OK', 'ok')],
    ['null under 200', json('200 OK', null)],
    ['a list under 200', json('200 OK', [orderWith()])],
    ['an error under 200', json('200 OK', envelope)],
    ['a redirect', raw('302 Found\r\nlocation: http://127.0.0.1:1/', 'text/html', '')],
    ['a redirect in the words of the provider', json('307 Temporary Redirect', envelope)],
    ['an order under 502', json('502 Bad Gateway', orderWith())],
    ['HTML under 502', raw('502 Bad Gateway', 'text/html', '<html>bad gateway</html>')],
    ['a foreign error under 500', json('500 Oops', { error: 'gateway' })],
    ['the provider error under 500', json('500 Oops', envelope)],
    ['HTML under 403', raw('403 Forbidden', 'text/html', '<html>blocked</html>')],
    ['a foreign error under 400', json('400 Bad Request', { error: 'bad request' })],
  ])('%s: in doubt after one resend, within the budget', async (_, behaviour) => {
    const { outcome, took } = await captureAgainst(behaviour);
    expect(outcome.kind).toBe('in_doubt');
    expect(countSends()).toBe(2);
    expect(took).toBeLessThan(budgetMs);
  });

  it.each<[string, Behaviour]>([
    ['an empty object', json('201 Created', {})],
    ['another order', json('201 Created', orderWith({ id: 'ORDER2' }))],
    ['an order still to be approved', json('201 Created', open)],
    [
      'another currency',
      json('201 Created', orderWith({}, { amount: { ...amount, currency_code: 'USD' } })),
    ],
    [
      'another amount',
      json('201 Created', orderWith({}, { amount: { ...amount, value: '19.89' } })),
    ],
    [
      'an amount as a number',
      json('201 Created', orderWith({}, { amount: { ...amount, value: 19.9 } })),
    ],
    [
      'a tenth of a cent more',
      json('201 Created', orderWith({}, { amount: { ...amount, value: '19.901' } })),
    ],
    ['two purchases', json('201 Created', orderWith({ purchase_units: [{ amount }, { amount }] }))],
    ['no content', raw('204 No Content', 'text/plain', '')],
  ])('%s under 2xx: in doubt, without a resend', async (_, behaviour) => {
    const { outcome } = await captureAgainst(behaviour);
    expect(outcome).toMatchObject({ kind: 'in_doubt', cause: 'answer_mismatch' });
    expect(countSends()).toBe(1);
  });

  it('a status that we do not know is no end', async () => {
    const { outcome } = await captureAgainst(
      json('201 Created', orderWith({}, { status: 'REVIEWED' })),
    );
    expect(outcome).toMatchObject({ kind: 'confirmed', payment: { state: 'processing' } });
  });
});

describe('what the reading tells, after two resets', () => {
  it.each<[string, Behaviour, object]>([
    ['done', json('200 OK', orderWith()), { kind: 'confirmed', payment: { state: 'captured' } }],
    ['still approved', answers.open, { kind: 'in_doubt' }],
    ['another order', json('200 OK', orderWith({ id: 'ORDER2' })), { kind: 'in_doubt' }],
    [
      'missing',
      json('404 Not Found', { name: 'RESOURCE_NOT_FOUND', debug_id: 'd' }),
      { kind: 'in_doubt' },
    ],
    ['nothing', answers.silence, { kind: 'in_doubt' }],
  ])('%s', async (_, reading, expected) => {
    const { outcome } = await captureAgainst(answers.reset, reading);
    expect(outcome).toMatchObject(expected);
    expect(countSends()).toBe(2);
  });

  it('a lost answer, then a credential that is refused: in doubt', async () => {
    const refusal = json('401 Unauthorized', { name: 'AUTHENTICATION_FAILURE', debug_id: 'd' });
    behaviours = [answers.reset, refusal, refusal];
    expect(await provider.capture(call)).toMatchObject({ kind: 'in_doubt' });
  });

  it('a lost answer, then an order that is missing: in doubt', async () => {
    const gone = json('404 Not Found', { name: 'RESOURCE_NOT_FOUND', debug_id: 'd' });
    behaviours = [answers.reset, gone];
    expect(await provider.capture(call)).toMatchObject({
      kind: 'in_doubt',
      cause: 'order_missing',
    });
  });
});

describe('an order that the wallet does not know', () => {
  const gone = json('404 Not Found', { name: 'RESOURCE_NOT_FOUND', debug_id: 'd' });
  const released = { kind: 'confirmed', payment: { state: 'released' } };
  const unclear = { kind: 'in_doubt', cause: 'order_missing' };

  it.each<[string, Partial<HoldCall>, object]>([
    ['the first send: it ran out', {}, released],
    ['an earlier send had no clear end: in doubt', { isFirstSend: false }, unclear],
    [
      'every earlier send was clearly answered: it ran out',
      { isFirstSend: false, mayHaveActed: false },
      released,
    ],
  ])('%s', async (_, given, expected) => {
    behaviours = [gone];
    expect(await provider.capture({ ...call, ...given })).toMatchObject(expected);
  });

  it.each([
    ['404 Not Found', 'RESOURCE_NOT_FOUND'],
    ['401 Unauthorized', 'AUTHENTICATION_FAILURE'],
  ])('a server error, which may come after the effect, then %s: in doubt', async (status, name) => {
    const failed = json('500 Internal Server Error', envelope);
    const refusal = json(status, { name, debug_id: 'd' });
    behaviours = [failed, refusal, refusal];
    expect(await provider.capture(call)).toMatchObject({ kind: 'in_doubt' });
    const paid = json('200 OK', orderWith());
    behaviours = [paid, failed, refusal, ...(status.startsWith('401') ? [refusal] : []), paid];
    const refund = { ...call, refundId: 'r', reason: null, sendUntil: Date.now() + 60_000 };
    expect(await provider.refund(refund)).toMatchObject({ kind: 'in_doubt' });
  });
});

describe('an address that is not this machine', () => {
  it('is reached over TLS or not at all', () => {
    const cardUrl = 'http://127.0.0.1:1';
    expect(() => openProviders({ cardUrl, walletUrl: 'http://example.com' })).toThrow(/TLS/);
  });
});
