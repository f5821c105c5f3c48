// How many receipts people and programs may mail: a mail of ours goes to whatever address they name.

import { mostReceiptMails } from '../../../domain/payments/receipt.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { countReceiptMails, type ReceiptMails } from '../../../storage/payments/receipts.ts';
import { refuse } from '../../implement.ts';

const spans: Readonly<Record<keyof ReceiptMails, string>> = {
  receipt: `This receipt was mailed ${mostReceiptMails.receipt} times within a day.`,
  address: `${mostReceiptMails.address} receipts were mailed to this address within a day.`,
  person: `You mailed ${mostReceiptMails.person} receipts within an hour.`,
  merchant: `Your merchant mailed ${mostReceiptMails.merchant} receipts within an hour.`,
};
const limits = Object.keys(spans) as (keyof ReceiptMails)[];

/** Refuses rate_limited, with the limit that is reached. */
export async function assertFewReceiptMails(
  tx: Tx,
  mail: Parameters<typeof countReceiptMails>[1],
): Promise<void> {
  const counted = await countReceiptMails(tx, mail);
  const reached = limits.find((limit) => counted[limit] >= mostReceiptMails[limit]);
  if (reached) {
    refuse('rate_limited', {
      retryAfter: 3600,
      message: `${spans[reached]} Wait, then try again.`,
    });
  }
}
