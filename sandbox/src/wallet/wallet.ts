// What a wallet call has at hand, on whose behalf it acts, and what it answers.
import type { Actor, Core } from '../core.ts';
import type { MovementKind } from '../ledger.ts';
import type { WalletMemory } from './idempotency.ts';
import type { Amount } from './money.ts';
import type { Notices } from './notices.ts';
import type { Objects } from './objects.ts';

export type Wallet = { objects: Objects; notices: Notices; memory: WalletMemory };

export type WalletActor = Actor & { wallet: Wallet };

export type WalletCall = WalletActor & {
  /** The id in the path; empty where there is none. */
  id: string;
  body: unknown;
  query: URLSearchParams;
  /** `Prefer: return=representation`. */
  wantsAll: boolean;
};

export type WalletAnswer = {
  status: number;
  body?: object;
  /** The order that it is about, for the record of calls. */
  order?: string;
};

/** How long the key of a call is remembered; each part of the API has a time of its own. */
export const keyHours = { orders: 6, payments: 45 * 24, vault: 3 } as const;

export type WalletRoute = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  keeps?: keyof typeof keyHours;
  run: (call: WalletCall) => WalletAnswer;
};

/** The wallet acting by itself: a pending capture that arrives, a refund that fails later. */
export const actAlone = (core: Core, wallet: Wallet, account: string): WalletActor => ({
  core,
  wallet,
  account,
  origin: 'automatic',
  request: null,
  idempotencyKey: null,
  isForcedToDecline: false,
});

type Moved = {
  object: string;
  orderId: string;
  captureId: string;
  amount: Amount;
  metadata: Record<string, string>;
};

/** One movement of money into the sandbox's ledger: the order stands where an intent would. */
export const move = (actor: WalletActor, kind: MovementKind, moved: Moved): void => {
  actor.core.ledger.append({
    at: actor.core.clock.nowMs(),
    account: actor.account,
    kind,
    object: moved.object,
    intent: moved.orderId,
    charge: moved.captureId,
    amount: moved.amount.minor,
    currency: moved.amount.currency.toLowerCase(),
    idempotencyKey: actor.idempotencyKey,
    metadata: moved.metadata,
    origin: actor.origin,
    request: actor.request,
  });
};

/** The fields of a JSON object; nothing of anything else. */
export const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
