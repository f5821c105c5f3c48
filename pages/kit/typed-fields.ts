// What was typed into a form, read before it is sent, and what the service refuses of it, beside its fields.

import type { SumOf } from '@svc/contract/values/typed-sums';
import { type FieldFault, failureOf, ShownAtField, settledName } from './calls.ts';
import { readTyped } from './money.ts';

/** Reads typed values and gathers what is wrong with them. */
export class TypedFields {
  readonly faults: FieldFault[] = [];

  readonly #fields: (name: string) => string;

  constructor(fields: (name: string) => string) {
    this.#fields = fields;
  }

  /** Reads a sum. `none` stands beside the field when it is no number; `was`: what the field had at first. */
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
    if (failure instanceof ShownAtField) throw failure;
    const { errors, param } = failure.facts;
    const named = Array.isArray(errors) ? (errors as Refused[]) : [];
    const alone = typeof param === 'string' ? [{ path: param, code: failure.code ?? '' }] : [];
    const faults = (named.length > 0 ? named : alone).map(faultOf);
    if (faults.length === 0 || faults.includes(null)) throw failure;
    throw new ShownAtField(faults as FieldFault[], failure.status);
  }
}
