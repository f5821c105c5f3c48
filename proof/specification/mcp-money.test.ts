// Contract §6: agents that move money in two steps. The same move happens once, whatever is repeated.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPayment } from '../../service/src/storage/payments/payments.ts';
import { aClient, aToken, moveClock, newId } from '../../service/test/harness.ts';
import { aHold, aSession, pay } from '../../service/test/world.ts';
import {
  callTool,
  connectAgent,
  type Fixture,
  openFixture,
  outcomeOf,
  previewOf,
  type ToolResult,
} from './agent.ts';

let fixture: Fixture;
type Agent = Awaited<ReturnType<typeof connectAgent>>;
let agent: Agent;
const money = ['payments:read', 'payments:write', 'refunds:write'];

beforeAll(async () => {
  fixture = await openFixture();
  agent = await connectAgent(fixture.way.url, await fixture.grant(money));
});
afterAll(async () => {
  await agent.close();
  await fixture.close();
});

async function aPurchase(): Promise<string> {
  const answer = await pay(
    fixture.world,
    await aSession(fixture.world, { captureMethod: 'automatic' }),
  );
  if (!('body' in answer)) throw new Error('process has a body');
  return answer.body.paymentId ?? '';
}

/** Returns the provider's movements for the payment: kind and minor units. */
async function readMovements(paymentId: string): Promise<string[]> {
  const { world } = fixture;
  const payment = await findPayment(world.database, world.client.id, paymentId);
  const entries = await world.ledger(payment?.providerIntentId ?? '');
  const isMoney = ({ kind }: { kind: string }) => kind === 'capture' || kind === 'refund';
  return entries.filter(isMoney).map(({ kind, amount }) => `${kind} ${Math.abs(amount)}`);
}

/** Previews, then makes the confirmed call. */
async function confirmCall(
  tool: string,
  args: Record<string, unknown>,
  by = agent,
): Promise<ToolResult> {
  const { confirmation } = previewOf(await callTool(by, tool, args));
  return callTool(by, tool, { ...args, confirmation });
}

describe('the preview', () => {
  it('says what would happen and moves nothing', async () => {
    const { paymentId } = await aHold(fixture.world);
    const told = await callTool(agent, 'capture_payment', { paymentId });
    expect(told.text).toContain('Nothing has happened yet.');
    expect(told.structured).not.toHaveProperty('outcome');
    expect(told.structured.preview).toMatchObject({
      effect: 'Collects 19.9 EUR from buyer@example.test, once.',
      paymentId,
      status: 'authorized',
      amount: 19.9,
      currency: 'EUR',
      customer: { email: 'buyer@example.test' },
      amountRefunded: 0,
      amountRefundable: 0,
      earlier: [],
    });
    expect(await readMovements(paymentId)).toEqual([]);
  });

  it('null for an argument that may be left out is the argument left out', async () => {
    const paymentId = await aPurchase();
    const none = { reason: null, metadata: null, occurrence: null, confirmation: null };
    const told = await callTool(agent, 'create_refund', { paymentId, amount: 5, ...none });
    const { confirmation } = previewOf(told);
    const args = { paymentId, amount: 5, confirmation };
    const { id } = outcomeOf(await callTool(agent, 'create_refund', args));
    const again = await callTool(agent, 'create_refund', { ...none, ...args });
    expect(outcomeOf(again).id).toBe(id);
    const listed = { email: null, page: null, filters: null, limit: 1 };
    expect(await callTool(agent, 'list_payments', listed)).toMatchObject({
      structured: { page: 1, limit: 1 },
    });
    for (const email of ['buyer@example.test', 'Buyer@Example.TEST']) {
      const found = await callTool(agent, 'list_payments', { email, limit: 100 });
      const { data = [] } = found.structured as { data?: { id: string }[] };
      expect(
        data.map(({ id: one }) => one),
        email,
      ).toContain(paymentId);
    }
    const missing = await callTool(agent, 'get_payment', { paymentId: null });
    expect(missing).toMatchObject({ isError: true, code: 'invalid_payment_id' });
    expect(await readMovements(paymentId)).toEqual(['capture 1990', 'refund 500']);
  });

  it.each([
    ['capture_payment', {}, 'payment_not_authorized'],
    ['cancel_payment', {}, 'payment_not_authorized'],
    ['create_refund', { amount: 20 }, 'refund_amount_exceeds_available'],
    ['create_refund', { amount: 1.005 }, 'amount_precision'],
    ['create_refund', { amount: -1 }, 'invalid_request'],
    ['create_refund', { occurrence: 2 }, 'invalid_request'],
    ['create_refund', { occurrence: 0 }, 'invalid_request'],
    ['create_refund', { occurrence: '1' }, 'invalid_request'],
    ['capture_payment', { occurrence: 1 }, 'invalid_request'],
    ['capture_payment', { amount: 1 }, 'invalid_request'],
  ])('%s %o of a paid purchase refuses %s and gives no confirmation', async (tool, args, code) => {
    const paymentId = await aPurchase();
    const told = await callTool(agent, tool, { paymentId, ...args });
    expect(told).toMatchObject({ isError: true, code });
    expect(told.structured).not.toHaveProperty('preview');
  });

  it('tells of an equal one that was made, when, and how it ended', async () => {
    const paymentId = await aPurchase();
    await confirmCall('create_refund', { paymentId, amount: 5 });
    const again = previewOf(await callTool(agent, 'create_refund', { paymentId, amount: 5 }));
    expect(again.effect).toMatch(/^Nothing: this same refund of 5 EUR was made at /);
    expect(again.effect).toContain('occurrence 2');
    expect(again.earlier).toEqual([
      { occurrence: 1, at: expect.any(String), amount: 5, state: 'succeeded', status: 'succeeded' },
    ]);
    const second = previewOf(
      await callTool(agent, 'create_refund', { paymentId, amount: 5, occurrence: 2 }),
    );
    expect(second.effect).toContain('This is refund 2 of exactly this kind.');
    expect(second.earlier).toHaveLength(1);
  });
});

