// Which carts a wallet can pay, and how long a ready order may be used.

import { smallestStep } from '../money/money.ts';
import type { CheckoutSession } from './checkout-session.ts';
import { isCharged, lineDue } from './line.ts';

const minute = 60_000;

/** How long an order is offered; the rest of its three hours is left for the buyer. */
export const freshOrderMs = 60 * minute;

/** Until what age a payment continues an order, which leaves an hour for the approval. docs/decisions/wallet.md. */
export const lastOrderMs = 120 * minute;

/** A wallet captures at once and has no holds. Spec: What the service does. */
export const allowsWallet = ({ captureMethod }: Pick<CheckoutSession, 'captureMethod'>): boolean =>
  captureMethod === 'automatic';

/** The only currencies in which a wallet pays. */
export const walletCurrencies: ReadonlySet<string> = new Set(
  (
    'AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF ILS JPY MXN MYR NOK NZD PHP PLN SEK SGD THB TWD ' +
    'USD'
  ).split(' '),
);

type Amounts = Pick<CheckoutSession, 'lines' | 'totalMinor' | 'currency'>;

/**
 * Whether the wallet accepts what is due now and each later period: it accepts fewer currencies,
 * and fewer decimals in some.
 */
export function isCarriedByWallet({ lines, totalMinor, currency }: Amounts): boolean {
  if (currency === null || !walletCurrencies.has(currency)) return false;
  const step = smallestStep({ currency, provider: 'wallet' });
  const periods = lines.filter((line) => line.kind === 'subscription').map(lineDue);
  return [totalMinor ?? 0, ...periods].every((minor) => minor % step === 0);
}

/** Whether later charges need a wallet that its buyer has agreed to save. */
export const keepsWallet = ({ lines }: Pick<CheckoutSession, 'lines'>): boolean =>
  lines.some(isCharged);

/**
 * Whether an order may be made ready for the session: wallets are saved only for buyers whom the
 * merchant vouches for.
 */
export const offersWallet = (
  session: Amounts & Pick<CheckoutSession, 'captureMethod' | 'isBuyerVerified'>,
): boolean =>
  allowsWallet(session) &&
  session.totalMinor !== 0 &&
  isCarriedByWallet(session) &&
  (!keepsWallet(session) || session.isBuyerVerified);

/** The merchant's account at the wallet may charge, but not save a wallet. */
export const walletNotKept = 'wallet_not_kept';
