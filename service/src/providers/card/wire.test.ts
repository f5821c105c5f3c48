// Responses that a proxy, a broken provider or a hostile one may send, byte for byte: each leads to
// an outcome, within the budget. Reliability §2.1, F10 and F11.

import { type AddressInfo, createServer, type Socket } from 'node:net';
import { scaled } from '@svc/tools/machine';
import { passTime } from '@svc/tools/pass-time';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AuthorizeCall, Gateway, HoldCall, Provider } from '../../engine/ports.ts';
import { openProviders } from '../registry.ts';

type Behaviour = (socket: Socket, path: string) => void;

let behaviours: Behaviour[] = [];
let paths: string[] = [];
let provider: Provider;
let cardUrl: string;
let close: () => Promise<void>;
const budgetMs = 3000;

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
      paths.push(path);
      (behaviours.shift() ?? answers.silence)(socket, path);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cardUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = { budgetMs, answerMs: 500, resendMs: 100, pauseMs: 5 };
  const providers = openProviders({ ...settings, cardUrl });
  provider = providers.provider(gateway);
  // The first call of a new process may take longer than a test's time limits.
  const warmUpCall = async () => {
    behaviours = [answers.held];
    expect(await provider.retrieve('pi_1')).toMatchObject({ kind: 'found' });
  };
  await vi.waitFor(warmUpCall, { timeout: 20_000 });
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

