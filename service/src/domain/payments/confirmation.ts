// What a page said when it confirmed an intent, compared with what the session asks for. The table of
// all parameters: contract §3, Confirmation in the page.

import type { Payment } from './payment.ts';
import type { ProviderFacts } from './provider-facts.ts';

/**
 * `capture`: a hold of a session that pays at once. `return`: money taken of a session that holds.
 * `close`: the same, before its money was taken. Null: as the session asks.
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
