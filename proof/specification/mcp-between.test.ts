// Contract §6: what happens between an agent's preview and its confirmed call.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contractLimits } from '../../service/src/http/limits/limits.ts';
import type { OperationTable } from '../../service/src/http/rows/api.ts';
import { operations } from '../../service/src/operations/index.ts';
import { sql } from '../../service/src/storage/database/sql.ts';
import { findPayment } from '../../service/src/storage/payments/payments.ts';
import { callAs, newId, type TestToken } from '../../service/test/harness.ts';
import { aSession, pay } from '../../service/test/world.ts';
import {
  callTool,
  connectAgent,
  type Fixture,
  openFixture,
  outcomeOf,
  previewOf,
} from './agent.ts';

let fixture: Fixture;
/** Runs once, right before the next refund is claimed. */
let justBefore: (() => Promise<unknown>) | undefined;
const interrupted = {
  ...operations,
  createRefund: async (...call: Parameters<typeof operations.createRefund>) => {
    const first = justBefore;
    justBefore = undefined;
    await first?.();
    return operations.createRefund(...call);
  },
} as OperationTable;
const money = ['payments:read', 'payments:write', 'refunds:write'];
const limits = { ...contractLimits, moneyPerSecond: 0.001, moneyBurst: 20 };

beforeAll(async () => {
  fixture = await openFixture({ operations: interrupted, limits });
});
afterAll(() => fixture.close());

const leave = sql('agent_leave', 'delete from memberships where client_id = $1 and user_id = $2');
const step = sql(
  'agent_step_down',
  "update memberships set role = 'member' where client_id = $1 and user_id = $2",
);

async function aPurchase(): Promise<string> {
  const answer = await pay(
    fixture.world,
    await aSession(fixture.world, { captureMethod: 'automatic' }),
  );
  if (!('body' in answer)) throw new Error('process has a body');
  return answer.body.paymentId ?? '';
}

async function refunded(paymentId: string): Promise<number[]> {
  const { world } = fixture;
  const payment = await findPayment(world.database, world.client.id, paymentId);
  const entries = await world.ledger(payment?.providerIntentId ?? '');
  return entries.filter(({ kind }) => kind === 'refund').map(({ amount }) => Math.abs(amount));
}

/** Previews a refund of the member; returns the confirmed call for it. */
async function aPreview(member: TestToken, amount?: number) {
  const paymentId = await aPurchase();
  const agent = await connectAgent(fixture.baseUrl, await fixture.grant(money, member));
  const args = { paymentId, ...(amount === undefined ? {} : { amount }) };
  const { confirmation } = previewOf(await callTool(agent, 'create_refund', args));
  const confirm = () => callTool(agent, 'create_refund', { ...args, confirmation });
  return { paymentId, agent, confirm };
}

describe('a refund of all that is left', () => {
  it('gives back what was shown or nothing, whatever comes in between', async () => {
    const { paymentId, confirm } = await aPreview(fixture.world.token);
    justBefore = () =>
      callAs(fixture.server.app, fixture.world.token, `POST /v1/payments/${paymentId}/refunds`, {
        headers: { 'idempotency-key': newId() },
        body: { amount: 4 },
      });
    // The competing refund is claimed next, so no other one interrupts it.
    expect((await confirm()).code).toBe('refund_amount_exceeds_available');
    expect(await refunded(paymentId)).toEqual([400]);
  });
});

describe('a person who lost it in between', () => {
  it('403 merchant_role_required: the role is read at each call', async () => {
    const { world } = fixture;
    const admin = await fixture.member('admin');
    const { paymentId, confirm } = await aPreview(admin, 5);
    await world.database.write(step, [world.client.id, admin.userId]);
    expect((await confirm()).code).toBe('merchant_role_required');
    expect(await refunded(paymentId)).toEqual([]);
  });

  it('403 merchant_role_required: the role is read again where the refund is claimed', async () => {
    const { world } = fixture;
    const admin = await fixture.member('admin');
    const { paymentId, confirm } = await aPreview(admin, 5);
    justBefore = () => world.database.write(step, [world.client.id, admin.userId]);
    expect((await confirm()).code).toBe('merchant_role_required');
    expect(await refunded(paymentId)).toEqual([]);
  });

  it('no member any more: not even let in', async () => {
    const { world } = fixture;
    const admin = await fixture.member('admin');
    const { paymentId, confirm } = await aPreview(admin, 5);
    await world.database.write(leave, [world.client.id, admin.userId]);
    await expect(confirm()).rejects.toThrow(/merchant_role_required/);
    expect(await refunded(paymentId)).toEqual([]);
  });
});

describe('several processes', () => {
  it('a preview of one is confirmed at another, and at both at once, with one refund', async () => {
    const second = await fixture.another();
    const paymentId = await aPurchase();
    const grant = await fixture.grant(money);
    const [here, there] = await Promise.all([
      connectAgent(fixture.baseUrl, grant),
      connectAgent(second.url, grant),
    ]);
    const args = { paymentId, amount: 5 };
    const { confirmation } = previewOf(await callTool(here, 'create_refund', args));
    const told = await Promise.all(
      [there, here, there].map((agent) =>
        callTool(agent, 'create_refund', { ...args, confirmation }),
      ),
    );
    expect(told.map(({ code }) => code)).toEqual([null, null, null]);
    expect(new Set(told.map((each) => outcomeOf(each).id)).size).toBe(1);
    expect(await refunded(paymentId)).toEqual([500]);
    await Promise.all([here.close(), there.close()]);
    await second.close();
  });
});

describe('the log', () => {
  it('has the operation, the merchant, the person and the code of each call', async () => {
    const { confirm } = await aPreview(fixture.world.token, 5);
    await confirm();
    const { agent } = await aPreview(fixture.world.token, 5);
    await callTool(agent, 'create_refund', { paymentId: newId() });
    const lines = fixture.server.logged.filter(({ route }) => route === '/mcp').slice(-4);
    expect(lines).toContainEqual(
      expect.objectContaining({
        operation: 'createRefund',
        clientId: fixture.world.client.id,
        actorId: fixture.world.token.userId,
        code: 'payment_not_found',
      }),
    );
    await agent.close();
  });
});

describe('the budget of money', () => {
  it('429 rate_limited: confirmed calls draw on it, previews do not', async () => {
    const { agent, paymentId, confirm } = await aPreview(fixture.world.token, 5);
    let told = await confirm();
    for (let left = limits.moneyBurst; left > 0 && told.code === null; left--)
      told = await confirm();
    expect(told.code).toBe('rate_limited');
    expect((await callTool(agent, 'create_refund', { paymentId, amount: 1 })).code).toBeNull();
    expect(await refunded(paymentId)).toEqual([500]);
    await agent.close();
  });
});
