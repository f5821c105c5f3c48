// Finds notices that never arrived: the provider lists what it has sent, and each notice is stored
// as if it had arrived. docs/decisions/reconciliation.md.

import { createHash } from 'node:crypto';
import {
  type ListedGateway,
  listListedGateways,
  saveListedUntil,
} from '../../../storage/gateways/gateways.ts';
import { saveNoticeLoss } from '../../../storage/gateways/provider-accounts.ts';
import { insertNotice } from '../../../storage/gateways/provider-inbox.ts';
import { findPaymentByIntent } from '../../../storage/payments/payments.ts';
import { hasPaymentWithoutIntent } from '../../../storage/payments/payments-without-intent.ts';
import type { Notice, Ports } from '../../ports.ts';
import { openGateway } from '../../steps/gateways/open-gateway.ts';
import { pace } from '../../steps/pacing/even-pace.ts';
import { runInParallel } from '../../steps/pacing/in-parallel.ts';
import { overlapMs, walkSpans } from '../../steps/pacing/walk-spans.ts';

export type Listing = {
  readonly readsPerSecond?: number;
  /** The pause before the first retry of a page, in milliseconds. */
  readonly pauseMs?: number;
  readonly signal?: AbortSignal;
  /** Called when the notices of a gateway could not be listed; the next run begins where this one ended. */
  readonly onError: (gateway: ListedGateway, error: unknown) => void;
};

/** Lists every gateway's notices since the last run. Returns how many had not arrived. */
export async function listLostNotices(ports: Ports, listing: Listing): Promise<number> {
  const { signal, pauseMs = 1000 } = listing;
  const turn = pace(listing.readsPerSecond, signal);
  let lost = 0;
  const onLost = () => {
    lost += 1;
  };
  // In parallel, so that a provider that answers late does not delay other gateways.
  await runInParallel(await listListedGateways(ports.database), signal, async (gateway) => {
    try {
      await listOf(gateway, { ports, turn, signal, pauseMs, onLost });
    } catch (error) {
      listing.onError(gateway, error);
    }
  });
  if (lost > 0) ports.nudge('read-notices');
  return lost;
}

type ProviderAccess = {
  readonly ports: Ports;
  readonly turn: () => Promise<void>;
  readonly signal: AbortSignal | undefined;
  readonly pauseMs: number;
  readonly onLost: () => void;
};

async function listOf(gateway: ListedGateway, asking: ProviderAccess): Promise<void> {
  const { id, clientId } = gateway;
  const { ports, onLost } = asking;
  let lost = 0;
  const provider = ports.provider(await openGateway(ports, clientId, id));
  await walkSpans<Notice>(gateway, {
    ...asking,
    what: 'notices',
    async list(span) {
      const page = await provider.listNotices(span);
      return page.kind === 'found' ? { ...page, items: page.notices } : page;
    },
    async keep(notices) {
      for (const notice of notices) {
        if (!(await storeNotice(gateway, notice, ports))) continue;
        lost += 1;
        onLost();
      }
    },
    save: (until) => saveListedUntil(ports.database, id, until),
  });
  if (lost > 0) await saveNoticeLoss(ports.database, id);
}

/**
 * Stores a notice; true when it had not arrived. Its statements about money are never trusted, only
 * read again at the provider.
 */
async function storeNotice(gateway: ListedGateway, notice: Notice, ports: Ports): Promise<boolean> {
  if (notice.livemode !== gateway.isLive || (await isForeign(gateway, notice, ports))) return false;
  const stored = await insertNotice(ports.database, {
    gatewayId: gateway.id,
    id: notice.id,
    objectId: notice.intentId,
    type: notice.type,
    createdAt: notice.createdAt,
    payloadSha256: createHash('sha256').update(JSON.stringify(notice.kept)).digest(),
    payload: notice.kept,
  });
  return stored !== null;
}

/**
 * Whether the notice is about a payment of other software, which may share the account; it is
 * dropped. The list is not asked for it again, so a notice that may be about an attempt whose
 * intent is not known yet is stored, and is read like one that arrived by itself.
 */
async function isForeign(
  { id }: ListedGateway,
  { intentId, createdAt }: Notice,
  { database }: Ports,
): Promise<boolean> {
  if (intentId === null) return false;
  const isKnown = async () => (await findPaymentByIntent(database, id, intentId)) !== undefined;
  if (await isKnown()) return false;
  const begunBefore = new Date(createdAt.getTime() + overlapMs);
  if (await hasPaymentWithoutIntent(database, id, begunBefore)) return false;
  // An attempt may have got its intent between the two queries.
  return !(await isKnown());
}
