// The mails that go to buyers by themselves: a switch for each, saved as it is pressed. Additions §2, Mails to
// buyers.

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
          <Switches client={client} section={section} />
          <LanguageForm client={client} section={section} />
        </>
      )}
    </SectionBox>
  );
}

type PartProps = {
  readonly client: Client;
  readonly section: Section<Client>;
};

function Switches({ client, section }: PartProps) {
  const { clientId } = useMerchant();
  const [said, setSaid] = useState('');
  const id = useId();
  const press = async (kind: BuyerMailKind, isOn: boolean) => {
    setSaid('');
    const body = { buyerMails: { [kind]: isOn } };
    const isSaved = await section.change(kind, () =>
      call('PATCH /v1/client', { body }, { clientId }),
    );
    if (isSaved) setSaid(`Saved. ${buyerMailTitles[kind]}: ${isOn ? 'on' : 'off'}.`);
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
