// What was typed into a form, read before it is sent, and what the service refuses of it, beside its fields.

import { type FieldFault, failureOf, ToldAtItsPlace } from './calls.ts';
import { typedNumber } from './money.ts';

/** Reads typed values and gathers what is wrong with them. */
export class TypedFields {
  readonly faults: FieldFault[] = [];

  /** Reads a number with a decimal comma or point. `text` stands beside the field when it is none. */
  number(name: string, typed: string, text: string): number {
    const found = typedNumber(typed);
    if (found === null) this.faults.push({ name, text });
    return found ?? 0;
  }

  /** Throws for every fault at once, so that nothing is sent. */
  end(): void {
    if (this.faults.length > 0) throw new ToldAtItsPlace(this.faults);
  }
}

/** One wrong field of a refusal, by its path in the body and the code of what is wrong. */
export type Refused = { readonly path: string; readonly code: string };

/**
 * Sends a form. A refusal that names fields is told beside them, in the words that `faultOf` has for each;
 * one that names a field without words is told above the form.
 */
export async function sendTyped<T>(
  send: () => Promise<T>,
  faultOf: (refused: Refused) => FieldFault | null,
): Promise<T> {
  try {
    return await send();
  } catch (cause) {
    const failure = failureOf(cause);
    if (failure instanceof ToldAtItsPlace) throw failure;
    const { errors, param } = failure.facts;
    const named = Array.isArray(errors) ? (errors as Refused[]) : [];
    const alone = typeof param === 'string' ? [{ path: param, code: failure.code ?? '' }] : [];
    const faults = (named.length > 0 ? named : alone).map(faultOf);
    if (faults.length === 0 || faults.includes(null)) throw failure;
    throw new ToldAtItsPlace(faults as FieldFault[], failure.status);
  }
}
