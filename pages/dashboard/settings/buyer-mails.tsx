// The mails that go to buyers by themselves, and what the customer's page does: a switch for each, saved as it is
// pressed. Additions §2, Mails to buyers.

import {
  type BuyerMailKind,
  buyerMailKinds,
  buyerMailTitles,
} from '@svc/contract/settings/buyer-mails';
import type { Client } from '@svc/contract/settings/clients';
import { languageNames, languageOf } from '@svc/contract/settings/languages';
import { useId, useMemo, useState } from 'preact/hooks';
import { call } from '../../kit/calls.ts';
import { useMerchant } from '../../kit/merchant.ts';
import { Form } from '../../kit/parts/form.tsx';
import { Select } from '../../kit/parts/inputs.tsx';
import { SectionBox, TroubleAt } from '../../kit/parts/section-box.tsx';
import { Section } from '../../kit/section.ts';

const hints: Readonly<Record<BuyerMailKind, string>> = {
  receipt: 'The purchase and a link to the receipt, after each payment.',
  refund: 'The amount and how long it may take, when the provider has accepted the refund.',
  refundFailed: 'Asks the buyer to get in touch. You still have the money.',
  renewalFailed: 'Once a period, with a link to save another card.',
  cardExpires:
    'In the last month before a subscription’s card expires, with a link to save another card.',
  subscriptionEnds:
    'When a subscription is to end with its period, when that is taken back, and when it has ended.',
};

export function BuyerMailsSection() {
  const { clientId } = useMerchant();
  const section = useMemo(
    () => new Section(() => call('GET /v1/client', {}, { clientId })),
    [clientId],
  );
  return (
    <SectionBox
      section={section}
      title="Mails to buyers"
      intro="Automatic mails to buyers, in plain text and in the language of the buyer’s browser. Each kind is off until you switch it on."
    >
      {(client) => (
        <>
          <Switches list={mailSwitches(client)} section={section} />
          <LanguageForm client={client} section={section} />
          <h3>The customer’s page</h3>
          <Switches list={pageSwitches(client)} section={section} />
        </>
      )}
    </SectionBox>
  );
}

type PartProps = {
  readonly client: Client;
  readonly section: Section<Client>;
};

type Wish = {
  readonly buyerMails?: Partial<Client['buyerMails']>;
  readonly customerPage?: Partial<Client['customerPage']>;
};

type Switch = {
  readonly key: string;
  readonly title: string;
  readonly hint: string;
  readonly isOn: boolean;
  readonly body: (isOn: boolean) => Wish;
};

const mailSwitches = ({ buyerMails }: Client): readonly Switch[] =>
  buyerMailKinds.map((kind) => ({
    key: kind,
    title: buyerMailTitles[kind],
    hint: hints[kind],
    isOn: buyerMails[kind],
    body: (isOn) => ({ buyerMails: { [kind]: isOn } }),
  }));

const pageSwitches = ({ customerPage }: Client): readonly Switch[] => [
  {
    key: 'cancel',
    title: 'Customers cancel subscriptions themselves',
    hint: 'With the period that they have paid. Off: their page says to ask you. In some countries the law asks for it.',
    isOn: customerPage.cancel,
    body: (cancel) => ({ customerPage: { cancel } }),
  },
  {
    key: 'linkInMails',
    title: 'Receipts and subscription mails link to the customer’s page',
    hint: 'A receipt leads to the form that mails a link; a mail about a subscription or its card opens the page for seven days.',
    isOn: customerPage.linkInMails,
    body: (linkInMails) => ({ customerPage: { linkInMails } }),
  },
];

function Switches({ list, section }: { list: readonly Switch[]; section: Section<Client> }) {
  const { clientId } = useMerchant();
  const [said, setSaid] = useState('');
  const id = useId();
  const press = async ({ key, title, isOn, body }: Switch) => {
    setSaid('');
    const isSaved = await section.change(key, () =>
      call('PATCH /v1/client', { body: body(!isOn) }, { clientId }),
    );
    if (isSaved) setSaid(`Saved. ${title}: ${isOn ? 'off' : 'on'}.`);
  };
  return (
    <>
      <ul class="rows">
        {list.map((one) => (
          <li key={one.key} class="row switch-row">
            <input
              type="checkbox"
              role="switch"
              id={`${id}-${one.key}`}
              aria-describedby={`${id}-${one.key}-hint`}
              checked={one.isOn}
              aria-checked={one.isOn}
              aria-disabled={section.work.value !== null}
              onClick={(event) => {
                // It shows what the service has: a press that was not saved changes nothing.
                event.preventDefault();
                void press(one);
              }}
            />
            <div>
              <label for={`${id}-${one.key}`}>{one.title}</label>
              <p class="fine" id={`${id}-${one.key}-hint`}>
                {one.hint}
              </p>
              <TroubleAt section={section} at={one.key} />
            </div>
          </li>
        ))}
      </ul>
      <p class="fine" role="status">
        {said}
      </p>
    </>
  );
}

function LanguageForm({ client, section }: PartProps) {
  const { clientId } = useMerchant();
  return (
    <Form
      submit="Save the language"
      kind="second"
      send={async (fields) => {
        const buyerLanguage = languageOf(fields('buyerLanguage'));
        const save = () => call('PATCH /v1/client', { body: { buyerLanguage } }, { clientId });
        const said = `Saved. Other buyers get ${languageNames[buyerLanguage]}.`;
        await section.make('language', save, said);
      }}
    >
      <Select
        label="Language for other buyers"
        name="buyerLanguage"
        value={client.buyerLanguage}
        choices={languageNames}
        hint="For mails to buyers whose language is unknown or not in this list."
      />
    </Form>
  );
}
