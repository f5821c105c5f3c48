// Notices that never came: a provider lists what it has told, and each notice is kept as if it had come.
// Decision 0094.

import { createHash } from 'node:crypto';
import { type ListedGateway, listListedGateways, saveListedUntil } from '../../storage/gateways.ts';
import { findPaymentByIntent } from '../../storage/payments.ts';
import { insertNotice } from '../../storage/provider-inbox.ts';
import { openGateway } from '../gateways/open-gateway.ts';
import type { Notice, Ports } from '../ports.ts';
import { inParallel } from '../reconcile/in-parallel.ts';
import { pace } from '../reconcile/pace.ts';

/** Asked for in spans of at most a day, so that what was broken off goes on near where it was. */
const spanMs = 24 * 3600 * 1000;
/** Clocks differ, and a list may lag behind. */
const overlapMs = 600_000;

export type Listing = {
  readonly readsPerSecond?: number;
  readonly signal?: AbortSignal;
  /** Why the notices of a gateway could not be listed; the next run begins where this one ended. */
  readonly onError: (gateway: ListedGateway, error: unknown) => void;
};

/** Every gateway's notices since the last run. Returns how many had not come. */
export async function listLostNotices(ports: Ports, listing: Listing): Promise<number> {
  const { signal } = listing;
  const turn = pace(listing.readsPerSecond, signal);
  let lost = 0;
  // A provider that answers late keeps the gateways of no other waiting.
  await inParallel(await listListedGateways(ports.database), signal, async (gateway) => {
    try {
      const found = await listOf(gateway, { ports, turn, signal });
      lost += found;
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
};

async function listOf(gateway: ListedGateway, { ports, turn, signal }: Asking): Promise<number> {
  const { id, clientId, now, listedUntil } = gateway;
  const provider = ports.provider(await openGateway(ports, clientId, id));
  let lost = 0;
  for (let start = listedUntil.getTime(); start < now.getTime(); start += spanMs) {
    const until = new Date(Math.min(start + spanMs, now.getTime()));
    const from = new Date(start - overlapMs);
    for (let page: string | null = null; ; ) {
      await turn();
      if (signal?.aborted) return lost;
      const listed = await provider.listNotices({ from, until, page });
      if (listed.kind !== 'found') {
        throw new Error(`notices not listed: ${listed.cause} ${listed.trace.httpStatus ?? ''}`);
      }
      for (const notice of listed.notices) lost += (await keep(gateway, notice, ports)) ? 1 : 0;
      page = listed.next;
      if (page === null) break;
    }
    await saveListedUntil(ports.database, id, until);
  }
  return lost;
}

/**
 * True when it had not come. What it says about money is never believed, only read again. One of a payment
 * that is not ours is left: an account may take others.
 */
async function keep(gateway: ListedGateway, notice: Notice, ports: Ports): Promise<boolean> {
  if (notice.livemode !== gateway.isLive) return false;
  const { intentId } = notice;
  const isForeign =
    intentId !== null && !(await findPaymentByIntent(ports.database, gateway.id, intentId));
  if (isForeign) return false;
  return insertNotice(ports.database, {
    gatewayId: gateway.id,
    id: notice.id,
    objectId: intentId,
    type: notice.type,
    createdAt: notice.createdAt,
    payloadSha256: createHash('sha256').update(JSON.stringify(notice.kept)).digest(),
    payload: notice.kept,
  });
}
