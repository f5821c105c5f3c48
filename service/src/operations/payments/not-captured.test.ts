// A capture that was not made: refused at once, rejected by the provider, or in doubt until the
// hold has ended in another way. Contract §1 and §7; specification, Payments, 502.

import { errorEntry } from '@svc/contract/errors/errors';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../test/harness.ts';
import { eventsOf, paymentsOf, runRecovery } from '../../../test/payments/checkouts.ts';
import { advance } from '../../../test/payments/planted.ts';
import {
  aHold,
  aSession,
  cards,
  moveHold,
  pay,
  startWorld,
  type World,
} from '../../../test/world.ts';
import { wordsOf } from '../../domain/protocol/provider-words.ts';
import { runAudit } from '../../engine/runs/audit/run-audit.ts';
import { sql } from '../../storage/database/sql.ts';
import { findPayment } from '../../storage/payments/payments.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterEach(() => world.control('DELETE', '/_control/faults'));
afterAll(() => world?.close());

const code = (name: string) => expect.objectContaining({ code: name });
const capture = (paymentId: string, key = newId()) =>
  moveHold(world, 'capturePayment', { paymentId, key });
const paymentOf = (id: string) => findPayment(world.database, world.client.id, id);
const intentOf = async (id: string) => (await paymentOf(id))?.providerIntentId ?? '';
const never = { count: 1000 };
const captures = '/v1/payment_intents/*/capture';

const readFailures = sql<{ payload: string }>(
  'test_capture_failures',
  `select payload from events where resource_id = $1 and type = 'payment.capture_failed'
   order by sequence`,
);
const failuresOf = async (id: string) =>
  (await world.database.read(readFailures, [id])).map(
    ({ payload }) => JSON.parse(payload).data.failure,
  );

describe('capture and cancel while the buyer’s bank is awaited', () => {
  it('409 payment_not_authorized: nothing is held yet, and no repeat is asked for', async () => {
    const session = await aSession(world);
    const answer = (await pay(world, session, cards.needs3ds)) as { body: { type: string } };
    expect(answer.body.type).toBe('3ds_required');
    const [payment] = await paymentsOf(world, session);
    for (const kind of ['capturePayment', 'cancelPayment'] as const) {
      const asked = moveHold(world, kind, { paymentId: payment?.id ?? '', key: newId() });
      await expect(asked).rejects.toEqual(code('payment_not_authorized'));
    }
    expect(errorEntry('payment_not_authorized').retryable).toBeFalsy();
  });
});

describe('a capture in doubt that was not made', () => {
  /** Loses the response to the capture, then ends the hold at the provider. */
  async function loseAndRelease(end: (intent: string) => string, body?: object): Promise<string> {
    const { paymentId } = await aHold(world);
    await world.fault({ path: captures }, 'drop_request', never);
    await expect(capture(paymentId)).rejects.toEqual(code('gateway_outcome_unknown'));
    expect(await eventsOf(world, paymentId)).toEqual(['payment.authorized']);
    await world.control('POST', `/_control/${end(await intentOf(paymentId))}`, body);
    await world.control('DELETE', '/_control/faults');
    await advance(world, 60);
    await runRecovery(world);
    await runRecovery(world);
    return paymentId;
  }

  it.each([
    ['expired', (intent: string) => `holds/${intent}/expire`, 'payment.authorization_expired'],
    ['let go of', (intent: string) => `intents/${intent}/cancel`, 'payment.authorization_voided'],
  ])(
    'hold %s: payment.capture_failed once, before what became of the hold',
    async (_, end, type) => {
      const paymentId = await loseAndRelease(end);
      expect(await paymentOf(paymentId)).toMatchObject({ status: 'voided' });
      expect(await eventsOf(world, paymentId)).toEqual([
        'payment.authorized',
        'payment.capture_failed',
        type,
      ]);
      expect(await failuresOf(paymentId)).toEqual([
        { code: 'not_captured', message: expect.any(String), attempt: 1 },
      ]);
    },
  );

  it('captured in part by hand: undecided, and told neither as failed nor as paid', async () => {
    const paymentId = await loseAndRelease((intent) => `intents/${intent}/capture`, {
      amount_to_capture: 1000,
    });
    expect(await paymentOf(paymentId)).toMatchObject({
      status: 'unknown',
      failureCode: 'captured_amount_differs',
    });
    expect(await eventsOf(world, paymentId)).toEqual(['payment.authorized']);
  });

  it('and made after all: told as paid alone', async () => {
    const paymentId = await loseAndRelease((intent) => `intents/${intent}/capture`);
    expect(await eventsOf(world, paymentId)).toEqual(['payment.authorized', 'item.purchased']);
    const { results } = await runAudit({ url: world.url });
    const broken = results.filter(({ violations }) => violations > 0).map(({ rule }) => rule);
    expect(broken).toEqual([]);
  });
});

describe('a provider that answers 429', () => {
  it('409 payment_operation_in_progress: it has done nothing and failed nothing, and the same key goes on', async () => {
    const { paymentId } = await aHold(world);
    const key = newId();
    await world.fault({ path: captures }, 'error_429', { count: 2 });
    await expect(capture(paymentId, key)).rejects.toEqual(code('payment_operation_in_progress'));
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'authorized' });
    expect(await failuresOf(paymentId)).toEqual([]);
    await capture(paymentId, key);
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'succeeded' });
    const moved = await world.ledger(await intentOf(paymentId));
    expect(moved.filter(({ kind }) => kind === 'capture')).toHaveLength(1);
  });

  it('after a send that may have taken effect it says nothing of that one', async () => {
    const { paymentId } = await aHold(world);
    await world.fault({ path: captures }, 'drop_reply', { count: 1 });
    await world.fault({ path: captures }, 'error_429', { count: 1 });
    await capture(paymentId).catch(() => undefined);
    await world.control('DELETE', '/_control/faults');
    await advance(world, 60);
    await runRecovery(world);
    expect(await eventsOf(world, paymentId)).toEqual(['payment.authorized', 'item.purchased']);
  });
});

describe('the provider’s own sentence', () => {
  it('stands on the payment and in its event', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    await expect(pay(world, session, cards.declined)).rejects.toEqual(code('card_declined'));
    const [row] = await paymentsOf(world, session);
    const payment = await paymentOf(row?.id ?? '');
    expect(payment?.failureMessage).toMatch(/declined/i);
    const { paymentId } = await aHold(world);
    await world.fault({ path: captures }, 'decline', { count: 1 });
    await expect(capture(paymentId)).rejects.toEqual(code('gateway_capture_failed'));
    expect(await failuresOf(paymentId)).toEqual([
      { code: 'card_declined', message: expect.stringMatching(/declined/i), attempt: 1 },
    ]);
  });

  it.each([
    ['Your card was declined.', 'Your card was declined.'],
    ['  two\n lines\u0007 ', 'two lines'],
    ['Card 4242 4242 4242 4242 was declined', null],
    ['Card 4242-4242-4242-4242 was declined', null],
    ['ends in 42424242', null],
    ['', null],
    [undefined, null],
  ])('%j becomes %j', (said, words) => {
    expect(wordsOf(said)).toBe(words);
  });
});
