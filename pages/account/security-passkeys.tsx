// Passkeys: keys stored by a device or a password manager, which a phishing page cannot use.

import type { Passkey } from '@svc/contract/account/passkeys';
import { useMemo, useState } from 'preact/hooks';
import { CallFailure, call } from '../kit/calls.ts';
import { ActionButton } from '../kit/parts/action-button.tsx';
import { Busy, Field, type Fields, Form } from '../kit/parts/form.tsx';
import { Cancel } from '../kit/parts/inputs.tsx';
import { SectionBox, TroubleAt } from '../kit/parts/section-box.tsx';
import { Empty } from '../kit/parts/states.tsx';
import { FactLine, SaidAt } from '../kit/parts/time.tsx';
import { createPasskey, hasPasskeys, PasskeyGivenUp } from '../kit/passkey.ts';
import { Section } from '../kit/section.ts';

type Keys = Section<readonly Passkey[]>;

const passkeyFailure = (message: string) => new CallFailure(422, { message });

/** Has the device make a passkey, and the service store it under the name. */
async function makePasskey(name: string): Promise<void> {
  const options = await call('POST /v1/account/passkeys/options', { body: {} });
  const made = await createPasskey(options).catch((cause: unknown) => {
    if (cause instanceof PasskeyGivenUp) throw passkeyFailure('No passkey was made. Try again.');
    throw passkeyFailure('This device already has a passkey of your account.');
  });
  await call('POST /v1/account/passkeys', { body: { name, passkey: made } });
}

export function Passkeys() {
  const section = useMemo(
    () => new Section(async () => (await call('GET /v1/account/passkeys', {})).data),
    [],
  );
  const [isAdding, setAdding] = useState(false);
  const send = async (fields: Fields) => {
    const name = fields('name').trim();
    await section.make('add', () => makePasskey(name), `The passkey “${name}” is added.`);
    setAdding(false);
  };
  return (
    <SectionBox
      section={section}
      title="Passkeys"
      intro="Sign in with your finger, face or PIN instead of a password. A passkey cannot be phished."
    >
      {(passkeys) => (
        <>
          {passkeys.length === 0 && !isAdding && (
            <Empty title="No passkey yet">
              <p>Your phone, your computer or your password manager can keep one for you.</p>
            </Empty>
          )}
          <ul class="rows">
            {passkeys.map((passkey) => (
              <PasskeyRow key={passkey.id} section={section} passkey={passkey} />
            ))}
          </ul>
          {isAdding ? (
            <Form
              submit="Add passkey"
              kind="second main"
              send={send}
              after={<Cancel onCancel={() => setAdding(false)} />}
            >
              <Field
                label="Name"
                name="name"
                maxLength={100}
                hint="The device that keeps it, for example “My phone”."
                hasFocus
              />
            </Form>
          ) : (
            <AddButton onClick={() => setAdding(true)} />
          )}
        </>
      )}
    </SectionBox>
  );
}

const AddButton = ({ onClick }: { onClick: () => void }) =>
  hasPasskeys() ? (
    <Busy kind="second" onClick={onClick}>
      Add a passkey
    </Busy>
  ) : (
    <p class="fine">This browser cannot make passkeys.</p>
  );

type RowProps = { section: Keys; passkey: Passkey };

function PasskeyRow({ section, passkey }: RowProps) {
  const [isRenaming, setRenaming] = useState(false);
  const { id, name, createdAt, lastUsedAt } = passkey;
  const send = async (fields: Fields) => {
    const wanted = fields('name').trim();
    await section.make(
      `rename ${id}`,
      () =>
        call('PATCH /v1/account/passkeys/{passkeyId}', { passkeyId: id, body: { name: wanted } }),
      'The name is saved.',
    );
    setRenaming(false);
  };
  const remove = () =>
    section.change(
      id,
      () => call('DELETE /v1/account/passkeys/{passkeyId}', { passkeyId: id }),
      `The passkey “${name}” is removed.`,
    );
  return (
    <li class="row">
      <span class="row-name">{name}</span>
      <FactLine>
        <SaidAt said="Added" at={createdAt} />
        {lastUsedAt ? <SaidAt said="Last used" at={lastUsedAt} /> : 'Never used'}
      </FactLine>
      <TroubleAt section={section} at={id} />
      {isRenaming ? (
        <Form
          submit="Save name"
          kind="second main"
          send={send}
          after={<Cancel onCancel={() => setRenaming(false)} />}
        >
          <Field label="Name" name="name" maxLength={100} value={name} hasFocus />
        </Form>
      ) : (
        <div class="ways">
          <ActionButton
            section={section}
            at={`rename ${id}`}
            about={name}
            onAction={() => setRenaming(true)}
          >
            Rename
          </ActionButton>
          <ActionButton
            section={section}
            at={id}
            about={name}
            kind="quiet danger"
            onAction={remove}
            question={{
              title: `Remove the passkey “${name}”?`,
              yes: 'Remove',
              no: 'Keep it',
              text: <p>It will no longer sign you in. Delete it from the device as well.</p>,
            }}
          >
            Remove
          </ActionButton>
        </div>
      )}
    </li>
  );
}
