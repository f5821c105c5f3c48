// The thirty days that a new sandbox begins with: days of acts, each at an hour of its own. The same every
// time, so that two people who discuss a page see the same one.

export const cards = {
  visa: '4242424242424242',
  germanVisa: '4000002760000016',
  frenchVisa: '4000002500000003',
  mastercard: '5555555555554444',
  amex: '378282246310005',
  discover: '6011111111111117',
  jcb: '3566002020360505',
  declined: '4000000000000002',
  noFunds: '4000000000009995',
  lost: '4000000000009987',
  expired: '4000000000000069',
  wrongCode: '4000000000000127',
  /** Can be saved without an error, and is declined whenever it is charged afterwards. */
  declinedOnceSaved: '4000000000000341',
  refundFails: '4000000000005126',
} as const;
export type CardName = keyof typeof cards;

export const buyers = {
  ada: { name: 'Ada Demo', country: 'DE', email: 'ada@example.com' },
  grace: { name: 'Grace Weber', country: 'DE', email: 'grace.weber@example.com' },
  noah: { name: 'Noah Fischer', country: 'AT', email: 'noah@example.org' },
  mia: { name: 'Mia Rossi', country: 'IT', email: 'mia.rossi@example.net' },
  luca: { name: 'Luca Moreau', country: 'FR', email: 'luca.moreau@example.com' },
  yuki: { name: 'Yuki Tanaka', country: 'JP', email: 'yuki.tanaka@example.com' },
  haruto: { name: 'Haruto Sato', country: 'JP', email: 'haruto@example.net' },
  emma: { name: 'Emma Janssen', country: 'NL', email: 'emma.janssen@example.org' },
  liam: { name: 'Liam Byrne', country: 'IE', email: 'liam.byrne@example.com' },
  sofia: { name: 'Sofía García', country: 'ES', email: 'sofia.garcia@example.com' },
  olga: { name: 'Olga Nowak', country: 'PL', email: 'olga.nowak@example.net' },
} as const;
export type BuyerName = keyof typeof buyers;

export type Order = {
  readonly kind: 'order';
  /** The name by which a later act finds this order's payment. */
  readonly name: string;
  readonly buyer: BuyerName;
  readonly currency: 'EUR' | 'JPY';
  readonly lines: readonly { readonly code: string; readonly quantity: number }[];
  readonly card: CardName;
  /** The money is held; an act of a later day captures or releases it. */
  readonly isHeld?: true;
  readonly isCardKept?: true;
  readonly coupon?: string;
};

export type DemoAct =
  | Order
  | { readonly kind: 'abandon'; readonly buyer: BuyerName; readonly code: string }
  | { readonly kind: 'capture' | 'release' | 'cancelSubscription'; readonly of: string }
  | {
      readonly kind: 'refund';
      readonly of: string;
      /** Major units; the whole amount when it is absent. */
      readonly amount?: number;
      readonly reason: 'duplicate' | 'fraudulent' | 'requested_by_customer' | 'other';
    }
  | { readonly kind: 'dispute'; readonly of: string; readonly reason: string }
  | { readonly kind: 'decide'; readonly of: string; readonly outcome: 'won' | 'lost' }
  | { readonly kind: 'removeCard'; readonly of: BuyerName }
  /** A new card is saved, and the one before it is removed. */
  | { readonly kind: 'replaceCard'; readonly of: BuyerName; readonly by: CardName };

export type Day = { readonly daysAgo: number; readonly acts: readonly DemoAct[] };

export const daysShown = 30;

/** Sold by the week, so that there are renewals within thirty days. */
export const club = {
  code: 'coffee-club',
  name: 'Coffee club, a bag a week',
  kind: 'subscription',
  interval: 'week',
  prices: [{ currency: 'EUR', amount: 12.9 }],
} as const;

const order = (
  name: string,
  buyer: BuyerName,
  card: CardName,
  more: Partial<Pick<Order, 'currency' | 'lines' | 'isHeld' | 'isCardKept' | 'coupon'>> = {},
): Order => ({
  kind: 'order',
  name,
  buyer,
  card,
  currency: 'EUR',
  lines: [{ code: 'coffee-beans', quantity: 1 }],
  ...more,
});
const one = (code: string, quantity = 1) => ({ lines: [{ code, quantity }] });
const joins = { ...one(club.code), isCardKept: true } as const;
const japan = { ...one('poster'), currency: 'JPY' } as const;

