// Rows of Medusa's payment module, in whose container a provider lives. The module gives a provider neither the
// order's total beside a hold nor the refunds beside a refund; both are read here, and never written.

import { BigNumber } from '@medusajs/framework/utils';
import { roundAmount } from './amounts.ts';

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

/**
 * What the order of this payment session comes to now, and whether it is placed: then the payment belongs to the order.
 * Undefined when Medusa no longer keeps the session.
 */
export async function readOrder(
  { paymentSessionService }: Cradle,
  sessionId: string,
): Promise<{ total: number; isPlaced: boolean } | undefined> {
  const relations = ['payment_collection', 'payment'];
  const [row] = (await paymentSessionService?.list({ id: sessionId }, { relations })) ?? [];
  if (!row) return undefined;
  const payment = row.payment as Row | null | undefined;
  return {
    total: numberOf((row.payment_collection as Row).amount),
    isPlaced: payment != null && payment.canceled_at == null,
  };
}

/** The sum of the refunds that Medusa began up to this one, without it and with it. */
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
  const before = earlier.reduce((sum, { amount }) => sum + numberOf(amount), 0);
  return {
    before: roundAmount(before, currency),
    after: roundAmount(before + numberOf(own.amount), currency),
  };
}
