// One request to the card provider and what came of it, and the rule for sending again.

import type Stripe from 'stripe';
import type { Trace } from '../../operations/ports.ts';
import { NeverSent } from './transport.ts';

export type WireSettings = {
  /** Everything that one call may take, resend and reading included. */
  readonly budgetMs: number;
  /** A resend needs at least this much of the budget. */
  readonly resendMs: number;
  /** Pause before a resend after 409 and 429. */
  readonly pauseMs: number;
};

export type Wire = WireSettings & { readonly sdk: Stripe };

export const openWire = (sdk: Stripe, settings: WireSettings): Wire => ({ ...settings, sdk });

type Reply<T> = { readonly lastResponse?: { requestId?: string } } & T;

export type Answer<T> = { readonly trace: Trace } & (
  | { readonly kind: 'ok'; readonly value: T }
  /** The provider's own error envelope. */
  | { readonly kind: 'error'; readonly status: number; readonly error: Stripe.errors.StripeError }
  /** No usable answer: reset, timeout, broken or foreign body. */
  | { readonly kind: 'lost'; readonly isNeverSent: boolean }
);

/** Sends once. */
export async function send<T>(call: () => Promise<Reply<T>>): Promise<Answer<T>> {
  try {
    const value = await call();
    const requestId = value.lastResponse?.requestId ?? null;
    return { kind: 'ok', value, trace: { httpStatus: 200, providerCode: null, requestId } };
  } catch (thrown) {
    const error = thrown as Stripe.errors.StripeError & { detail?: unknown };
    const trace: Trace = {
      httpStatus: error.statusCode ?? null,
      providerCode: error.code ?? error.type ?? null,
      requestId: error.requestId ?? null,
    };
    // A status without the provider's envelope comes from something in between.
    if (error.statusCode !== undefined && error.rawType !== undefined) {
      return { kind: 'error', status: error.statusCode, error, trace };
    }
    return { kind: 'lost', isNeverSent: error.detail instanceof NeverSent, trace };
  }
}

const isWorthResending = (answer: Answer<unknown>): boolean =>
  (answer.kind === 'lost' && !answer.isNeverSent) ||
  (answer.kind === 'error' &&
    (answer.status >= 500 || answer.status === 409 || answer.status === 429));

export type Sent<T> = {
  readonly answer: Answer<T>;
  /** The same server error came again for the same key: the provider has it on record. */
  readonly isRecorded: boolean;
  /** Some send of this call may have reached the provider. */
  readonly mayHaveArrived: boolean;
};

/** Sends, and once more with the same key where that can settle it. */
export async function sendAgain<T>(wire: Wire, call: () => Promise<Reply<T>>): Promise<Sent<T>> {
  const start = performance.now();
  const first = await send(call);
  const left = wire.budgetMs - (performance.now() - start);
  if (!isWorthResending(first) || left < wire.resendMs) {
    return { answer: first, isRecorded: false, mayHaveArrived: mayHaveArrived(first) };
  }
  if (first.kind === 'error' && first.status < 500) {
    await new Promise((resolve) => setTimeout(resolve, wire.pauseMs));
  }
  const second = await send(call);
  const isRecorded =
    first.kind === 'error' &&
    second.kind === 'error' &&
    first.status >= 500 &&
    second.status === first.status;
  // A first answer that was lost stays possible, whatever the second send met.
  return { answer: second, isRecorded, mayHaveArrived: true };
}

const mayHaveArrived = (answer: Answer<unknown>): boolean =>
  !(answer.kind === 'lost' && answer.isNeverSent);
