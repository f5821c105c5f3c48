// Money that is returned without a request: refunds that fail late, and disputes, each reported by
// notices.

import { providerRefundOf } from './api-rows.ts';
import type { ApiScenario } from './api-scenario.ts';
import { workerPasses } from './api-workers.ts';
import { applyRefundWord, readPayment } from './settle.ts';

/** Makes a successful refund fail at the provider, and delivers its notices. */
export async function failRefund(scenario: ApiScenario): Promise<void> {
  const work = [...scenario.model.works.values()].find(
    ({ id, state }) => state === 'done' && scenario.provider.refunds.get(id) === 'given',
  );
  if (!work) return;
  const refund = scenario.model.refund(work.rowId);
  const { world } = scenario.fixture;
  const refundId = await providerRefundOf(world, scenario.keyOf(work.key ?? ''));
  const { intentId } = scenario.realOf(work.purchaseId);
  if (refund.status !== 'succeeded' || !refundId || !intentId) return;
  await world.control('POST', `/_control/refunds/${refundId}/fail`, {});
  scenario.provider.refunds.set(work.id, 'returned');
  scenario.hear(await workerPasses.noticesOf(world, intentId, refundId));
  applyRefundWord(scenario.model, refund, { said: 'returned' });
  scenario.count('a refund failed late');
}

/** Reverses a capture at the provider, and delivers its notices. */
export async function reverseCapture(scenario: ApiScenario, index: number): Promise<void> {
  const id = scenario.pick(index);
  if (!id) return;
  const purchase = scenario.model.purchase(id);
  const { intentId } = scenario.realOf(id);
  const works = [...scenario.model.works.values()].filter(({ purchaseId }) => purchaseId === id);
  const isTouched = works.some((work) => scenario.provider.refunds.has(work.id));
  const isPlain = purchase.status === 'succeeded' && purchase.pending === 0;
  if (!isPlain || isTouched || purchase.disputes.size > 0 || !intentId) return;
  const { world } = scenario.fixture;
  await world.control('POST', `/_control/intents/${intentId}/take_back`, {});
  scenario.provider.takeBack(id);
  scenario.hear(await workerPasses.noticesOf(world, intentId, intentId));
  readPayment(scenario.model, purchase, { said: 'taken_back' });
  scenario.count('a capture taken back');
}

type Dispute = { readonly id: string; readonly status: string };

/**
 * Opens a dispute for a captured payment: the money is withdrawn, and the purchase does not change.
 */
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
  const { world } = scenario.fixture;
  const said = (await world.control('POST', '/_control/disputes', {
    intent: intentId,
    status,
  })) as Dispute;
  await hearDispute(scenario, id, said);
  scenario.count(`dispute: ${said.status}`);
}

export async function closeDispute(scenario: ApiScenario, outcome: 'won' | 'lost'): Promise<void> {
  const { world } = scenario.fixture;
  const disputed = [...scenario.model.purchases.values()].find(({ disputes }) =>
    [...disputes.values()].includes('needs_response'),
  );
  const [open] = disputed?.disputes.keys() ?? [];
  if (!disputed || !open) return;
  const path = `/_control/disputes/${open}/close`;
  const said = (await world.control('POST', path, { outcome })) as Dispute;
  await hearDispute(scenario, disputed.id, said);
  scenario.count(`dispute: ${said.status}`);
}

async function hearDispute(scenario: ApiScenario, id: string, said: Dispute): Promise<void> {
  const { intentId } = scenario.realOf(id);
  scenario.hear(await workerPasses.noticesOf(scenario.fixture.world, intentId ?? '', said.id));
  scenario.model.purchase(id).disputes.set(said.id, said.status);
}
