// Saved payment methods: their facts, and which one takes over from another. Spec: Saved payment
// method. Contract §5.

import type { PaymentMethodType } from '@svc/contract/customers/payment-methods';

/** The facts of a card that a buyer may see. */
export type MethodFacts = {
  readonly brand: string | null;
  readonly lastFour: string | null;
  readonly expiryMonth: number | null;
  readonly expiryYear: number | null;
  readonly payerEmail: string | null;
};

/** A row of `payment_methods`. */
export type PaymentMethod = MethodFacts & {
  readonly id: string;
  readonly clientId: string;
  readonly userId: string;
  readonly gatewayId: string;
  readonly provider: 'cardprovider' | 'wallet';
  readonly type: PaymentMethodType;
  /** The session that saved the method. */
  readonly sessionId: string;
  readonly providerCustomerId: string | null;
  readonly providerPaymentMethodId: string | null;
  readonly isLive: boolean;
  readonly status: 'pending' | 'active' | 'removed';
  /** When the provider verified the method, without a charge or by its first one. */
  readonly verifiedAt: Date | null;
  readonly lastChargedAt: Date | null;
  readonly removedAt: Date | null;
  /** Who ended it: somebody's request here, or the provider. Null while it is there. */
  readonly removedBy: 'request' | 'provider' | null;
  readonly eventSeq: number;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** The facts that a card's network or bank may change. */
export type CardChange = Pick<MethodFacts, 'brand' | 'lastFour' | 'expiryMonth' | 'expiryYear'>;

const changeable = ['brand', 'lastFour', 'expiryMonth', 'expiryYear'] as const;

/** Returns what the facts were that `next` changes; null where nothing changes. */
export function changedCardFacts(known: CardChange, next: CardChange): Partial<CardChange> | null {
  const changed = changeable.filter((name) => known[name] !== next[name]);
  return changed.length === 0
    ? null
    : Object.fromEntries(changed.map((name) => [name, known[name]]));
}

/** How long a pending method of an ended session is shown. Contract §5. */
export const pendingGraceMs = 3600 * 1000;

/** How long a paid method is kept whose wallet cannot be read. docs/decisions/wallet.md. */
export const lateSaveMs = 24 * 3600 * 1000;

/** The decline code of a saved card that the provider does not keep for the customer any more. */
export const cardNotKept = 'card_not_kept';

/** Whether the candidate may take over from the target. Spec: Saved payment methods, deletion behaviour. */
export const mayReplace = (candidate: PaymentMethod, target: PaymentMethod): boolean =>
  candidate.id !== target.id &&
  candidate.status === 'active' &&
  candidate.clientId === target.clientId &&
  candidate.userId === target.userId &&
  candidate.gatewayId === target.gatewayId &&
  candidate.provider === target.provider &&
  candidate.type === target.type &&
  candidate.providerCustomerId !== null &&
  candidate.providerCustomerId === target.providerCustomerId;

/** The time at which the method last worked: charged or verified, whichever is later. */
const lastProvenAt = ({ verifiedAt, lastChargedAt }: PaymentMethod): number =>
  Math.max(verifiedAt?.getTime() ?? 0, lastChargedAt?.getTime() ?? 0);

/**
 * The method that was charged or verified last, of those that may replace the target; of equals the
 * one with the greatest id. Reliability P6.
 */
export const chooseReplacement = (
  target: PaymentMethod,
  candidates: readonly PaymentMethod[],
): PaymentMethod | undefined =>
  candidates
    .filter((candidate) => mayReplace(candidate, target))
    .toSorted((a, b) => lastProvenAt(b) - lastProvenAt(a) || (a.id < b.id ? 1 : -1))[0];
