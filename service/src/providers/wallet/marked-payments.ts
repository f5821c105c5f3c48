// Objects at the wallet that carry the service's marks: the invoice id and the custom id of every
// order. The wallet has no list of orders; its notices of captures are listed for 30 days.

import type { Maker, Marks } from '../../domain/protocol/marks.ts';
import type { MarkedReading, NoticeSpan, OwnObjectsPage } from '../../engine/ports.ts';
import { listEventsOfTypes } from './list-notices.ts';
import type { NoticeAccount } from './notices.ts';
import { findOrder } from './orders.ts';
import {
  fieldsOf,
  makerOfUnit,
  marksOfUnit,
  type Order,
  orderOfCapture,
  translateOrder,
} from './translate.ts';
import { read, type Wire } from './wire.ts';

// Events of money that has moved, or is about to.
const types = ['PAYMENT.CAPTURE.COMPLETED', 'PAYMENT.CAPTURE.PENDING'];

/** Reads an order with its marks. */
export async function retrieveMarked(wire: Wire, orderId: string): Promise<MarkedReading> {
  const found = await findOrder(wire, orderId);
  if (found.kind !== 'found') return found;
  const { value, trace } = found;
  const marks = marksOf(value);
  if (!marks) return { kind: 'foreign', trace };
  const payment = {
    ...translateOrder(value),
    marks,
    maker: makerOf(value),
    captureMethod: 'automatic',
    customerId: value.tokenCustomerId,
    payerEmail: value.payerEmail,
  } as const;
  return { kind: 'found', payment, trace };
}

const marksOf = ({ invoiceId, customId }: Order): Marks | null =>
  marksOfUnit({ invoice_id: invoiceId, custom_id: customId });

const makerOf = ({ customId }: Order): Maker => makerOfUnit({ custom_id: customId });

/** Lists the orders of a span's capture notices. */
export async function listMarked(
  wire: Wire,
  account: NoticeAccount,
  span: NoticeSpan,
): Promise<OwnObjectsPage> {
  const told = await listEventsOfTypes((path) => read(wire, path), types, span);
  const { trace } = told;
  if (told.kind !== 'found') return told;
  const payments = told.events.flatMap((event) => {
    const resource = fieldsOf(fieldsOf(event).resource);
    const payee = fieldsOf(resource.payee).merchant_id ?? account.accountId;
    const intentId = orderOfCapture(resource);
    const marks = marksOfUnit(resource);
    return marks && intentId && payee === account.accountId
      ? [{ intentId, marks, maker: makerOfUnit(resource) }]
      : [];
  });
  return { kind: 'found', payments, next: told.next, trace };
}
