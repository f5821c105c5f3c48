// A notice whose object is read from a copy that lags behind it is not done with: the truth is reached
// without the next look of the worker, or of reconcile, an hour later. Reliability W1, F14.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { answerChallenge, standing } from '../../../test/checkouts.ts';
import { moveClock, newId } from '../../../test/harness.ts';
import {
  deliverNotice,
  noticeState,
  providerEvents,
  readAllNotices,
} from '../../../test/notices.ts';
import {
  aHold,
  aSession,
  cards,
  moveHold,
  pay,
  startWorld,
  type World,
} from '../../../test/world.ts';
import { findPayment } from '../../storage/payments.ts';
import { settleInDoubt } from '../payments/settle-in-doubt.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
}, 60_000);
afterEach(() => world.control('DELETE', '/_control/faults'));
afterAll(() => world?.close());

const paymentOf = (id: string) => findPayment(world.database, world.client.id, id);
const intentOf = async (id: string) => (await paymentOf(id))?.providerIntentId ?? '';
const lag = (count: number) => world.fault({ method: 'GET' }, 'stale_read', { count });
/** The workers, for what is due and no sooner. */
const workOff = async () => {
  await readAllNotices(world);
  await settleInDoubt(world.ports, {
    limit: 50,
    onError: (_, error) => {
      throw error;
    },
  });
};
const hear = async (intentId: string) => {
  const all = await providerEvents(world, intentId);
  for (const event of all) await deliverNotice(world, event);
  return all;
};

describe('a copy that lags behind the notice', () => {
  it.each([
    ['capture', 'succeeded'],
    ['cancel', 'voided'],
  ])('of a hold, by hand: %s', async (move, status) => {
    const { paymentId } = await aHold(world);
    const intentId = await intentOf(paymentId);
    await world.control('POST', `/_control/intents/${intentId}/${move}`);
    await lag(9);
    await hear(intentId);
    await workOff();
    expect((await paymentOf(paymentId))?.status).toBe('authorized');
    await world.control('DELETE', '/_control/faults');
    await workOff();
    expect((await paymentOf(paymentId))?.status).toBe(status);
  });

  it('of an attempt whose buyer has authenticated, and never came back', async () => {
    const session = await aSession(world);
    const { paymentId, challenge } = (
      (await pay(world, session, cards.needs3ds)) as {
        body: { paymentId: string; challenge: { url: string } };
      }
    ).body;
    await answerChallenge(challenge.url, 'approve');
    await lag(9);
    await hear(await intentOf(paymentId));
    await workOff();
    expect(await standing(world, session)).toMatchObject({ status: 'requires_action' });
    await world.control('DELETE', '/_control/faults');
    for (let pass = 0; pass < 2; pass++) await workOff();
    expect(await standing(world, session)).toMatchObject({ status: 'authorized' });
    expect((await paymentOf(paymentId))?.status).toBe('authorized');
  });

  it('of a capture of ours that was handed the notice, and settles on an older answer', async () => {
    const { paymentId } = await aHold(world);
    const intentId = await intentOf(paymentId);
    const path = `/v1/payment_intents/${intentId}`;
    // Executed, and answered with an error that is on record for its key.
    await world.fault({ path: `${path}/capture` }, 'error_500', { count: 2, executes: true });
    await world.fault({ method: 'GET', path }, 'error_503_unrecorded', { count: 9 });
    const key = newId();
    await moveHold(world, 'capturePayment', { paymentId, key }).catch(() => undefined);
    expect((await paymentOf(paymentId))?.status).toBe('unknown');
    const all = await hear(intentId);
    await readAllNotices(world);
    expect(world.nudged).toContain('settle-in-doubt');
    await world.control('DELETE', '/_control/faults');
    await lag(9);
    await workOff();
    expect((await paymentOf(paymentId))?.status).toBe('authorized');
    await world.control('DELETE', '/_control/faults');
    await workOff();
    expect((await paymentOf(paymentId))?.status).toBe('succeeded');
    for (const { id } of all) expect(await noticeState(world, id)).toMatchObject({ is_read: true });
  });

  it('of what is not so: kept for a day, and put away', async () => {
    const { paymentId } = await aHold(world);
    const said = {
      ...{ object: 'event', id: `evt_${newId()}`, type: 'payment_intent.succeeded' },
      ...{ created: Math.floor(Date.now() / 1000), livemode: false },
      data: { object: { object: 'payment_intent', id: await intentOf(paymentId) } },
    };
    await deliverNotice(world, said);
    await workOff();
    expect(await noticeState(world, said.id)).toMatchObject({ is_read: false });
    await moveClock(world.database, 24 * 3_600_000 + 1000);
    await workOff();
    expect(await noticeState(world, said.id)).toMatchObject({ outcome: 'nothing_to_change' });
    expect((await paymentOf(paymentId))?.status).toBe('authorized');
  });
});
