// The provider's ledger beside the books, and both beside what the shop was told. Amounts are in minor units.

/** A movement of money, as the provider's ledger has it. */
export type Movement = {
  readonly kind: string;
  readonly intent: string | null;
  readonly amount: number;
  readonly currency: string;
  readonly metadata: Readonly<Record<string, string>>;
};

/** A payment, as the database has it. */
export type Booked = {
  readonly sessionId: string;
  readonly currency: string;
  readonly capturedMinor: number;
  readonly refundedMinor: number;
};

/** An order, as its shop knows it from the answers that it got. */
export type Order = {
  readonly reference: string;
  readonly currency: string;
  /** More than one where the buyer had two tabs. */
  readonly sessions: ReadonlySet<string>;
  readonly capturedMinor: number;
  readonly refundedMinor: number;
  /** What an answer, or the lack of one, has shown already. */
  readonly problems: readonly string[];
};

type Moved = { captures: number; capturedMinor: number; refundedMinor: number; holds: number };
const nothing: Moved = { captures: 0, capturedMinor: 0, refundedMinor: 0, holds: 0 };

/** Sums what the ledger has for each session; what it has for none of ours is under its intent. */
function sumLedger(ledger: readonly Movement[]): Map<string, Moved> {
  const sessionOf = new Map<string, string>();
  for (const { intent, metadata } of ledger) {
    if (intent && metadata.session_id) sessionOf.set(intent, metadata.session_id);
  }
  const sums = new Map<string, Moved>();
  for (const { kind, intent, amount } of ledger) {
    const key = sessionOf.get(intent ?? '') ?? intent ?? kind;
    const sum = sums.get(key) ?? { ...nothing };
    sums.set(key, sum);
    if (kind === 'authorize') sum.holds += 1;
    if (kind === 'void') sum.holds -= 1;
    if (kind === 'capture') {
      sum.captures += 1;
      sum.capturedMinor += amount;
    }
    if (kind === 'refund') sum.refundedMinor += amount;
    if (kind === 'refund_failed') sum.refundedMinor -= amount;
  }
  return sums;
}

const add = (found: readonly Moved[]): Moved =>
  found.reduce(
    (sum, one) => ({
      captures: sum.captures + one.captures,
      capturedMinor: sum.capturedMinor + one.capturedMinor,
      refundedMinor: sum.refundedMinor + one.refundedMinor,
      holds: sum.holds + one.holds,
    }),
    nothing,
  );

const money = (minor: number, currency: string): string =>
  `${(minor / 100).toFixed(2)} ${currency}`;

/** Names everything that is wrong with one order; empty when ledger, books and shop agree. */
function judgeOrder(order: Order, moved: Moved, booked: readonly Booked[]): string[] {
  const { currency } = order;
  const books = {
    captured: booked.reduce((sum, { capturedMinor }) => sum + capturedMinor, 0),
    refunded: booked.reduce((sum, { refundedMinor }) => sum + refundedMinor, 0),
  };
  const found: string[] = [...order.problems];
  const compare = (what: string, [ledger, told, book]: readonly [number, number, number]) => {
    if (ledger === told && ledger === book) return;
    const said = [ledger, told, book].map((minor) => money(minor, currency));
    found.push(`${what}: provider ${said[0]}, shop was told ${said[1]}, books ${said[2]}`);
  };
  if (moved.captures > 1) found.push(`captured ${moved.captures} times`);
  if (moved.holds > 1) found.push(`held ${moved.holds} times`);
  compare('captured', [moved.capturedMinor, order.capturedMinor, books.captured]);
  compare('refunded', [moved.refundedMinor, order.refundedMinor, books.refunded]);
  return found.map((problem) => `order ${order.reference}: ${problem}`);
}

type Evidence = {
  readonly orders: readonly Order[];
  readonly ledger: readonly Movement[];
  readonly books: readonly Booked[];
};

/** Names everything that is wrong with these orders. */
export function judgeOrders({ orders, ledger, books }: Evidence): string[] {
  const sums = sumLedger(ledger);
  const bySession = Map.groupBy(books, ({ sessionId }) => sessionId);
  return orders.flatMap((order) => {
    const sessions = [...order.sessions];
    const moved = add(sessions.flatMap((id) => sums.get(id) ?? []));
    return judgeOrder(
      order,
      moved,
      sessions.flatMap((id) => bySession.get(id) ?? []),
    );
  });
}

/** Names what moved at the provider for none of the orders. */
export function findStrangers({ orders, ledger }: Evidence): string[] {
  const ours = new Set(orders.flatMap(({ sessions }) => [...sessions]));
  return [...sumLedger(ledger)]
    .filter(([id]) => !ours.has(id))
    .map(([id, { captures, holds }]) => `no order has ${id}: ${captures} captures, ${holds} holds`);
}

/** A line of the table at the end. */
export type Sums = {
  readonly currency: string;
  readonly what: 'captured' | 'refunded';
  readonly ledger: Total;
  readonly books: Total;
  readonly shop: Total;
};
type Total = { readonly count: number; readonly minor: number };

/** Adds up ledger, books and what the shop was told, for each currency. */
export function sumAll({ orders, ledger, books }: Evidence): Sums[] {
  const currencies = new Set([
    ...[...orders, ...books].map(({ currency }) => currency),
    ...ledger.map(({ currency }) => currency.toUpperCase()),
  ]);
  const total = (amounts: readonly number[]): Total => ({
    count: amounts.filter((minor) => minor > 0).length,
    minor: amounts.reduce((sum, minor) => sum + minor, 0),
  });
  return [...currencies].sort().flatMap((currency) => {
    const moved = ledger.filter((one) => one.currency.toUpperCase() === currency);
    const of = (kind: string) => moved.filter((one) => one.kind === kind);
    const byIntent = Map.groupBy(of('refund'), ({ intent }) => intent);
    const refunds = [...byIntent.values()].map((all) =>
      all.reduce((sum, { amount }) => sum + amount, 0),
    );
    const inBooks = books.filter((one) => one.currency === currency);
    const told = orders.filter((one) => one.currency === currency);
    return [
      {
        ...{ currency, what: 'captured' as const },
        ledger: total(of('capture').map(({ amount }) => amount)),
        books: total(inBooks.map(({ capturedMinor }) => capturedMinor)),
        shop: total(told.map(({ capturedMinor }) => capturedMinor)),
      },
      {
        ...{ currency, what: 'refunded' as const },
        ledger: total(refunds),
        books: total(inBooks.map(({ refundedMinor }) => refundedMinor)),
        shop: total(told.map(({ refundedMinor }) => refundedMinor)),
      },
    ];
  });
}

export const isEqual = ({ ledger, books, shop }: Sums): boolean =>
  [books, shop].every(({ count, minor }) => count === ledger.count && minor === ledger.minor);
