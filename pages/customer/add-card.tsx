// The form for a new card: the checkout page's form with a setup session.

import { useLayoutEffect, useRef } from 'preact/hooks';
import { Panel } from '../checkout/page.tsx';
import { isPaymentRunning } from '../checkout/state/view.ts';
import type { Addition } from './addition.ts';
import type { Customer } from './customer.ts';
import { type CustomerLanguage, formLanguage } from './language.ts';
import { cardName } from './words.ts';

type AddProps = { customer: Customer; addition: Addition; language: CustomerLanguage };

export function AddCard({ customer, addition, language }: AddProps) {
  const { texts, own } = language;
  const { checkout, replaced } = addition;
  const view = checkout.view.value;
  // On a phone the form is below the list, where the button that opened it is out of view.
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => box.current?.focus(), []);
  // While the bank's challenge is open, only the dialog's own Cancel applies.
  const mayCancel = !isPaymentRunning(view);
  return (
    <div class="panel adding" tabIndex={-1} ref={box}>
      {replaced && <p class="fine">{own.replaceNote(cardName(replaced, language))}</p>}
      <Panel
        checkout={checkout}
        view={view}
        language={formLanguage(customer.page.value, language)}
      />
      {mayCancel && (
        <button type="button" class="quiet" onClick={() => customer.cancelAddition()}>
          {texts.cancel}
        </button>
      )}
    </div>
  );
}
