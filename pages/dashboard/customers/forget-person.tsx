// Forgets the person behind a customer, for good, once somebody with the right has confirmed it.

import { addressOf } from '../../kit/addresses.ts';
import { type CallFailure, call } from '../../kit/calls.ts';
import { mayDo, useMerchant } from '../../kit/merchant.ts';
import { Block } from '../../kit/parts/facts.tsx';
import { OnlyAction } from '../../kit/parts/only-action.tsx';

type Open = { readonly code: string; readonly id: string; readonly state: string };

/** What is still open, by the kind that the service names, and the part of the dashboard that shows it. */
const kinds: Readonly<Record<string, readonly [string, Parameters<typeof addressOf>[1] | null]>> = {
  checkout_session: ['A checkout session', 'sessions'],
  purchase: ['A payment or hold', 'payments'],
  refund: ['A refund', 'payments'],
  operation: ['A move of money', null],
  card_setup: ['A card that is being saved', null],
  subscription: ['A subscription', 'subscriptions'],
  dispute: ['A dispute', 'disputes'],
  refund_request: ['A refund that waits for approval', null],
  payment_method: ['A saved card', null],
  unknown_money: ['Money that nobody has decided about', null],
};

function StillOpen({ failure }: { failure: CallFailure }) {
  const { clientId } = useMerchant();
  const { errors } = failure.facts;
  const open = Array.isArray(errors) ? (errors as Open[]) : [];
  return (
    <ul class="plain">
      {open.map(({ code, id, state }) => {
        const [name, part] = kinds[code] ?? [code.replaceAll('_', ' '), null];
        return (
          <li key={`${code} ${id}`}>
            {part ? <a href={addressOf(clientId, part, id)}>{name}</a> : name},{' '}
            {state.replaceAll('_', ' ')}
          </li>
        );
      })}
    </ul>
  );
}

export type OthersOfAddress = readonly {
  readonly id: string;
  readonly externalId: string | null;
}[];

/** The same person may have bought under another id too; nobody is forgotten unasked. */
export function SameAddress({ others }: { others: OthersOfAddress }) {
  const { clientId } = useMerchant();
  if (others.length === 0) return null;
  return (
    <Block title="Same address">
      <p>These had the same email address. Forget those who are the same person too.</p>
      <ul class="plain">
        {others.map(({ id, externalId }) => (
          <li key={id}>
            <a href={addressOf(clientId, 'customers', id)}>{externalId ?? id}</a>
          </li>
        ))}
      </ul>
    </Block>
  );
}

export type ForgetProps = {
  readonly id: string;
  readonly isForgotten: boolean;
  /** Hears who else has the address: afterwards nobody can tell. */
  readonly onOthers: (others: OthersOfAddress) => void;
  /** Reads the customer again. */
  readonly again: () => Promise<unknown>;
};

export function ForgetPerson({ id, isForgotten, onOthers, again }: ForgetProps) {
  const isAllowed = mayDo(useMerchant(), 'customers.forget');
  const { label, failed, done, question } = isForgotten ? later : first;
  return (
    <OnlyAction
      question={question}
      failed={failed}
      done={done}
      what="forget a customer"
      permission="customers.forget"
      isOffered={isAllowed || !isForgotten}
      action={async (clientId) => {
        const answer = await call(
          'POST /v1/customers/{customerId}/forget',
          { customerId: id },
          { clientId },
        );
        onOthers(answer.othersOfAddress);
        return answer;
      }}
      again={again}
      lead={
        isForgotten &&
        isAllowed && (
          <p class="fine">Somebody may have written notes on this person’s payments since then.</p>
        )
      }
      trouble={(failure) => failure.code === 'customer_in_use' && <StillOpen failure={failure} />}
    >
      {label}
    </OnlyAction>
  );
}

const WhatGoes = () => (
  <>
    <p>Nobody can take this back.</p>
    <p>
      <strong>Goes:</strong> saved cards; name, email and metadata; brand, last digits and expiry of
      cards that paid; notes. Everywhere, also in earlier events. Kept files of payments are
      deleted; make them again.
    </p>
    <p>
      <strong>Stays:</strong> payments, refunds and subscriptions with their amounts, ids and times;
      the country; ledgers of closed months, as they were closed.
    </p>
    <p class="fine">
      The card provider keeps its own records. Your server receives the event customer.forgotten.
    </p>
  </>
);

const first = {
  label: 'Forget this person',
  failed: 'This person was not forgotten',
  done: 'This person is forgotten.',
  question: {
    title: 'Forget this person for good?',
    yes: 'Forget for good',
    no: 'Keep',
    text: <WhatGoes />,
  },
};

const later = {
  label: 'Erase later notes',
  failed: 'The notes were not erased',
  done: 'The later notes are erased.',
  question: {
    title: 'Erase the notes for good?',
    yes: 'Erase for good',
    no: 'Keep',
    text: (
      <>
        <p>Nobody can take this back.</p>
        <p>
          Erases what was written about this person’s payments, disputes, subscriptions and refund
          requests since then: notes, reasons and metadata, also in the audit log.
        </p>
      </>
    ),
  },
};
