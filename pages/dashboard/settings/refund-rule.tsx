// The merchant's rule for refunds: how much support and finance give back alone. Additions §2, Refund rule.

import type { RefundRule } from '@svc/contract/refund-rule';
import { may } from '@svc/contract/roles';
import { useId, useMemo, useRef, useState } from 'preact/hooks';
import { CallFailure } from '../../account/calls.ts';
import { Facts, SectionBox, Select } from '../../account/home-parts.tsx';
import { Section } from '../../account/home-section.ts';
import { Field, type Fields, Form } from '../../account/parts.tsx';
import type { RefundRuleWish } from '../merchant-calls.ts';
import { typedNumber } from '../money.ts';
import type { MerchantProps } from '../section-page.tsx';
import { NotAllowed } from '../states.tsx';

export function RefundRuleSection({ calls, role }: MerchantProps) {
  const section = useMemo(() => new Section(calls.readRefundRule), [calls]);
  const save = (wish: RefundRuleWish) =>
    section.make(
      'rule',
      () => calls.updateRefundRule(wish),
      'Saved. It holds from the next refund.',
    );
  return (
    <SectionBox
      section={section}
      title="Refund rule"
      intro="How much support and finance give back alone. Above it they ask, and a second person approves. Owners and admins refund without a limit."
    >
      {(rule) =>
        may(role, 'settings.write') ? (
          <RuleForm key={rule.updatedAt} rule={rule} save={save} />
        ) : (
          <>
            <RuleInWords rule={rule} />
            <NotAllowed act="change it" permission="settings.write" />
          </>
        )
      }
    </SectionBox>
  );
}

type Limits = RefundRule['otherCurrencies'];

const limitWords = ({ perRefund, perDay }: NonNullable<Limits>) =>
  `${perRefund} a refund, ${perDay} within 24 hours`;

function RuleInWords({ rule: { limits, otherCurrencies, financeApproves } }: { rule: RefundRule }) {
  const others = limits.length > 0 ? 'In other currencies' : 'In every currency';
  return (
    <ul class="rows">
      {limits.map((limit) => (
        <li key={limit.currency} class="row">
          {limit.currency}: {limitWords(limit)}
        </li>
      ))}
      <li class="row">
        {others}: {otherCurrencies ? limitWords(otherCurrencies) : 'every refund takes approval'}
      </li>
      <li class="row">
        {financeApproves ? 'Owners, admins and finance approve' : 'Owners and admins approve'}
      </li>
    </ul>
  );
}

/** Reads a typed amount with a decimal comma or point. */
function amountIn(fields: Fields, name: string, about: string): number {
  const typed = typedNumber(fields(name));
  if (typed === null) {
    throw new CallFailure(400, { message: `Type an amount for ${about}, such as 200 or 49.90.` });
  }
  return typed;
}

type FormProps = {
  readonly rule: RefundRule;
  readonly save: (wish: RefundRuleWish) => Promise<unknown>;
};

function RuleForm({ rule, save }: FormProps) {
  const next = useRef(rule.limits.length);
  const [lines, setLines] = useState(() => rule.limits.map((limit, key) => ({ key, limit })));
  const [isOther, setOther] = useState(rule.otherCurrencies !== null);
  const add = () => {
    next.current += 1;
    const limit = { currency: '', perRefund: 200, perDay: 1000 };
    setLines([...lines, { key: next.current, limit }]);
  };
  const read = (fields: Fields): RefundRuleWish => ({
    limits: lines.map(({ key }) => {
      const currency = fields(`currency-${key}`).trim().toUpperCase();
      return { currency, ...limitIn(fields, `-${key}`, currency) };
    }),
    otherCurrencies: isOther ? limitIn(fields, '', 'other currencies') : null,
    financeApproves: fields('finance') === 'yes',
  });
  return (
    <Form submit="Save" kind="second main" send={async (fields) => save(read(fields))}>
      {lines.map(({ key, limit }) => (
        <fieldset key={key} class="limits">
          <legend>{limit.currency || 'Another currency'}</legend>
          <Field
            label="Currency"
            name={`currency-${key}`}
            value={limit.currency}
            maxLength={3}
            pattern="[A-Za-z]{3}"
            title="Three letters, such as EUR"
            hasFocus={limit.currency === ''}
          />
          <LimitFields limit={limit} suffix={`-${key}`} />
          <button
            type="button"
            class="quiet danger"
            aria-label={`Remove the limits in ${limit.currency || 'this currency'}`}
            onClick={() => setLines(lines.filter((each) => each.key !== key))}
          >
            Remove
          </button>
        </fieldset>
      ))}
      <p>
        <button type="button" class="second" onClick={add}>
          Add a currency
        </button>
      </p>
      <OtherFields rule={rule} isOther={isOther} onChoose={setOther} />
      <Select
        label="Who approves"
        name="finance"
        value={rule.financeApproves ? 'yes' : 'no'}
        choices={{ no: 'Owners and admins', yes: 'Owners, admins and finance' }}
        hint="Never who asked for the refund."
      />
      {rule.updatedAt === null && <Facts>Nobody has set it yet: these are the defaults.</Facts>}
    </Form>
  );
}

const limitIn = (fields: Fields, suffix: string, about: string) => ({
  perRefund: amountIn(fields, `perRefund${suffix}`, `a refund, ${about}`),
  perDay: amountIn(fields, `perDay${suffix}`, `24 hours, ${about}`),
});

const LimitFields = ({ limit, suffix }: { limit: NonNullable<Limits>; suffix: string }) => (
  <>
    <Field label="Up to, a refund" name={`perRefund${suffix}`} value={String(limit.perRefund)} />
    <Field
      label="Up to, within 24 hours"
      name={`perDay${suffix}`}
      value={String(limit.perDay)}
      hint="Of one person."
    />
  </>
);

type OtherProps = {
  readonly rule: RefundRule;
  readonly isOther: boolean;
  readonly onChoose: (isOther: boolean) => void;
};

function OtherFields({ rule, isOther, onChoose }: OtherProps) {
  const id = useId();
  const limit = rule.otherCurrencies ?? { perRefund: 200, perDay: 1000 };
  const choice = (value: boolean, text: string) => (
    <label>
      <input type="radio" name={id} checked={isOther === value} onChange={() => onChoose(value)} />
      <span>{text}</span>
    </label>
  );
  return (
    <>
      <fieldset class="picks">
        <legend>Other currencies</legend>
        {choice(true, 'The same numbers in each of them')}
        {choice(false, 'Every refund takes approval')}
      </fieldset>
      {isOther && (
        <fieldset class="limits">
          <legend class="unseen">Each of the other currencies</legend>
          <LimitFields limit={limit} suffix="" />
        </fieldset>
      )}
    </>
  );
}
