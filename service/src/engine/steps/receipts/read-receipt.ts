import type { Receipt } from '@svc/contract/payments/receipts';
import { toMajor } from '../../../domain/money/money.ts';
import { lineDue } from '../../../domain/payments/line.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import { referenceOf } from '../../../domain/payments/payment-reference.ts';
import { hasReceipt, receiptNumber } from '../../../domain/payments/receipt.ts';
import { customerPageAt } from '../../../domain/people/customer-page.ts';
import { parseBase64url } from '../../../domain/protocol/base64url.ts';
import { findClient } from '../../../storage/clients/clients.ts';
import {
  findSurroundings,
  type PaymentSurroundings,
} from '../../../storage/payments/payment-details.ts';
import {
  ensureReceipt,
  findReceipt,
  findReceiptByToken,
  type IssuedReceipt,
} from '../../../storage/payments/receipts.ts';
import type { Ports } from '../../ports.ts';
import { showMerchant } from '../clients/show-client.ts';
import { showItems } from '../payments/show-items.ts';
import { showPayment } from '../payments/show-payment.ts';

export type ReadReceipt = {
  readonly receipt: Receipt;
  readonly payment: Payment;
  /**
   * Where a customer asks for a link to the customer's page, where the merchant wants that; null also for a buyer who is
   * nobody's customer. It holds no secret: receipts are passed on.
   */
  readonly pageUrl: string | null;
};

type ReceiptPorts = Pick<Ports, 'database' | 'settings' | 'newId' | 'randomBytes'>;

const tokenBytes = 32;

/** Reads the receipt; the first call gives it the merchant's next number. */
export async function readReceipt(
  clientId: string,
  paymentId: string,
  ports: ReceiptPorts,
): Promise<ReadReceipt | 'payment_not_found' | 'receipt_not_available'> {
  const found = await findSurroundings(ports.database, clientId, paymentId);
  if (!found) return 'payment_not_found';
  const { payment } = found.own;
  if (!hasReceipt(payment)) return 'receipt_not_available';
  const issued =
    (await findReceipt(ports.database, clientId, payment.id)) ??
    (await ensureReceipt(ports.database, newReceipt(payment, ports)));
  return showReceipt(issued, found, ports);
}

/** Reads the receipt for the buyer's link; undefined for a token that was never issued. */
export async function readReceiptByToken(
  token: string,
  ports: ReceiptPorts,
): Promise<ReadReceipt | undefined> {
  const bytes = parseBase64url(token);
  if (bytes?.length !== tokenBytes) return undefined;
  const issued = await findReceiptByToken(ports.database, bytes);
  if (!issued) return undefined;
  const found = await findSurroundings(ports.database, issued.clientId, issued.paymentId);
  return found && showReceipt(issued, found, ports);
}

const newReceipt = ({ clientId, id: paymentId }: Payment, ports: ReceiptPorts) => ({
  id: ports.newId(),
  clientId,
  paymentId,
  token: ports.randomBytes(tokenBytes),
});

async function showReceipt(
  issued: IssuedReceipt,
  found: PaymentSurroundings,
  { database, settings }: ReceiptPorts,
): Promise<ReadReceipt> {
  const client = await findClient(database, issued.clientId);
  if (!client) throw new Error('a receipt of no client');
  const { name, supportEmail, termsUrl } = showMerchant(client);
  const { payment } = found.own;
  const { currency } = payment;
  const isPurchase = payment.type === 'purchase';
  const { items, discountMinor } = linesOf(found);
  const { paymentMethod: card } = showPayment(payment);
  const receipt: Receipt = {
    id: issued.id,
    object: 'receipt',
    clientId: issued.clientId,
    paymentId: issued.paymentId,
    number: receiptNumber(issued.number),
    type: isPurchase ? 'purchase' : 'refund',
    reference: referenceOf(payment.id),
    seller: {
      name,
      address: client.businessAddress,
      taxNumber: client.taxNumber,
      supportEmail,
      termsUrl,
    },
    items,
    couponCodes: isPurchase ? (found.around.coupon_codes ?? []) : [],
    discount: toMajor(discountMinor, currency),
    amount: toMajor(payment.amountMinor, currency),
    amountRefunded: toMajor(isPurchase ? payment.refundedMinor : 0, currency),
    currency,
    paymentMethod: card && { type: card.type, brand: card.brand, lastFour: card.lastFour },
    paidAt: (payment.financialEffectiveAt ?? payment.capturedAt ?? payment.createdAt).toISOString(),
    issuedAt: issued.issuedAt.toISOString(),
    timeZone: client.timeZone,
    livemode: payment.isLive,
    url: `${settings.baseUrl}/r/${issued.token.toString('base64url')}`,
  };
  const hasPage = payment.isBuyerVerified && client.customerPage.linkInMails;
  const { checkoutUrl } = settings;
  const pageUrl = hasPage ? customerPageAt({ checkoutUrl, clientId: client.id }) : null;
  return { receipt, payment, pageUrl };
}

/**
 * The cart at the prices that the buyer was asked for, so that the lines less the discount are the
 * amount.
 */
function linesOf(found: PaymentSurroundings): {
  readonly items: Receipt['items'];
  readonly discountMinor: number;
} {
  const { payment } = found.own;
  const { lines } = found.around;
  if (payment.type !== 'purchase') return { items: [], discountMinor: 0 };
  if (!lines) return { items: showItems(found), discountMinor: 0 };
  const { currency } = payment;
  const dueMinor = lines.reduce((sum, line) => sum + lineDue(line), 0);
  return {
    items: lines.map((line) => ({
      code: line.code,
      name: line.name,
      quantity: line.quantity,
      totalAmount: toMajor(lineDue(line), currency),
      currency,
    })),
    discountMinor: Math.max(dueMinor - payment.amountMinor, 0),
  };
}
