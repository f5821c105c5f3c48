// Asks before a card is removed, and names the card. The browser's modal dialog keeps the focus and returns
// it to the button that opened it.

import type { PaymentMethod } from '@svc/contract/customers/payment-methods';
import { useEffect, useRef } from 'preact/hooks';
import { useClosing } from '../kit/parts/dialog.tsx';
import type { Customer } from './customer.ts';
import type { CustomerLanguage } from './language.ts';
import { askText } from './words.ts';

type AskProps = { customer: Customer; card: PaymentMethod; language: CustomerLanguage };

export function AskDialog({ customer, card, language }: AskProps) {
  const { title, text, keep, remove } = askText(card, customer, language);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const answer = useClosing(dialog, (isYes: boolean) => {
    if (isYes) void customer.remove(card);
    else customer.ask(null);
  });
  return (
    <dialog
      ref={dialog}
      class="ask"
      aria-labelledby="ask-title"
      aria-describedby="ask-text"
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
