// Finds money at a provider that belongs to no payment here. Lists the objects that each provider
// created since the last run, and reads every object that carries our metadata but has no row.
// Reads unsettled money from earlier runs again. docs/decisions/reconciliation.md.

import { judgeMaker } from '../../../domain/protocol/marks.ts';
import {
  type ListedGateway,
  listInstallations,
  listMarkedGateways,
  saveMarkedUntil,
  toInstallations,
} from '../../../storage/gateways/gateways.ts';
import { findUnnamed } from '../../../storage/payments/money-owner.ts';
import { listMoneyToLookAt } from '../../../storage/payments/unknown-money.ts';
import type { Ports } from '../../ports.ts';
import { openGateway } from '../../steps/gateways/open-gateway.ts';
import { pace } from '../../steps/pacing/even-pace.ts';
import { runInParallel } from '../../steps/pacing/in-parallel.ts';
import { walkSpans } from '../../steps/pacing/walk-spans.ts';
import { continueDecision } from './decide-unknown.ts';
import { lookAtUnknown } from './look-at-unknown.ts';
import { notifyOperator } from './notify-operator.ts';

export type Finding = {
  readonly readsPerSecond?: number;
  /** The pause before the first retry of a page, in milliseconds. */
  readonly pauseMs?: number;
  readonly signal?: AbortSignal;
  /** Lists from this time on; absent: from where the last list ended. */
  readonly since?: Date | null;
  /** Called when the payments of a gateway could not be listed, or one of them could not be read. */
  readonly onError: (
    at: { readonly id: string; readonly clientId: string },
    error: unknown,
  ) => void;
};

const mostLooks = 500;
/** Five minutes of every hour, in milliseconds; the next run lists the rest. */
const budgetMs = 300_000;

/** Makes one run. What it has no time for is listed by the next one. */
export async function findUnknownMoney(ports: Ports, finding: Finding): Promise<void> {
  const { pauseMs = 1000, onError, since = null } = finding;
  const ends = [finding.signal, AbortSignal.timeout(budgetMs)].filter((one) => one !== undefined);
  const signal = AbortSignal.any(ends);
  const turn = pace(finding.readsPerSecond, signal);
  const asking = { ports, turn, signal, pauseMs };
  // In parallel, so that a provider that answers late does not delay other gateways.
  await runInParallel(await listMarkedGateways(ports.database, since), signal, async (gateway) => {
    await listOf(gateway, asking).catch((error) => onError(gateway, error));
  });
  for (const row of await listMoneyToLookAt(ports.database, mostLooks)) {
    await turn();
    if (signal.aborted) return;
    const lookAgainAt = async () =>
      (await continueDecision(row, ports)) || (await lookAtUnknown(row, ports));
    await lookAgainAt().catch((error) =>
      onError({ id: row.gatewayId, clientId: row.clientId }, error),
    );
  }
  await notifyOperator(ports);
}

type SearchContext = {
  readonly ports: Ports;
  readonly turn: () => Promise<void>;
  readonly signal: AbortSignal;
  readonly pauseMs: number;
};

async function listOf(gateway: ListedGateway, asking: SearchContext): Promise<void> {
  const { id, clientId } = gateway;
  const { ports, turn, signal } = asking;
  const provider = ports.provider(await openGateway(ports, clientId, id));
  const known = toInstallations(await listInstallations(ports.database, ports.newId));
  let unread = 0;
  await walkSpans<string>(gateway, {
    ...asking,
    what: 'payments',
    async list(span) {
      const page = await provider.listMarked(span);
      if (page.kind !== 'found') return page;
      // Neither is read what another installation made, nor what the marks name another merchant of.
      const here = page.payments.filter(
        ({ maker }) =>
          judgeMaker(maker, known) !== 'elsewhere' &&
          (maker.merchantId === null || maker.merchantId === clientId),
      );
      return { ...page, items: here.map(({ intentId }) => intentId) };
    },
    async keep(intentIds) {
      for (const intentId of await findUnnamed(ports.database, id, intentIds)) {
        await turn();
        if (signal.aborted) return;
        const looked = await lookAtUnknown({ clientId, gatewayId: id, intentId }, ports);
        if (looked === undefined) unread += 1;
      }
    },
    // Not saved when a payment could not be read, or nobody has said yet whose it is, so that the
    // next run lists the span again.
    save: async (until) => {
      if (unread === 0) await saveMarkedUntil(ports.database, id, until);
    },
  });
}
