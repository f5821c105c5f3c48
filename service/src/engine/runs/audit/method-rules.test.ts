// The audit of saved cards, on what the service wrote, and on rows that somebody else changed.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertFundedSubscription } from '../../../../test/customers/detachments.ts';
import { aSavedCard, payBy, vouchedSession } from '../../../../test/customers/saved-cards.ts';
import { aSetupSession } from '../../../../test/customers/setups.ts';
import { aCustomer, callerOf, newId } from '../../../../test/harness.ts';
import { plantInDatabase } from '../../../../test/payments/planted.ts';
import { startWorld, type World } from '../../../../test/world.ts';
import type { PaymentMethod } from '../../../domain/payments/payment-method.ts';
import { operations } from '../../../operations/index.ts';
import { refuse } from '../../implement.ts';
import { methodRules } from './method-rules.ts';
import { runAudit, type Violation } from './run-audit.ts';

let world: World;
let card: PaymentMethod;
let gone: PaymentMethod;
let funded: Awaited<ReturnType<typeof insertFundedSubscription>>;
let paymentId: string;
beforeAll(async () => {
  world = await startWorld();
  const userId = (await aCustomer(world.database, world.client)).id;
  gone = await aSavedCard(world, { userId });
  card = await aSavedCard(world, { userId });
  funded = await insertFundedSubscription(world, gone);
  const session = await vouchedSession(world, { userId });
  const paid = await payBy(world, session, { paymentMethodId: gone.id });
  paymentId = (paid as { body: { paymentId: string } }).body.paymentId;
  await operations.deletePaymentMethod({ id: gone.id }, callerOf(world.token), world.ports, refuse);
  const pending = await aSetupSession(world);
  const [row] = await world.database.read(
    { name: '', text: 'select id from payment_methods where session_id = $1' },
    [pending.sessionId],
  );
  await operations.deletePaymentMethod(
    { id: (row as { id: string }).id },
    callerOf(world.token),
    world.ports,
    refuse,
  );
});
afterAll(() => world?.close());

const tried = new Set<string>();

/** Returns the rules that report a violation after the change, then undoes the change. */
async function auditAfter(change: string, undo: string): Promise<string[]> {
  await plantInDatabase(world.ownerUrl, (run) => run(change));
  const list: Violation[] = [];
  await runAudit({ url: world.url, onViolation: (one) => void list.push(one) });
  await plantInDatabase(world.ownerUrl, (run) => run(undo));
  for (const { rule } of list) tried.add(rule);
  return list.map(({ rule, subject }) => `${rule} ${subject}`).sort();
}

describe('audit of saved cards', () => {
  it('zero on what the service wrote: used, moved, removed, and one that was never active', async () => {
    expect(await auditAfter('select 1', 'select 1')).toEqual([]);
  });

  it('P1: active without the provider’s word', async () => {
    const id = newId();
    const list = await auditAfter(
      `alter table payment_methods drop constraint active_is_verified;
       insert into payment_methods (id, client_id, user_id, gateway_id, provider, type, session_id,
         is_live, status, created_at, updated_at)
       select '${id}', client_id, user_id, gateway_id, provider, type, session_id, is_live, 'active',
         created_at, updated_at from payment_methods where id = '${card.id}'`,
      `delete from payment_methods where id = '${id}'`,
    );
    expect(list).toEqual([`P1 ${id}`]);
  });

  it('P1: active, and never told', async () => {
    const list = await auditAfter(
      `update events set type = 'payment_method.replaced' where resource_id = '${card.id}'`,
      `update events set type = 'payment_method.activated' where resource_id = '${card.id}'`,
    );
    expect(list).toContain(`P1 ${card.id}`);
  });

  it('P2: a subscription on a removed card, and a default on a stranger’s', async () => {
    const setMethod = (id: string) =>
      `update subscriptions set payment_method_id = '${id}' where id = '${funded.id}'`;
    expect(await auditAfter(setMethod(gone.id), setMethod(card.id))).toEqual([`P2 ${funded.id}`]);
    const stranger = (await aCustomer(world.database, world.client)).id;
    const setDefaultTo = (id: string) =>
      `update customers set default_payment_method_id = ${id} where id = '${stranger}'`;
    expect(await auditAfter(setDefaultTo(`'${card.id}'`), setDefaultTo('null'))).toEqual([
      `P2 ${stranger}`,
    ]);
    expect(await auditAfter(setDefaultTo(`'${newId()}'`), setDefaultTo('null'))).toEqual([
      `P2 ${stranger}`,
    ]);
  });

  it('P3: removed without a detachment, and removed without a word', async () => {
    const list = await auditAfter(
      `update payment_method_detachments set payment_method_id = '${paymentId}'
         where payment_method_id = '${gone.id}'`,
      `update payment_method_detachments set payment_method_id = '${gone.id}'
         where payment_method_id = '${paymentId}'`,
    );
    expect(list).toEqual([`P3 ${gone.id}`]);
    const renameEvent = (from: string, to: string) =>
      `update events set type = 'payment_method.${to}'
         where resource_id = '${gone.id}' and type = 'payment_method.${from}'`;
    const untold = await auditAfter(renameEvent('deleted', 'x'), renameEvent('x', 'deleted'));
    expect(untold).toContain(`P3 ${gone.id}`);
  });

  it('P3b: a detachment has ended, and its card is there', async () => {
    const list = await auditAfter(
      `insert into payment_method_detachments (payment_method_id, client_id, step, state, started_at,
         next_try_at, finished_at)
       values ('${card.id}', '${world.client.id}', 'removed', 'removed', now(), now(), now())`,
      `delete from payment_method_detachments where payment_method_id = '${card.id}'`,
    );
    expect(list).toEqual([`P3b ${card.id}`]);
  });

  it('P5: a payment that is not over, on a removed card', async () => {
    const setStatus = (status: string) =>
      `update payments set status = '${status}' where id = '${paymentId}'`;
    const list = await auditAfter(setStatus('unknown'), setStatus('succeeded'));
    expect(list).toContain(`P5 ${paymentId}`);
  });

  it('R1f: a detachment on its way since yesterday', async () => {
    const list = await auditAfter(
      `insert into payment_method_detachments (payment_method_id, client_id, step, state, started_at,
         next_try_at)
       values ('${card.id}', '${world.client.id}', 'detached', 'running',
         svc_clock() - interval '25 hours', now())`,
      `delete from payment_method_detachments where payment_method_id = '${card.id}'`,
    );
    expect(list).toEqual([`R1f ${card.id}`]);
  });

  it('E1: an event of a saved card is missing', async () => {
    const list = await auditAfter(
      `update payment_methods set event_seq = event_seq + 1 where id = '${card.id}'`,
      `update payment_methods set event_seq = event_seq - 1 where id = '${card.id}'`,
    );
    expect(list).toEqual([`E1 ${card.id}`]);
  });

  it('leaves no rule untried', () => {
    expect(methodRules.map(({ id }) => id).filter((id) => !tried.has(id))).toEqual([]);
  });
});
