import { effect, type Signal } from '@preact/signals';
import type { UnifiedCheckoutSession } from '@svc/browser/session-api';
import { endView, type View } from './view.ts';

type Shown = {
  readonly session: Signal<UnifiedCheckoutSession | null>;
  readonly view: Signal<View>;
};

/** Ends the form as soon as the session is known to be over, whatever notice the form shows then. */
export const endForms = ({ session, view }: Shown): void => {
  effect(() => {
    const end = session.value && endView(session.value, session.value, false);
    if (end && view.value.name === 'form') view.value = end;
  });
};
