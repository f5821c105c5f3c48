// What a person can do about a failure.

import type { CallFailure } from './calls.ts';

const inUnit = (count: number, unit: 'second' | 'minute') =>
  new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'long' }).format(count);

export function adviceOf(
  { status, retryAfter, code, message }: CallFailure,
  owners: readonly string[],
): string | null {
  if (code === 'merchant_role_required') return `Ask ${owners.join(', ') || 'an owner'}.`;
  // The service's message may already contain the time.
  if (status !== 429 || !retryAfter || /\d/.test(message)) return null;
  const wait =
    retryAfter < 120 ? inUnit(retryAfter, 'second') : inUnit(Math.ceil(retryAfter / 60), 'minute');
  return `Try again in ${wait}.`;
}
