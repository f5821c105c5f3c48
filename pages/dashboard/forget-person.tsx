// Forgets the person behind a customer, for good, once somebody with the right has confirmed it.

import { useState } from 'preact/hooks';
import { type CallFailure, call } from '../account/calls.ts';
import { AskDialog } from '../account/home-parts.tsx';
import { useAct } from '../account/parts.tsx';
import { addressOf } from './addresses.ts';
import { mayDo, useMerchant } from './merchant.ts';
import { News } from './news.tsx';
import { NotAllowed, Trouble } from './states.tsx';

type Open = { readonly code: string; readonly message: string };

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
      {open.map(({ code, message }) => {
        const [name, part] = kinds[code] ?? [code, null];
        const id = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(message)?.[0];
        const state = message.split(': ').at(-1)?.replaceAll('_', ' ');
        return (
          <li key={message}>
            {part && id ? <a href={addressOf(clientId, part, id)}>{name}</a> : name}, {state}
          </li>
        );
      })}
    </ul>
  );
}

type ForgetProps = {
  readonly id: string;
  readonly isForgotten: boolean;
  /** Reads the customer again. */
  readonly again: () => Promise<unknown>;
};

export function ForgetPerson({ id, isForgotten, again }: ForgetProps) {
  const merchant = useMerchant();
  const [isAsking, ask] = useState(false);
  const [news, setNews] = useState<string | null>(null);
  const { run, isBusy, failure } = useAct(async () => {
    const { clientId } = merchant;
    await call('POST', `/v1/customers/${encodeURIComponent(id)}/forget`, { clientId });
    await again();
    setNews('This person is forgotten.');
  });
  const answer = (isYes: boolean) => {
    ask(false);
    if (isYes) void run();
  };
  const isAllowed = mayDo(merchant, 'customers.forget');
  if (isForgotten && !news) return null;
  return (
    <section class="acts" aria-label="What you can do">
      <News text={news} />
      {failure && (
        <Trouble failure={failure}>
          {failure.code === 'customer_in_use' && <StillOpen failure={failure} />}
        </Trouble>
      )}
      {!isForgotten && !isAllowed && (
        <NotAllowed id="why-not-forget" act="forget a customer" permission="customers.forget" />
      )}
      {!isForgotten && (
        <p class="ways">
          <button
            type="button"
            class="second danger"
            aria-disabled={isBusy || !isAllowed}
            {...(isAllowed ? {} : { 'aria-describedby': 'why-not-forget' })}
            onClick={() => !isBusy && isAllowed && ask(true)}
          >
            {isBusy ? 'Forgetting…' : 'Forget this person'}
          </button>
        </p>
      )}
      {isAsking && (
        <AskDialog
          title="Forget this person for good?"
          yes="Forget for good"
          no="Keep"
          onAnswer={answer}
        >
          <p>Nobody can take this back.</p>
          <p>
            <strong>Goes:</strong> saved cards; name, email and metadata; brand, last digits and
            expiry of cards that paid; notes. Everywhere, also in earlier events. Kept files of
            payments are deleted: make them again.
          </p>
          <p>
            <strong>Stays:</strong> payments, refunds and subscriptions with their amounts, ids and
            times; the country; ledgers of closed months, as they were closed.
          </p>
          <p class="fine">
            The provider keeps records of its own. Your server is told by the event
            customer.forgotten.
          </p>
        </AskDialog>
      )}
    </section>
  );
}
