// Asks before something is taken away, and names it. The browser's modal dialog keeps the focus and returns it
// to the button that opened it.

import { useEffect, useRef } from 'preact/hooks';
import { useClosing } from '../kit/parts/dialog.tsx';

type Question = {
  readonly title: string;
  readonly text: string;
  readonly keep: string;
  readonly remove: string;
};
type AskProps = { question: Question; onAnswer: (isYes: boolean) => void };

export function AskDialog({ question, onAnswer }: AskProps) {
  const { title, text, keep, remove } = question;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const answer = useClosing(dialog, onAnswer);
  return (
    <dialog
      ref={dialog}
      class="ask"
      aria-labelledby="ask-title"
      aria-describedby="ask-text"
      onCancel={() => answer(false)}
      onClose={() => answer(false)}
    >
      <h2 id="ask-title">{title}</h2>
      <p id="ask-text">{text}</p>
      <div class="stop-ways">
        <button type="button" class="second" onClick={() => answer(false)}>
          {keep}
        </button>
        <button type="button" class="second danger" onClick={() => answer(true)}>
          {remove}
        </button>
      </div>
    </dialog>
  );
}
