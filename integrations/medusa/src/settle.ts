// Brings Medusa's books and Svc together where an answer, a webhook or a process was lost. Svc is the truth of what was
// paid, taken and given back; Medusa is the truth of which order wants it. Repeatable, and safe in many processes.

import type { Payment } from '@svc/server';
import { givenBack, isOwed, isTaken, shopNumberOf } from '@svc/server/shops';
import type { Account } from './options.ts';
import { medusaMoney, numberOf, sumOf } from './rows.ts';

type Row = Record<string, unknown> & { id: string; amount: unknown; created_at: string };
type Books = Row & {
  captured_at: string | null;
  payment_collection: { id: string; refunded_amount: unknown };
  captures: Row[];
  refunds: Row[];
};

type Logger = { warn(text: string): void };

/** What is resolved from Medusa's container. */
export type Shop = {
  resolve(name: 'logger'): Logger;
  resolve(name: 'query'): {
    graph(wanted: object): Promise<{ data: Record<string, unknown>[] }>;
  };
  resolve(name: 'workflows'): { run(name: string, given: object): Promise<unknown> };
  resolve(name: 'payment' | 'order'): Record<string, (...args: unknown[]) => Promise<Row[]>>;
  resolve(name: 'configModule'): unknown;
};

export type Settling = Account & {
  readonly shop: Shop;
  /** Milliseconds: what is younger may be under way in another process. */
  readonly olderThan: number;
};

/** Settles one payment of Svc with the order that it belongs to, if this shop has it. */
export async function settle(at: Settling, payment: Payment): Promise<void> {
  const session = payment.metadata.medusa_session;
  if (payment.type !== 'purchase' || typeof session !== 'string') return;
  const query = at.shop.resolve('query');
  const fields = [
    ...['id', 'amount', 'captured_at', 'created_at', 'captures.*', 'refunds.*'],
    ...['payment_collection.id', 'payment_collection.refunded_amount'],
  ];
  const { data } = await query.graph({
    entity: 'payment',
    fields,
    filters: { payment_session_id: session },
  });
  const [books] = data as Books[];
  if (!books) return settleUnplaced(at, payment, session);
  await settleCapture(at, payment, books);
  await settleRefunds(at, payment, books);
}

/** Paid, and there is no order: the cart is completed as by the webhook; a session that Medusa let go is undone. */
async function settleUnplaced(at: Settling, payment: Payment, session: string): Promise<void> {
  const isPaid = payment.status === 'authorized' || isTaken(payment);
  if (!isPaid || givenBack(payment) > 0 || !isOld(at, payment.updatedAt)) return;
  const query = at.shop.resolve('query');
  const find = async (entity: string, id: string | null) =>
    (await query.graph({ entity, fields: ['*'], filters: { id } })).data[0];
  const asked = await find('payment_session', session);
  if (asked) {
    const action = payment.status === 'authorized' ? 'authorized' : 'captured';
    const input = { action, data: { session_id: session, amount: numberOf(asked.amount) } };
    await at.shop.resolve('workflows').run('process-payment-workflow', { input });
    return;
  }
  // Another shop may use the same account: only what names a cart of this one is undone.
  if (!(await find('cart', payment.reference))) return;
  const moved = await at.payments.undo(payment);
  const end = isOwed(moved) ? `it was not given back yet: ${moved.message}` : 'it was given back';
  say(at, payment, `was paid after the cart had changed; ${end}`);
}

async function settleCapture(at: Settling, payment: Payment, books: Books): Promise<void> {
  if (isTaken(payment) && !books.captured_at) {
    // Without an amount Medusa would refuse what an ended process has begun: the date says that it is done.
    if (books.captures.length > 0) {
      if (!books.captures.every(({ created_at }) => isOld(at, created_at))) return;
      await call(at, 'payment', 'updatePayment', { id: books.id, captured_at: new Date() });
    }
    const input = { payment_id: books.id };
    await at.shop.resolve('workflows').run('capture-payment-workflow', { input });
    return;
  }
  const isBegun = payment.status === 'authorized' && !books.captured_at;
  const left = isBegun ? books.captures.filter(({ created_at }) => isOld(at, created_at)) : [];
  if (left.length === 0) return;
  await call(
    at,
    'payment',
    'deleteCaptures',
    left.map(({ id }) => id),
  );
  say(at, payment, 'was not captured, though its order said so; capture it again');
}

async function settleRefunds(at: Settling, payment: Payment, books: Books): Promise<void> {
  if (!isTaken(payment)) return;
  const { currency } = payment;
  const given = givenBack(payment);
  const missing = given - sumOf(books.refunds, currency);
  if (missing > 0) {
    if (!isOld(at, payment.updatedAt)) return;
    const input = { payment_id: books.id, amount: majorOf(missing, currency) };
    await at.shop.resolve('workflows').run('refund-payment-workflow', { input });
    return;
  }
  if (missing < 0) await removeRefunds(at, payment, books.refunds, -missing);
  // Medusa adds up the collection while a refused refund still has its row, and not again once the row is gone.
  const { id, refunded_amount } = books.payment_collection;
  if (medusaMoney(refunded_amount ?? 0, currency).minor === given) return;
  const filters = { payment_collection_id: id };
  const wanted = { entity: 'payment', fields: ['id'], filters };
  if ((await at.shop.resolve('query').graph(wanted)).data.length > 1) return;
  const corrected = { refunded_amount: majorOf(given, currency) };
  await call(at, 'payment', 'updatePaymentCollections', id, corrected);
}

/**
 * What Medusa booked, and the bank sent back or the provider never had: the one of that amount, else the newest first.
 * While one is young it waits: that may be the one which failed.
 */
async function removeRefunds(at: Settling, payment: Payment, booked: Row[], surplus: number) {
  if (!booked.every(({ created_at }) => isOld(at, created_at))) return;
  let left = surplus;
  const minorOf = ({ amount }: Row) => medusaMoney(amount, payment.currency).minor;
  const newest = booked.toSorted((one, other) => (one.id < other.id ? 1 : -1));
  const exact = newest.find((refund) => minorOf(refund) === surplus);
  for (const refund of exact ? [exact] : newest) {
    const { amount, minor, currency } = medusaMoney(refund.amount, payment.currency);
    if (minor > left) continue;
    left -= minor;
    await call(at, 'payment', 'deleteRefunds', [refund.id]);
    const of = { reference: 'refund', reference_id: refund.id };
    const entries = await call(at, 'order', 'listOrderTransactions', of);
    const ids = entries.map(({ id }) => id);
    await call(at, 'order', 'deleteOrderTransactions', ids);
    say(
      at,
      payment,
      `has a refund of ${amount} ${currency} that failed, the buyer has not got it; refund it again`,
    );
  }
}

const majorOf = (minor: number, currency: string): number => shopNumberOf({ minor, currency }, 0);

const isOld = ({ olderThan }: Settling, at: string): boolean =>
  Date.now() - new Date(at).getTime() >= olderThan;

async function call(at: Settling, module: 'payment' | 'order', name: string, ...args: unknown[]) {
  const service = at.shop.resolve(module);
  // A method of the module's own: it reads `this`.
  return (await service[name]?.(...args)) ?? [];
}

function say(at: Settling, { id }: Payment, what: string): void {
  at.shop.resolve('logger').warn(`@svc/medusa: payment ${id} ${what}`);
}
