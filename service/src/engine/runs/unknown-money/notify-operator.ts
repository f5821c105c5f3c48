// The mail to the operator about money that no payment knows: one for all that was found, at most
// once an hour. It names no buyer.

import { toMajor } from '../../../domain/money/money.ts';
import { everyClient, repeatWhenLost } from '../../../storage/database/database.ts';
import {
  lockUntold,
  markNotified,
  type OpenMoney,
} from '../../../storage/payments/unknown-money.ts';
import type { Ports } from '../../ports.ts';
import { queueMail } from '../../steps/mails/queue-mail.ts';

const mostLines = 20;

/**
 * Queues the mail, and marks the money as reported in the same transaction. Does nothing where
 * there is no address.
 */
export async function notifyOperator(ports: Ports): Promise<void> {
  const { operatorEmail } = ports.settings;
  if (!operatorEmail) return;
  await repeatWhenLost(() =>
    ports.database.transaction(everyClient, async (tx) => {
      const untold = await lockUntold(tx);
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
        untold.map(({ id }) => id),
      );
    }),
  );
}

function mailWords(untold: readonly OpenMoney[]) {
  const count = untold.length === 1 ? 'One payment' : `${untold.length} payments`;
  const lines = untold.slice(0, mostLines).map(describeMoney);
  const rest = untold.length > mostLines ? [`and ${untold.length - mostLines} more.`] : [];
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

/** Describes the money in one line: state, amount, provider's id and merchant. */
export function describeMoney(money: OpenMoney): string {
  const amount = (minor: number) => `${toMajor(minor, money.currency)} ${money.currency}`;
  const given = money.refundedMinor > 0 ? `, ${amount(money.refundedMinor)} given back` : '';
  const disputed = money.isDisputed ? ', disputed' : '';
  const merchant = money.clientName.replace(/\p{Cc}/gu, ' ');
  const what = `${money.state} ${amount(money.amountMinor)}${given}${disputed}`;
  return `${what}: ${money.provider} ${money.intentId} of ${money.clientId} (${merchant})`;
}
