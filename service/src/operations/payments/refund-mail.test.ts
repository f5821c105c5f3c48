// The mail about a refund: requested with the refund, sent once, with the text that was shown
// before.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAs, callerOf, newId } from '../../../test/harness.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aSession, buyerEmail, cards, pay, startWorld, type World } from '../../../test/world.ts';
import { refuse } from '../../engine/implement.ts';
import { mailBuyers } from '../../engine/runs/buyer-mails/mail-buyers.ts';
import { readWaitingMails } from '../../engine/steps/mails/read-waiting-mails.ts';
import { operations } from '../index.ts';

let world: World;
let server: TestServer;
beforeAll(async () => {
  world = await startWorld();
  server = await aServer(world.ports);
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

async function purchase(card: string = cards.approved): Promise<string> {
  const session = await aSession(world, { captureMethod: 'automatic' });
  const answer = await pay(world, session, card);
  if (!('body' in answer)) throw new Error('a payment is answered');
  return (answer.body as { paymentId: string }).paymentId;
}

const refund = (paymentId: string, body: object, key: string) =>
  callAs(server.app, world.token, `POST /v1/payments/${paymentId}/refunds`, {
    body,
    headers: { 'idempotency-key': key },
  });
const onError = (_: unknown, error: unknown) => {
  throw error;
};
/** Returns the mails after a pass of the worker that writes them. */
async function mails() {
  await mailBuyers(world.ports, { onError });
  return (await readWaitingMails(world.ports)).filter(({ kind }) => kind === 'buyer_refund');
}

describe('a refund with notifyBuyer', () => {
  it('mails the buyer once, however often it is repeated; without it nobody is mailed', async () => {
    const id = await purchase();
    const body = { amount: 5, reason: 'requested_by_customer', notifyBuyer: true };
    const key = newId();
    world.nudged.length = 0;
    const first = await refund(id, body, key);
    expect(first.statusCode, first.body).toBe(201);
    expect(world.nudged).toContain('mail-buyers');
    expect((await refund(id, body, key)).statusCode).toBe(201);
    expect((await refund(id, { amount: 1 }, newId())).statusCode).toBe(201);
    const sent = (await Promise.all([mails(), mails(), mails()]))[0] ?? [];
    expect(await mails()).toHaveLength(1);
    expect(sent.map(({ to }) => to)).toEqual([buyerEmail]);
    expect(sent[0]?.text).toMatch(
      /^5\.00 EUR is on its way back to you\.\nReason: you asked for it\./,
    );
    const timeline = await callAs(
      server.app,
      world.token,
      `GET /v1/payments/${id}/timeline?limit=100`,
    );
    type Entry = { kind: string; type: string; paymentId: string };
    const told = (timeline.json().data as Entry[]).filter(({ kind }) => kind === 'mail');
    expect(told).toMatchObject([{ type: 'refund', paymentId: first.json().id }]);
  });

  it('mails the buyer also where the process dies before it wakes the worker', async () => {
    const before = (await mails()).length;
    const digest = Buffer.alloc(32, newId());
    const identity = { idempotencyKey: newId(), rawSha256: digest, canonSha256: digest };
    const dying = { ...world.ports, nudge: () => undefined };
    const input = { paymentId: await purchase(), body: { amount: 5, notifyBuyer: true } };
    await operations.createRefund({ ...input, ...identity }, callerOf(world.token), dying, refuse);
    expect(await mails()).toHaveLength(before + 1);
  });

  it('has a receipt of its own, and stands on that of the purchase', async () => {
    const id = await purchase();
    const made = await refund(id, { amount: 5 }, newId());
    const readPayment = async (paymentId: string) =>
      (await callAs(server.app, world.token, `GET /v1/payments/${paymentId}/receipt`)).json();
    expect(await readPayment(made.json().id)).toMatchObject({
      type: 'refund',
      amount: 5,
      items: [],
    });
    expect(await readPayment(id)).toMatchObject({
      type: 'purchase',
      amountRefunded: 5,
      items: [{ quantity: 1 }],
      paymentMethod: { brand: 'visa', lastFour: '4242' },
    });
  });

  it('that is refused before it begins mails nobody', async () => {
    const before = (await mails()).length;
    const answer = await refund(await purchase(), { amount: 9999, notifyBuyer: true }, newId());
    expect(answer.statusCode).toBe(422);
    expect(await mails()).toHaveLength(before);
  });
});
