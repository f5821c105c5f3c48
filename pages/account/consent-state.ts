// The state of the consent page, and what it says of the bounds of an access. Contract §6.

import { type Signal, signal } from '@preact/signals';
import { may } from '@svc/contract/rows/roles';
import { CallFailure } from '../kit/calls.ts';
import type { Decision, Interaction } from '../kit/doors.ts';
import { roleName } from '../kit/roles.ts';
import { describeTogether } from '../kit/scopes.ts';

export type Choice = Interaction['merchants'][number];

type Allowed = Extract<Decision, { decision: 'allow' }>;

export class ConsentState {
  readonly chosen: Signal<Choice | null>;
  /** The scopes that are not ticked. */
  readonly left: Signal<ReadonlySet<string>> = signal(new Set<string>());
  /** What an attempt to allow lacked. */
  readonly missing: Signal<'merchant' | 'scope' | null> = signal(null);

  constructor({ merchants }: Pick<Interaction, 'merchants'>) {
    this.chosen = signal(merchants.length === 1 ? (merchants[0] ?? null) : null);
  }

  toggle(scope: string): void {
    const left = new Set(this.left.value);
    if (!left.delete(scope)) left.add(scope);
    this.left.value = left;
  }

  tickedOf(scopes: readonly string[]): readonly string[] {
    return scopes.filter((scope) => !this.left.value.has(scope));
  }

  /** Returns what to send; null, with `missing` set, where the choice is not complete. */
  allow(asked: Pick<Interaction, 'scopes'>): Allowed | null {
    const scopes = this.tickedOf(asked.scopes);
    const chosen = this.chosen.value;
    this.missing.value = chosen ? (scopes.length === 0 ? 'scope' : null) : 'merchant';
    if (!chosen || scopes.length === 0) return null;
    return { decision: 'allow', clientId: chosen.clientId, scopes };
  }

  /**
   * Returns what follows from a failed answer. `over`: there is nothing to decide any more. `stale`: the page
   * is read again. `choose-again`: the person is no member there any more; the list is read again, and another
   * merchant can be chosen.
   */
  fail(cause: unknown): 'over' | 'stale' | 'choose-again' | 'shown' {
    const code = cause instanceof CallFailure ? cause.code : null;
    if (code === 'authorization_not_found') return 'over';
    if (code === 'sign_in_required' || code === 'second_factor_required') return 'stale';
    if (code !== 'client_not_found') return 'shown';
    this.chosen.value = null;
    return 'choose-again';
  }
}

/** One sentence; its beginning is emphasised. */
type Bound = { readonly strong?: string; readonly text: string };

type BoundsOf = {
  readonly application: Pick<Interaction['application'], 'name'>;
  readonly merchant: Pick<Choice, 'role'> | null;
  /** Requested only for /mcp, where each move of money is previewed and confirmed first. */
  readonly isForAgents: boolean;
  /** The scopes that are ticked. */
  readonly scopes: readonly string[];
};

/** What every consent permits, whatever is ticked. Contract §6: capture and cancel require the role. */
export function boundsOf({ application, merchant, isForAgents, scopes }: BoundsOf): Bound[] {
  const bounds: Bound[] = [];
  if (isForAgents) {
    bounds.push({
      text: 'It works through the tools for agents alone, which preview each move of money first.',
    });
  } else if (merchant) {
    if (may(merchant.role, 'holds.end')) {
      bounds.push({
        strong: 'Whatever is ticked:',
        text: `as you have the role ${roleName(merchant.role)}, it may collect and release payments that are on hold.`,
      });
    }
    const together = may(merchant.role, 'checkout.vouch') ? describeTogether(scopes) : [];
    for (const each of together)
      bounds.push({ strong: 'As both are ticked,', text: `it may ${each}.` });
  }
  const stays = scopes.includes('mcp')
    ? ', but API tokens that it made stay until you revoke them too'
    : '';
  return [
    ...bounds,
    { text: 'It can never do more than you can, and only at this merchant.' },
    { text: `${application.name} does not learn your password.` },
    {
      text: `You can revoke the access at any time in your account. It ends at once${stays}.`,
    },
  ];
}
