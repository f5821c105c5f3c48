import type { Difference, DifferenceSide } from './compare.ts';

/** Describes both sides: statuses and amounts, without personal data. */
export function describeDifference({ kind, ours, providers }: Difference): string {
  const moved = kind === 'dispute' ? ', withdrawn' : '';
  const showSide = ({ status, amount, currency }: DifferenceSide) =>
    amount === null ? status : `${status}${moved} ${amount} ${currency}`;
  const name = providers.id ? ` (${providers.id})` : '';
  return `we say ${showSide(ours)}, the provider${name} ${showSide(providers)}`;
}
