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
  refund: Type.Boolean({
    description: 'A refund is on its way: sent once the provider has accepted it.',
  }),
  refundFailed: Type.Boolean({
    description: 'A refund could not be paid out: asks the buyer to get in touch.',
  }),
  renewalFailed: Type.Boolean({
    description:
      'A renewal was declined: sent once per period, with a link to the customer’s page.',
  }),
  cardExpires: Type.Boolean({
    description:
      'The card of a running subscription expires this month, with a link to the customer’s page.',
  }),
  subscriptionEnds: Type.Boolean({
    description:
      'A subscription is going to end with its period, continues after all, or has ended.',
  }),
} satisfies Readonly<Record<BuyerMailKind, unknown>>;

export const BuyerMails = Type.Object(switches, {
  description: 'The automatic mails to buyers; each is off until it is switched on.',
});
export type BuyerMails = Static<typeof BuyerMails>;

export const BuyerMailsWish = Type.Partial(Type.Object(switches), {
  additionalProperties: false,
  minProperties: 1,
});
