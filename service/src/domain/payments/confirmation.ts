// Compares the capture method with which a page confirmed an intent with the session's. The table of all
// parameters: contract §3, Confirmation in the page.

import type { Payment } from './payment.ts';
import type { ProviderFacts } from './provider-facts.ts';

/**
 * Returns the correction: `capture` the hold of an automatic session, `return` the money taken for a
 * manual session, `close` the intent of a manual session before its money is taken; null where both agree.
 */
export function correctionOf(
  payment: Pick<Payment, 'captureMethod'>,
  { state, captureMethod }: Pick<ProviderFacts, 'state' | 'captureMethod'>,
): 'capture' | 'return' | 'close' | null {
  if (captureMethod === undefined || captureMethod === payment.captureMethod) return null;
  if (captureMethod === 'manual') return state === 'authorized' ? 'capture' : null;
  if (state === 'captured') return 'return';
  return state === 'new' || state === 'requires_action' ? 'close' : null;
}
