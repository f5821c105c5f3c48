// The form of a coupon: a new one with its discount, or the conditions of one that exists.

import type { Coupon } from '@svc/contract/catalog/coupons';
import { useState } from 'preact/hooks';
import type { FieldFault } from '../../kit/calls.ts';
import { useMerchant } from '../../kit/merchant.ts';
import { CurrencyField, noSuchCurrency } from '../../kit/parts/currency-field.tsx';
import { Field, type Fields, Form } from '../../kit/parts/form.tsx';
import { Cancel, Select } from '../../kit/parts/inputs.tsx';
import { type Refused, sendTyped, TypedFields } from '../../kit/typed-fields.ts';
import { rangeOf } from '../../kit/zone.ts';
import { amountFaults, type FormWays, switched } from './catalog-parts.tsx';
import { firstDayIn, lastDayIn } from './coupon-days.ts';
import { readDiscount } from './typed-catalog.ts';

type FormProps = FormWays<Coupon> & {
  /** Null for a new one. */
  readonly coupon: Coupon | null;
};

const discountFaults = amountFaults('A coupon cannot take off this much.');

function faultOf({ path, code }: Refused, codes: readonly string[]): FieldFault | null {
  if (path === 'code') {
    const text =
      code === 'coupon_code_taken'
        ? 'Another coupon has this code; upper and lower case count as the same. Choose a different one.'
        : 'Use up to 100 letters without accents, digits, - and _. Start with a letter or digit.';
    return { name: 'code', text };
  }
  if (path === 'percentOff') {
    const text =
      code === 'percent_precision'
        ? 'A percentage has up to two decimals, such as 12.5.'
        : 'Type a percentage above 0, and 100 at most.';
    return { name: 'off', text };
  }
  if (path === 'amountOff') {
    return { name: 'off', text: discountFaults[code] ?? 'Type an amount above 0, such as 5.00.' };
  }
  if (path === 'currency') return { name: 'currency', text: noSuchCurrency };
  if (path === 'endsAt') return { name: 'last', text: 'The last day is before the first one.' };
  if (path === 'maxRedemptions') {
    const text = 'The coupon was already redeemed more often. To end it, switch it off.';
    return { name: 'most', text };
  }
  const [, place] = /^productCodes\[(\d+)\]$/.exec(path) ?? [];
  if (place) return { name: 'products', text: `There is no product “${codes[Number(place)]}”.` };
  return path === 'productCodes' ? { name: 'products', text: 'Enter at most 100 products.' } : null;
}

export function CouponForm({ coupon, send, onSaved, onCancel }: FormProps) {
  const { zone } = useMerchant();
  const first = firstDayIn(coupon?.startsAt ?? null, zone);
  const last = lastDayIn(coupon?.endsAt ?? null, zone);
  const read = (fields: Fields) => {
    const typed = new TypedFields(fields);
    const [from, until] = [fields('first'), fields('last')];
    const body = {
      ...(coupon ? { version: coupon.version } : readDiscount(fields, typed)),
      ...conditionsOf(fields, typed),
      // A day that was left as it was keeps its instant, which may not be a day's begin.
      startsAt: from === first ? (coupon?.startsAt ?? null) : edgeOf(from, zone, 'from'),
      endsAt: until === last ? (coupon?.endsAt ?? null) : edgeOf(until, zone, 'until'),
    };
    typed.end();
    return body;
  };
  return (
    <Form
      submit={coupon ? 'Save' : 'Add the coupon'}
      kind="second main"
      send={async (fields) => {
        const body = read(fields);
        await onSaved(
          await sendTyped(
            () => send(body),
            (refused) => faultOf(refused, body.productCodes ?? []),
          ),
        );
      }}
      after={onCancel && <Cancel onCancel={onCancel} />}
    >
      {!coupon && <Discount />}
      <Field
        label="For these products"
        name="products"
        value={coupon?.productCodes?.join(', ') ?? ''}
        hint="Product codes, separated by commas. Empty: all products."
        isOptional
      />
      <Field label="First day" name="first" type="date" value={first} isOptional />
      <Field
        label="Last day"
        name="last"
        type="date"
        value={last}
        hint={`Both days of ${zone}.`}
        isOptional
      />
      <Field
        label="At most, payments"
        name="most"
        inputMode="numeric"
        value={coupon?.maxRedemptions?.toString() ?? ''}
        hint="Empty: no limit. A failed payment does not count."
        isOptional
      />
      <Select
        label="Can be used"
        name="active"
        value={coupon && !coupon.active ? 'no' : 'yes'}
        choices={switched}
        hint="When it is off, open sessions refuse it too."
      />
    </Form>
  );
}

/** What a coupon takes off, which never changes. */
function Discount() {
  const [isAmount, setAmount] = useState(false);
  const choice = (value: boolean, text: string) => (
    <label>
      <input
        type="radio"
        name="kind"
        value={value ? 'amount' : 'percent'}
        checked={isAmount === value}
        onChange={() => setAmount(value)}
      />
      <span>{text}</span>
    </label>
  );
  return (
    <>
      <Field
        label="Code"
        name="code"
        maxLength={100}
        hint="Buyers type this code; upper and lower case count as the same. Code and discount cannot be changed later."
        hasFocus
      />
      <fieldset class="picks">
        <legend>Discount</legend>
        {choice(false, 'A percentage')}
        {choice(true, 'An amount')}
      </fieldset>
      {isAmount ? (
        <fieldset class="limits">
          <legend>Amount off</legend>
          <CurrencyField name="currency" />
          <Field
            label="Amount"
            name="off"
            inputMode="decimal"
            hint="Divided over the lines of the cart."
          />
        </fieldset>
      ) : (
        <Field
          label="Percent off"
          name="off"
          inputMode="decimal"
          hint="Up to two decimals, such as 12.5."
        />
      )}
    </>
  );
}

function conditionsOf(fields: Fields, typed: TypedFields) {
  const codes = fields('products')
    .split(',')
    .map((code) => code.trim())
    .filter(Boolean);
  const most = fields('most').trim();
  if (most && !/^[1-9]\d{0,8}$/.test(most)) {
    const text = 'Type a whole number of payments, such as 500, or leave it empty.';
    typed.faults.push({ name: 'most', text });
  }
  return {
    productCodes: codes.length > 0 ? codes : null,
    maxRedemptions: most ? Number(most) : null,
    active: fields('active') === 'yes',
  };
}

/** The begin or the end of a day; null when no day is given. */
function edgeOf(day: string, zone: string, edge: 'from' | 'until'): string | null {
  const ms = day ? rangeOf(day, zone, 0)?.[edge] : null;
  return typeof ms === 'number' ? new Date(ms).toISOString() : null;
}
