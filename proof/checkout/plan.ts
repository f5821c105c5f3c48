// What happens in one interleaving, drawn from its seed: who acts, with which cart and card.

import type { Random } from '../chaos/random.ts';

export type Plan = {
  /** A shell that has to be claimed, or a session created whole. */
  readonly isShell: boolean;
  readonly captureMethod: 'automatic' | 'manual';
  /** Quantities that claims name: equal ones are the same claim. */
  readonly claims: readonly number[];
  /** Card tokens by the call that brings them; equal tokens are the same request. */
  readonly payments: readonly { readonly token: string; readonly way: 'process' | 'vault' }[];
  readonly cards: ReadonlyMap<string, string>;
  readonly opensIntent: boolean;
  /** The page confirms the intent, with this card. */
  readonly pageCard: string | null;
  readonly declines: readonly ('buyer_canceled' | 'authentication_abandoned')[];
  readonly runsOut: boolean;
  readonly challenge: 'approve' | 'fail' | 'cancel' | null;
  readonly losesLease: boolean;
  readonly notices: number;
  /** Changes of the session's coupons, one after the other: with the code, or with none. */
  readonly coupons: readonly boolean[];
  /** Which of the payments name the total that their page has read. */
  readonly shows: readonly boolean[];
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
  return {
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
  };
}
