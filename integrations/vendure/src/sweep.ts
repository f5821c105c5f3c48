// Reads Svc's own list of events, so that no webhook is needed: what a firewall, a restart or a killed process lost is
// brought in line within a minute or two, and after a start what the last day brought.

import type { WebhookEvent } from '@svc/server';
import { remedyOf } from '@svc/server/shops';
import { Logger } from '@vendure/core';
import type { Account } from './options.ts';
import { log } from './orders.ts';

const everyMs = 60_000;
const lookBackMs = 24 * 3_600_000;
const newsTypes = [
  ...['payment.authorized', 'item.purchased', 'payment.authorization_voided'],
  ...['payment.authorization_expired', 'refund.created', 'refund.succeeded', 'refund.failed'],
] as const;

export type Apply = (account: Account, event: WebhookEvent) => Promise<void>;

/** Begins to read the events of each account; returns what ends it. */
export function startSweep(accounts: readonly Account[], apply: Apply): () => void {
  const stop = new AbortController();
  for (const account of accounts) void sweep(account, apply, stop.signal);
  return () => stop.abort();
}

async function sweep(account: Account, apply: Apply, signal: AbortSignal): Promise<void> {
  let last: string | undefined;
  while (!signal.aborted) {
    try {
      for (const event of await newsSince(account, last)) {
        // An order that cannot be brought in line now, such as one without a payment method, holds up no other.
        await apply(account, event).catch((error) => Logger.error(remedyOf(error), log));
        last = event.id;
      }
    } catch (error) {
      Logger.error(`Svc's events could not be read: ${remedyOf(error)}`, log);
    }
    await pause(everyMs, signal);
  }
}

/** Oldest first. */
async function newsSince({ svc }: Account, last: string | undefined): Promise<WebhookEvent[]> {
  const types = { type: { in: [...newsTypes] } };
  if (last) return (await svc.events.listAfter(last, { ...types, limit: 100 })).data;
  const since = new Date(Date.now() - lookBackMs).toISOString();
  const recent = svc.events.list({ ...types, createdAt: { gte: since }, limit: 100 });
  return (await recent.toArray({ limit: 1000 })).reverse();
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    timer.unref();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
