// The plan of one interleaving, drawn from its seed: the actors, the cart and the cards.

import type { Random } from '../kit/random.ts';
import type { Troubles } from './unreliable-ports.ts';

export type Plan = {
  /** True for an unclaimed session, false for one that is created with its cart. */
  readonly isShell: boolean;
  readonly captureMethod: 'automatic' | 'manual';
  /** The quantities in the claims; equal quantities make equal claims. */
  readonly claims: readonly number[];
  /** Card tokens and the call that sends each; equal tokens make equal requests. */
  readonly payments: readonly { readonly token: string; readonly way: 'process' | 'vault' }[];
  readonly cards: ReadonlyMap<string, string>;
  readonly opensIntent: boolean;
  /** The card with which the page confirms the intent; null when it does not. */
  readonly pageCard: string | null;
  readonly declines: readonly ('buyer_canceled' | 'authentication_abandoned')[];
  readonly runsOut: boolean;
  readonly challenge: 'approve' | 'fail' | 'cancel' | null;
  readonly losesLease: boolean;
  readonly notices: number;
  /**
   * Changes of the session's coupons, one after the other: true sets the code, false removes it.
   */
  readonly coupons: readonly boolean[];
  /** For each payment, whether it names the total that its page has read. */
  readonly shows: readonly boolean[];
  /** Null when the merchant has no wallet. */
  readonly wallet: null | {
    /** Calls that pay with the wallet; true when the call names the session's ready order. */
    readonly pays: readonly boolean[];
    readonly approvals: readonly { isOfNewest: boolean; behaviour: 'completes' | 'declined' }[];
    readonly notices: number;
  };
  readonly troubles: Troubles;
  /** The actor whose process dies, and after how many steps; null when none dies. */
  readonly death: null | { readonly actor: number; readonly gate: number };
};

const numbers = {
  approved: '4242424242424242',
  declined: '4000000000000002',
  challenged: '4000002760003184',
  challengedThenDeclined: '4000008400001629',
};

export function drawPlan(random: Random, name: string): Plan {
  const isShell = random.chance(0.7);
  const cardOf = () =>
    random.pick([
      numbers.approved,
      numbers.approved,
      numbers.declined,
      numbers.challenged,
      numbers.challengedThenDeclined,
    ]);
  const tokens = Array.from({ length: random.whole(1, 2) }, (_, n) => `${name}-card-${n}`);
  const cards = new Map(tokens.map((token) => [token, cardOf()]));
  const captureMethod = random.pick(['automatic', 'automatic', 'manual'] as const);
  const claimCount = random.pick([0, 1, 1, 1, 2, 2]);
  const opensIntent = random.chance(0.3);
  const plan: Plan = {
    isShell,
    captureMethod,
    claims: isShell ? Array.from({ length: claimCount }, () => random.whole(1, 2)) : [],
    payments: Array.from({ length: random.whole(1, 3) }, () => ({
      token: random.pick(tokens),
      way: random.pick(['process', 'process', 'vault'] as const),
    })),
    cards,
    opensIntent,
    pageCard: opensIntent && random.chance(0.7) ? cardOf() : null,
    declines: random.chance(0.3)
      ? [random.pick(['buyer_canceled', 'authentication_abandoned'] as const)]
      : [],
    runsOut: random.chance(isShell ? 0.15 : 0.35),
    challenge: random.pick(['approve', 'approve', 'fail', 'cancel', null]),
    losesLease: random.chance(0.2),
    notices: random.whole(0, 2),
    coupons: random.chance(0.5)
      ? Array.from({ length: random.whole(1, 2) }, () => random.chance(0.6))
      : [],
    shows: [random.chance(0.6), random.chance(0.6), random.chance(0.6)],
    troubles: {
      lossRate: random.chance(0.3) ? 0.2 : 0,
      wireFaultRate: random.chance(0.3) ? 0.3 : 0,
      commitLossRate: random.chance(0.2) ? 0.05 : 0,
    },
    wallet: captureMethod === 'automatic' && random.chance(0.5) ? drawWallet(random) : null,
    death: random.chance(0.3) ? { actor: random.whole(0, 6), gate: random.whole(2, 18) } : null,
  };
  // Some buyers pay only with the wallet.
  return plan.wallet && random.chance(0.5) ? { ...plan, payments: [] } : plan;
}

const drawWallet = (random: Random): Plan['wallet'] => ({
  pays: Array.from({ length: random.whole(0, 2) }, () => random.chance(0.5)),
  approvals: Array.from({ length: random.whole(1, 2) }, () => ({
    isOfNewest: random.chance(0.7),
    behaviour: random.pick(['completes', 'completes', 'completes', 'declined'] as const),
  })),
  notices: random.whole(0, 2),
});
