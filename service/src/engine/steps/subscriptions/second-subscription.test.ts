// The same subscription is not sold to a buyer twice. Contract §5.

import { hash } from 'node:crypto';
import type { CreateCheckoutSession } from '@svc/contract/checkout-sessions/checkout-sessions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aSavedCard } from '../../../../test/customers/saved-cards.ts';
import {
  aClub,
  advanceToRenewal,
  cancelClub,
  endAll,
  fundWith,
  renewAll,
  renewalsOf,
  subscriptionOf,
  subscriptionsOfSession,
} from '../../../../test/customers/subscriptions.ts';
import { aClient, aToken, callerOf, newId, sessionCaller } from '../../../../test/harness.ts';
import {
  anonymous,
  answerChallenge,
  aShell,
  bodyOf,
  claimBody,
  openIntent,
} from '../../../../test/payments/checkouts.ts';
import { aStoredCoupon } from '../../../../test/payments/coupons.ts';
import { plantInDatabase } from '../../../../test/payments/planted.ts';
import {
  aCardToken,
  buyerEmail,
  type Checkout,
  cards,
  pay,
  payWith,
  startWorld,
  type World,
} from '../../../../test/world.ts';
import { operations } from '../../../operations/index.ts';
import { lockSession } from '../../../storage/checkout-sessions/checkout-sessions.ts';
import { sql } from '../../../storage/database/sql.ts';
import { isSecondSubscription } from '../../../storage/subscriptions/second-subscriptions.ts';
import { refuse } from '../../implement.ts';
import type { Caller } from '../../ports.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const exists = expect.objectContaining({ code: 'subscription_exists' });
const club = [{ code: 'club', quantity: 1 }];

async function openSession(
  userId: string,
  given: Partial<CreateCheckoutSession> = {},
  caller: Caller = callerOf(world.token),
): Promise<Checkout> {
  const answer = await operations.createCheckoutSession(
    {
      body: {
        clientId: world.client.id,
        currency: 'EUR',
        products: club,
        accountData: { userId, email: buyerEmail },
        ...given,
      },
    },
    caller,
    world.ports,
    refuse,
  );
  if (!('body' in answer)) throw new Error('a session has a body');
  const { id, nonce, vault } = answer.body;
  return { sessionId: id, nonce, userId, mountToken: vault?.mountToken ?? '' };
}

const readOf = async (session: Checkout) =>
  bodyOf(
    operations.getCheckoutSession(
      { checkoutSessionId: session.sessionId },
      sessionCaller(session.nonce),
      world.ports,
      refuse,
    ),
  );

const running = sql<{ n: number }>(
  'test_running_of_buyer',
  "select count(*)::int as n from subscriptions where user_id = $1 and status <> 'canceled'",
);
const countOf = async (userId: string) => (await world.database.read(running, [userId]))[0]?.n ?? 0;

