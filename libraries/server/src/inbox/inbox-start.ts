// The start of an inbox, as a merchant gives it.

import { isDay } from '@svc/contract/values/instants';
import { SvcValidationError } from '../errors.ts';

export const startMissing =
  "This inbox is new: say where it begins. `from: 'beginning'` applies every event that the service has, orders that were shipped in another way included; `from: new Date()` applies what happens from now on.";

export const startRefusal = (param: string, claim: string): SvcValidationError =>
  new SvcValidationError(`${param} ${claim}.`, { code: 'ParameterInvalid', param });

/** Returns the instant in ISO 8601. Throws for a value that is no instant, naming the parameter. */
export function instantOf(param: string, given: Date | string): string {
  const at = new Date(given);
  const isReal = typeof given !== 'string' || isDay(given.slice(0, 10));
  if (typeof given !== 'number' && isReal && !Number.isNaN(at.getTime())) return at.toISOString();
  throw startRefusal(param, 'must be a date, or a text such as 2026-11-01T00:00:00Z');
}
