// Money with our marks that belongs to no payment: found, reported once and decided once. Charges
// of other software on the same account are not reported. docs/decisions/reconciliation.md.

import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runOn } from '../../../../test/command-line.ts';
import { newId, sessionCaller } from '../../../../test/harness.ts';
import { eventsOf } from '../../../../test/payments/checkouts.ts';
import { deliverDisputeEvents, dispute } from '../../../../test/payments/disputes.ts';
import {
  deliverNotice,
  noticeState,
  providerEvents,
  readAllNotices,
} from '../../../../test/payments/notices.ts';
import { advance, plantInDatabase } from '../../../../test/payments/planted.ts';
import { openWalletShop, type WalletShop } from '../../../../test/wallet/wallet-shop.ts';
import { aSession, pay, startWorld, type World } from '../../../../test/world.ts';
import type { Decision } from '../../../domain/payments/unknown-money.ts';
import { operations } from '../../../operations/index.ts';
import { everyClient } from '../../../storage/database/database.ts';
import { sql } from '../../../storage/database/sql.ts';
import { claimMails } from '../../../storage/mails/mails.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import { findUnknown, listOpenMoney } from '../../../storage/payments/unknown-money.ts';
import { startReconcile } from '../../../workers/reconcile.ts';
import { refuse } from '../../implement.ts';
import type { Ports } from '../../ports.ts';
import { decideUnknown } from './decide-unknown.ts';
import { findUnknownMoney } from './find-unknown-money.ts';

let world: World;
let shop: WalletShop;
let ports: Ports;
beforeAll(async () => {
  // The first calls of a new process may take longer than a test's time limit.
  world = await startWorld();
  shop = await openWalletShop(world);
  ports = {
    ...world.ports,
    settings: { ...world.ports.settings, operatorEmail: 'operator@example.test' },
  };
});
afterAll(() => world?.close());

type Intent = { id: string; latest_charge: string | null };