describe('the confirmed call', () => {
  it('captures, cancels and refunds', async () => {
    const [captured, cancelled] = [await aHold(fixture.world), await aHold(fixture.world)];
    const capture = await confirmCall('capture_payment', { paymentId: captured.paymentId });
    expect(outcomeOf(capture)).toMatchObject({ status: 'succeeded', amountCaptured: 19.9 });
    const cancel = await confirmCall('cancel_payment', { paymentId: cancelled.paymentId });
    expect(outcomeOf(cancel)).toMatchObject({
      status: 'voided',
      authorizationVoidReason: 'merchant_requested',
    });
    const args = { paymentId: captured.paymentId, amount: 5, reason: 'other' };
    const refund = await confirmCall('create_refund', args);
    expect(outcomeOf(refund)).toMatchObject({ type: 'refund', status: 'succeeded', amount: 5 });
    expect(await readMovements(captured.paymentId)).toEqual(['capture 1990', 'refund 500']);
    expect(await readMovements(cancelled.paymentId)).not.toContain('capture 1990');
  });

  it('repeated, answers the first outcome: same confirmation, new one, or ids in capitals', async () => {
    const paymentId = await aPurchase();
    const args = { paymentId, amount: 5, metadata: { a: '1', b: '2' } };
    const first = await confirmCall('create_refund', args);
    expect(first.structured.isReplayed).toBe(false);
    const { confirmation } = previewOf(await callTool(agent, 'create_refund', args));
    for (const again of [
      { ...args, confirmation },
      { ...args, confirmation, occurrence: 1 },
      {
        metadata: { b: '2', a: '1' },
        confirmation,
        amount: 5.0,
        paymentId: paymentId.toUpperCase(),
      },
    ]) {
      const told = await callTool(agent, 'create_refund', again);
      expect(told.structured.isReplayed).toBe(true);
      expect(outcomeOf(told)).toEqual(outcomeOf(first));
    }
    expect(await readMovements(paymentId)).toEqual(['capture 1990', 'refund 500']);
  });

  it('in a new conversation, reaches the first outcome too', async () => {
    const paymentId = await aPurchase();
    const grant = await fixture.grant(money);
    const [one, other] = await Promise.all([
      connectAgent(fixture.baseUrl, grant),
      connectAgent(fixture.baseUrl, grant, 'legacy'),
    ]);
    const first = await confirmCall('create_refund', { paymentId, amount: 7 }, one);
    const second = await confirmCall('create_refund', { paymentId, amount: 7 }, other);
    expect(outcomeOf(second)).toEqual(outcomeOf(first));
    expect(await readMovements(paymentId)).toEqual(['capture 1990', 'refund 700']);
    await Promise.all([one.close(), other.close()]);
  });

  it('after a new consent to the same application, reaches the first outcome too', async () => {
    const paymentId = await aPurchase();
    const before = await fixture.grant(money);
    const after = await fixture.grant(money, fixture.world.token, before.applicationId);
    const [one, other] = await Promise.all(
      [before, after].map((grant) => connectAgent(fixture.baseUrl, grant)),
    );
    if (!one || !other) throw new Error('two agents');
    const args = { paymentId, amount: 7 };
    const { confirmation } = previewOf(await callTool(one, 'create_refund', args));
    const borrowed = await callTool(other, 'create_refund', { ...args, confirmation });
    expect(borrowed.code).toBe('confirmation_invalid');
    const first = await callTool(one, 'create_refund', { ...args, confirmation });
    const again = previewOf(await callTool(other, 'create_refund', args));
    expect(again.earlier).toHaveLength(1);
    expect(outcomeOf(await confirmCall('create_refund', args, other))).toEqual(outcomeOf(first));
    expect(await readMovements(paymentId)).toEqual(['capture 1990', 'refund 700']);
    await Promise.all([one.close(), other.close()]);
  });

  it('a second equal refund is made when it is asked for by name, once', async () => {
    const paymentId = await aPurchase();
    const args = { paymentId, amount: 5 };
    await confirmCall('create_refund', args);
    await confirmCall('create_refund', { ...args, occurrence: 2 });
    await confirmCall('create_refund', { ...args, occurrence: 2 });
    expect(await readMovements(paymentId)).toEqual(['capture 1990', 'refund 500', 'refund 500']);
  });

  it('twelve at once make one refund', async () => {
    const paymentId = await aPurchase();
    const args = { paymentId, amount: 5 };
    const { confirmation } = previewOf(await callTool(agent, 'create_refund', args));
    const told = await Promise.all(
      Array.from({ length: 12 }, () => callTool(agent, 'create_refund', { ...args, confirmation })),
    );
    const ids = new Set(told.map((each) => outcomeOf(each).id));
    expect(ids.size).toBe(1);
    expect(await readMovements(paymentId)).toEqual(['capture 1990', 'refund 500']);
  });

  it('whose answer was lost is answered on the next call, long after its confirmation too', async () => {
    const { paymentId } = await aHold(fixture.world);
    const { confirmation } = previewOf(await callTool(agent, 'capture_payment', { paymentId }));
    fixture.way.plan('answer_lost');
    await expect(callTool(agent, 'capture_payment', { paymentId, confirmation })).rejects.toThrow();
    expect(fixture.way.cuts()).toBeGreaterThan(0);
    await moveClock(fixture.world.database, 40 * 60_000);
    const told = await callTool(agent, 'capture_payment', { paymentId, confirmation });
    expect(told.structured).toMatchObject({ isReplayed: true, outcome: { status: 'succeeded' } });
    expect(await readMovements(paymentId)).toEqual(['capture 1990']);
  });

  it('502 gateway_capture_failed: repeating it captures, once', async () => {
    const { paymentId } = await aHold(fixture.world);
    await fixture.world.fault({ path: '/v1/payment_intents/*/capture' }, 'decline');
    const { confirmation } = previewOf(await callTool(agent, 'capture_payment', { paymentId }));
    const args = { paymentId, confirmation };
    expect((await callTool(agent, 'capture_payment', args)).code).toBe('gateway_capture_failed');
    expect(outcomeOf(await callTool(agent, 'capture_payment', args))).toMatchObject({
      status: 'succeeded',
    });
    expect(await readMovements(paymentId)).toEqual(['capture 1990']);
  });
});

