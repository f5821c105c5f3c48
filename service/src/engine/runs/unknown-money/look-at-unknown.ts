// Reads a payment at the provider that no row of ours names and, where it carries our marks,
// records it, with its audit entry. docs/decisions/reconciliation.md.

import { judgeUnknown, type UnknownStatus } from '../../../domain/payments/unknown-money.ts';
import { judgeMaker } from '../../../domain/protocol/marks.ts';
import { repeatWhenLost, type Tx } from '../../../storage/database/database.ts';
import {
  findGatewayBeside,
  listInstallations,
  toInstallations,
} from '../../../storage/gateways/gateways.ts';
import { findKnownBeside } from '../../../storage/payments/money-owner.ts';
import {
  countWatchedOf,
  findUnknown,
  saveUnknown,
  type UnknownFacts,
  type UnknownMoney,
} from '../../../storage/payments/unknown-money.ts';
import type { MarkedPayment, Ports, Provider } from '../../ports.ts';
import { recordOwnChange } from '../../steps/audit-log/record-without-request.ts';
import { openGateway } from '../../steps/gateways/open-gateway.ts';

export type Place = {
  readonly clientId: string;
  readonly gatewayId: string;
  readonly intentId: string;
};

/**
 * `written`: it is in our table, whatever its status. `known`: a payment of ours has it, or may
 * still get it. `foreign`: it belongs to other software or another merchant, or does not exist.
 * `elsewhere`: another installation made it, or for a merchant that has no gateway here.
 * Undefined: it cannot be decided now.
 */
export type UnknownMoneyVerdict = 'written' | 'known' | 'foreign' | 'elsewhere' | undefined;

/** The most unpaid objects of one merchant that are watched. */
const mostWatched = 1000;
/** An unpaid object older than this is not read again, unless a notice reports it. */
const watchedMs = 7 * 24 * 3600 * 1000;

/**
 * Repeatable, by any number of processes: it is written once, and reported once each time it
 * becomes open.
 */
export async function lookAtUnknown(place: Place, ports: Ports): Promise<UnknownMoneyVerdict> {
  const { database, newId } = ports;
  const gateway = await openGateway(ports, place.clientId, place.gatewayId);
  const provider = ports.provider(gateway);
  const reading = await provider.retrieveMarked(place.intentId);
  if (reading.kind === 'in_doubt') return undefined;
  if (reading.kind !== 'found') return 'foreign';
  const said = reading.payment;
  // Our rows are read after the provider: a payment of ours is committed before it gets an id there.
  const at = { ...place, marks: said.marks, customerId: said.customerId };
  const beside = await findKnownBeside(database, at);
  if (beside.isKnown) return 'known';
  const made = judgeMaker(said.maker, toInstallations(await listInstallations(database, newId)));
  if (made !== 'ours') return made === 'undecided' ? undefined : made;
  const { merchantId } = said.maker;
  if (merchantId !== null && merchantId !== place.clientId) {
    // The money belongs to the merchant in the marks, whichever gateway reported it.
    const theirs = await findGatewayBeside(database, place.gatewayId, { clientId: merchantId });
    return theirs ? lookAtUnknown({ ...theirs, intentId: place.intentId }, ports) : 'elsewhere';
  }
  if (beside.isOthers) return 'foreign';
  if (beside.mayGoOn) return undefined;
  if (await isTooMuch(place, said, ports)) return 'foreign';
  const facts = unknownFactsOf(place, said, beside.email);
  const hasFailed = await hasRefundFailed(place, provider, ports);
  await repeatWhenLost(() =>
    database.transaction(place.clientId, (tx) => write(tx, { facts, said, hasFailed, ports })),
  );
  return 'written';
}

/** A merchant makes as many unpaid payments as it likes: those above the most are read again once they are paid. */
async function isTooMuch(place: Place, said: MarkedPayment, ports: Ports): Promise<boolean> {
  if (judgeUnknown(said) !== 'watched') return false;
  if ((await countWatchedOf(ports.database, place.clientId)) < mostWatched) return false;
  return (await findUnknown(ports.database, place.intentId)) === undefined;
}

const unknownFactsOf = (place: Place, said: MarkedPayment, email: string | null): UnknownFacts => ({
  ...place,
  marks: said.marks,
  state: said.state,
  amountMinor: said.amountMinor,
  refundedMinor: said.refundedMinor ?? 0,
  currency: said.currency,
  isDisputed: said.isDisputed === true,
  email: email ?? said.payerEmail,
});

/**
 * Whether the refund has failed. For a while after a refund the provider may still show the payment
 * without it, so only the refund itself shows that it failed.
 */
async function hasRefundFailed(place: Place, provider: Provider, ports: Ports): Promise<boolean> {
  const row = await findUnknown(ports.database, place.intentId);
  if (row?.status !== 'refunded' || row.providerRefundId === null) return false;
  const read = await provider.retrieveRefund(row.providerRefundId);
  return read.kind === 'confirmed' && read.refund.state === 'failed';
}

type UnknownWrite = {
  readonly facts: UnknownFacts;
  readonly said: MarkedPayment;
  readonly hasFailed: boolean;
  readonly ports: Ports;
};

async function write(tx: Tx, { facts, said, hasFailed, ports }: UnknownWrite): Promise<void> {
  const judged = judgeUnknown(said);
  const nextStatusOf = (row: UnknownMoney): UnknownStatus => {
    if (row.status === 'refunded') return hasFailed ? judged : row.status;
    if (!['watched', 'open', 'settled'].includes(row.status)) return row.status;
    const isOver = judged === 'watched' && Date.now() - row.foundAt.getTime() > watchedMs;
    return isOver ? 'settled' : judged;
  };
  const { row, isNews } = await saveUnknown(tx, facts, {
    newId: ports.newId(),
    next: nextStatusOf,
  });
  if (!isNews) return;
  const change = {
    action: 'unknown_money.found',
    resourceType: 'payment',
    resourceId: row.marks.paymentId,
    clientId: row.clientId,
    after: {
      id: row.id,
      providerIntentId: row.intentId,
      state: row.state,
      amountMinor: row.amountMinor,
      refundedMinor: row.refundedMinor,
      currency: row.currency,
      isDisputed: row.isDisputed,
    },
  };
  await recordOwnChange(tx, change, ports);
}