/** Creates an intent as the service makes them, without a row; `marks` may be missing. */
async function anIntent(fields: Record<string, string> = {}, isOurs = true): Promise<Intent> {
  const [paymentId, sessionId, operationId] = [newId(), newId(), newId()];
  const marks = {
    'metadata[payment_id]': paymentId,
    'metadata[session_id]': sessionId,
    'metadata[operation_id]': operationId,
  };
  const response = await fetch(`${world.sandbox.url}/v1/payment_intents`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${world.account.secretKey}`,
      'content-type': 'application/x-www-form-urlencoded',
      'idempotency-key': randomUUID(),
    },
    body: new URLSearchParams({
      amount: '1490',
      currency: 'eur',
      confirm: 'true',
      payment_method: 'pm_card_visa',
      'allowed_payment_method_types[0]': 'card',
      ...(isOurs ? marks : { 'metadata[payment_id]': 'order-17' }),
      ...fields,
    }),
  });
  return (await response.json()) as Intent;
}

const aHeld = () => anIntent({ capture_method: 'manual' });
const find = () =>
  findUnknownMoney(ports, {
    readsPerSecond: 1000,
    onError: (_, error) => {
      throw error;
    },
  });
const openIds = async () => (await listOpenMoney(world.database, 100)).map((row) => row.intentId);
const requestOf = (id: string, decision: Decision) => ({ id, decision, reason: 'a test' });
const decide = (id: string, decision: Decision, at: Ports = ports) =>
  decideUnknown(requestOf(id, decision), at);
const listKinds = async (intent: string) => (await world.ledger(intent)).map(({ kind }) => kind);

const countAudit = sql<{ action: string; count: number }>(
  'test_unknown_audit',
  `select action, count(*)::int from audit_entries where action like 'unknown_money.%'
     and after->>'providerIntentId' = $1 group by action order by action`,
);
const audited = async (intent: string) =>
  (await world.database.transaction(everyClient, (tx) => tx.query(countAudit, [intent]))).map(
    ({ action, count }) => `${action} ${count}`,
  );

const countRows = sql<{ count: number }>(
  'test_unknown_mails',
  `select count(*)::int from mails where kind = 'unknown_money'`,
);
const countMails = async () => (await world.database.read(countRows, []))[0]?.count ?? 0;

describe('money that no payment knows', () => {
  it('is found in a notice at once: written down, told once, and the notice is put away as such', async () => {
    const { id } = await anIntent();
    const [event] = await providerEvents(world, id);
    await deliverNotice(world, event ?? {});
    await readAllNotices({ ...world, ports });
    expect(await noticeState(world, event?.id ?? '')).toMatchObject({ outcome: 'unknown_money' });
    await find();
    expect(await openIds()).toContain(id);
    expect(await audited(id)).toEqual(['unknown_money.found 1']);
    const mails = await claimMails(world.database, 10);
    expect(mails.map(({ recipient, kind }) => `${kind} ${recipient}`)).toEqual([
      'unknown_money operator@example.test',
    ]);
    const sealed = mails[0]?.bodySealed ?? Buffer.alloc(0);
    const place = { table: 'mails', rowId: mails[0]?.id ?? '', field: 'body' };
    expect(ports.sealedHere.open(place, sealed)).toContain(`captured 14.9 EUR: cardprovider ${id}`);
  });

  it('more of it within the hour is told in one mail, an hour later', async () => {
    const made = [await anIntent(), await anIntent()];
    const before = await countMails();
    await find();
    expect(await countMails()).toBe(before);
    await advance(world, 3700);
    await find();
    expect(await countMails()).toBe(before + 1);
    await advance(world, 3700);
    await find();
    expect(await countMails()).toBe(before + 1);
    expect(await openIds()).toEqual(expect.arrayContaining(made.map(({ id }) => id)));
  });

  it('its dispute is found by the dispute’s notice', async () => {
    const { id } = await anIntent();
    await deliverDisputeEvents(world, await dispute(world, id));
    expect(await findUnknown(world.database, id)).toMatchObject({
      isDisputed: true,
      status: 'open',
    });
  });

  it('is no charge of other software on the account, whatever is told of it', async () => {
    const { id } = await anIntent({}, false);
    const charged = await providerEvents(world, id);
    for (const event of charged) await deliverNotice(world, event);
    await readAllNotices(world);
    await deliverDisputeEvents(world, await dispute(world, id));
    await find();
    await advance(world, 25 * 3600);
    await readAllNotices(world);
    expect(await findUnknown(world.database, id)).toBeUndefined();
    expect(await noticeState(world, charged[0]?.id ?? '')).toMatchObject({
      outcome: 'unknown_object',
    });
    expect(await decide(id, 'refund')).toEqual({ refusal: 'unknown_money_not_found' });
    expect(await listKinds(id)).not.toContain('refund');
  });

  it('is no payment of ours: an hour of business is listed, and nothing is found', async () => {
    await find();
    const before = (await openIds()).length;
    await pay(world, await aSession(world, { captureMethod: 'automatic' }));
    await pay(world, await aSession(world, { captureMethod: 'manual' }));
    await advance(world, 3600);
    await find();
    expect((await openIds()).length).toBe(before);
  });

  it('an order that the page captured after the card had paid is the wallet’s second payment', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    const shown = await operations.getCheckoutSession(
      { checkoutSessionId: session.sessionId },
      sessionCaller(session.nonce),
      world.ports,
      refuse,
    );
    const { gateways } = (shown as { body: { gateways: { wallet?: { orderId: string } } } }).body;
    const orderId = gateways.wallet?.orderId ?? '';
    await pay(world, session);
    await shop.approve(orderId);
    await world.control('POST', `/_control/wallet/orders/${orderId}/capture`);
    await find();
    expect(await findUnknown(world.database, orderId)).toMatchObject({
      provider: 'wallet',
      state: 'captured',
      amountMinor: 1990,
      email: 'buyer@example.test',
    });
    expect(await decide(orderId, 'refund')).toMatchObject({ refusal: null });
    const refunds = (await shop.movements(orderId)).filter(({ kind }) => kind === 'refund');
    expect(refunds).toHaveLength(1);
  });

  it('an open intent is watched, and told when it is paid', async () => {
    const { id } = await anIntent({ confirm: 'false' });
    await find();
    expect(await findUnknown(world.database, id)).toMatchObject({ status: 'watched' });
    await fetch(`${world.sandbox.url}/v1/payment_intents/${id}/confirm`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.account.secretKey}` },
    });
    await advance(world, 3600);
    await find();
    expect(await findUnknown(world.database, id)).toMatchObject({ status: 'open' });
  });
});