const raw = (status: string, type: string, body: string) => (socket: Socket) =>
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` +
      `connection: close\r\n\r\n${body}`,
  );
const json = (status: string, body: unknown) =>
  raw(status, 'application/json', JSON.stringify(body));

const intent = (more: object = {}) => ({
  object: 'payment_intent',
  id: 'pi_1',
  status: 'succeeded',
  amount: 1000,
  amount_received: 1000,
  currency: 'eur',
  latest_charge: 'ch_1',
  cancellation_reason: null,
  ...more,
});
const envelope = { error: { type: 'api_error', message: 'broken' } };

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
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{"object":"payment_intent"');
  },
  done: json('200 OK', intent()),
  held: json('200 OK', intent({ status: 'requires_capture', amount_received: 0 })),
} satisfies Record<string, Behaviour>;

const call: HoldCall = {
  key: 'op-1-1',
  isFirstSend: true,
  operationId: 'o',
  paymentId: 'p',
  intentId: 'pi_1',
  amountMinor: 1000,
  currency: 'EUR',
};
const attempt: AuthorizeCall = {
  ...call,
  intentId: null,
  sessionId: 's',
  captureMethod: 'manual',
  providerPaymentMethodId: 'pm_1',
  returnUrl: 'http://localhost/x',
  onIntent: async () => true,
};
const gateway = { id: 'g', secretKey: 'sk_test_x' } as Gateway;
const openWithLimits = (given: { budgetMs: number; answerMs: number; resendMs: number }) =>
  openProviders({ cardUrl, pauseMs: 5, ...given });
const countSends = () => paths.filter((path) => path.startsWith('POST')).length;

/** Measures the time in which this process ran: while the machine pauses it, no timer ends. */
function stopwatch(): () => number {
  let ms = 0;
  const timer = setInterval(() => {
    ms += 10;
  }, 10);
  return () => {
    clearInterval(timer);
    return ms;
  };
}

/** Both sends get this behaviour; the reads after them return that the hold is active. */
async function captureAgainst(behaviour: Behaviour, reading: Behaviour = answers.held) {
  behaviours = [behaviour, behaviour, reading, reading];
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
    ['true under 200', json('200 OK', true)],
    ['null under 200', json('200 OK', null)],
    ['a list under 200', json('200 OK', [intent()])],
    ['an error under 200', json('200 OK', envelope)],
    ['a redirect', raw('302 Found\r\nlocation: http://127.0.0.1:1/', 'text/html', '')],
    ['an intent under 502', json('502 Bad Gateway', intent())],
    ['HTML under 502', raw('502 Bad Gateway', 'text/html', '<html>bad gateway</html>')],
    ['a JSON message under 503', json('503 Service Unavailable', { message: 'no upstream' })],
    ['an error text under 504', json('504 Gateway Timeout', { error: 'upstream timeout' })],
    ['a foreign error under 500', json('500 Oops', { error: { type: 'gateway', code: 1 } })],
    ['HTML under 403', raw('403 Forbidden', 'text/html', '<html>blocked</html>')],
    ['a foreign error under 400', json('400 Bad Request', { error: 'bad request' })],
  ])('%s: in doubt after one resend, within the budget', async (_, behaviour) => {
    const { outcome, took } = await captureAgainst(behaviour);
    expect(outcome.kind).toBe('in_doubt');
    expect(countSends()).toBe(2);
    expect(took).toBeLessThan(budgetMs);
  });

  it.each<[string, Behaviour]>([
    ['an empty object', json('200 OK', {})],
    ['another intent', json('200 OK', intent({ id: 'pi_2' }))],
    ['another currency', json('200 OK', intent({ currency: 'usd' }))],
    ['another amount', json('200 OK', intent({ amount_received: 999 }))],
    ['no currency', json('200 OK', intent({ currency: undefined }))],
    ['an amount as text', json('200 OK', intent({ amount_received: '1000' }))],
    ['another object', json('200 OK', { ...intent(), object: 'charge' })],
  ])('%s under 200: in doubt, without a resend', async (_, behaviour) => {
    const { outcome } = await captureAgainst(behaviour);
    expect(outcome).toMatchObject({ kind: 'in_doubt', cause: 'answer_mismatch' });
    expect(countSends()).toBe(1);
  });

  it('a status that we do not know is no end', async () => {
    const { outcome } = await captureAgainst(json('200 OK', intent({ status: 'requires_review' })));
    expect(outcome).toMatchObject({ kind: 'confirmed', payment: { state: 'new' } });
  });
});

describe('what the reading tells', () => {
  it.each<[string, Behaviour, object]>([
    ['done', answers.done, { kind: 'confirmed', payment: { state: 'captured' } }],
    ['still held', answers.held, { kind: 'in_doubt' }],
    ['another intent', json('200 OK', intent({ id: 'pi_2' })), { kind: 'in_doubt' }],
    ['nonsense', json('200 OK', {}), { kind: 'in_doubt' }],
    ['nothing', answers.silence, { kind: 'in_doubt' }],
  ])('%s, after two resets', async (_, reading, expected) => {
    const { outcome } = await captureAgainst(answers.reset, reading);
    expect(outcome).toMatchObject(expected);
    expect(countSends()).toBe(2);
  });

  it('two different server errors are no record of the key', async () => {
    behaviours = [json('500 Oops', envelope), json('502 Oops', envelope), answers.held];
    expect(await provider.capture(call)).toMatchObject({ kind: 'in_doubt', cause: 'server_error' });
  });

  it('the same server error twice, and not done: refused', async () => {
    const { outcome } = await captureAgainst(json('500 Oops', envelope));
    expect(outcome).toMatchObject({ kind: 'refused', code: 'provider_error' });
  });

  it('the same server error twice, and done, which the first reading did not show yet', async () => {
    const oops = json('500 Oops', envelope);
    behaviours = [oops, oops, answers.held, answers.done];
    expect(await provider.capture(call)).toMatchObject({ kind: 'confirmed' });
  });

  it.each<[string, Behaviour]>([
    ['fails', json('503 Oops', envelope)],
    ['finds nothing', json('404 Not Found', { error: { type: 'invalid_request_error' } })],
  ])('the same server error twice, and a second reading that %s: in doubt', async (_, reading) => {
    const oops = json('500 Oops', envelope);
    behaviours = [oops, oops, answers.held, reading];
    expect(await provider.capture(call)).toMatchObject({ kind: 'in_doubt' });
  });

  it.each<[string, Behaviour]>([
    ['a lost answer', answers.reset],
    ['a server error', json('500 Oops', envelope)],
  ])('%s, then a credential that is refused: in doubt', async (_, first) => {
    const unauthorised = { error: { type: 'invalid_request_error', message: 'no such key' } };
    behaviours = [first, json('401 Unauthorized', unauthorised)];
    expect(await provider.capture(call)).toMatchObject({ kind: 'in_doubt' });
  });

  it('the key used before with other parameters: the reading decides, never refused', async () => {
    const used = { error: { type: 'idempotency_error', message: 'other parameters' } };
    behaviours = [json('400 Bad Request', used), answers.held];
    expect(await provider.capture(call)).toMatchObject({
      kind: 'in_doubt',
      cause: 'key_used_before',
    });
    behaviours = [json('400 Bad Request', used), answers.done];
    expect(await provider.capture(call)).toMatchObject({ kind: 'confirmed' });
  });

  it('without time left nothing is sent again', async () => {
    const answerTooLate: Behaviour = (socket) =>
      void passTime(150, 'an answer that uses up the budget').then(() => answers.reset(socket));
    const slow = openWithLimits({ budgetMs: 300, answerMs: 200, resendMs: 250 });
    behaviours = [answerTooLate, answers.held];
    const outcome = await slow.provider(gateway).capture(call);
    expect(outcome.kind).toBe('in_doubt');
    expect(countSends()).toBe(1);
    await slow.close();
  });
});

describe('the budget', () => {
  const tight = { budgetMs: 1800, answerMs: 1200, resendMs: 300 };
  const held = json('200 OK', intent({ status: 'requires_confirmation', amount_received: 0 }));
  const answerAfterPause: Behaviour = (socket) =>
    void passTime(750, 'an answer that uses up the budget').then(() => held(socket));

  it.each<[string, 'capture' | 'authorize', Behaviour[], number]>([
    ['send, resend and reading', 'capture', [], 2],
    ['creation, confirmation and reading', 'authorize', [answerAfterPause], 2],
    ['a creation that uses most of it', 'authorize', [answers.silence, held], 3],
  ])('is one for all that a call does: %s', async (_, kind, first, posts) => {
    const slow = openWithLimits(tight);
    const provider = slow.provider(gateway);
    behaviours = first;
    const took = stopwatch();
    const outcome =
      kind === 'capture' ? await provider.capture(call) : await provider.authorize(attempt);
    expect(took()).toBeLessThan(tight.budgetMs + scaled(120));
    expect(outcome.kind).toBe('in_doubt');
    expect(countSends()).toBeLessThanOrEqual(posts);
    await slow.close();
  });
});

describe('a confirmation that is answered 402', () => {
  const made = json('200 OK', intent({ status: 'requires_confirmation', amount_received: 0 }));
  const closed = json('200 OK', intent({ status: 'canceled', amount_received: 0 }));

  it.each([
    ['card_error', { code: 'declined', declineCode: 'stolen_card' }],
    ['invalid_request_error', { code: 'provider_configuration' }],
  ])('as %s: only a card error blames the card', async (type, told) => {
    const error = { type, code: 'card_declined', decline_code: 'stolen_card' };
    behaviours = [made, json('402 Payment Required', { error }), closed];
    expect(await provider.authorize(attempt)).toMatchObject({ kind: 'refused', ...told });
  });
});

describe('a confirmation that is answered 400', () => {
  const made = json('200 OK', intent({ status: 'requires_confirmation', amount_received: 0 }));
  const closed = json('200 OK', intent({ status: 'canceled', amount_received: 0 }));

  it.each([
    ['payment_method', {}, 'provider_method_not_usable'],
    ['return_url', {}, 'provider_configuration'],
    ['payment_method', { providerCustomerId: 'cus_1' }, 'provider_configuration'],
    [
      'payment_method',
      { providerCustomerId: 'cus_1', isSaving: true },
      'provider_method_not_usable',
    ],
  ])('about %s of %j: %s', async (param, more, code) => {
    const error = { type: 'invalid_request_error', param, message: 'It may not be used again.' };
    behaviours = [made, json('400 Bad Request', { error }), closed];
    expect(await provider.authorize({ ...attempt, ...more })).toMatchObject({
      kind: 'refused',
      code,
    });
  });
});

describe('authorize against a provider that answers nothing', () => {
  it('creation without an answer: refused, the buyer may try again', async () => {
    const started = performance.now();
    expect(await provider.authorize(attempt)).toMatchObject({ kind: 'refused' });
    behaviours = [json('200 OK', {})];
    expect(await provider.authorize(attempt)).toMatchObject({ kind: 'refused' });
    behaviours = [json('200 OK', intent({ status: 'requires_confirmation' }))];
    expect(await provider.authorize(attempt)).toMatchObject({ kind: 'in_doubt' });
    expect(performance.now() - started).toBeLessThan(3 * budgetMs);
  });

  it.each([
    [{ code: 'amount_too_small', param: 'amount' }, 'amount_not_supported'],
    [{ code: 'amount_too_large', param: 'amount' }, 'amount_not_supported'],
    [{ param: 'currency' }, 'currency_not_supported'],
    [{ code: 'parameter_invalid_integer', param: 'amount' }, 'provider_configuration'],
  ])('%j: refused as %s', async (facts, refusedAs) => {
    const error = { type: 'invalid_request_error', ...facts, message: 'no' };
    behaviours = [json('400 Bad Request', { error })];
    expect(await provider.authorize(attempt)).toMatchObject({ kind: 'refused', code: refusedAs });
    if (refusedAs === 'provider_configuration') return;
    // An earlier lease holder has created no intent either, whatever happened to its request.
    behaviours = [json('400 Bad Request', { error })];
    expect(await provider.authorize({ ...attempt, isFirstSend: false })).toMatchObject({
      kind: 'refused',
      code: refusedAs,
    });
  });
});
