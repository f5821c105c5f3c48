// The text of the mail about a refund: the service sends it, and the page shows it beforehand.

import type { RefundReason } from './refunds.ts';

const reasons: Readonly<Record<RefundReason, string | null>> = {
  duplicate: 'Reason: it was paid twice.',
  fraudulent: 'Reason: it was not you who paid.',
  requested_by_customer: 'Reason: you asked for it.',
  other: null,
};

/** `sum` is written for the reader, as in `14.90 EUR`; `reference` is the payment's short name. */
export const refundMailText = (about: {
  readonly sum: string;
  readonly reason: RefundReason | null;
  readonly reference: string;
}): string =>
  [
    `${about.sum} is on its way back to you.`,
    about.reason && reasons[about.reason],
    'It goes to the card or account that you paid with. Banks may take up to ten days to show it.',
    `Reference: ${about.reference}`,
  ]
    .filter((line) => line !== null)
    .join('\n');
