// Which carts a wallet pays, and how long an order that is ready for one may be used.

import { carriedStep } from '../money/money.ts';
import { type CheckoutSession, isCharged, lineDue } from './checkout-session.ts';

const minute = 60_000;

/** An order is offered for so long: what is left of its three hours is the buyer's. */
export const freshOrderMs = 60 * minute;

/** A payment goes on with an order until then: an hour for the approval is left. Decision 0026. */
export const lastOrderMs = 120 * minute;

/** A wallet pays at once: it knows no hold. Spec: What the service does. */
export const allowsWallet = ({ captureMethod }: Pick<CheckoutSession, 'captureMethod'>): boolean =>
  captureMethod === 'automatic';

/** It settles in these only. */
export const walletCurrencies: ReadonlySet<string> = new Set(
  (
    'AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF ILS JPY MXN MYR NOK NZD PHP PLN SEK SGD THB TWD ' +
    'USD'
  ).split(' '),
);

type Amounts = Pick<CheckoutSession, 'lines' | 'totalMinor' | 'currency'>;

/** What is due now, and each later period: its wire says fewer currencies, and fewer decimals of some. */
export function isCarriedByWallet({ lines, totalMinor, currency }: Amounts): boolean {
  if (currency === null || !walletCurrencies.has(currency)) return false;
  const step = carriedStep({ currency, provider: 'wallet' });
  const periods = lines.filter((line) => line.kind === 'subscription').map(lineDue);
  return [totalMinor ?? 0, ...periods].every((minor) => minor % step === 0);
}

/** Later charges need a wallet that its buyer has agreed to keep. */
export const keepsWallet = ({ lines }: Pick<CheckoutSession, 'lines'>): boolean =>
  lines.some(isCharged);

/** Whether an order may be ready for the session: wallets are kept for vouched buyers only. */
export const offersWallet = (
  session: Amounts & Pick<CheckoutSession, 'captureMethod' | 'isBuyerVerified'>,
): boolean =>
  allowsWallet(session) &&
  session.totalMinor !== 0 &&
  isCarriedByWallet(session) &&
  (!keepsWallet(session) || session.isBuyerVerified);

/** The merchant's account at the wallet may charge, and keep nothing. */
export const walletNotKept = 'wallet_not_kept';