describe('a second subscription', () => {
  it('Contract §1 subscription_exists: two tabs, one after the other, and nothing is charged', async () => {
    const userId = newId();
    const tabs = [await openSession(userId), await openSession(userId)] as const;
    await pay(world, tabs[0]);
    const before = (await world.ledger()).length;
    await expect(pay(world, tabs[1])).rejects.toEqual(exists);
    expect((await world.ledger()).length).toBe(before);
    expect(await countOf(userId)).toBe(1);
  });

  it('six tabs at the same moment: one pays', async () => {
    const userId = newId();
    const tabs: Checkout[] = [];
    for (let n = 0; n < 6; n += 1) tabs.push(await openSession(userId));
    const tokens = await Promise.all(tabs.map((tab) => aCardToken(world, tab, '4242424242424242')));
    const ends = await Promise.allSettled(
      tabs.map((tab, n) => payWith(world, tab, tokens[n] ?? '')),
    );
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const end of ends) if (end.status === 'rejected') expect(end.reason).toEqual(exists);
    expect(await countOf(userId)).toBe(1);
  });

  it('one that settles between the two looks of the check is found as its subscription', async () => {
    const userId = newId();
    const first = await openSession(userId);
    const second = await openSession(userId);
    const token = await aCardToken(world, first, cards.needs3ds);
    const asked = await payWith(world, first, token);
    if (!('body' in asked) || !asked.body.challenge?.url) throw new Error('no challenge');
    await answerChallenge(asked.body.challenge.url, 'approve');
    const looked = Promise.withResolvers<void>();
    // The call begins outside the transaction: no call may leave the process from within one.
    const settled = looked.promise.then(() => payWith(world, first, token));
    const isRefused = await world.database.transaction(world.client.id, async (tx) => {
      const nonceSha256 = hash('sha256', second.nonce, 'buffer');
      const session = await lockSession(tx, nonceSha256, second.sessionId);
      if (!session) throw new Error('no session');
      const query: typeof tx.query = async (statement, values) => {
        const rows = await tx.query(statement, values);
        if (!statement.name.startsWith('subscriptions.has_')) return rows;
        looked.resolve();
        await settled;
        return rows;
      };
      return isSecondSubscription({ query }, session);
    });
    expect(isRefused).toBe(true);
    expect(await countOf(userId)).toBe(1);
  });

  it('one that was declined stands in nobody’s way', async () => {
    const userId = newId();
    const tabs = [await openSession(userId), await openSession(userId)] as const;
    await expect(pay(world, tabs[0], '4000000000000002')).rejects.toMatchObject({
      code: 'card_declined',
    });
    expect(await pay(world, tabs[1])).toMatchObject({ body: { type: 'success' } });
  });

  it('a session that is opened while one runs says so, and it is sold again after its end', async () => {
    const userId = newId();
    const first = await openSession(userId);
    expect(await readOf(first)).toMatchObject({ subscriptionExists: false });
    await pay(world, first);
    const second = await openSession(userId);
    expect(await readOf(second)).toMatchObject({ subscriptionExists: true });
    await expect(pay(world, second)).rejects.toEqual(exists);
    await expect(openIntent(world, second)).rejects.toEqual(exists);
    const [started] = await subscriptionsOfSession(world, first);
    await cancelClub(world, started?.id ?? '');
    expect(await pay(world, await openSession(userId))).toMatchObject({
      body: { type: 'success' },
    });
  });

  it('beside a paid item, and in an order that costs nothing', async () => {
    const userId = newId();
    const code = await aStoredCoupon(world.database, world.client, {
      percentOffBasisPoints: 10_000,
    });
    const tabs = [
      await openSession(userId, { products: [...club, { code: 'mug', quantity: 1 }] }),
      await openSession(userId, { couponCodes: [code] }),
    ] as const;
    await pay(world, tabs[0]);
    await expect(
      operations.processVaultCharge(
        { sessionId: tabs[1].sessionId, body: {} },
        sessionCaller(tabs[1].nonce),
        world.ports,
        refuse,
      ),
    ).rejects.toEqual(exists);
  });

  it('one that is trialing, past due, unpaid or paused counts as one that runs', async () => {
    const first = await openSession(newId());
    await pay(world, first);
    const [started] = await subscriptionsOfSession(world, first);
    const second = await openSession(first.userId);
    for (const status of ['trialing', 'past_due', 'unpaid', 'paused']) {
      await plantInDatabase(world.ownerUrl, (run) =>
        run('update subscriptions set status = $2 where id = $1', [started?.id, status]),
      );
      expect(await readOf(second), status).toMatchObject({ subscriptionExists: true });
      await expect(pay(world, second), status).rejects.toEqual(exists);
    }
    await plantInDatabase(world.ownerUrl, (run) =>
      run("update subscriptions set status = 'active' where id = $1", [started?.id]),
    );
  });

  it('bought again while a renewal fails, which then succeeds: one subscription, one charge', async () => {
    await endAll(world);
    const { id, userId, methodId } = await aClub(world);
    const failing = await aSavedCard(world, { userId, number: '4000000000000341' });
    await fundWith(world, id, failing.id);
    await advanceToRenewal(world, id);
    await renewAll(world);
    expect(await subscriptionOf(world, id)).toMatchObject({ status: 'past_due' });
    await expect(pay(world, await openSession(userId))).rejects.toEqual(exists);
    await fundWith(world, id, methodId);
    await advanceToRenewal(world, id);
    await renewAll(world);
    expect(await subscriptionOf(world, id)).toMatchObject({ status: 'active', periods: 2 });
    const statuses = (await renewalsOf(world, id)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 'succeeded')).toHaveLength(1);
    expect(await countOf(userId)).toBe(1);
  });

  it('the merchant may allow it: allowSecondSubscription', async () => {
    const userId = newId();
    await pay(world, await openSession(userId));
    await pay(world, await openSession(userId, { allowSecondSubscription: true }));
    expect(await countOf(userId)).toBe(2);
  });

  it('403 merchant_credential_required: nobody else may allow it', async () => {
    const given = { products: [{ code: 'mug', quantity: 1 }], allowSecondSubscription: true };
    await expect(openSession(newId(), given, anonymous)).rejects.toMatchObject({
      code: 'merchant_credential_required',
    });
  });
});

