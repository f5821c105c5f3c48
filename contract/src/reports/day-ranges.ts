// The ranges that the address of a list names: of days, by words that move on with the clock or by calendar
// days; and of amounts.
// Additions §2, Views.

/** The words, in the order in which they are offered, each with its name on a page. */
export const rangeNames: Readonly<Record<string, string>> = {
  today: 'Today',
  yesterday: 'Yesterday',
  'last-7-days': 'Last 7 days',
  'last-30-days': 'Last 30 days',
  'this-month': 'This month',
  'last-month': 'Last month',
  'this-quarter': 'This quarter',
  'this-year': 'This year',
};

/** `10`, `10..50`, `10..` or `..-0.01`: the first amount, the dots and the last one are groups. */
export const amountRange = /^(?=.*\d)(-?\d+(?:\.\d+)?)?(\.\.)?(-?\d+(?:\.\d+)?)?$/;
