// A buyer's coupons on an existing session. Contract §8. docs/decisions/catalog.md.

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callerOf, newId, sessionCaller } from '../../../test/harness.ts';
import {
  aShell,
  bodyOf,
  claim,
  expireNow,
  openIntent,
  paymentsOf,
  readState,
} from '../../../test/payments/checkouts.ts';
import { aStoredCoupon } from '../../../test/payments/coupons.ts';
import { aCardToken, aSession, cards, pay, startWorld, type World } from '../../../test/world.ts';
import { refuse } from '../../engine/implement.ts';
import { findCoupon, lockCoupon, updateCoupon } from '../../storage/catalog/coupons.ts';
import { sql } from '../../storage/database/sql.ts';
import { operations } from '../index.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

type Session = { sessionId: string; nonce: string };
type ShownSession = {
  status: string;
  couponCodes: string[];
  couponsAccepted: boolean | null;
  products: { totalAmount: number; overrideAmount: number | null }[];
  totals: { subtotal: number; discount: number; total: number };
};

const code = (name: string, facts?: object) =>
  expect.objectContaining({
    code: name,
    ...(facts ? { facts: expect.objectContaining(facts) } : {}),
  });
const aCoupon = (given = {}) => aStoredCoupon(world.database, world.client, given);
const changeCoupons = (session: Session, couponCodes: string[], nonce = session.nonce) =>
  operations.updateSessionCoupons(
    { checkoutSessionId: session.sessionId, body: { couponCodes } },
    sessionCaller(nonce),
    world.ports,
    refuse,
  );
const readChanged = (session: Session, couponCodes: string[]) =>
  bodyOf<ShownSession>(changeCoupons(session, couponCodes));
const readSession = (session: Session) =>
  bodyOf<ShownSession>(
    operations.getCheckoutSession(
      { checkoutSessionId: session.sessionId },
      sessionCaller(session.nonce),
      world.ports,
      refuse,
    ),
  );
/** The merchant changes the coupon meanwhile. */
const alter = (coupon: string, given: object) =>
  world.database.transaction(world.client.id, async (tx) => {
    const found = await lockCoupon(tx, world.client.id, coupon);
    if (found) await updateCoupon(tx, { ...found, ...given });
  });

