// The merchant's rule for refunds: how much support and finance give back alone. Additions §2, Refund rule.

import { may, type Role } from '@svc/contract/rows/roles';
import type { RefundRule } from '@svc/contract/settings/refund-rule';
import { useId, useMemo, useRef, useState } from 'preact/hooks';
import { call, type FieldFault } from '../../kit/calls.ts';
import { useMerchant } from '../../kit/merchant.ts';
import { CurrencyField, currencyIn, noSuchCurrency } from '../../kit/parts/currency-field.tsx';
import { Field, type Fields, Form } from '../../kit/parts/form.tsx';
import { Select } from '../../kit/parts/inputs.tsx';
import { SectionBox } from '../../kit/parts/section-box.tsx';
import { NotAllowed } from '../../kit/parts/states.tsx';
import { FactLine } from '../../kit/parts/time.tsx';
import { Section } from '../../kit/section.ts';
import { type Refused, sendTyped, TypedFields } from '../../kit/typed-fields.ts';

export function RefundRuleSection({ role }: { readonly role: Role }) {
  const { clientId } = useMerchant();
  const section = useMemo(
    () => new Section(() => call('GET /v1/refund-rule', {}, { clientId })),
    [clientId],
  );
  const save = (body: NewRule) =>
    section.make(
      'rule',
      () => call('PUT /v1/refund-rule', { body }, { clientId }),
      'Saved. The rule applies from the next refund on.',
    );
  return (
    <SectionBox
      section={section}
      title="Refund rule"
      intro="How much support and finance may refund on their own. Above the limit a second person must approve. Owners and admins have no limit."
    >
      {(rule) =>
        may(role, 'settings.write') ? (
          <RuleForm key={rule.updatedAt} rule={rule} save={save} />
        ) : (
          <>
            <RuleInWords rule={rule} />
            <NotAllowed action="change it" permission="settings.write" />
          </>
        )
      }
    </SectionBox>
  );
}

type NewRule = Pick<RefundRule, 'limits' | 'otherCurrencies' | 'financeApproves'>;
type Limits = RefundRule['otherCurrencies'];

const limitWords = ({ perRefund, perDay }: NonNullable<Limits>) =>
  `${perRefund} per refund, ${perDay} within 24 hours`;

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
        {others}: {otherCurrencies ? limitWords(otherCurrencies) : 'every refund needs approval'}
      </li>
      <li class="row">
        {financeApproves ? 'Owners, admins and finance approve' : 'Owners and admins approve'}
      </li>
    </ul>
  );
}

type Line = { readonly key: number; readonly limit: RefundRule['limits'][number] };

/** What the service refuses, in words for people. */
function faultOf(
  { path }: Refused,
  { limits }: NewRule,
  lines: readonly Line[],
): FieldFault | null {
  const place = Number(/^limits\[(\d+)\]\.currency$/.exec(path)?.[1] ?? -1);
  const [line, limit] = [lines[place], limits[place]];
  if (!line || !limit) return null;
  const isTwice = limits.filter(({ currency }) => currency === limit.currency).length > 1;
  const text = isTwice ? 'This currency has its limits already.' : noSuchCurrency;
  return { name: `currency-${line.key}`, text };
}

type Drawn = { readonly lines: readonly Line[]; readonly isOther: boolean };

/** Returns the rule as typed. Throws for limits that are no sums of their currency. */
export function readRule(fields: Fields, { lines, isOther }: Drawn): NewRule {
  const typed = new TypedFields(fields);
  const none = 'Type an amount, such as 200 or 49.90.';
  const limitIn = (suffix: string, currency: string | null) => ({
    perRefund: typed.sum(`perRefund${suffix}`, currency, { none }),
    perDay: typed.sum(`perDay${suffix}`, currency, { none }),
  });
  const wish = {
    limits: lines.map(({ key }) => {
      const currency = currencyIn(fields, `currency-${key}`);
      return { currency, ...limitIn(`-${key}`, currency) };
    }),
    otherCurrencies: isOther ? limitIn('', null) : null,
    financeApproves: fields('finance') === 'yes',
  };
  typed.end();
  return wish;
}

type FormProps = {
  readonly rule: RefundRule;
  readonly save: (rule: NewRule) => Promise<unknown>;
};

function RuleForm({ rule, save }: FormProps) {
  const next = useRef(rule.limits.length);
  const [lines, setLines] = useState(() => rule.limits.map((limit, key) => ({ key, limit })));
  const [isOther, setOther] = useState(rule.otherCurrencies !== null);
  const adding = useRef<HTMLButtonElement>(null);
  const add = () => {
    next.current += 1;
    const limit = { currency: '', perRefund: 200, perDay: 1000 };
    setLines([...lines, { key: next.current, limit }]);
  };
  const remove = (key: number) => {
    setLines(lines.filter((each) => each.key !== key));
    adding.current?.focus();
  };
  return (
    <Form
      submit="Save"
      kind="second main"
      send={(fields) => {
        const wish = readRule(fields, { lines, isOther });
        return sendTyped(
          () => save(wish),
          (refused) => faultOf(refused, wish, lines),
        );
      }}
    >
      {lines.map(({ key, limit }) => (
        <fieldset key={key} class="limits">
          <legend>{limit.currency || 'Another currency'}</legend>
          <CurrencyField
            name={`currency-${key}`}
            value={limit.currency}
            hasFocus={limit.currency === ''}
          />
          <LimitFields limit={limit} suffix={`-${key}`} />
          <button
            type="button"
            class="quiet danger"
            aria-label={`Remove the limits in ${limit.currency || 'this currency'}`}
            onClick={() => remove(key)}
          >
            Remove
          </button>
        </fieldset>
      ))}
      <p>
        <button type="button" class="second" ref={adding} onClick={add}>
          Add a currency
        </button>
      </p>
      <OtherFields rule={rule} isOther={isOther} onChoose={setOther} />
      <Select
        label="Who approves"
        name="finance"
        value={rule.financeApproves ? 'yes' : 'no'}
        choices={{ no: 'Owners and admins', yes: 'Owners, admins and finance' }}
        hint="Never the person who asked for the refund."
      />
      {rule.updatedAt === null && (
        <FactLine>Nobody has changed the rule yet: these are the defaults.</FactLine>
      )}
    </Form>
  );
}

const LimitFields = ({ limit, suffix }: { limit: NonNullable<Limits>; suffix: string }) => (
  <>
    <Field label="Up to, per refund" name={`perRefund${suffix}`} value={String(limit.perRefund)} />
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
        {choice(false, 'Every refund needs approval')}
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
