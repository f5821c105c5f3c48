// The table of cases that every shop goes through, with our plugin and with its own for the card provider.

/** What happens, in the words of docs/guides/shops.md. */
export const caseNames = [
  'paid, captured, refunded',
  'answer of a capture lost',
  'answer of a refund lost',
  'double press',
  'two tabs',
  'webhook lost',
  'webhook twice',
  'everything resent',
  'total changed after the hold',
  'process killed in the middle',
  'yen and dinar',
  'declined then paid',
] as const;