describe('updateSessionCoupons', () => {
  it('Spec 2.3 couponCodes · 200: the session is priced anew, and its payment is of the new total', async () => {
    const coupon = await aCoupon();
    const session = await aSession(world);
    const shown = await readChanged(session, [coupon.toLowerCase()]);
    expect(shown).toMatchObject({
      status: 'open',
      couponCodes: [coupon],
      couponsAccepted: true,
      totals: { subtotal: 19.9, discount: 1.99, total: 17.91 },
    });
    expect(await readSession(session)).toMatchObject({
      couponCodes: [coupon],
      totals: shown.totals,
    });
    await pay(world, session);
    const moved = (await world.ledger()).filter(({ amount }) => amount === 1791);
    expect(moved.length).toBeGreaterThan(0);
    expect((await findCoupon(world.database, world.client.id, coupon))?.redemptions).toBe(1);
  });

  it('an empty list takes all off again, and nothing is redeemed', async () => {
    const coupon = await aCoupon();
    const session = await aSession(world);
    await readChanged(session, [coupon]);
    expect(await readChanged(session, [])).toMatchObject({
      couponCodes: [],
      totals: { discount: 0, total: 19.9 },
    });
    await pay(world, session);
    expect((await findCoupon(world.database, world.client.id, coupon))?.redemptions).toBe(0);
  });

  it('the same codes again change nothing, whatever has become of them', async () => {
    const coupon = await aCoupon();
    const session = await aSession(world);
    const first = await readChanged(session, [coupon]);
    await alter(coupon, { isActive: false });
    expect(await readChanged(session, [coupon])).toMatchObject({
      totals: first.totals,
      couponCodes: [coupon],
    });
  });

  it('one code that reads like two that are there is not those two', async () => {
    const [one, other] = [await aCoupon(), await aCoupon()];
    const session = await aSession(world);
    await readChanged(session, [one, other]);
    await expect(changeCoupons(session, [`${one},${other}`])).rejects.toEqual(
      code('invalid_catalog_data', {
        errors: [expect.objectContaining({ path: 'couponCodes[0]', code: 'coupon_unknown' })],
      }),
    );
  });

  it('many at once with the same codes: one price', async () => {
    const coupon = await aCoupon();
    const session = await aSession(world);
    const all = await Promise.all(Array.from({ length: 8 }, () => readChanged(session, [coupon])));
    expect(new Set(all.map(({ totals }) => totals.total))).toEqual(new Set([17.91]));
  });

  it.each([
    ['an overrideAmount', { products: [{ code: 'mug', quantity: 2, overrideAmount: 30 }] }],
    [
      'one that equals the catalog',
      { products: [{ code: 'mug', quantity: 1, overrideAmount: 19.9 }] },
    ],
    ['a line of its own', { products: [{ name: 'Shipping', quantity: 1, amount: 30 }] }],
    [
      'couponsAccepted: false',
      { products: [{ code: 'mug', quantity: 1 }], couponsAccepted: false },
    ],
  ] as const)(
    '403 coupons_not_accepted: the merchant set %s; its own coupons count',
    async (_, set) => {
      const [own, other] = [await aCoupon(), await aCoupon()];
      const { id, nonce, ...made } = await bodyOf<ShownSession & { id: string; nonce: string }>(
        operations.createCheckoutSession(
          {
            body: {
              clientId: world.client.id,
              currency: 'EUR',
              accountData: { userId: newId(), email: 'buyer@example.test' },
              couponCodes: [own],
              ...set,
              products: [...set.products],
            },
          },
          callerOf(world.token),
          world.ports,
          refuse,
        ),
      );
      const session = { sessionId: id, nonce };
      expect(made).toMatchObject({ couponCodes: [own], couponsByMerchantOnly: true });
      expect(made.totals.discount).toBeGreaterThan(0);
      for (const codes of [[own, other], []]) {
        await expect(changeCoupons(session, codes)).rejects.toEqual(code('coupons_not_accepted'));
      }
      expect(await readChanged(session, [own])).toMatchObject({ totals: made.totals });
      expect(await readSession(session)).toMatchObject({
        totals: made.totals,
        couponsAccepted: false,
      });
    },
  );

  it('403 merchant_credential_required: a buyer’s page decides of no coupons', async () => {
    const body = {
      clientId: world.client.id,
      currency: 'EUR',
      products: [{ code: 'mug', quantity: 1 }],
      accountData: { userId: newId(), email: 'buyer@example.test' },
      couponsAccepted: false as const,
    };
    const nobody = { kind: 'anonymous', requestId: 'req_test', origin: null } as const;
    await expect(
      operations.createCheckoutSession({ body }, nobody, world.ports, refuse),
    ).rejects.toEqual(code('merchant_credential_required', { param: 'couponsAccepted' }));
  });

  it.each([
    ['coupon_unknown', null],
    ['coupon_inactive', { isActive: false }],
    ['coupon_not_started', { startsAt: new Date('2099-01-01') }],
    ['coupon_ended', { endsAt: new Date('2020-01-01') }],
    ['coupon_currency_differs', { amountOffMinor: 100, currency: 'USD' }],
    ['coupon_without_effect', { productCodes: ['none-of-the-cart'] }],
  ])('422 invalid_catalog_data, %s: the session stays as it was', async (reason, given) => {
    const kept = await aCoupon();
    const coupon = given ? await aCoupon(given) : 'NO-SUCH-CODE';
    const session = await aSession(world);
    await readChanged(session, [kept]);
    await expect(changeCoupons(session, [kept, coupon])).rejects.toEqual(
      code('invalid_catalog_data', {
        errors: [expect.objectContaining({ path: 'couponCodes[1]', code: reason })],
      }),
    );
    expect(await readSession(session)).toMatchObject({
      couponCodes: [kept],
      totals: { total: 17.91 },
    });
  });

  it('422 invalid_catalog_data: one that is used up, and one given twice', async () => {
    const coupon = await aCoupon({ maxRedemptions: 1 });
    const [first, second] = [await aSession(world), await aSession(world)];
    await readChanged(first, [coupon]);
    await expect(changeCoupons(first, [coupon, coupon])).rejects.toEqual(
      code('invalid_catalog_data', {
        errors: [expect.objectContaining({ code: 'coupon_repeated' })],
      }),
    );
    await pay(world, first);
    await expect(changeCoupons(second, [coupon])).rejects.toEqual(
      code('invalid_catalog_data', {
        errors: [expect.objectContaining({ code: 'coupon_exhausted' })],
      }),
    );
  });

  it('one that was used up since is taken off, and the session is paid', async () => {
    const coupon = await aCoupon({ maxRedemptions: 1 });
    const [first, second] = [await aSession(world), await aSession(world)];
    await readChanged(first, [coupon]);
    await readChanged(second, [coupon]);
    await pay(world, first);
    await expect(pay(world, second)).rejects.toEqual(code('coupon_exhausted'));
    await readChanged(second, []);
    expect(await pay(world, second)).toMatchObject({ body: { type: 'success' } });
  });

  it('a coupon may take everything off', async () => {
    const coupon = await aCoupon({ percentOffBasisPoints: 10_000 });
    const session = await aSession(world);
    await readChanged(session, [coupon]);
    expect((await readSession(session)).totals.total).toBe(0);
  });
});

