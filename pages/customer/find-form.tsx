// The form with which a buyer asks for a link to an address. It says the same of every address.

import { useId } from 'preact/hooks';
import { findingText, type PartProps } from './words.ts';

export function FindForm({ customer, language }: PartProps) {
  const { own } = language;
  const id = useId();
  const isAsking = customer.finding.value === 'asking';
  return (
    <form
      class="find"
      onSubmit={(event) => {
        event.preventDefault();
        const email = String(new FormData(event.currentTarget).get('email') ?? '').trim();
        void customer.find(email);
      }}
    >
      <label for={id}>{own.findField}</label>
      <input
        id={id}
        type="email"
        name="email"
        autocomplete="email"
        required
        maxLength={320}
        dir="ltr"
      />
      <p role="status">{findingText(customer, language)}</p>
      <button type="submit" class="pay" aria-disabled={isAsking}>
        {isAsking && <span class="spinner" aria-hidden="true" />}
        {own.findSend}
      </button>
    </form>
  );
}
