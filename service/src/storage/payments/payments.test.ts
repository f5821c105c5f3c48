import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aGateway,
  freshDatabase,
  newId,
  type TestClient,
  type TestDatabase,
  type TestGateway,
} from '../../../test/harness.ts';
import { untilBlocked } from '../../../test/held-row.ts';
import { aStoredSession } from '../../../test/payments/stored-rows.ts';
import type { Operation } from '../../domain/payments/operation.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import { readClock } from '../database/clock.ts';
import { holdOperation, insertOperation } from './payment-operations.ts';
import {
  findPayment,
  findPaymentByIntent,
  insertPurchase,
  lockPayment,
  setPaymentCard,
  setProviderIntent,
  updatePayment,
} from './payments.ts';

let db: TestDatabase;
let client: TestClient;
let gateway: TestGateway;
beforeAll(async () => {
  db = await freshDatabase();
  client = await aClient(db.database);
  gateway = await aGateway(db.database, client);
});
afterAll(() => db?.close());

const aPurchase = async (given: Partial<Payment> = {}): Promise<Payment> => {
  const session = await aStoredSession(db.database, client, { gateway });
  return db.database.transaction(client.id, async (tx) =>
    insertPurchase(tx, {
      id: newId(),
      clientId: client.id,
      sessionId: session.id,
      userId: newId(),
      externalId: null,
      email: 'buyer@example.test',
      isBuyerVerified: false,
      provider: 'cardprovider',
      gatewayId: gateway.id,
      amountMinor: 1990,
      currency: 'EUR',
      captureMethod: 'manual',
      reference: null,
      metadata: { order: '7', "it's": '"quoted"' },
      isLive: false,
      createdAt: await readClock(tx),
      ...given,
    }),
  );
};
const find = (payment: Payment) => findPayment(db.database, client.id, payment.id);

describe('insertPurchase', () => {
  it('is read again as it was written, pending, with nothing said yet', async () => {
    const payment = await aPurchase();
    expect(payment).toMatchObject({
      type: 'purchase',
      status: 'pending',
      amountMinor: 1990,
      capturedMinor: 0,
      refundedMinor: 0,
      metadata: { order: '7', "it's": '"quoted"' },
      version: 0,
      eventSeq: 0,
      authorizedAt: null,
      financialEffectiveAt: null,
      providerIntentId: null,
      card: null,
    });
    expect(await find(payment)).toEqual(payment);
  });

  it('keeps the largest amounts to the unit', async () => {
    const payment = await aPurchase({ amountMinor: 999_999_999_999_999 });
    expect((await find(payment))?.amountMinor).toBe(999_999_999_999_999);
  });

  it('not a second live one of a session', async () => {
    const { sessionId } = await aPurchase();
    await expect(aPurchase({ sessionId })).rejects.toMatchObject({ code: '23505' });
  });
});

describe('findPayment and lockPayment', () => {
  it('another client’s payment is no payment', async () => {
    const payment = await aPurchase();
    const stranger = await aClient(db.database);
    expect(await findPayment(db.database, stranger.id, payment.id)).toBeUndefined();
    expect(await findPayment(db.database, client.id, newId())).toBeUndefined();
    await db.database.transaction(client.id, async (tx) => {
      expect(await lockPayment(tx, stranger.id, payment.id)).toBeUndefined();
      expect(await lockPayment(tx, client.id, payment.id)).toEqual(payment);
    });
  });

  it('a locked payment waits for its holder, and shows what the holder wrote', async () => {
    const payment = await aPurchase();
    const order: string[] = [];
    let locked: () => void = () => undefined;
    const isLocked = new Promise<void>((resolve) => {
      locked = resolve;
    });
    const first = db.database.transaction(client.id, async (tx) => {
      await lockPayment(tx, client.id, payment.id);
      locked();
      await untilBlocked(db.url);
      const updatedAt = await readClock(tx);
      await updatePayment(tx, payment, { status: 'processing', eventSeq: 0, updatedAt });
      order.push('first');
    });
    await isLocked;
    const second = db.database.transaction(client.id, async (tx) => {
      const seen = await lockPayment(tx, client.id, payment.id);
      order.push('second');
      return seen?.status;
    });
    expect(await second).toBe('processing');
    await first;
    expect(order).toEqual(['first', 'second']);
  });
});

