// The person who is signed in with this browser, as the pages know it.

import { type Signal, signal } from '@preact/signals';
import type { Account } from '@svc/contract/account/account-shapes';
import { type CallFailure, call, failureOf } from './calls.ts';

/** undefined: not read yet. null: nobody is signed in. */
export const person: Signal<Account | null | undefined> = signal(undefined);
/** The error of the last read of the signed-in person. */
export const personTrouble: Signal<CallFailure | null> = signal(null);

/** Reads who is signed in; also called after signing in or a change of the account. */
export async function readPerson(): Promise<void> {
  personTrouble.value = null;
  try {
    person.value = await call('GET /v1/account', {}, { isVisitor: true });
  } catch (cause) {
    const failure = failureOf(cause);
    if (failure.status === 401) person.value = null;
    else personTrouble.value = failure;
  }
}
