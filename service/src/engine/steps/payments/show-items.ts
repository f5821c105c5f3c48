import type { PaymentDetails } from '@svc/contract/payments/payments';
import { toMajor } from '../../../domain/money/money.ts';
import { lineTotal } from '../../../domain/payments/line.ts';
import type { PaymentSurroundings } from '../../../storage/payments/payment-details.ts';

/** The items that were bought. A renewal has no cart; it pays one line of its subscription. */
export function showItems({
  own: { payment },
  around,
}: PaymentSurroundings): PaymentDetails['items'] {
  const { currency } = payment;
  if (around.lines) {
    return around.lines.map((line) => ({
      code: line.code,
      name: line.name,
      quantity: line.quantity,
      totalAmount: toMajor(lineTotal(line), around.session_currency ?? currency),
      currency: around.session_currency ?? currency,
    }));
  }
  const { product_code: code, product_name: name, quantity } = around;
  if (code === null || name === null || quantity === null) return [];
  return [
    {
      code,
      name,
      quantity,
      totalAmount: toMajor(Number(around.purchase_minor), currency),
      currency,
    },
  ];
}