describe('updateSessionCoupons and payments', () => {
  it('after a decline the price may change, and the next payment is of it', async () => {
    const coupon = await aCoupon();
    const session = await aSession(world);
    await expect(pay(world, session, cards.declined)).rejects.toEqual(code('card_declined'));
    await readChanged(session, [coupon]);
    await pay(world, session);
    const found = await world.database.read(amounts, [session.sessionId]);
    expect(found.map(({ amount }) => Number(amount))).toEqual([1990, 1791]);
  });

  it('an open intent is closed at the provider, and the next one is of the new amount', async () => {
    const coupon = await aCoupon();
    const session = await aSession(world);
    const first = await bodyOf<{ data: { intentId: string; amount: number } }>(
      openIntent(world, session),
    );
    expect(first.data.amount).toBe(19.9);
    expect(await readChanged(session, [coupon])).toMatchObject({ status: 'open' });
    const second = await bodyOf<{ data: { intentId: string; amount: number } }>(
      openIntent(world, session),
    );
    expect(second.data.amount).toBe(17.91);
    expect(second.data.intentId).not.toBe(first.data.intentId);
    const made = await paymentsOf(world, session);
    expect(made.map(({ status }) => status)).toEqual(['failed', 'pending']);
  });

  it('409 checkout_attempt_in_progress: the bank is asking about the old amount', async () => {
    const coupon = await aCoupon();
    const session = await aSession(world);
    expect(await pay(world, session, cards.needs3ds)).toMatchObject({
      body: { type: '3ds_required' },
    });
    await expect(changeCoupons(session, [coupon])).rejects.toEqual(
      code('checkout_attempt_in_progress'),
    );
    expect((await readState(world, session)).status).toBe('requires_action');
  });

  it('a change racing a payment: charged is what the session says', async () => {
    for (let round = 0; round < 4; round += 1) {
      const coupon = await aCoupon();
      const session = await aSession(world);
      const token = await aCardToken(world, session, cards.approved);
      const [, paid] = await Promise.allSettled([
        changeCoupons(session, [coupon]),
        operations.processVaultCharge(
          { sessionId: session.sessionId, body: { token } },
          sessionCaller(session.nonce),
          world.ports,
          refuse,
        ),
      ]);
      expect(paid.status).toBe('fulfilled');
      const { totals } = await readSession(session);
      const [found] = await world.database.read(amounts, [session.sessionId]);
      expect(Number(found?.amount)).toBe(Math.round(totals.total * 100));
    }
  });

  it('409 checkout_session_completed once paid, and for a hold alike', async () => {
    const coupon = await aCoupon();
    for (const captureMethod of ['automatic', 'manual'] as const) {
      const session = await aSession(world, { captureMethod });
      await pay(world, session);
      await expect(changeCoupons(session, [coupon])).rejects.toEqual(
        code('checkout_session_completed'),
      );
    }
  });
});

