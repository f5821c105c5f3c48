// The form of a coupon: a new one with its discount, or the conditions of one that exists.

import type { Coupon } from '@svc/contract/coupons';
import { useState } from 'preact/hooks';
import { Cancel, Select } from '../../account/home-parts.tsx';
import { Field, type Fields, Form } from '../../account/parts.tsx';
import { useMerchant } from '../merchant.ts';
import { dayIn, rangeOf } from '../zone.ts';
import { numberOf, switched, typedWrongly } from './catalog-parts.tsx';

type FormProps = {
  /** Null for a new one. */
  readonly coupon: Coupon | null;
  readonly send: (body: object) => Promise<Coupon>;
  readonly onSaved: (saved: Coupon) => unknown;
  readonly onCancel?: () => void;
};

export function CouponForm({ coupon, send, onSaved, onCancel }: FormProps) {
  const { zone } = useMerchant();
  const first = coupon?.startsAt ? dayIn(Date.parse(coupon.startsAt), zone) : '';
  // The end is the first instant that is no longer in: the last day is the one before it.
  const last = coupon?.endsAt ? dayIn(Date.parse(coupon.endsAt) - 1, zone) : '';
  const read = (fields: Fields) => ({
    ...(coupon ? { version: coupon.version } : newOf(fields)),
    ...conditionsOf(fields),
    // A day that was left as it was keeps its instant, which may not be a day's begin.
    ...(fields('first') === first ? {} : { startsAt: edgeOf(fields('first'), zone, 'from') }),
    ...(fields('last') === last ? {} : { endsAt: edgeOf(fields('last'), zone, 'until') }),
  });
  return (
    <Form
      submit={coupon ? 'Save' : 'Add the coupon'}
      kind="second main"
      send={async (fields) => onSaved(await send(read(fields)))}
      after={onCancel && <Cancel onCancel={onCancel} />}
    >
      {!coupon && <Discount />}
      <Field
        label="For these products"
        name="products"
        value={coupon?.productCodes?.join(', ') ?? ''}
        hint="Codes of products, with commas between them. Empty: for all."
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
        hint="Empty: without a limit. A payment that fails gives its use back."
        isOptional
      />
      <Select
        label="Can be used"
        name="active"
        value={coupon && !coupon.active ? 'no' : 'yes'}
        choices={switched}
        hint="Switched off, it is refused in open sessions too."
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
        hint="What buyers type, in any letters. Code and discount never change."
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
          <Field
            label="Currency"
            name="currency"
            maxLength={3}
            pattern="[A-Za-z]{3}"
            title="Three letters, such as EUR"
          />
          <Field label="Amount" name="off" hint="Spread over the lines of the cart." />
        </fieldset>
      ) : (
        <Field label="Percent off" name="off" hint="Up to two decimals, such as 12.5." />
      )}
    </>
  );
}

function newOf(fields: Fields) {
  const code = fields('code').trim();
  return fields('kind') === 'amount'
    ? {
        code,
        amountOff: numberOf(fields('off'), 'Type the amount off, such as 5.00.'),
        currency: fields('currency').trim().toUpperCase(),
      }
    : { code, percentOff: numberOf(fields('off'), 'Type the percentage off, such as 12.5.') };
}

function conditionsOf(fields: Fields) {
  const codes = fields('products')
    .split(',')
    .map((code) => code.trim())
    .filter(Boolean);
  const most = fields('most').trim();
  if (most && !/^[1-9]\d{0,8}$/.test(most)) {
    throw typedWrongly('Type a whole number of payments, such as 500, or leave it empty.');
  }
  return {
    productCodes: codes.length > 0 ? codes : null,
    maxRedemptions: most ? Number(most) : null,
    active: fields('active') === 'yes',
  };
}

/** The begin or the end of a day; null when no day is given. */
function edgeOf(day: string, zone: string, edge: 'from' | 'until'): string | null {
  const at = day ? rangeOf(day, zone, 0)?.[edge] : null;
  return typeof at === 'number' ? new Date(at).toISOString() : null;
}
