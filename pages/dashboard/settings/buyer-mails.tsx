// The mails that go to buyers by themselves: a switch for each, saved as it is pressed. Additions §2, Mails to
// buyers.

import { type BuyerMailKind, buyerMailKinds, buyerMailTitles } from '@svc/contract/buyer-mails';
import type { Client } from '@svc/contract/clients';
import { languageNames, languageOf } from '@svc/contract/languages';
import { useId, useMemo, useState } from 'preact/hooks';
import { Section } from '../../kit/home-section.ts';
import { SectionBox, Select, TroubleAt } from '../../kit/parts/home-parts.tsx';
import { Form } from '../../kit/parts/parts.tsx';
import type { MerchantCalls } from '../frame/merchant-calls.ts';

const hints: Readonly<Record<BuyerMailKind, string>> = {
  receipt: 'With what was bought and the address of the receipt, after each payment.',
  refund: 'The sum and how long it may take, once the provider has the refund.',
  refundFailed: 'Asks the buyer to get in touch. The money is with you.',
  renewalFailed: 'Once a period, with a link to save another card.',
  cardExpires: 'In the last month of a card that pays a subscription, with a link to save another.',
};

export function BuyerMailsSection({ calls }: { calls: MerchantCalls }) {
  const section = useMemo(() => new Section(calls.readClient), [calls]);
  return (
    <SectionBox
      section={section}
      title="Mails to buyers"
      intro="What goes to a buyer’s address by itself, as plain text in the language of the browser that the buyer paid with. Each is off until you switch it on, and tells of what happens from then on."
    >
      {(client) => (
        <>
          <Switches client={client} section={section} calls={calls} />
          <LanguageForm client={client} section={section} calls={calls} />
        </>
      )}
    </SectionBox>
  );
}

type PartProps = {
  readonly client: Client;
  readonly section: Section<Client>;
  readonly calls: MerchantCalls;
};

function Switches({ client, section, calls }: PartProps) {
  const [said, say] = useState('');
  const id = useId();
  const press = async (kind: BuyerMailKind, isOn: boolean) => {
    say('');
    const isSaved = await section.change(kind, () => calls.switchBuyerMail(kind, isOn));
    if (isSaved) say(`Saved. ${buyerMailTitles[kind]}: ${isOn ? 'on' : 'off'}.`);
  };
  return (
    <>
      <ul class="rows">
        {buyerMailKinds.map((kind) => (
          <li key={kind} class="row switch-row">
            <input
              type="checkbox"
              role="switch"
              id={`${id}-${kind}`}
              aria-describedby={`${id}-${kind}-hint`}
              checked={client.buyerMails[kind]}
              aria-checked={client.buyerMails[kind]}
              aria-disabled={section.work.value !== null}
              onClick={(event) => {
                // It shows what the service has: a press that was not saved changes nothing.
                event.preventDefault();
                void press(kind, !client.buyerMails[kind]);
              }}
            />
            <div>
              <label for={`${id}-${kind}`}>{buyerMailTitles[kind]}</label>
              <p class="fine" id={`${id}-${kind}-hint`}>
                {hints[kind]}
              </p>
              <TroubleAt section={section} at={kind} />
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

const LanguageForm = ({ client, section, calls }: PartProps) => (
  <Form
    submit="Save the language"
    kind="second"
    send={async (fields) => {
      const language = languageOf(fields('buyerLanguage'));
      const save = () => calls.chooseBuyerLanguage(language);
      await section.make('language', save, `Saved. Other buyers get ${languageNames[language]}.`);
    }}
  >
    <Select
      label="Language for other buyers"
      name="buyerLanguage"
      value={client.buyerLanguage}
      choices={languageNames}
      hint="Of mails to buyers whose own language is not known, or is none of these."
    />
  </Form>
);
