// The form of a product: a new one, or what may change of one that exists.

import type { Product } from '@svc/contract/catalog';
import { useRef, useState } from 'preact/hooks';
import { Cancel, Select } from '../../account/home-parts.tsx';
import { Field, type Fields, Form } from '../../account/parts.tsx';
import { plainAmount } from '../money.ts';
import { numberOf, switched } from './catalog-parts.tsx';

type FormProps = {
  /** Null for a new one. */
  readonly product: Product | null;
  readonly send: (body: object) => Promise<Product>;
  readonly onSaved: (saved: Product) => unknown;
  readonly onCancel?: () => void;
};

const charges = {
  '': 'Once',
  day: 'Every day: a subscription',
  week: 'Every week: a subscription',
  month: 'Every month: a subscription',
  year: 'Every year: a subscription',
} as const;

type Line = { readonly key: number; readonly currency: string; readonly amount: string };

const linesOf = (product: Product | null): readonly Line[] =>
  product?.prices.map(({ currency, amount }, key) => ({
    key,
    currency,
    amount: plainAmount(amount, currency),
  })) ?? [{ key: 0, currency: '', amount: '' }];

/** Returns the body of the call. Throws CallFailure for a price that is no number. */
function readProduct(fields: Fields, product: Product | null, lines: readonly Line[]) {
  const interval = fields('interval');
  return {
    name: fields('name').trim(),
    active: fields('active') === 'yes',
    prices: lines.map(({ key }) => {
      const currency = fields(`currency-${key}`).trim().toUpperCase();
      const words = `Type the price in ${currency || 'its currency'}, such as 19.90.`;
      return { currency, amount: numberOf(fields(`amount-${key}`), words) };
    }),
    ...(product
      ? { version: product.version }
      : {
          code: fields('code').trim(),
          ...(interval ? { kind: 'subscription', interval } : { kind: 'item' }),
        }),
  };
}

export function ProductForm({ product, send, onSaved, onCancel }: FormProps) {
  const next = useRef(product?.prices.length ?? 1);
  const [lines, setLines] = useState(() => linesOf(product));
  const add = () => {
    next.current += 1;
    setLines([...lines, { key: next.current, currency: '', amount: '' }]);
  };
  return (
    <Form
      submit={product ? 'Save' : 'Add the product'}
      kind="second main"
      send={async (fields) => onSaved(await send(readProduct(fields, product, lines)))}
      after={onCancel && <Cancel onCancel={onCancel} />}
    >
      {!product && (
        <Field
          label="Code"
          name="code"
          maxLength={100}
          hint="What your server names in a session. It never changes."
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
      {lines.map((line, place) => (
        <PriceLine
          key={line.key}
          line={line}
          isNew={product !== null && line.currency === ''}
          {...(lines.length > 1
            ? { onRemove: () => setLines(lines.filter((_, each) => each !== place)) }
            : {})}
        />
      ))}
      <p>
        <button type="button" class="second" onClick={add}>
          Add a currency
        </button>
      </p>
      <Select
        label="On sale"
        name="active"
        value={product && !product.active ? 'no' : 'yes'}
        choices={switched}
        hint="A product is never deleted: switched off, no new session can sell it."
      />
    </Form>
  );
}

type LineProps = {
  readonly line: Line;
  readonly isNew: boolean;
  readonly onRemove?: () => void;
};

const PriceLine = ({ line: { key, currency, amount }, isNew, onRemove }: LineProps) => (
  <fieldset class="limits">
    <legend>{currency ? `Price in ${currency}` : 'Price'}</legend>
    <Field
      label="Currency"
      name={`currency-${key}`}
      value={currency}
      maxLength={3}
      pattern="[A-Za-z]{3}"
      title="Three letters, such as EUR"
      hasFocus={isNew}
    />
    <Field label="Amount" name={`amount-${key}`} value={amount} />
    {onRemove && (
      <button
        type="button"
        class="quiet danger"
        aria-label={`Remove the price in ${currency || 'this currency'}`}
        onClick={onRemove}
      >
        Remove
      </button>
    )}
  </fieldset>
);