describe('updateSessionCoupons on what is not open', () => {
  it('409 checkout_session_data_attachment_required before the claim, and fine after it', async () => {
    const coupon = await aCoupon();
    const shell = await aShell(world);
    await expect(changeCoupons(shell, [coupon])).rejects.toEqual(
      code('checkout_session_data_attachment_required'),
    );
    await claim(world, shell);
    expect(await readChanged(shell, [coupon])).toMatchObject({ totals: { total: 17.91 } });
    // A repeat of the claim still gets its own response: the same body returns the session in its
    // present state.
    expect(await bodyOf<ShownSession>(claim(world, shell))).toMatchObject({
      couponCodes: [coupon],
    });
  });

  it('409 checkout_session_expired · 404 checkout_session_not_found for a wrong nonce', async () => {
    const coupon = await aCoupon();
    const session = await aSession(world);
    await expect(changeCoupons(session, [coupon], 'wrong')).rejects.toEqual(
      code('checkout_session_not_found'),
    );
    await expireNow(world, session);
    await expect(changeCoupons(session, [coupon])).rejects.toEqual(
      code('checkout_session_expired'),
    );
  });

  it('409 checkout_session_is_setup', async () => {
    const setup = { sessionId: newId(), nonce: 'nonce-of-a-set-up' };
    const nonceSha256 = createHash('sha256').update(setup.nonce).digest();
    const given = [setup.sessionId, world.client.id, nonceSha256, world.gatewayId];
    await world.database.write(insertSetup, given);
    await expect(changeCoupons(setup, [])).rejects.toEqual(code('checkout_session_is_setup'));
  });
});

describe('the database', () => {
  it.each([
    ['a lower total than the lines give', "total_minor = 1, coupon_codes = '{X}'"],
    ['a price without a coupon', 'discount_minor = 100, total_minor = 1890'],
    ['another line', `lines = '[]', coupon_codes = '{X}'`],
    ['another subtotal', 'subtotal_minor = 100'],
  ])('refuses %s', async (_, assignment) => {
    const session = await aSession(world);
    const forced = sql(
      `test_coupon_force_${assignment.length}`,
      `update checkout_sessions set ${assignment} where id = $1`,
    );
    await expect(world.database.write(forced, [session.sessionId])).rejects.toThrow(/session/);
  });

  it('refuses a change of price while a payment lives', async () => {
    const session = await aSession(world);
    await openIntent(world, session);
    await expect(world.database.write(discount, [session.sessionId])).rejects.toThrow(
      /only the coupons of an open cart change/,
    );
  });
});

const insertSetup = sql(
  'test_coupon_setup',
  `insert into checkout_sessions (id, client_id, nonce_sha256, mode, status, capture_method,
     gateway_id, expires_at, created_at, updated_at)
   values ($1, $2, $3, 'setup', 'open', 'automatic', $4, svc_clock() + interval '1 hour',
     svc_clock(), svc_clock())`,
);
const amounts = sql<{ amount: string }>(
  'test_coupon_amounts',
  `select amount_minor as amount from payments where session_id = $1 and type = 'purchase'
   order by created_at, id`,
);
const discount = sql(
  'test_coupon_discount',
  `update checkout_sessions set discount_minor = 100, total_minor = total_minor - 100,
     coupon_codes = '{X}' where id = $1`,
);
