// The question "is it you?" that a call asks before money or credentials change. Calls that ask at
// once share one question.

import { type Signal, signal } from '@preact/signals';

type Question = { readonly answer: (isProven: boolean) => void };

/** The open question, shown by confirm-dialog.tsx. */
export const question: Signal<Question | null> = signal(null);
let asked: Promise<boolean> | null = null;

/** True once the person has given a proof; false when the person would rather not. */
export function askForProof(): Promise<boolean> {
  asked ??= new Promise<boolean>((resolve) => {
    question.value = { answer: resolve };
  }).finally(() => {
    question.value = null;
    asked = null;
  });
  return asked;
}
