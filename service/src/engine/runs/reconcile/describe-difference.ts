import type { Difference, Side } from './compare.ts';

/** Describes both sides: statuses and amounts, without personal data. */
export function describeDifference({ kind, ours, providers }: Difference): string {
  const moved = kind === 'dispute' ? ', withdrawn' : '';
  const show = ({ status, amount, currency }: Side) =>
    amount === null ? status : `${status}${moved} ${amount} ${currency}`;
  const name = providers.id ? ` (${providers.id})` : '';
  return `we say ${show(ours)}, the provider${name} ${show(providers)}`;
}
