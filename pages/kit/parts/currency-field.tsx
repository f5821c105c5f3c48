// The field of a currency, by its code, and the line of a form that has one.

import { Field, type Fields } from './form.tsx';

type CurrencyProps = {
  readonly name: string;
  readonly value?: string;
  readonly hasFocus?: boolean;
};

export const CurrencyField = (given: CurrencyProps) => (
  <Field
    label="Currency"
    maxLength={3}
    pattern="[A-Za-z]{3}"
    title="Three letters, such as EUR"
    {...given}
  />
);

export const currencyIn = (fields: Fields, name: string): string =>
  fields(name).trim().toUpperCase();

/** Beside the field, where the service knows no such currency. */
export const noSuchCurrency = 'There is no such currency. Type its three letters, such as EUR.';
