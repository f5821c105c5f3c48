// What a wallet call can use, on whose behalf it acts, and what it returns.
import type { Actor, Core } from '../core/core.ts';
import type { MovementKind } from '../state/ledger.ts';
import type { WalletMemory } from './idempotency.ts';
import type { Amount } from './money.ts';
import type { Notices } from './notices.ts';
import type { Objects } from './objects.ts';

export type Wallet = { objects: Objects; notices: Notices; memory: WalletMemory };

export type WalletActor = Actor & { wallet: Wallet };

export type WalletCall = WalletActor & {
  /** The id in the path; empty when there is none. */
  id: string;
  body: unknown;
  query: URLSearchParams;
  /** True when the call has `Prefer: return=representation`. */
  wantsAll: boolean;
};

export type WalletAnswer = {
  status: number;
  body?: object;
  /** The order that the call is about, for the record of calls. */
  order?: string;
};

/** How many hours a call's key is remembered; each part of the API has its own time. */
export const keyHours = { orders: 6, payments: 45 * 24, vault: 3 } as const;

export type WalletRoute = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  keeps?: keyof typeof keyHours;
  run: (call: WalletCall) => WalletAnswer;
};

/** The wallet acting by itself: a pending capture completes, or a refund fails later. */
export const automaticActor = (core: Core, wallet: Wallet, account: string): WalletActor => ({
  core,
  wallet,
  account,
  origin: 'automatic',
  request: null,
  idempotencyKey: null,
  isForcedToDecline: false,
});

type WalletMovement = {
  object: string;
  orderId: string;
  captureId: string;
  amount: Amount;
  metadata: Record<string, string>;
};

/** Writes one movement of money to the sandbox's ledger. The order takes the place of the intent. */
export const move = (actor: WalletActor, kind: MovementKind, moved: WalletMovement): void => {
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

/** Returns the fields of a JSON object; empty for any other value. */
export const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
