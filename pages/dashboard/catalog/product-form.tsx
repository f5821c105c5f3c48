// The form of a product: a new one, or what may change of one that exists.

import type { Product } from '@svc/contract/catalog/catalog';
import { useRef, useState } from 'preact/hooks';
import type { FieldFault } from '../../kit/calls.ts';
import { plainAmount } from '../../kit/money.ts';
import { CurrencyField, noSuchCurrency } from '../../kit/parts/currency-field.tsx';
import { Field, Form } from '../../kit/parts/form.tsx';
import { Cancel, Select } from '../../kit/parts/inputs.tsx';
import { type Refused, sendTyped } from '../../kit/typed-fields.ts';
import { amountFaults, type FormWays, switched } from './catalog-parts.tsx';
import { type PriceLine as Line, readProduct } from './typed-catalog.ts';

type FormProps = FormWays<Product> & {
  /** Null for a new one. */
  readonly product: Product | null;
};

const charges = {
  '': 'Once',
  day: 'Every day: a subscription',
  week: 'Every week: a subscription',
  month: 'Every month: a subscription',
  year: 'Every year: a subscription',
} as const;

const linesOf = (product: Product | null): readonly Line[] =>
  product?.prices.map(({ currency, amount }, key) => ({
    key,
    currency,
    amount: plainAmount(amount, currency),
  })) ?? [{ key: 0, currency: '', amount: '' }];

const priceFaults = amountFaults('The price is too high.');
const currencyFaults: Readonly<Record<string, string>> = {
  currency_repeated: 'This currency already has a price.',
};

function faultOf({ path, code }: Refused, lines: readonly Line[]): FieldFault | null {
  if (path === 'code') {
    const text =
      code === 'product_code_taken'
        ? 'Another product has this code. Choose a different one.'
        : 'Use up to 100 letters without accents, digits and signs, such as coffee-beans.';
    return { name: 'code', text };
  }
  if (path === 'name') return { name: 'name', text: 'Use visible letters, digits and signs only.' };
  const [, place, part] = /^prices\[(\d+)\]\.(currency|amount)$/.exec(path) ?? [];
  const line = lines[Number(place)];
  if (!line || !part) return null;
  const text =
    part === 'amount'
      ? (priceFaults[code] ?? 'Type a price of 0 or more.')
      : (currencyFaults[code] ?? noSuchCurrency);
  return { name: `${part}-${line.key}`, text };
}

export function ProductForm({ product, send, onSaved, onCancel }: FormProps) {
  const next = useRef(product?.prices.length ?? 1);
  const [lines, setLines] = useState(() => linesOf(product));
  const adding = useRef<HTMLButtonElement>(null);
  const add = () => {
    next.current += 1;
    setLines([...lines, { key: next.current, currency: '', amount: '', isAdded: true }]);
  };
  const remove = (line: Line) => {
    setLines(lines.filter((each) => each !== line));
    adding.current?.focus();
  };
  return (
    <Form
      submit={product ? 'Save' : 'Add the product'}
      kind="second main"
      send={async (fields) => {
        const body = readProduct(fields, product, lines);
        await onSaved(
          await sendTyped(
            () => send(body),
            (refused) => faultOf(refused, lines),
          ),
        );
      }}
      after={onCancel && <Cancel onCancel={onCancel} />}
    >
      {!product && (
        <Field
          label="Code"
          name="code"
          maxLength={100}
          hint="Your server names this code in a session. It cannot be changed later."
          hasFocus
        />
      )}
      <Field
        label="Name"
        name="name"
        maxLength={250}
        value={product?.name ?? ''}
        hint="What buyers read."
      />
      {!product && (
        <Select
          label="Is charged"
          name="interval"
          value=""
          choices={charges}
          hint="It never changes."
        />
      )}
      {lines.map((line) => (
        <PriceLine
          key={line.key}
          line={line}
          {...(lines.length > 1 ? { onRemove: () => remove(line) } : {})}
        />
      ))}
      <p>
        <button type="button" class="second" ref={adding} onClick={add}>
          Add a currency
        </button>
      </p>
      <Select
        label="On sale"
        name="active"
        value={product && !product.active ? 'no' : 'yes'}
        choices={switched}
        hint="Products cannot be deleted. When a product is off, new sessions cannot sell it."
      />
    </Form>
  );
}

type LineProps = { readonly line: Line; readonly onRemove?: () => void };

function PriceLine({ line: { key, currency, amount, isAdded = false }, onRemove }: LineProps) {
  // The line is named by what is typed, so that several new ones differ.
  const [named, setNamed] = useState(currency);
  const currencyName = `currency-${key}`;
  const inCurrency = /^[A-Z]{3}$/.test(named) ? ` in ${named}` : '';
  return (
    <fieldset
      class="limits"
      onInput={({ target }) => {
        const input = target as HTMLInputElement;
        if (input.name === currencyName) setNamed(input.value.trim().toUpperCase());
      }}
    >
      <legend>{isAdded && !inCurrency ? 'Another price' : `Price${inCurrency}`}</legend>
      <CurrencyField name={currencyName} value={currency} hasFocus={isAdded} />
      <Field label="Amount" name={`amount-${key}`} value={amount} inputMode="decimal" />
      {onRemove && (
        <button
          type="button"
          class="quiet danger"
          aria-label={inCurrency ? `Remove the price${inCurrency}` : 'Remove this price'}
          onClick={onRemove}
        >
          Remove
        </button>
      )}
    </fieldset>
  );
}
