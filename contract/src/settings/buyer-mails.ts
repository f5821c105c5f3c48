// The mails that go to buyers by themselves, each once a merchant has switched it on. Additions §2, Mails to
// buyers.

import { type Static, Type } from 'typebox';

const table = {
  receipt: 'Receipt after a payment',
  refund: 'A refund is on its way',
  refundFailed: 'A refund could not be paid out',
  renewalFailed: 'The renewal of a subscription was declined',
  cardExpires: 'The card of a subscription expires',
  subscriptionEnds: 'A subscription is to end, continues or has ended',
} as const;

export type BuyerMailKind = keyof typeof table;
export const buyerMailKinds = Object.keys(table) as readonly BuyerMailKind[];
export const buyerMailTitles: Readonly<Record<BuyerMailKind, string>> = table;

const switches = {
  receipt: Type.Boolean({ description: 'The receipt, after each payment that was paid.' }),
  refund: Type.Boolean({ description: 'That a refund is on its way, once the provider has it.' }),
  refundFailed: Type.Boolean({
    description: 'That a refund could not be paid out: asks the buyer to get in touch.',
  }),
  renewalFailed: Type.Boolean({
    description: 'That a renewal was declined, once a period, with a link to the customer page.',
  }),
  cardExpires: Type.Boolean({
    description: 'That the card of a running subscription expires within the month, with a link.',
  }),
  subscriptionEnds: Type.Boolean({
    description:
      'That a subscription is to end with its period, continues after all, or has ended.',
  }),
} satisfies Readonly<Record<BuyerMailKind, unknown>>;

export const BuyerMails = Type.Object(switches, {
  description: 'The mails that go to buyers by themselves; each is off until it is switched on.',
});
export type BuyerMails = Static<typeof BuyerMails>;

export const BuyerMailsWish = Type.Partial(Type.Object(switches), {
  additionalProperties: false,
  minProperties: 1,
});
