// The sandbox in place of buyers, banks and time: test cards, the clock, faults of the provider, disputes and
// refunds that fail. Additions §13.

import {
  disputeReasons,
  type Sandbox,
  type SandboxFaultName,
  sandboxFaults,
} from '@svc/contract/developers/sandbox';
import type { Payment } from '@svc/contract/payments/payments';
import { checkedDate } from '@svc/contract/values/instants';
import { useMemo, useState } from 'preact/hooks';
import { call } from '../../kit/calls.ts';
import { useMerchant } from '../../kit/merchant.ts';
import { money } from '../../kit/money.ts';
import { ActionButton } from '../../kit/parts/action-button.tsx';
import { AskDialog } from '../../kit/parts/dialog.tsx';
import { Block } from '../../kit/parts/facts.tsx';
import { type Fields, Form } from '../../kit/parts/form.tsx';
import { CopyButton, Select } from '../../kit/parts/inputs.tsx';
import { readClock } from '../../kit/parts/sandbox-clock.tsx';
import { SectionBox, TroubleAt } from '../../kit/parts/section-box.tsx';
import { Empty } from '../../kit/parts/states.tsx';
import { Time } from '../../kit/parts/time.tsx';
import { Section } from '../../kit/section.ts';
import { countedNoun } from '../../kit/words.ts';
import { clockSteps } from './sandbox-steps.ts';

export function SandboxSections() {
  const { clientId } = useMerchant();
  const section = useMemo(
    () => new Section(() => call('GET /v1/sandbox', {}, { clientId })),
    [clientId],
  );
  return (
    <>
      <SectionBox
        section={section}
        title="Clock"
        intro="Holds expire, webhooks are retried and subscriptions renew by this clock. Every merchant in this sandbox shares it, and it only moves forward."
      >
        {(sandbox) => <Clock section={section} sandbox={sandbox} />}
      </SectionBox>
      {section.content.value && <Panel section={section} />}
    </>
  );
}

/** What stands below the clock, once it is there: nothing moves when it comes. */
const Panel = ({ section }: SandboxProps) => (
  <>
    <Cards section={section} />
    <div class="detail-columns">
      <Faults section={section} />
      <div>
        <Bank
          title="Dispute a payment"
          intro="The buyer’s bank takes the money back. The dispute is listed under Disputes when the provider’s notice arrives."
          kind="purchase"
          label="Payment"
          action="Open a dispute"
          said="The bank disputes it. Look under Disputes."
        />
        <Bank
          title="Let a refund fail"
          intro="The buyer’s bank rejects the refund. Home lists it under “Needs you”."
          kind="refund"
          label="Refund"
          action="Let it fail"
          said="The bank sends it back. Look at its payment."
        />
      </div>
    </div>
    <Block title="Demo data">
      <p class="block-intro">
        A sandbox keeps its data. To start afresh with thirty days of demo payments, stop it and
        start it with an empty folder: <code>npm start -- --data ./another-folder</code>
      </p>
    </Block>
  </>
);

type SandboxProps = { readonly section: Section<Sandbox> };

function Clock({ section, sandbox }: SandboxProps & { readonly sandbox: Sandbox }) {
  const { clientId } = useMerchant();
  const [asked, setAsked] = useState<string | null>(null);
  const answer = async (isYes: boolean) => {
    const step = clockSteps.find(({ name }) => name === asked);
    setAsked(null);
    if (!isYes || !step) return;
    const seconds = step.secondsFrom(checkedDate(sandbox.now));
    const action = () =>
      call('POST /v1/sandbox/clock/advance', { body: { seconds } }, { clientId });
    if (await section.change('clock', action, `The clock moved forward by ${step.name}.`)) {
      // The line of the frame that tells the sandbox's time.
      await readClock().catch(() => undefined);
    }
  };
  return (
    <>
      <dl class="pairs">
        <div>
          <dt>Now</dt>
          <dd>
            <Time at={sandbox.now} />
          </dd>
        </div>
      </dl>
      <TroubleAt section={section} at="clock" />
      <fieldset class="ways" aria-label="Move the clock forward">
        {clockSteps.map(({ name }) => (
          <button
            key={name}
            type="button"
            class="second"
            aria-disabled={section.work.value !== null}
            onClick={() => section.work.value === null && setAsked(name)}
          >
            {name}
          </button>
        ))}
      </fieldset>
      {asked && (
        <AskDialog
          title={`Move the clock ${asked} forward?`}
          yes={`Move it ${asked}`}
          onAnswer={(isYes) => void answer(isYes)}
        >
          <p>
            Everything due until then happens at once, for every merchant in this sandbox. The clock
            cannot be moved back. Sign-ins use it too: you stay signed in, but others must sign in
            again after twelve hours or more.
          </p>
        </AskDialog>
      )}
    </>
  );
}

/** As cards show it: numbers of fifteen digits stand in groups of four, six and five. */
const spacedNumber = (number: string) =>
  number.length === 15
    ? number.replace(/(.{4})(.{6})/, '$1 $2 ')
    : number.replace(/(.{4})(?=.)/g, '$1 ');

/** The cards of the first tries: approved, declined, with 3DS, disputed, with a refund that fails. */
const common = [
  ...['4242424242424242', '4000000000009995', '4000002760003184'],
  ...['4000000000000259', '4000000000005126'],
];

type TestCard = Sandbox['cards'][number];

