// The form for a new card: the checkout page's own, for a setup session.

import { useEffect } from 'preact/hooks';
import { Panel } from '../checkout/page.tsx';
import { forSetup } from '../checkout/texts/index.ts';
import type { Addition } from './addition.ts';
import type { Customer } from './customer.ts';
import type { CustomerLanguage } from './language.ts';
import { cardName } from './words.ts';

type AddProps = { customer: Customer; addition: Addition; language: CustomerLanguage };

export function AddCard({ customer, addition, language }: AddProps) {
  const { texts, own } = language;
  const { checkout, replaced } = addition;
  const view = checkout.view.value;
  const isSaved = view.name === 'saved';
  useEffect(() => {
    if (isSaved) void customer.finishAddition();
  }, [isSaved]);
  if (isSaved) return null;
  // While the bank is asked, the question's own Cancel is the one that counts.
  const mayCancel = !['paying', 'confirming', 'checking', 'redirecting'].includes(view.name);
  return (
    <div class="panel adding">
      {replaced && <p class="fine">{own.replaceNote(cardName(replaced, language))}</p>}
      <Panel checkout={checkout} view={view} language={forSetup(language)} />
      {mayCancel && (
        <button type="button" class="quiet" onClick={() => customer.cancelAddition()}>
          {texts.cancel}
        </button>
      )}
    </div>
  );
}
