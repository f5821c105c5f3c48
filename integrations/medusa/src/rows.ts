// Rows of Medusa's payment module, in whose container a provider lives. The module gives a provider neither the
// order's total beside a hold nor the refunds beside a refund; both are read here, and never written.

import { BigNumber } from '@medusajs/framework/utils';
import { type Money, moneyOf } from '@svc/server/shops';

type Row = Record<string, unknown>;
type Table = {
  list(filters: Row, config?: Row): Promise<Row[]>;
  retrieve(id: string, config?: Row): Promise<Row>;
};

export type Cradle = {
  readonly logger?: {
    info(text: string): void;
    warn(text: string): void;
    error(text: string): void;
  };
  readonly paymentSessionService?: Table;
  readonly refundService?: Table;
};

export const numberOf = (amount: unknown): number => new BigNumber(amount).numeric;

/** Medusa counts major units, to more decimals than the currency may have. */
export const medusaMoney = (amount: unknown, currency: string): Money =>
  moneyOf(numberOf(amount), 0, currency);

/** The sum of rows in minor units; one by one they are rounded as they are asked of Svc. */
export const sumOf = (rows: readonly { amount?: unknown }[], currency: string): number =>
  rows.reduce((sum, { amount }) => sum + medusaMoney(amount, currency).minor, 0);

/**
 * What the order of this payment session comes to now, what the session asked for, and whether the order is placed:
 * then the payment belongs to it. Undefined when Medusa no longer keeps the session.
 */
export async function readOrder(
  { paymentSessionService }: Cradle,
  sessionId: string,
): Promise<{ total: unknown; asked: unknown; isPlaced: boolean } | undefined> {
  const relations = ['payment_collection', 'payment'];
  const [row] = (await paymentSessionService?.list({ id: sessionId }, { relations })) ?? [];
  if (!row) return undefined;
  const payment = row.payment as Row | null | undefined;
  return {
    total: (row.payment_collection as Row).amount,
    asked: row.amount,
    isPlaced: payment != null && payment.canceled_at == null,
  };
}

/** The sum in minor units of the refunds that Medusa began up to this one, without it and with it. */
export async function readRefunds(
  { refundService }: Cradle,
  refundId: string,
  currency: string,
): Promise<{ before: number; after: number } | undefined> {
  if (!refundService) return undefined;
  const [own] = await refundService.list({ id: refundId });
  if (!own) return undefined;
  const all = await refundService.list({ payment_id: own.payment_id });
  // Ids are ULIDs: in the order of their making, so that of two at once each knows which is the second.
  const earlier = all.filter(({ id }) => String(id) < refundId);
  const before = sumOf(earlier, currency);
  return { before, after: before + sumOf([own], currency) };
}
