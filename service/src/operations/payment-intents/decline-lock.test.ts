// Cards declined in a page that confirms by itself count as the session's own. docs/decisions/attempts.md.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confirmInPage, type PageIntent, pageIntent } from '../../../test/customers/in-page.ts';
import {
  openIntent,
  paymentsOf,
  readState,
  runRecovery,
} from '../../../test/payments/checkouts.ts';
import { deliverNotice, providerEvents, readAllNotices } from '../../../test/payments/notices.ts';
import {
  aCardToken,
  aSession,
  type Checkout,
  cards,
  pay,
  payWith,
  startWorld,
  type World,
} from '../../../test/world.ts';
import { sql } from '../../storage/database/sql.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const code = (name: string) => expect.objectContaining({ code: name });
const intentOf = (session: Checkout) => pageIntent(world, session);
const confirm = (intent: PageIntent, number: string) => confirmInPage(world, intent, number);
const listCaptures = async (intentId: string) =>
  (await world.ledger(intentId)).filter(({ kind }) => kind === 'capture').length;

const limitedWorld = (of: World, processPerMinute = 100): World => {
  const attemptLimits = {
    processPerMinute,
    processPerHour: 100,
    processPauseMinutes: 30,
    sessionDeclines: 5,
    setupsPerHour: 10,
    tokensPerHour: 60,
  };
  return { ...of, ports: { ...of.ports, settings: { ...of.ports.settings, attemptLimits } } };
};

/** Gives the intent's operation to another process, which holds it for so long. */
const lease = sql(
  'test_decline_lease',
  `update payment_operations set state = 'active', lease_owner = gen_random_uuid(),
     lease_until = svc_clock() + $2::interval
   where payment_id = $1 and kind = 'authorize'`,
);
const setLease = (paymentId: string, time: string) =>
  world.database.write(lease, [paymentId, time]);