describe('updatePayment', () => {
  it('writes the change and nothing else, one version on', async () => {
    const payment = await aPurchase();
    const updatedAt = new Date('2026-05-01T12:00:00.123Z');
    const change = {
      status: 'processing',
      gatewayChargeId: 'ch_1',
      authorizedAt: updatedAt,
      authorizationExpiresAt: new Date('2026-05-08T11:59:00.000Z'),
    } as const;
    const next = await db.database.transaction(client.id, (tx) =>
      updatePayment(tx, payment, { ...change, eventSeq: 0, updatedAt }),
    );
    expect(next).toEqual({ ...payment, ...change, updatedAt, version: 1 });
    expect(await find(payment)).toEqual(next);
  });

  it('a payment that is not there is a bug', async () => {
    const payment = { ...(await aPurchase()), id: newId() };
    const lost = db.database.transaction(client.id, (tx) =>
      updatePayment(tx, payment, { eventSeq: 0, updatedAt: new Date() }),
    );
    await expect(lost).rejects.toThrow(/a locked payment is updated/);
  });
});

/** Claims an attempt. */
const attempt = async (payment: Payment): Promise<Operation> => {
  const now = new Date();
  const operation = await db.database.transaction(client.id, (tx) =>
    insertOperation(tx, {
      id: newId(),
      clientId: client.id,
      paymentId: payment.id,
      kind: 'authorize',
      amountMinor: payment.amountMinor,
      leaseOwner: newId(),
      leaseUntil: new Date(now.getTime() + 30_000),
      now,
      idempotencyKey: null,
      rawSha256: null,
      canonSha256: Buffer.alloc(32),
      cardTokenSha256: null,
      requestId: null,
    }),
  );
  if (!operation) throw new Error('a new payment has no other operation');
  return operation;
};

describe('what is remembered once', () => {
  it('the intent of the provider: the first one stands, and leads back to the payment', async () => {
    const payment = await aPurchase();
    const held = await attempt(payment);
    const [first, second] = [`pi_${newId()}`, `pi_${newId()}`];
    expect(await setProviderIntent(db.database, held, first)).toBe(true);
    expect(await setProviderIntent(db.database, held, first)).toBe(true);
    expect(await setProviderIntent(db.database, held, second)).toBe(false);
    expect((await find(payment))?.providerIntentId).toBe(first);
    const ours = { clientId: client.id, id: payment.id };
    expect(await findPaymentByIntent(db.database, gateway.id, first)).toEqual(ours);
    expect(await findPaymentByIntent(db.database, gateway.id, second)).toBeUndefined();
    const other = await aGateway(db.database, client);
    expect(await findPaymentByIntent(db.database, other.id, first)).toBeUndefined();
  });

  it('an intent of another payment is refused', async () => {
    const intent = `pi_${newId()}`;
    await setProviderIntent(db.database, await attempt(await aPurchase()), intent);
    const other = await attempt(await aPurchase());
    await expect(setProviderIntent(db.database, other, intent)).rejects.toMatchObject({
      code: '23505',
    });
  });

  it('an intent of a holder that was taken over is not taken', async () => {
    const payment = await aPurchase();
    const held = await attempt(payment);
    const lease = { owner: newId(), until: new Date(), attemptStep: 0 } as const;
    const later = await db.database.transaction(client.id, (tx) => holdOperation(tx, held, lease));
    expect(await setProviderIntent(db.database, held, 'pi_late')).toBe(false);
    expect((await find(payment))?.providerIntentId).toBe(null);
    expect(await setProviderIntent(db.database, later, `pi_${newId()}`)).toBe(true);
  });

  it('what pays: the first card stands', async () => {
    const payment = await aPurchase();
    const card = {
      type: 'card',
      brand: 'visa',
      lastFour: '4242',
      expiryMonth: 12,
      expiryYear: 2034,
    };
    await setPaymentCard(db.database, payment, 'pm_1', card);
    await setPaymentCard(db.database, payment, 'pm_2', { ...card, lastFour: '0005' });
    expect(await find(payment)).toMatchObject({ providerPaymentMethodId: 'pm_1', card });
  });
});
