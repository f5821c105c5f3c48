// The proof of identity that a call asks for before money or credentials change. Calls that ask at the same
// time share one question.

import { type Signal, signal } from '@preact/signals';

type Question = { readonly answer: (isProven: boolean) => void };

/** The open question, shown by confirm-dialog.tsx. */
export const question: Signal<Question | null> = signal(null);
let asked: Promise<boolean> | null = null;

/** Resolves with true once the person has given a proof, and with false when the person cancelled. */
export function askForProof(): Promise<boolean> {
  asked ??= new Promise<boolean>((resolve) => {
    question.value = { answer: resolve };
  }).finally(() => {
    question.value = null;
    asked = null;
  });
  return asked;
}
