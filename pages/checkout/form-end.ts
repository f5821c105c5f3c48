import { effect } from '@preact/signals';
import type { Checkout } from './checkout.ts';
import { endView } from './view.ts';

/** Whoever has read that the session is over, and whatever is told at the form then, it ends. */
export const endForms = ({ session, view }: Pick<Checkout, 'session' | 'view'>): void => {
  effect(() => {
    const end = session.value && endView(session.value, session.value, false);
    if (end && view.value.name === 'form') view.value = end;
  });
};