describe('createPaymentIntent', () => {
  it('429 rate_limited: the fifth declined card closes the intent, and the session takes no other', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    const intent = await intentOf(session);
    const token = await aCardToken(world, session, cards.approved);
    const limited = limitedWorld(world);
    const deliverAllNotices = async () => {
      for (const event of await providerEvents(world, intent.intentId)) {
        await deliverNotice(world, event);
      }
      await readAllNotices(limited);
      await runRecovery(limited);
    };
    for (let n = 0; n < 4; n++) {
      expect(await confirm(intent, cards.declined)).toMatchObject({ code: 'card_declined' });
    }
    await deliverAllNotices();
    expect(await readState(world, session)).toMatchObject({ status: 'requires_action' });
    await confirm(intent, cards.declined);
    await deliverAllNotices();
    expect(await readState(world, session)).toMatchObject({
      status: 'open',
      latestTransactionAttempt: { result: 'DECLINED', declineCode: 'generic_decline' },
    });
    expect(await confirm(intent, cards.approved)).toMatchObject({ code: expect.any(String) });
    await expect(openIntent(limited, session)).rejects.toEqual(code('rate_limited'));
    await expect(payWith(limited, session, token)).rejects.toEqual(code('rate_limited'));
    expect(await listCaptures(intent.intentId)).toBe(0);
  });

  it('429 rate_limited: a page that confirms many times at once has no card judged once five are known', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    const intent = await intentOf(session);
    const limited = limitedWorld(world);
    const judgeAtOnce = async () => {
      const tries = Array.from({ length: 20 }, () => confirm(intent, cards.declined));
      const answers = await Promise.all(tries);
      for (const event of await providerEvents(world, intent.intentId)) {
        await deliverNotice(world, event);
      }
      await readAllNotices(limited);
      await runRecovery(limited);
      return answers.filter((answer) => 'code' in answer && answer.code === 'card_declined').length;
    };
    let judged = 0;
    for (let round = 0; round < 5 && judged < 5; round++) judged += await judgeAtOnce();
    expect(judged).toBeGreaterThanOrEqual(5);
    expect(await judgeAtOnce()).toBe(0);
    await expect(openIntent(limited, session)).rejects.toEqual(code('rate_limited'));
    expect(await listCaptures(intent.intentId)).toBe(0);
  });

  it('429 rate_limited: five declines count before any notice of them has arrived, in every process', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    const intent = await intentOf(session);
    for (let n = 0; n < 5; n++) {
      expect(await confirm(intent, cards.declined)).toMatchObject({ code: 'card_declined' });
    }
    await expect(openIntent(limitedWorld(world), session)).rejects.toEqual(code('rate_limited'));
    expect(await confirm(intent, cards.approved)).toHaveProperty('code');
    // Another process, to which no notice has come either.
    await expect(openIntent(limitedWorld(world), session)).rejects.toEqual(code('rate_limited'));
    expect(await listCaptures(intent.intentId)).toBe(0);
  });

  it('the notice of the first decline closes an intent on which four more were declined meanwhile', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    const intent = await intentOf(session);
    const limited = limitedWorld(world);
    const judged: string[] = [];
    // A page tries one card after another; the first notice arrives with the fifth decline.
    for (let n = 0; n < 9; n++) {
      const answer = await confirm(intent, cards.declined);
      if ('code' in answer) judged.push(answer.code);
      if (n !== 4) continue;
      const [first] = (await providerEvents(world, intent.intentId)).filter(
        ({ type }) => type === 'payment_intent.payment_failed',
      );
      if (first) await deliverNotice(world, first);
      await readAllNotices(limited);
      await runRecovery(limited);
    }
    expect(judged.filter((said) => said === 'card_declined')).toHaveLength(5);
    expect(await readState(world, session)).toMatchObject({ status: 'open' });
    await expect(openIntent(limited, session)).rejects.toEqual(code('rate_limited'));
  });

  it('429 rate_limited: the notice of the fifth decline closes the intent while a process looks at it', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    const intent = await intentOf(session);
    const limited = limitedWorld(world);
    const judged: string[] = [];
    await setLease(intent.paymentId, '1 hour');
    for (let n = 0; n < 9; n++) {
      const answer = await confirm(intent, cards.declined);
      if ('code' in answer) judged.push(answer.code);
      const told = await providerEvents(world, intent.intentId);
      for (const event of told) await deliverNotice(world, event);
      await readAllNotices(limited);
    }
    expect(judged.filter((said) => said === 'card_declined')).toHaveLength(5);
    await setLease(intent.paymentId, '-1 second');
    await runRecovery(limited);
    await readAllNotices(limited);
    await runRecovery(limited);
    expect(await readState(world, session)).toMatchObject({
      status: 'open',
      latestTransactionAttempt: { result: 'DECLINED', declineCode: 'generic_decline' },
    });
    await expect(openIntent(limited, session)).rejects.toEqual(code('rate_limited'));
  });

  it('a hold that was made while a process looks stays, whatever notices of declines come', async () => {
    const session = await aSession(world, { captureMethod: 'manual' });
    const intent = await intentOf(session);
    await setLease(intent.paymentId, '1 hour');
    for (let n = 0; n < 5; n++) await confirm(intent, cards.declined);
    expect(await confirm(intent, cards.approved)).toEqual({ status: 'requires_capture' });
    for (const event of await providerEvents(world, intent.intentId)) {
      await deliverNotice(world, event);
    }
    await readAllNotices(limitedWorld(world));
    await setLease(intent.paymentId, '-1 second');
    await runRecovery(limitedWorld(world));
    expect(await readState(world, session)).toMatchObject({ status: 'authorized' });
  });

  it('429 rate_limited: a challenge after each declined card keeps no intent open', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    const intent = await intentOf(session);
    const limited = limitedWorld(world);
    for (let n = 0; n < 5; n++) {
      expect(await confirm(intent, cards.declined)).toMatchObject({ code: 'card_declined' });
      expect(await confirm(intent, cards.needs3ds)).toEqual({ status: 'requires_action' });
    }
    for (const event of await providerEvents(world, intent.intentId)) {
      await deliverNotice(world, event);
    }
    await expect(openIntent(limited, session)).rejects.toEqual(code('rate_limited'));
    expect(await readState(world, session)).toMatchObject({
      status: 'open',
      latestTransactionAttempt: { result: 'DECLINED' },
    });
    expect(await confirm(intent, cards.declined)).not.toMatchObject({ code: 'card_declined' });
    expect(await listCaptures(intent.intentId)).toBe(0);
  });

  it('the fifth declined card closes no intent that has its hold meanwhile', async () => {
    const session = await aSession(world, { captureMethod: 'manual' });
    const intent = await intentOf(session);
    const limited = limitedWorld(world);
    for (let n = 0; n < 5; n++) await confirm(intent, cards.declined);
    expect(await confirm(intent, cards.approved)).toEqual({ status: 'requires_capture' });
    for (const event of await providerEvents(world, intent.intentId)) {
      await deliverNotice(world, event);
    }
    await expect(openIntent(limited, session)).rejects.toEqual(code('checkout_session_completed'));
    expect(await readState(world, session)).toMatchObject({ status: 'authorized' });
  });

  it('429 after the fifth declined card says that waiting does not help, however often it is asked', async () => {
    const session = await aSession(world);
    const limited = limitedWorld(world, 6);
    const token = await aCardToken(world, session, cards.approved);
    for (let n = 0; n < 5; n++) {
      await expect(pay(limited, session, cards.declined)).rejects.toEqual(code('card_declined'));
    }
    for (let n = 0; n < 4; n++) {
      await expect(payWith(limited, session, token)).rejects.toMatchObject({
        code: 'rate_limited',
        facts: { retryable: false },
      });
    }
  });

  it('429 rate_limited: declines of an intent and of the form are added up', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    const limited = limitedWorld(world);
    for (let n = 0; n < 2; n++) {
      await expect(pay(limited, session, cards.declined)).rejects.toEqual(code('card_declined'));
    }
    const intent = await intentOf(session);
    for (let n = 0; n < 3; n++) await confirm(intent, cards.declined);
    // Declines of the form have notices too, but are counted once.
    for (const { provider_intent_id: id } of await paymentsOf(world, session)) {
      for (const event of await providerEvents(world, id ?? '')) await deliverNotice(world, event);
    }
    await expect(openIntent(limited, session)).rejects.toEqual(code('rate_limited'));
    const other = await aSession(world);
    await pay(limited, other, cards.declined).catch(() => undefined);
    expect(await pay(limited, other)).toMatchObject({ body: { type: 'success' } });
  });
});
