// The part of `svc reconcile` about money at a provider that belongs to no payment.

import { isOneLine } from '@svc/contract/servers/plain-text';
import { countCharacters } from '@svc/contract/values/characters';
import { toMajor } from '../../domain/money/money.ts';
import type { Decision } from '../../domain/payments/unknown-money.ts';
import type { Ports } from '../../engine/ports.ts';
import { describeUndecided, undecidedMend } from '../../engine/runs/operator/installations.ts';
import {
  type DecisionRefusal,
  decideUnknown,
} from '../../engine/runs/unknown-money/decide-unknown.ts';
import { findOpenMoney, type OpenMoney } from '../../engine/runs/unknown-money/find-open-money.ts';
import { findUnknownMoney } from '../../engine/runs/unknown-money/find-unknown-money.ts';
import {
  byMerchant,
  describeMoney,
  describeRest,
} from '../../engine/runs/unknown-money/notify-operator.ts';
import type { Surroundings } from '../line/command.ts';
import { UsageError } from '../line/flags.ts';
import { countedNoun, type Row } from '../line/report.ts';

/** The most rows of one merchant in a file, and the most lines on the screen. */
const mostRows = 10_000;
const mostLines = 20;

/** Returns what this run or the hourly run found, as rows of the report. */
export async function findUnknown(
  ports: Ports,
  asked: {
    readonly readsPerSecond: number;
    readonly since: Date | null;
    /** Gateways that were already reported as not readable. */
    readonly givenUp: ReadonlySet<string>;
  },
  { out, signal }: Surroundings,
) {
  const { readsPerSecond, since, givenUp } = asked;
  const notListed: string[] = [];
  await findUnknownMoney(ports, {
    readsPerSecond,
    signal,
    since,
    onError({ id, clientId }, error) {
      notListed.push(id);
      if (givenUp.has(id)) return;
      out.write(`gateway ${id} of client ${clientId}: ${(error as Error).message}\n`);
    },
  });
  const undecided = await describeUndecided(ports);
  if (undecided) out.write(`${undecided}: ${undecidedMend}\n`);
  const found = signal.aborted ? [] : await findOpenMoney(ports, mostRows);
  let all = 0;
  for (const ofOne of byMerchant(found)) {
    all += ofOne[0]?.ofMerchant ?? 0;
    const shown = ofOne.slice(0, mostLines);
    for (const money of shown) out.write(`unknown: ${describeUnknown(money)}\n`);
    for (const rest of describeRest(shown)) out.write(`unknown: ${rest}\n`);
  }
  if (all > 0) out.write(`${countedNoun(all, 'payment')} at the provider without a payment here\n`);
  return { found, isWhole: notListed.length === 0 && !undecided };
}

/** Describes it with its buyer, and what can be done about it. */
function describeUnknown(money: OpenMoney): string {
  const buyer = `, buyer ${money.email ?? 'not known'}`;
  const underWay = money.status === 'open' ? '' : ` (${money.status}: ${money.lastError ?? ''})`;
  return `${describeMoney(money)}${buyer}${underWay}; ${describeWayOut(money)}`;
}

const describeWayOut = ({ state, intentId }: OpenMoney): string => {
  if (state === 'processing') return 'wait until the provider has ended it';
  const other = state === 'authorized' ? '--release' : '--refund';
  return `svc reconcile --adopt ${intentId}, or ${other}`;
};

export const toUnknownRow = (money: OpenMoney): Row => ({
  paymentId: money.marks.paymentId,
  clientId: money.clientId,
  type: 'purchase',
  kind: 'unknown_money',
  end: money.status === 'open' ? 'stands' : money.status,
  ourStatus: 'none',
  ourAmount: null,
  ourCurrency: null,
  providerId: money.intentId,
  providerStatus: money.isDisputed ? `${money.state}, disputed` : money.state,
  providerAmount: toMajor(money.amountMinor, money.currency),
  providerCurrency: money.currency,
  buyer: money.email,
  merchant: money.clientName,
});

const decisions = ['adopt', 'release', 'refund'] as const;

export type TypedDecision = {
  readonly id: string;
  readonly decision: Decision;
  readonly reason: string;
};

/** Returns the decision that was typed; undefined for a comparison. */
export function readDecision(
  text: (name: Decision | 'reason') => string | undefined,
): TypedDecision | undefined {
  const given = decisions.filter((one) => text(one) !== undefined);
  const [decision, second] = given;
  const reason = text('reason')?.trim();
  if (!decision) {
    if (reason === undefined) return undefined;
    throw new UsageError('--reason belongs to --adopt, --release or --refund');
  }
  if (second) throw new UsageError(`--${decision} and --${second} are both given; leave one out`);
  const id = text(decision) ?? '';
  if (!/^[\w-]{1,255}$/.test(id)) {
    throw new UsageError(`--${decision} takes the id that svc reconcile prints: ${id}`);
  }
  if (!reason || countCharacters(reason) > 500 || !isOneLine(reason)) {
    throw new UsageError('--reason is missing: why, 1 to 500 characters, for the audit log');
  }
  return { id, decision, reason };
}

const reasons: Readonly<Record<DecisionRefusal, string>> = {
  unknown_money_not_found: 'nothing with our marks and without a payment has this id',
  decision_taken_over: 'somebody else is at it; look again',
  decided_otherwise: 'it was decided otherwise, or a payment has it',
  made_elsewhere: 'another installation or merchant made it: decide there (svc installation)',
  not_paid: 'nothing was paid there',
  nothing_left: 'it was released, given back or taken back at the provider',
  still_open_at_provider: 'the provider has not ended it: wait',
  not_a_hold: 'it was captured: --refund gives it back',
  not_captured: 'it is a hold: --release lets it go',
};

/** Carries out the decision; returns 0 when it is done. */
export async function decide(wish: TypedDecision, ports: Ports, { out, err }: Surroundings) {
  const { refusal, money, cause } = await decideUnknown(wish, ports);
  if (money) {
    const payment = money.adoptedPaymentId ? `, payment ${money.adoptedPaymentId}` : '';
    const amount = `${toMajor(money.amountMinor, money.currency)} ${money.currency}`;
    out.write(`${money.intentId}: ${money.status}, ${money.state} ${amount}${payment}\n`);
  }
  if (refusal) err.write(`svc reconcile: ${refusal}: ${reasons[refusal]}\n`);
  if (cause) {
    err.write(
      `svc reconcile: not finished (${cause}): the service continues by itself; or run the command again\n`,
    );
  }
  return refusal || cause ? 1 : 0;
}