/** The other cards by what they do; one that no kind fits is of the last. */
const kinds = [
  { title: 'Approved', words: /^approved/ },
  { title: 'Declined', words: /declined$|^(declined|blocked)/ },
  { title: 'With 3DS', words: /3DS/ },
  { title: 'What happens later', words: /./ },
] as const;

const kindOf = ({ effect }: TestCard) => kinds.find(({ words }) => words.test(effect));

const CardRows = ({ cards }: { readonly cards: readonly TestCard[] }) => (
  <ul class="rows card-rows">
    {cards.map(({ number, effect }) => (
      <li key={number} class="row">
        <code>{spacedNumber(number)}</code>{' '}
        <CopyButton text={number} about={`the card: ${effect}`} />
        <span class="row-text">{effect}</span>
      </li>
    ))}
  </ul>
);

function Cards({ section }: { readonly section: Section<Sandbox> }) {
  const all = section.content.value?.cards ?? [];
  const others = all.filter(({ number }) => !common.includes(number));
  return (
    <Block title="Test cards" intro="Any security code, and any expiry month in the future.">
      {all.length > 0 && <CardRows cards={all.filter(({ number }) => common.includes(number))} />}
      {all.length > 0 &&
        kinds.map((kind) => {
          const cards = others.filter((card) => kindOf(card) === kind);
          return (
            <details key={kind.title}>
              <summary>
                {kind.title}, {countedNoun(cards.length, ['more card', 'more cards'])}
              </summary>
              <CardRows cards={cards} />
            </details>
          );
        })}
    </Block>
  );
}

function Faults({ section }: SandboxProps) {
  const { clientId } = useMerchant();
  const faults = section.content.value?.faults;
  const plant = async (fields: Fields) => {
    const body = { action: fields('action') as SandboxFaultName, count: Number(fields('count')) };
    const action = () => call('POST /v1/sandbox/faults', { body }, { clientId });
    await section.make('fault', action, 'The fault is planted.');
  };
  return (
    <Block
      title="Faults of the provider"
      intro="A fault applies only to calls and notices of your own provider account. “Call” means a call that changes something: a payment, a capture, a refund."
    >
      {faults?.length === 0 && (
        <Empty title="No fault is planted">
          <p>Plant one, then pay or refund, and see how your shop reacts.</p>
        </Empty>
      )}
      {faults && faults.length > 0 && (
        <ul class="rows" aria-label="Planted faults">
          {faults.map(({ id, action, count, fired }) => (
            <li key={id} class="row">
              <code>{action}</code>{' '}
              {fired >= count ? 'has met all of its calls' : `met ${fired} of ${count}`}
            </li>
          ))}
        </ul>
      )}
      <TroubleAt section={section} at="clear" />
      {faults && faults.length > 0 && (
        <ActionButton
          section={section}
          at="clear"
          onAction={() =>
            section.change(
              'clear',
              () => call('DELETE /v1/sandbox/faults', {}, { clientId }),
              'No fault is left.',
            )
          }
        >
          Remove all faults
        </ActionButton>
      )}
      <Form submit="Plant the fault" kind="second main" send={plant}>
        <Select label="Fault" name="action" choices={sandboxFaults} />
        <Select
          label="How often"
          name="count"
          choices={{ 1: 'Once', 3: '3 times', 10: '10 times' }}
        />
      </Form>
    </Block>
  );
}

type BankProps = {
  readonly title: string;
  readonly intro: string;
  readonly kind: 'purchase' | 'refund';
  readonly label: string;
  readonly action: string;
  readonly said: string;
};

/** Lists the newest payments or refunds that succeeded. */
async function listSucceeded(type: 'purchase' | 'refund', clientId: string) {
  const newest = { sortField: 'createdAt', sortDirection: 'DESC', limit: 20 } as const;
  const which = { 'type[eq]': type, 'status[eq]': 'succeeded' };
  return (await call('GET /v1/payments', { ...which, ...newest }, { clientId })).data;
}

/** One thing that the buyer's bank does to a payment or refund that succeeded. */
function Bank({ title, intro, kind, label, action, said }: BankProps) {
  const { clientId } = useMerchant();
  const section = useMemo(() => new Section(() => listSucceeded(kind, clientId)), [clientId, kind]);
  const send = async (fields: Fields) => {
    const id = fields('id');
    const dispute = { paymentId: id, reason: fields('reason') as keyof typeof disputeReasons };
    const make = () =>
      kind === 'purchase'
        ? call('POST /v1/sandbox/disputes', { body: dispute }, { clientId })
        : call('POST /v1/sandbox/refund-failures', { body: { refundId: id } }, { clientId });
    await section.make('bank', make, said);
  };
  return (
    <SectionBox section={section} title={title} intro={intro}>
      {(found) =>
        found.length === 0 ? (
          <Empty title={`No ${label.toLowerCase()} succeeded yet`}>
            <p>Make one first.</p>
          </Empty>
        ) : (
          <Form submit={action} kind="second" send={send}>
            <Select label={label} name="id" choices={paymentChoices(found)} />
            {kind === 'purchase' && (
              <Select label="Reason" name="reason" choices={disputeReasons} />
            )}
          </Form>
        )
      }
    </SectionBox>
  );
}

const paymentChoices = (found: readonly Payment[]): Record<string, string> =>
  Object.fromEntries(
    found.map(({ id, amount, currency, email }) => [
      id,
      [money(Math.abs(amount), currency), email, id.slice(-6)].filter(Boolean).join(', '),
    ]),
  );
