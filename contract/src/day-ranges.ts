// The ranges of days that the address of a list names: words that move on with the clock, or calendar days.
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
