// Random histories of holds, with and without a challenge, changed by us and by hand, and random
// deliveries of the provider's notices about them, some read from a lagging copy. They are judged
// by the provider's own records. Reliability W1, F14, F26, F28, F35.

import { byLevel } from '@svc/tools/levels/level';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../../../../test/harness.ts';
import { answerChallenge, recoverUnclearWork } from '../../../../test/payments/checkouts.ts';
import {
  deliverNotice,
  providerEvents,
  readAllNotices,
} from '../../../../test/payments/notices.ts';
import { reconcileAll } from '../../../../test/payments/reconcile.ts';
import { aSession, cards, moveHold, pay, startWorld, type World } from '../../../../test/world.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import { runAudit } from '../audit/run-audit.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const recoverOperations = () => recoverUnclearWork(world);
const paymentOf = (id: string) => findPayment(world.database, world.client.id, id);

const steps = [
  ...['approve', 'fail', 'capture', 'cancel', 'capture lost', 'capture 500', 'by hand: capture'],
  ...['by hand: cancel', 'expire', 'take back', 'hear some', 'hear stale', 'look stale'],
] as const;

it('any history of a hold, and any multiset and order of its notices, ends in the truth', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(cards.approved, cards.needs3ds),
      fc.array(fc.constantFrom(...steps), { maxLength: 7 }),
      fc.infiniteStream(fc.nat()),
      async (card, history, chance) => {
        const pick = (below: number) => Number(chance.next().value) % Math.max(below, 1);
        const answer = await pay(world, await aSession(world), card);
        const { paymentId, challenge } = (
          answer as { body: { paymentId: string; challenge?: { url: string } } }
        ).body;
        const intent = (await paymentOf(paymentId))?.providerIntentId ?? '';
        const hold = { paymentId, intent, url: challenge?.url ?? '', pick };
        // A step that is not allowed in the present state is skipped.
        for (const name of history) await performStep(name, hold).catch(() => undefined);
        await world.control('DELETE', '/_control/faults');
        const events = await providerEvents(world, intent);
        const bag = [...events, ...events.filter(() => pick(3) === 0)];
        for (let left = bag.length; left > 0; left--) {
          await deliverNotice(world, bag.splice(pick(left), 1)[0] ?? {});
          if (pick(2) === 0) await readAllNotices(world);
        }
        for (let round = 0; round < 4; round++) await recoverOperations();
        await expectTruth(paymentId, intent);
      },
    ),
    { numRuns: byLevel({ gate: 8, proof: 30 }) },
  );
  expect((await runAudit({ url: world.url })).violations).toBe(0);
  expect((await reconcileAll(world.ports)).seen).toEqual([]);
}, 120_000);

type Hold = { paymentId: string; intent: string; url: string; pick: (below: number) => number };

async function performStep(name: string, { paymentId, intent, url, pick }: Hold): Promise<void> {
  const path = `/v1/payment_intents/${intent}`;
  const lagReads = () => world.fault({ method: 'GET' }, 'stale_read', { count: 20 });
  const capture = () => moveHold(world, 'capturePayment', { paymentId, key: newId() });
  try {
    if (name === 'approve' || name === 'fail') await answerChallenge(url, name);
    else if (name === 'capture') await capture();
    else if (name === 'cancel') await moveHold(world, 'cancelPayment', { paymentId, key: newId() });
    else if (name === 'capture lost') {
      await world.fault({ path: `${path}/capture` }, 'drop_reply', { count: 2 });
      await world.fault({ method: 'GET', path }, 'error_503_unrecorded');
      await capture();
    } else if (name === 'capture 500') {
      await world.fault({ path: `${path}/capture` }, 'error_500', { count: 2, executes: true });
      await lagReads();
      await capture();
    } else if (name === 'expire') await world.control('POST', `/_control/holds/${intent}/expire`);
    else if (name === 'take back') {
      await world.control('POST', `/_control/intents/${intent}/take_back`);
    } else if (name.startsWith('by hand: ')) {
      await world.control('POST', `/_control/intents/${intent}/${name.slice(9)}`);
    } else {
      if (name !== 'hear some') await lagReads();
      for (const event of await providerEvents(world, intent)) {
        const isHeard = name === 'hear stale' || (name === 'hear some' && pick(2) === 0);
        if (isHeard) await deliverNotice(world, event);
      }
      await (name === 'hear some' ? readAllNotices(world) : recoverOperations());
    }
  } finally {
    await world.control('DELETE', '/_control/faults');
  }
}

const wanted: Readonly<Record<string, string>> = {
  requires_action: 'pending',
  requires_capture: 'authorized',
  succeeded: 'succeeded',
  canceled: 'voided',
  requires_payment_method: 'failed',
};

async function expectTruth(paymentId: string, intent: string): Promise<void> {
  const headers = { authorization: `Bearer ${world.account.secretKey}` };
  const read = await fetch(`${world.sandbox.url}/v1/payment_intents/${intent}`, { headers });
  const { status } = (await read.json()) as { status: string };
  const payment = await paymentOf(paymentId);
  const isTakenBack = (await world.ledger(intent)).some(({ kind }) => kind === 'take_back');
  // The provider closes an intent whose challenge failed; a reversed capture may be closed there by
  // hand.
  const isFailed = status === 'canceled' && (payment?.authorizedAt === null || isTakenBack);
  const ends = isFailed ? ['failed', ...(isTakenBack ? ['voided'] : [])] : [wanted[status]];
  expect({ status, ours: payment?.status, ends }).toMatchObject({
    ours: expect.toSatisfy((ours) => ends.includes(ours)),
  });
}