describe('a decision about it', () => {
  it('of eight people at once is made once: a hold let go of, a charge given back', async () => {
    const [held, charged] = [await aHeld(), await anIntent()];
    await find();
    await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        n % 2 ? decide(held.id, 'release') : decide(charged.id, 'refund'),
      ),
    );
    expect(await decide(held.id, 'release')).toMatchObject({ refusal: null });
    expect(await decide(charged.id, 'refund')).toMatchObject({ refusal: null });
    expect((await listKinds(held.id)).filter((kind) => kind === 'void')).toHaveLength(1);
    expect((await listKinds(charged.id)).filter((kind) => kind === 'refund')).toHaveLength(1);
    expect(await audited(charged.id)).toEqual([
      'unknown_money.found 1',
      'unknown_money.refunded 1',
    ]);
    expect(await decide(charged.id, 'adopt')).toMatchObject({ refusal: 'decided_otherwise' });
  });

  it.each([
    ['refund', '/v1/refunds', 'refund'],
    ['release', '/v1/payment_intents/*/cancel', 'void'],
  ] as const)(
    '%s whose answer is lost is not called done; said again, it is found, and made once',
    async (decision, path, kind) => {
      const { id } = decision === 'refund' ? await anIntent() : await aHeld();
      await find();
      await world.fault({ method: 'POST', path }, 'drop_reply', { count: 2 });
      await world.fault({ method: 'GET', path: '/v1/' }, 'error_503_unrecorded', { count: 1 });
      await decide(id, decision);
      await world.control('DELETE', '/_control/faults');
      expect(await decide(id, decision)).toMatchObject({ refusal: null });
      expect((await listKinds(id)).filter((one) => one === kind)).toHaveLength(1);
    },
  );

  it('whose holder died is gone on with by the next run, under the same key', async () => {
    const { id } = await anIntent();
    await find();
    const dying: Ports = {
      ...ports,
      provider: (gateway) => ({
        ...ports.provider(gateway),
        refund: async (call) => {
          await ports.provider(gateway).refund(call);
          throw new Error('killed');
        },
      }),
    };
    await expect(decide(id, 'refund', dying)).rejects.toThrow('killed');
    expect(await decide(id, 'refund')).toMatchObject({ refusal: 'decision_taken_over' });
    await advance(world, 3600);
    await find();
    expect(await findUnknown(world.database, id)).toMatchObject({ status: 'refunded' });
    expect((await listKinds(id)).filter((kind) => kind === 'refund')).toHaveLength(1);
  });

  it('to adopt that was broken off after the payment was written is ended by the next run', async () => {
    const { id } = await anIntent();
    await find();
    const dying: Ports = {
      ...ports,
      provider: (gateway) => ({
        ...ports.provider(gateway),
        listRefunds: async () => {
          throw new Error('killed');
        },
      }),
    };
    await expect(decide(id, 'adopt', dying)).rejects.toThrow('killed');
    await advance(world, 3600);
    await find();
    const money = await findUnknown(world.database, id);
    expect(money).toMatchObject({ status: 'adopted', adoptedPaymentId: money?.marks.paymentId });
    const paymentId = money?.adoptedPaymentId ?? '';
    expect(await findPayment(world.database, world.client.id, paymentId)).toMatchObject({
      status: 'succeeded',
      amountMinor: 1490,
      providerIntentId: id,
    });
    expect(await eventsOf(world, paymentId)).toEqual(['payment.succeeded']);
  });

  it('that does not fit what the provider has is refused, and nothing is asked', async () => {
    const [held, charged] = [await aHeld(), await anIntent()];
    await find();
    expect(await decide(charged.id, 'release')).toMatchObject({ refusal: 'not_a_hold' });
    expect(await decide(held.id, 'refund')).toMatchObject({ refusal: 'not_captured' });
    await world.control('POST', `/_control/intents/${held.id}/cancel`);
    expect(await decide(held.id, 'adopt')).toMatchObject({ refusal: 'nothing_left' });
    expect(await decide('pi_of_nobody', 'adopt')).toEqual({ refusal: 'unknown_money_not_found' });
    await plantInDatabase(world.ownerUrl, (run) =>
      run(`update unknown_money set status = 'settled' where provider_intent_id = $1`, [
        charged.id,
      ]),
    );
    expect(await decide(charged.id, 'refund')).toMatchObject({ refusal: null });
  });
});