/** The acts that the pages should show, by the number of days before today. */
const told: Readonly<Record<number, readonly DemoAct[]>> = {
  30: [order('graceJoins', 'grace', 'visa', joins), order('firstJapan', 'yuki', 'jcb', japan)],
  28: [
    order('lucaJoins', 'luca', 'mastercard', joins),
    order('mugs', 'mia', 'amex', one('mug', 2)),
  ],
  26: [order('lateHold', 'emma', 'visa', { ...one('grinder'), isHeld: true })],
  25: [{ kind: 'refund', of: 'mugs', amount: 19.9, reason: 'requested_by_customer' }],
  24: [order('noahLost', 'noah', 'lost'), order('disputeLost', 'liam', 'visa', one('grinder'))],
  23: [{ kind: 'abandon', buyer: 'sofia', code: 'mug' }],
  22: [{ kind: 'dispute', of: 'disputeLost', reason: 'fraudulent' }],
  21: [order('disputeWon', 'olga', 'mastercard', one('grinder'))],
  20: [order('held20', 'noah', 'visa', { ...one('grinder'), isHeld: true })],
  19: [
    { kind: 'capture', of: 'held20' },
    { kind: 'cancelSubscription', of: 'lucaJoins' },
  ],
  18: [{ kind: 'dispute', of: 'disputeWon', reason: 'product_not_received' }],
  17: [order('twice', 'emma', 'visa', one('mug')), order('twiceAgain', 'emma', 'visa', one('mug'))],
  16: [{ kind: 'refund', of: 'twiceAgain', reason: 'duplicate' }],
  15: [order('refundFails', 'mia', 'refundFails', one('grinder'))],
  14: [{ kind: 'refund', of: 'refundFails', reason: 'other' }, order('expired', 'liam', 'expired')],
  13: [{ kind: 'decide', of: 'disputeLost', outcome: 'lost' }],
  12: [order('cardKept', 'ada', 'visa', { isCardKept: true, coupon: 'WELCOME10' })],
  11: [order('secondCard', 'ada', 'mastercard', { ...one('mug'), isCardKept: true })],
  10: [order('japanRefund', 'haruto', 'visa', { ...japan, ...one('poster', 3) })],
  9: [{ kind: 'refund', of: 'japanRefund', amount: 2500, reason: 'requested_by_customer' }],
  8: [order('sofiaJoins', 'sofia', 'visa', joins)],
  7: [{ kind: 'decide', of: 'disputeWon', outcome: 'won' }, order('code', 'olga', 'wrongCode')],
  6: [
    order('letGo', 'liam', 'visa', { isHeld: true }),
    { kind: 'replaceCard', of: 'sofia', by: 'declinedOnceSaved' },
  ],
  5: [{ kind: 'release', of: 'letGo' }, order('disputed', 'luca', 'visa', one('grinder'))],
  4: [order('held4', 'grace', 'mastercard', { ...one('grinder'), isHeld: true })],
  3: [order('funds', 'mia', 'noFunds', one('grinder')), { kind: 'removeCard', of: 'ada' }],
  2: [{ kind: 'dispute', of: 'disputed', reason: 'product_unacceptable' }],
  1: [order('held1', 'emma', 'visa', { isHeld: true })],
  0: [
    order('today', 'noah', 'mastercard', one('mug')),
    order('held0', 'ada', 'amex', { isHeld: true }),
  ],
};

const regulars = ['ada', 'grace', 'noah', 'mia', 'luca', 'emma', 'liam', 'sofia', 'olga'] as const;
const approved = ['germanVisa', 'mastercard', 'frenchVisa', 'amex', 'visa', 'discover'] as const;
const goods = [
  one('coffee-beans'),
  one('mug'),
  one('coffee-beans', 2),
  one('grinder'),
  one('poster'),
];

/** The everyday orders in between, with one that a bank declines every nine days. */
function drawEverydayOrders(daysAgo: number): Order[] {
  const pick = <T>(list: readonly T[], at: number): T => list[at % list.length] as T;
  const isDeclined = daysAgo % 9 === 4;
  const first = order(
    `day${daysAgo}`,
    pick(regulars, daysAgo * 5 + 2),
    isDeclined ? pick(['declined', 'noFunds'] as const, daysAgo) : pick(approved, daysAgo * 7),
    daysAgo % 6 === 1
      ? { ...japan, ...one('poster', 1 + (daysAgo % 2)) }
      : { ...pick(goods, daysAgo * 3), ...(daysAgo % 8 === 2 ? { coupon: 'WELCOME10' } : {}) },
  );
  return [first];
}

/** The days, oldest first. Every day has an hour of its own, and none is later than now. */
export const days: readonly Day[] = Array.from({ length: daysShown + 1 }, (_, at) => {
  const day = daysShown - at;
  const hour = day === 0 ? 0.02 : ((day * 7) % 10) / 24;
  return { daysAgo: day + hour, acts: [...drawEverydayOrders(day), ...(told[day] ?? [])] };
});
