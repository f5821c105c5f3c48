// Reads what a person typed into a form, and shows faults beside the fields: those found before sending, and
// those in the service's refusal.

import type { SumOf } from '@svc/contract/values/typed-sums';
import { type FieldFault, failureOf, ShownAtField, settledName } from './calls.ts';
import { readTyped } from './money.ts';

/** Reads typed values and collects their faults. */
export class TypedFields {
  readonly faults: FieldFault[] = [];

  readonly #fields: (name: string) => string;

  constructor(fields: (name: string) => string) {
    this.#fields = fields;
  }

  /** Reads a sum. `none`: the fault when the text is no number; `was`: the field's text when the form opened. */
  sum(
    name: string,
    of: SumOf,
    { none, was }: { readonly none: string; readonly was?: string },
  ): number {
    const text = this.#fields(name);
    const settled = [was ?? '', this.#fields(settledName(name))];
    const read = readTyped(text, of, { none, settled });
    if ('amount' in read) return read.amount;
    const { fault, choices } = read;
    this.faults.push({ name, text: fault, ...(choices ? { choices } : {}) });
    return 0;
  }

  /** Throws for every fault at once, so that nothing is sent. */
  end(): void {
    if (this.faults.length > 0) throw new ShownAtField(this.faults);
  }
}

/** One entry of a refusal's `errors`: the path of the field in the body, and a code. */
export type Refused = { readonly path: string; readonly code: string };

/**
 * Sends a form. Shows a refusal beside the fields that it names, in the words of `faultOf`; above the form when
 * `faultOf` has no words for one of them.
 */
export async function sendTyped<T>(
  send: () => Promise<T>,
  faultOf: (refused: Refused) => FieldFault | null,
): Promise<T> {
  try {
    return await send();
  } catch (cause) {
    const failure = failureOf(cause);
    if (failure instanceof ShownAtField) throw failure;
    const { errors, param } = failure.facts;
    const named = Array.isArray(errors) ? (errors as Refused[]) : [];
    const alone = typeof param === 'string' ? [{ path: param, code: failure.code ?? '' }] : [];
    const faults = (named.length > 0 ? named : alone).map(faultOf);
    if (faults.length === 0 || faults.includes(null)) throw failure;
    throw new ShownAtField(faults as FieldFault[], failure.status);
  }
}
