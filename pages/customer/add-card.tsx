// The form for a new card: the checkout page's form with a setup session.

import type { OpenedCustomerPage } from '@svc/contract/customers/customer-page';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Panel } from '../checkout/page.tsx';
import { isPaymentRunning } from '../checkout/state/view.ts';
import { Addition } from './addition.ts';
import { type CustomerLanguage, formLanguage } from './language.ts';

export { Addition };

type AddProps = {
  addition: Addition;
  page: OpenedCustomerPage | null;
  /** Name of the card that the new one replaces. */
  replaced: string | null;
  language: CustomerLanguage;
  onCancel: () => void;
};

export function AddCard({ addition, page, replaced, language, onCancel }: AddProps) {
  const { texts, own } = language;
  const { checkout } = addition;
  const view = checkout.view.value;
  // On a phone the form is below the list, where the button that opened it is out of view.
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => box.current?.focus(), []);
  // While the bank's challenge is open, only the dialog's own Cancel applies.
  const mayCancel = !isPaymentRunning(view);
  return (
    <div class="panel adding" tabIndex={-1} ref={box}>
      {replaced && <p class="fine">{own.replaceNote(replaced)}</p>}
      <Panel checkout={checkout} view={view} language={formLanguage(page, language)} />
      {mayCancel && (
        <button type="button" class="quiet" onClick={onCancel}>
          {texts.cancel}
        </button>
      )}
    </div>
  );
}
