// Money that goes back by itself: refunds that fail late, and disputes, each told by notices.

import { providerRefundOf } from './api-rows.ts';
import type { ApiScenario } from './api-scenario.ts';
import { passes } from './api-workers.ts';
import { applyRefundWord } from './settle.ts';

/** A refund that was given fails at the provider, and its notices come. */
export async function failRefund(scenario: ApiScenario, key: string): Promise<void> {
  const work = [...scenario.model.works.values()].find(
    (one) => one.kind === 'refund' && one.key === key,
  );
  if (work?.state !== 'done' || scenario.provider.refunds.get(work.id) !== 'given') return;
  const refund = scenario.model.refund(work.rowId);
  const { world } = scenario.ground;
  const refundId = await providerRefundOf(world, scenario.keyOf(key));
  const { intentId } = scenario.realOf(work.purchaseId);
  if (refund.status !== 'succeeded' || !refundId || !intentId) return;
  await world.control('POST', `/_control/refunds/${refundId}/fail`, {});
  scenario.provider.refunds.set(work.id, 'returned');
  await passes.noticesOf(world, intentId, refundId);
  scenario.tick();
  applyRefundWord(scenario.model, refund, { said: 'returned' });
  scenario.count('a refund failed late');
}

type Dispute = { readonly id: string; readonly status: string };

/** The bank disputes a captured payment; the money leaves us, the purchase stays as it is. */
export async function openDispute(
  scenario: ApiScenario,
  index: number,
  status: 'needs_response' | 'warning_needs_response',
): Promise<void> {
  const id = scenario.pick(index);
  if (!id) return;
  const purchase = scenario.model.purchase(id);
  const { intentId } = scenario.realOf(id);
  const isPlain = purchase.status === 'succeeded' && purchase.pending === 0;
  if (!isPlain || !intentId || purchase.disputes.size > 0) return;
  const { world } = scenario.ground;
  const said = (await world.control('POST', '/_control/disputes', {
    intent: intentId,
    status,
  })) as Dispute;
  await hearDispute(scenario, id, said);
  scenario.count(`dispute: ${said.status}`);
}

export async function closeDispute(
  scenario: ApiScenario,
  index: number,
  outcome: 'won' | 'lost',
): Promise<void> {
  const id = scenario.pick(index);
  const [open] = id ? scenario.model.purchase(id).disputes : [];
  if (!id || !open || open[1] !== 'needs_response') return;
  const { world } = scenario.ground;
  const path = `/_control/disputes/${open[0]}/close`;
  const said = (await world.control('POST', path, { outcome })) as Dispute;
  await hearDispute(scenario, id, said);
  scenario.count(`dispute: ${said.status}`);
}

async function hearDispute(scenario: ApiScenario, id: string, said: Dispute): Promise<void> {
  const { intentId } = scenario.realOf(id);
  await passes.noticesOf(scenario.ground.world, intentId ?? '', said.id);
  scenario.tick();
  scenario.model.purchase(id).disputes.set(said.id, said.status);
}