describe('a confirmation', () => {
  const refusalOfTool = async (tool: string, args: Record<string, unknown>, by = agent) => {
    const told = await callTool(by, tool, args);
    expect(told.structured).not.toHaveProperty('outcome');
    return told.code;
  };

  it('Contract §1 confirmation_invalid: 422 for one invented, altered, cut or of another spelling', async () => {
    const { paymentId } = await aHold(fixture.world);
    const { confirmation } = previewOf(await callTool(agent, 'capture_payment', { paymentId }));
    const flipped = confirmation.endsWith('A') ? 'B' : 'A';
    for (const forged of [
      '',
      'yes',
      true,
      newId(),
      confirmation.slice(0, -1) + flipped,
      confirmation.slice(0, -4),
      `${confirmation}=`,
      ` ${confirmation}`,
      { $ne: null },
    ]) {
      const args = { paymentId, confirmation: forged };
      expect(await refusalOfTool('capture_payment', args)).toBe('confirmation_invalid');
    }
    expect(await readMovements(paymentId)).toEqual([]);
  });

  it('422 confirmation_invalid: of another amount, reason, payment, tool or occurrence', async () => {
    const [paymentId, other] = [await aPurchase(), await aPurchase()];
    const args = { paymentId, amount: 5 };
    const { confirmation } = previewOf(await callTool(agent, 'create_refund', args));
    const { paymentId: held } = await aHold(fixture.world);
    const cancel = previewOf(await callTool(agent, 'cancel_payment', { paymentId: held }));
    for (const [tool, changed] of [
      ['create_refund', { ...args, confirmation, amount: 5.01 }],
      ['create_refund', { paymentId, confirmation }],
      ['create_refund', { ...args, confirmation, reason: 'fraudulent' }],
      ['create_refund', { ...args, confirmation, paymentId: other }],
      ['create_refund', { ...args, confirmation, metadata: {} }],
      ['capture_payment', { paymentId: held, confirmation: cancel.confirmation }],
    ] as const) {
      expect(await refusalOfTool(tool, changed)).toBe('confirmation_invalid');
    }
    await callTool(agent, 'create_refund', { ...args, confirmation });
    const second = { ...args, confirmation, occurrence: 2 };
    expect(await refusalOfTool('create_refund', second)).toBe('confirmation_invalid');
    expect(await readMovements(paymentId)).toEqual(['capture 1990', 'refund 500']);
    expect(await readMovements(other)).toEqual(['capture 1990']);
    expect(await readMovements(held)).toEqual([]);
  });

  it("422 confirmation_invalid: another person's, another grant's, another merchant's", async () => {
    const { paymentId } = await aHold(fixture.world);
    const { confirmation } = previewOf(await callTool(agent, 'capture_payment', { paymentId }));
    const admin = await fixture.member('admin');
    const others = await Promise.all([
      connectAgent(fixture.baseUrl, await fixture.grant(money, admin)),
      connectAgent(fixture.baseUrl, await fixture.grant(money)),
    ]);
    for (const other of others) {
      const args = { paymentId, confirmation };
      expect(await refusalOfTool('capture_payment', args, other)).toBe('confirmation_invalid');
      await other.close();
    }
    const client = await aClient(fixture.world.database, { name: 'Another shop' });
    const stranger = await connectAgent(
      fixture.baseUrl,
      await fixture.grant(money, await aToken(fixture.world.database, client)),
    );
    const args = { paymentId, confirmation };
    expect(await refusalOfTool('capture_payment', args, stranger)).toBe('confirmation_invalid');
    await stranger.close();
    expect(await readMovements(paymentId)).toEqual([]);
  });

  it('422 confirmation_invalid: ten minutes and a second old, and good before', async () => {
    const [early, late] = [await aPurchase(), await aPurchase()];
    const [first, second] = await Promise.all(
      [early, late].map(async (paymentId) =>
        previewOf(await callTool(agent, 'create_refund', { paymentId, amount: 5 })),
      ),
    );
    await moveClock(fixture.world.database, 10 * 60_000 - 5000);
    const good = { paymentId: early, amount: 5, confirmation: first?.confirmation };
    expect(outcomeOf(await callTool(agent, 'create_refund', good))).toMatchObject({ amount: 5 });
    await moveClock(fixture.world.database, 6000);
    const old = { paymentId: late, amount: 5, confirmation: second?.confirmation };
    const code = await refusalOfTool('create_refund', old);
    expect(code).toBe('confirmation_invalid');
    expect(await readMovements(late)).toEqual(['capture 1990']);
  });

  it('Contract §1 confirmation_outdated: 409 where the payment has changed since', async () => {
    const paymentId = await aPurchase();
    const args = { paymentId, amount: 5 };
    const { confirmation } = previewOf(await callTool(agent, 'create_refund', args));
    await confirmCall('create_refund', { paymentId, amount: 3 });
    const code = await refusalOfTool('create_refund', { ...args, confirmation });
    expect(code).toBe('confirmation_outdated');
    expect(await readMovements(paymentId)).toEqual(['capture 1990', 'refund 300']);
  });

  it('stands in no log line, event or stored row', async () => {
    const paymentId = await aPurchase();
    const args = { paymentId, amount: 5 };
    const { confirmation } = previewOf(await callTool(agent, 'create_refund', args));
    await callTool(agent, 'create_refund', { ...args, confirmation });
    expect(JSON.stringify(fixture.server.logged)).not.toContain(confirmation.slice(4, 24));
    const told = await callTool(agent, 'get_payment', { paymentId });
    expect(told.text).not.toContain(confirmation.slice(4, 24));
  });
});
