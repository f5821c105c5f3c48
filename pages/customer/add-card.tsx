// The form for a new card: the checkout page's form with a setup session.

import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Panel } from '../checkout/page.tsx';
import { isPaymentRunning } from '../checkout/state/view.ts';
import { type Language, withSetupTexts } from '../checkout/texts/index.ts';
import type { Addition } from './addition.ts';
import type { Customer } from './customer.ts';
import type { CustomerLanguage } from './language.ts';
import { cardName } from './words.ts';

/** The texts for saving a card. The email address is masked as above. */
function formLanguage({ page }: Customer, language: CustomerLanguage): Language {
  const { code, direction, texts } = withSetupTexts(language);
  const receiptFor = () => texts.receiptFor(page.value?.email ?? '');
  return { code, direction, texts: { ...texts, receiptFor } };
}

type AddProps = { customer: Customer; addition: Addition; language: CustomerLanguage };

export function AddCard({ customer, addition, language }: AddProps) {
  const { texts, own } = language;
  const { checkout, replaced } = addition;
  const view = checkout.view.value;
  const isSaved = view.name === 'saved';
  useEffect(() => {
    if (isSaved) void customer.finishAddition();
  }, [isSaved]);
  // On a phone the form is below the list, where the button that opened it is out of view.
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => box.current?.focus(), []);
  if (isSaved) return null;
  // While the bank's challenge is open, only the dialog's own Cancel applies.
  const mayCancel = !isPaymentRunning(view);
  return (
    <div class="panel adding" tabIndex={-1} ref={box}>
      {replaced && <p class="fine">{own.replaceNote(cardName(replaced, language))}</p>}
      <Panel checkout={checkout} view={view} language={formLanguage(customer, language)} />
      {mayCancel && (
        <button type="button" class="quiet" onClick={() => customer.cancelAddition()}>
          {texts.cancel}
        </button>
      )}
    </div>
  );
}