const vouchedCaller = (session: Checkout, merchant: Caller = callerOf(world.token)): Caller => ({
  ...(sessionCaller(session.nonce) as Extract<Caller, { kind: 'session' }>),
  merchant,
});

const claimAs = (session: Checkout, caller: Caller, given: object = { products: club }) =>
  operations.claimCheckoutSession(
    { checkoutSessionId: session.sessionId, body: claimBody(session, given) },
    caller,
    world.ports,
    refuse,
  );

const paymentOf = (answer: Awaited<ReturnType<typeof pay>>) =>
  bodyOf(
    operations.getPayment(
      { paymentId: ('body' in answer && answer.body.paymentId) || '' },
      callerOf(world.token),
      world.ports,
      refuse,
    ),
  );

describe('a subscription needs a buyer whom the merchant vouches for', () => {
  const unverified = expect.objectContaining({ code: 'buyer_not_verified' });

  it('403 buyer_not_verified at create and claim, whatever it costs', async () => {
    await expect(openSession(newId(), {}, anonymous)).rejects.toEqual(unverified);
    const shell = await aShell(world);
    await expect(claimAs(shell, sessionCaller(shell.nonce))).rejects.toEqual(unverified);
  });

  it('a claim with the merchant’s credential verifies the buyer, who becomes its customer', async () => {
    const shell = await aShell(world);
    const claimed = await claimAs(shell, vouchedCaller(shell));
    expect(claimed).toMatchObject({ status: 200, body: { buyerVerified: true } });
    const paid = await pay(world, shell);
    expect(paid).toMatchObject({ body: { type: 'success' } });
    expect(await countOf(shell.userId)).toBe(1);
    expect(await paymentOf(paid)).toMatchObject({ buyerVerified: true });
    const mug = { products: [{ code: 'mug', quantity: 1 }] };
    const strangers = await pay(world, await openSession(newId(), mug, anonymous));
    expect(await paymentOf(strangers)).toMatchObject({ buyerVerified: false });
  });

  it('404 and 403: of another merchant, and of a token that may not check out', async () => {
    const shell = await aShell(world);
    const other = await aToken(world.database, await aClient(world.database));
    await expect(claimAs(shell, vouchedCaller(shell, callerOf(other)))).rejects.toMatchObject({
      code: 'checkout_session_not_found',
    });
    const scopes = ['payments:read'];
    const narrow = vouchedCaller(shell, callerOf(world.token, { scopes }));
    await expect(claimAs(shell, narrow)).rejects.toMatchObject({ code: 'insufficient_scope' });
  });
});

describe('metadata', () => {
  it('Contract §1 merchant_credential_required: a stranger writes no metadata', async () => {
    const given = { products: [{ code: 'mug', quantity: 1 }], metadata: { order: '7' } };
    await expect(openSession(newId(), given, anonymous)).rejects.toMatchObject({
      code: 'merchant_credential_required',
      facts: { param: 'metadata' },
    });
  });

  it.each([
    ['metadata', { metadata: { order: '7' } }],
    ['metadata', { metadata: { subscriptionId: '7', svc: 'x' } }],
    ['allowSecondSubscription', { allowSecondSubscription: true }],
  ])(
    'Contract §1 merchant_credential_required: %s at a claim with the nonce alone: %j',
    async (...of) => {
      const [param, given] = of;
      const shell = await aShell(world);
      const asked = { products: [{ code: 'mug', quantity: 1 }], ...given };
      await expect(claimAs(shell, sessionCaller(shell.nonce), asked)).rejects.toMatchObject({
        code: 'merchant_credential_required',
        facts: { param },
      });
      expect(await claimAs(shell, vouchedCaller(shell), asked)).toMatchObject({ status: 200 });
    },
  );
});
