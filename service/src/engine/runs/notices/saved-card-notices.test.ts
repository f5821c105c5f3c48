// Tests of what notices mean for the saved card behind a payment: any number and order of them ends
// in the provider's state, reported once. Contract §5. docs/decisions/saved-cards.md.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confirmInPage, pageIntent } from '../../../../test/customers/in-page.ts';
import {
  aSavedCard,
  methodsOf,
  payBy,
  vouchedSession,
} from '../../../../test/customers/saved-cards.ts';
import { moveClock } from '../../../../test/harness.ts';
import { eventsOf, readState, runRecovery } from '../../../../test/payments/checkouts.ts';
import {
  deliverNotice,
  providerEvents,
  readAllNotices,
} from '../../../../test/payments/notices.ts';
import { aCardToken, cards, startWorld, type World } from '../../../../test/world.ts';
import { findPayment } from '../../../storage/payments/payments.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const intentOf = async (answer: unknown) => {
  const { paymentId } = (answer as { body: { paymentId: string } }).body;
  const payment = await findPayment(world.database, world.client.id, paymentId);
  return payment?.providerIntentId ?? '';
};

/** Delivers all of the provider's notices about the intent, twice and newest first. */
async function deliverAllNotices(intentId: string) {
  const events = (await providerEvents(world, intentId)).toReversed();
  for (const event of [...events, ...events]) await deliverNotice(world, event);
  await readAllNotices(world);
}

describe('notices about a payment with a saved card', () => {
  it('a hold that somebody captures at the provider makes its card the most recent one', async () => {
    const session = await vouchedSession(world, { captureMethod: 'manual' });
    const method = await aSavedCard(world, { userId: session.userId });
    const intentId = await intentOf(await payBy(world, session, { paymentMethodId: method.id }));
    const [held] = await methodsOf(world, session.userId);
    await moveClock(world.database, 60_000);
    await world.control('POST', `/_control/intents/${intentId}/capture`);
    await deliverAllNotices(intentId);
    const [charged] = await methodsOf(world, session.userId);
    const chargedAtMs = (
      { lastChargedAt }: { lastChargedAt: Date | null } = { lastChargedAt: null },
    ) => lastChargedAt?.getTime() ?? 0;
    expect(chargedAtMs(charged)).toBeGreaterThan(chargedAtMs(held));
  });

  it('a hold that somebody releases at the provider leaves the card that it saved active', async () => {
    const session = await vouchedSession(world, { captureMethod: 'manual' });
    const token = await aCardToken(world, session, cards.approved);
    const intentId = await intentOf(await payBy(world, session, { token, saveForLater: true }));
    const saved = await methodsOf(world, session.userId);
    expect(saved).toMatchObject([{ status: 'active' }]);
    await world.control('POST', `/_control/intents/${intentId}/cancel`);
    await deliverAllNotices(intentId);
    expect(await methodsOf(world, session.userId)).toEqual(saved);
  });

  it('what the page saves is active by notices alone, once', async () => {
    const session = await vouchedSession(world);
    const intent = await pageIntent(world, session, { saveForLater: true });
    await confirmInPage(world, intent, cards.approved);
    await deliverAllNotices(intent.intentId);
    await runRecovery(world);
    await deliverAllNotices(intent.intentId);
    expect(await readState(world, session)).toMatchObject({ status: 'completed' });
    const [method, ...more] = await methodsOf(world, session.userId);
    expect(more).toEqual([]);
    expect(method?.status).toBe('active');
    expect(await eventsOf(world, method?.id ?? '')).toEqual(['payment_method.activated']);
  });
});
