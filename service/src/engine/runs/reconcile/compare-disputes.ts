// Compares a purchase's disputes with the provider's: which there are, the status of each and what
// it has moved. Pure. Spec: Payment rules 1 to 4. Contract §12.

import {
  type Dispute,
  type DisputeMovement,
  newMovements,
  type ProviderDispute,
} from '../../../domain/payments/dispute.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import { type Difference, differenceOf, side } from './compare.ts';

/** Our records of a purchase's disputes. */
export type OurDisputes = {
  readonly disputes: readonly Dispute[];
  /** The movements of the chargeback rows, by the provider's id of their dispute. */
  readonly booked: ReadonlyMap<string, readonly DisputeMovement[]>;
  readonly classifiedFrom: Date;
};

/** Returns one difference for each dispute on which the two sides differ. */
export function compareDisputes(
  purchase: Payment,
  ours: OurDisputes,
  theirs: readonly ProviderDispute[],
): readonly Difference[] {
  const known = new Map(ours.disputes.map((dispute) => [dispute.providerDisputeId, dispute]));
  const told = new Map(theirs.map((said) => [said.disputeId, said]));
  return [...new Set([...told.keys(), ...known.keys()])].flatMap((disputeId) => {
    const sides = { disputeId, known: known.get(disputeId), said: told.get(disputeId) };
    return compareOne(purchase, sides, ours) ?? [];
  });
}

type DisputePair = {
  readonly disputeId: string;
  readonly known: Dispute | undefined;
  readonly said: ProviderDispute | undefined;
};

function compareOne(
  purchase: Payment,
  { disputeId, known, said }: DisputePair,
  { booked, classifiedFrom }: OurDisputes,
): Difference | null {
  const rows = booked.get(disputeId) ?? [];
  const moved = said ? movementsOf(said, rows, classifiedFrom) : [];
  const differing = differingCurrency(rows, moved);
  const isSame = known?.status === said?.status && differing === undefined;
  if (isSame && rows.length === moved.length) return null;
  const currency = differing ?? said?.currency ?? known?.currency ?? purchase.currency;
  const showState = (status: string | undefined, movements: readonly DisputeMovement[]) => {
    if (status === undefined) return { status: 'no dispute', amount: null, currency: null };
    // An equal sum of different movements is shown with their number.
    const words = isSame ? `${status} after ${movements.length} movements` : status;
    return side(words, sumOf(movements, currency), currency);
  };
  return {
    ...differenceOf(purchase, 'dispute', { status: '' }),
    ours: showState(known?.status, rows),
    providers: { id: disputeId, ...showState(said?.status, moved) },
  };
}

/**
 * Returns the provider's movements that have a row here or should have one; movements from before
 * the classification began need none.
 */
function movementsOf(
  said: ProviderDispute,
  rows: readonly DisputeMovement[],
  classifiedFrom: Date,
): readonly DisputeMovement[] {
  const recorded = new Set(rows.map(({ id }) => id));
  const known = said.movements.filter(({ id }) => recorded.has(id));
  return [...known, ...newMovements(said, recorded, classifiedFrom)];
}

const sumOf = (movements: readonly DisputeMovement[], currency: string): number =>
  movements
    .filter((movement) => movement.currency === currency)
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0);

const differingCurrency = (
  ours: readonly DisputeMovement[],
  theirs: readonly DisputeMovement[],
): string | undefined =>
  [...ours, ...theirs]
    .map(({ currency }) => currency)
    .find((currency) => sumOf(ours, currency) !== sumOf(theirs, currency));