describe('svc reconcile', () => {
  it('names each with id, amount, state, buyer and merchant, and exits with 1; so does the hourly run', async () => {
    const { id: merchant } = world.client;
    const name = 'A shop';
    const held = await anIntent({ capture_method: 'manual', receipt_email: 'ada@example.test' });
    const charged = await anIntent({ receipt_email: 'grace@example.test' });
    const folder = await mkdtemp(join(tmpdir(), 'svc-unknown-'));
    const [csv, json] = [join(folder, 'a.csv'), join(folder, 'a.json')];
    const told = await runOn(ports, ['reconcile', '--csv', csv]);
    expect(told.code).toBe(1);
    const lineOf = (state: string, { id }: Intent) =>
      `${state} 14.9 EUR: cardprovider ${id} of ${merchant} (${name})`;
    expect(told.out).toContain(
      `unknown: ${lineOf('authorized', held)}, buyer ada@example.test; svc reconcile --adopt ${held.id}, or --release`,
    );
    expect(told.out).toContain(
      `unknown: ${lineOf('captured', charged)}, buyer grace@example.test; svc reconcile --adopt ${charged.id}, or --refund`,
    );
    expect((await runOn(ports, ['reconcile', '--json', json])).code).toBe(1);
    const row = {
      clientId: merchant,
      kind: 'unknown_money',
      end: 'stands',
      providerId: charged.id,
      providerStatus: 'captured',
      providerAmount: 14.9,
      providerCurrency: 'EUR',
      buyer: 'grace@example.test',
      merchant: name,
    };
    expect(JSON.parse(await readFile(json, 'utf8')).rows).toContainEqual(
      expect.objectContaining(row),
    );
    const lines = (await readFile(csv, 'utf8')).split('\r\n');
    for (const [{ id }, state, buyer] of [
      [held, 'authorized', 'ada@example.test'],
      [charged, 'captured', 'grace@example.test'],
    ] as const) {
      const line = lines.find((one) => one.includes(id));
      expect(line).toContain(`${id},${state},14.9,EUR,${buyer},${name}`);
    }
    await rm(folder, { recursive: true });

    const warned: string[] = [];
    const recordWarning = (_: object, message: string) => void warned.push(message);
    const log = { info: () => undefined, warn: recordWarning, error: recordWarning };
    const worker = startReconcile(ports, { log, firstAfterMs: 0 });
    const line = `money that no payment knows: ${lineOf('authorized', held)}`;
    await expect.poll(() => warned).toContain(line);
    await worker.stop();
  });

  it.each([
    ['--adopt', 'adopted', 'captured 14.9 EUR, payment '],
    ['--release', 'released', ''],
    ['--refund', 'refunded', ''],
  ])('%s does it once, with its reason; another decision is refused', async (flag, status, end) => {
    const { id } = flag === '--release' ? await aHeld() : await anIntent();
    await find();
    const why = ['--reason', 'paid twice'];
    const bare = await runOn(ports, ['reconcile', flag, id]);
    expect([bare.code, bare.err]).toEqual([2, expect.stringContaining('--reason is missing')]);
    for (let n = 0; n < 2; n += 1) {
      const done = await runOn(ports, ['reconcile', flag, id, ...why]);
      expect(done).toMatchObject({ code: 0, err: '' });
      expect(done.out).toContain(`${id}: ${status}, ${end}`);
    }
    expect(await audited(id)).toEqual(expect.arrayContaining([`unknown_money.${status} 1`]));
    const other = flag === '--refund' ? '--adopt' : '--refund';
    const refused = await runOn(ports, ['reconcile', other, id, ...why]);
    expect([refused.code, refused.err]).toEqual([
      1,
      'svc reconcile: decided_otherwise: it was decided otherwise, or a payment has it\n',
    ]);
    const both = await runOn(ports, ['reconcile', flag, id, other, id, ...why]);
    expect([both.code, both.err]).toEqual([2, expect.stringContaining('are both given')]);
  });
});
