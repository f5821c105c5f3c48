// The dashboard's reads of a merchant's payments, each with its largest permitted duration.

export type Question = {
  readonly name: string;
  /**
   * Returns path and query. `n` counts the requests, so that they do not all read the same page.
   */
  readonly ask: (n: number) => string;
  /** The largest permitted 95th percentile, in ms, with a million payments on two cores. */
  readonly mostMs: number;
};

const list = (query: string): string => `/v1/payments?limit=25${query === '' ? '' : `&${query}`}`;
const totals = (query: string): string => `/v1/payments/totals?${query}`;
const days = (n: number): string => new Date(Date.now() - n * 86_400_000).toISOString();
const fourDigitsOf = (n: number): string => String((n * 7919) % 10_000).padStart(4, '0');

const question = (name: string, mostMs: number, ask: (n: number) => string): Question => ({
  name,
  mostMs,
  ask,
});

const single: Readonly<Record<string, (n: number) => string>> = {
  'status succeeded': () => 'status[eq]=succeeded',
  'status failed': () => 'status[eq]=failed',
  'status authorized': () => 'status[eq]=authorized',
  'status in two': () => 'status[in]=refunded,partially_refunded',
  'type refund': () => 'type[eq]=refund',
  'currency EUR': () => 'currency[eq]=EUR',
  'currency JPY': () => 'currency[eq]=JPY',
  'amount from to': (n) => `amount[gte]=${10 + n}&amount[lt]=${12 + n}`,
  'amount from': () => 'amount[gte]=100',
  'last four': (n) => `lastFour[eq]=${fourDigitsOf(n)}`,
  brand: () => 'brand[eq]=amex',
  email: (n) => `email[eq]=buyer${n * 13 + 1}@example${(n * 13 + 1) % 40}.test`,
  'email begins': (n) => `email[startsWith]=buyer${n + 100}`,
  'name begins': (n) => `name[startsWith]=person ${'0123456789abcdef'[n % 16]}${n % 10}a`,
  'metadata key': (n) => `metadata.order[eq]=${n * 101}`,
  product: (n) => `productCode[eq]=item${n % 50}`,
  'decline code': () => 'declineCode[eq]=insufficient_funds',
  disputed: () => 'isDisputed[eq]=true',
  'created last 30 days': () => `createdAt[gte]=${days(30)}`,
  'effective last 30 days': () => `financialEffectiveAt[gte]=${days(30)}`,
};

const two: Readonly<Record<string, (n: number) => string>> = {
  'status and currency': () => 'status[eq]=succeeded&currency[eq]=EUR',
  'status and last 30 days': () => `status[eq]=succeeded&createdAt[gte]=${days(30)}`,
  'last four and amount': (n) => `lastFour[eq]=${fourDigitsOf(n)}&amount[gte]=10&amount[lte]=50`,
  'failed and decline code': () => 'status[eq]=failed&declineCode[eq]=do_not_honor',
  'currency and amount': () => 'currency[eq]=USD&amount[gte]=150',
};

const sorts = [
  'createdAt',
  'updatedAt',
  'amount',
  'status',
  'authorizationExpiresAt',
  'financialEffectiveAt',
];

const zone = 'timeZone=Europe/Berlin';
const activity = (fromDays: number, more = ''): string =>
  `/v1/reports/activity?${zone}&from=${days(fromDays)}&to=${days(0)}${more}`;
const monthBefore = (n: number): string => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - n, 1))
    .toISOString()
    .slice(0, 7);
};

const reports: Readonly<Record<string, (n: number) => string>> = {
  'of a day': () => activity(1, '&interval=hour'),
  'of 30 days': () => activity(30),
  'of 400 days': () => activity(400),
  'of 400 days in Kathmandu': () => activity(400).replace('Europe/Berlin', 'Asia/Kathmandu'),
  'of a year by month': () => activity(365, '&interval=month'),
  'of a month': (n) => `/v1/reports/months/${monthBefore(n % 6)}?${zone}`,
  'declines by reason': () => activity(30, '&by=declineCode'),
  'declines by brand': () => activity(30, '&by=declineCodeBrand'),
  'declines by country': () => activity(30, '&by=declineCodeCountry'),
  'countries of a year': () => activity(365, '&by=country'),
};

const asked = Object.entries;

export const questions: readonly Question[] = [
  question('first page', 200, () => list('')),
  question('page 400', 200, () => `${list('')}&page=400`),
  ...asked(single).map(([name, filter]) => question(`filter ${name}`, 200, (n) => list(filter(n)))),
  ...asked(two).map(([name, filter]) => question(`filters ${name}`, 400, (n) => list(filter(n)))),
  ...sorts.flatMap((field) =>
    (['ASC', 'DESC'] as const).map((direction) =>
      question(`sort ${field} ${direction}`, 200, () =>
        list(`sortField=${field}&sortDirection=${direction}`),
      ),
    ),
  ),
  question('sort amount of a filter', 400, () => list('status[eq]=failed&sortField=amount')),
  question('totals', 200, () => totals('')),
  question('totals of a status', 200, () => totals('status[eq]=succeeded')),
  question('totals of a month', 200, () => totals(`createdAt[gte]=${days(30)}`)),
  question('search last four', 150, (n) => `/v1/search?q=${fourDigitsOf(n)}`),
  question('search email', 150, (n) => `/v1/search?q=buyer${n * 13 + 1}@example`),
  question('search name', 150, (n) => `/v1/search?q=person%20${n % 10}${n % 7}a`),
  question('search amount', 150, (n) => `/v1/search?q=${10 + n}.50`),
  question('overview', 50, () => '/v1/overview'),
  ...asked(reports).map(([name, path]) => question(`report ${name}`, 200, path)),
  // An export has at most 50 000 rows, so the bound of 10 s is for the 41 000 rows of the last 14 days, not for
  // 100 000 rows.
  question('csv of 41 000 rows', 10_000, () => `/v1/payments.csv?createdAt[gte]=${days(14)}`),
];
