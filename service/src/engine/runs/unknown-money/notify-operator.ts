// The mail to the operator about money that no payment knows: one for all that was found, at most
// once an hour. It names no buyer.

import { oneLine } from '@svc/contract/servers/plain-text';
import { toMajor } from '../../../domain/money/money.ts';
import { everyClient, repeatWhenLost } from '../../../storage/database/database.ts';
import {
  lockUntold,
  markNotified,
  type OpenMoney,
} from '../../../storage/payments/unknown-money.ts';
import type { Ports } from '../../ports.ts';
import { queueMail } from '../../steps/mails/queue-mail.ts';

/** The most lines about one merchant, and about how many merchants. */
const mostOfMerchant = 5;
const mostMerchants = 20;

/**
 * Queues the mail, and marks the money as reported in the same transaction. Does nothing where
 * there is no address.
 */
export async function notifyOperator(ports: Ports): Promise<void> {
  const { operatorEmail } = ports.settings;
  if (!operatorEmail) return;
  await repeatWhenLost(() =>
    ports.database.transaction(everyClient, async (tx) => {
      const untold = await lockUntold(tx, mostOfMerchant);
      if (untold.length === 0) return;
      const mail = {
        to: operatorEmail,
        kind: 'unknown_money',
        clientId: null,
        ...mailWords(untold),
      };
      await queueMail(tx, mail, ports);
      await markNotified(
        tx,
        untold.map(({ clientId }) => clientId),
      );
    }),
  );
}

function mailWords(untold: readonly OpenMoney[]) {
  const merchants = byMerchant(untold);
  const all = merchants.reduce((sum, [first]) => sum + (first?.ofMerchant ?? 0), 0);
  const count = all === 1 ? 'One payment' : `${all} payments`;
  const lines = merchants
    .slice(0, mostMerchants)
    .flatMap((ofOne) => [...ofOne.map(describeMoney), ...describeRest(ofOne)]);
  const left = merchants.length - mostMerchants;
  const rest =
    left > 0 ? [`and those of ${left} more ${left === 1 ? 'merchant' : 'merchants'}.`] : [];
  return {
    subject: `${count} at the provider that Svc does not know`,
    text: [
      'They carry the marks of this service, and no payment here has them:',
      '',
      ...lines,
      ...rest,
      '',
      'This happens after a database was put back to an earlier moment, or when a buyer paid twice.',
      'See all of them with `svc reconcile`, and decide about each with --adopt, --release or --refund.',
    ].join('\n'),
  };
}

/** The lists of each merchant, of a list of all. */
export const byMerchant = (money: readonly OpenMoney[]): OpenMoney[][] => [
  ...Map.groupBy(money, ({ clientId }) => clientId).values(),
];

/** Counts the money of a merchant that a list leaves out; empty where the list has all of it. */
export function describeRest(listed: readonly OpenMoney[]): string[] {
  const [first] = listed;
  const left = (first?.ofMerchant ?? 0) - listed.length;
  if (!first || left <= 0) return [];
  return [`and ${left} more of ${merchantOf(first)}: svc reconcile --csv FILE lists them`];
}

const merchantOf = ({ clientId, clientName }: OpenMoney): string =>
  `${clientId} (${oneLine(clientName)})`;

/** Describes the money in one line: state, amount, provider's id and merchant. */
export function describeMoney(money: OpenMoney): string {
  const amount = (minor: number) => `${toMajor(minor, money.currency)} ${money.currency}`;
  const given = money.refundedMinor > 0 ? `, ${amount(money.refundedMinor)} given back` : '';
  const disputed = money.isDisputed ? ', disputed' : '';
  const what = `${money.state} ${amount(money.amountMinor)}${given}${disputed}`;
  return `${what}: ${money.provider} ${money.intentId} of ${merchantOf(money)}`;
}
