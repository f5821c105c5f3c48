// A figure of a report, as a link to the list of the payments behind it.

import { useMerchant } from '../../kit/merchant.ts';
import { signedMoney } from '../../kit/money.ts';
import { listOf } from './report-figures.ts';

type FigureProps = {
  readonly amount: number;
  readonly currency: string;
  readonly days: string;
  /** The list's filters beside currency and days; null where no list has just these payments. */
  readonly query: string | null;
};

export function Figure({ amount, currency, days, query }: FigureProps) {
  const { clientId } = useMerchant();
  const text = signedMoney(amount, currency);
  if (query === null) return <>{text}</>;
  return <a href={listOf({ clientId, currency, days }, query)}>{text}</a>;
}
