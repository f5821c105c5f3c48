// Notices that never came: a provider lists what it has told, and each notice is kept as if it had come.
// Decision 0094.

import { createHash } from 'node:crypto';
import {
  type ListedGateway,
  listListedGateways,
  saveListedUntil,
} from '../../../storage/gateways/gateways.ts';
import { insertNotice } from '../../../storage/gateways/provider-inbox.ts';
import { findPaymentByIntent } from '../../../storage/payments/payments.ts';
import { hasPaymentWithoutIntent } from '../../../storage/payments/payments-without-intent.ts';
import type { Notice, Ports } from '../../ports.ts';
import { openGateway } from '../../steps/gateways/open-gateway.ts';
import { pace } from '../../steps/pacing/even-pace.ts';
import { inParallel } from '../../steps/pacing/in-parallel.ts';
import { overlapMs, walkSpans } from '../../steps/pacing/walk-spans.ts';

export type Listing = {
  readonly readsPerSecond?: number;
  /** Before a page is asked for again the first time. */
  readonly pauseMs?: number;
  readonly signal?: AbortSignal;
  /** Why the notices of a gateway could not be listed; the next run begins where this one ended. */
  readonly onError: (gateway: ListedGateway, error: unknown) => void;
};

/** Every gateway's notices since the last run. Returns how many had not come. */
export async function listLostNotices(ports: Ports, listing: Listing): Promise<number> {
  const { signal, pauseMs = 1000 } = listing;
  const turn = pace(listing.readsPerSecond, signal);
  let lost = 0;
  const onLost = () => {
    lost += 1;
  };
  // A provider that answers late keeps the gateways of no other waiting.
  await inParallel(await listListedGateways(ports.database), signal, async (gateway) => {
    try {
      await listOf(gateway, { ports, turn, signal, pauseMs, onLost });
    } catch (error) {
      listing.onError(gateway, error);
    }
  });
  if (lost > 0) ports.nudge('read-notices');
  return lost;
}

type Asking = {
  readonly ports: Ports;
  readonly turn: () => Promise<void>;
  readonly signal: AbortSignal | undefined;
  readonly pauseMs: number;
  readonly onLost: () => void;
};

async function listOf(gateway: ListedGateway, asking: Asking): Promise<void> {
  const { id, clientId } = gateway;
  const { ports, onLost } = asking;
  const provider = ports.provider(await openGateway(ports, clientId, id));
  await walkSpans<Notice>(gateway, {
    ...asking,
    what: 'notices',
    async list(span) {
      const page = await provider.listNotices(span);
      return page.kind === 'found' ? { ...page, items: page.notices } : page;
    },
    async keep(notices) {
      for (const notice of notices) if (await keep(gateway, notice, ports)) onLost();
    },
    save: (until) => saveListedUntil(ports.database, id, until),
  });
}

/** True when it had not come. What it says about money is never believed, only read again. */
async function keep(gateway: ListedGateway, notice: Notice, ports: Ports): Promise<boolean> {
  if (notice.livemode !== gateway.isLive || (await isForeign(gateway, notice, ports))) return false;
  return insertNotice(ports.database, {
    gatewayId: gateway.id,
    id: notice.id,
    objectId: notice.intentId,
    type: notice.type,
    createdAt: notice.createdAt,
    payloadSha256: createHash('sha256').update(JSON.stringify(notice.kept)).digest(),
    payload: notice.kept,
  });
}

/**
 * One of a payment that is not ours is left: an account may take others. But the list is not asked for it
 * again, so what may be about an attempt whose intent is not known yet is kept; its reader waits for that
 * as long as for one that came by itself.
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
  // One may have heard its name between the two looks.
  return !(await isKnown());
}
