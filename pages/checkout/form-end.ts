import { effect } from '@preact/signals';
import type { Checkout } from './checkout.ts';
import { endView } from './view.ts';

/** Ends the form as soon as the session is known to be over, whatever notice the form shows then. */
export const endForms = ({ session, view }: Pick<Checkout, 'session' | 'view'>): void => {
  effect(() => {
    const end = session.value && endView(session.value, session.value, false);
    if (end && view.value.name === 'form') view.value = end;
  });
};
