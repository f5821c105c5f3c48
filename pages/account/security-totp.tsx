// The second factor: setting up an authenticator, its recovery codes, and removing it.

import type { Account } from '@svc/contract/account/account-shapes';
import type { NewAuthenticator } from '@svc/contract/account/authenticator';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { call } from '../kit/calls.ts';
import { ActionButton } from '../kit/parts/action-button.tsx';
import { Field, type Fields, Form } from '../kit/parts/form.tsx';
import { Cancel, CopyButton } from '../kit/parts/inputs.tsx';
import { TroubleAt } from '../kit/parts/section-box.tsx';
import type { Section } from '../kit/section.ts';
import { QrCode } from './security-qr.tsx';

type PartProps = { account: Section<Account>; facts: Account };
type Codes = readonly string[];

export function Authenticator({ account, facts }: PartProps) {
  const [begun, setBegun] = useState<NewAuthenticator | null>(null);
  const [codes, setCodes] = useState<Codes | null>(null);
  const begin = async () => {
    await account.change('totp', async () =>
      setBegun(await call('POST /v1/account/authenticator', { body: {} })),
    );
  };
  const confirm = async (code: string) => {
    const { recoveryCodes } = await account.make('totp', () =>
      call('POST /v1/account/authenticator/confirm', { body: { code } }),
    );
    setBegun(null);
    setCodes(recoveryCodes);
  };
  return (
    <div class="block-part">
      <div class="row-head">
        <h3>Authenticator</h3>
        {facts.hasAuthenticator && <span class="tag good">On</span>}
      </div>
      <TroubleAt section={account} at="totp" />
      {codes && <RecoveryCodes codes={codes} onDone={() => setCodes(null)} />}
      {facts.hasAuthenticator && !codes && (
        <TotpOn account={account} facts={facts} show={setCodes} />
      )}
      {!facts.hasAuthenticator && begun && (
        <SetUp begun={begun} confirm={confirm} onCancel={() => setBegun(null)} />
      )}
      {!facts.hasAuthenticator && !begun && (
        <>
          <p class="row-text">
            With an authenticator app on your phone, a stolen password alone is not enough to sign
            in.
          </p>
          <ActionButton section={account} at="totp" onAction={begin}>
            Set up an authenticator
          </ActionButton>
        </>
      )}
    </div>
  );
}

type SetUpProps = {
  begun: NewAuthenticator;
  confirm: (code: string) => Promise<void>;
  onCancel: () => void;
};

/** The key as a QR code and as text. It counts only after a valid code of it was entered. */
function SetUp({ begun, confirm, onCancel }: SetUpProps) {
  const groups = begun.secret.match(/.{1,4}/g)?.join(' ') ?? begun.secret;
  return (
    <>
      <p class="row-text">Scan this with your authenticator app, then type the code it shows.</p>
      <QrCode text={begun.uri} label="The key for your authenticator app" />
      <p class="row-text">Or type this key into the app:</p>
      <p class="secret">
        <code>{groups}</code>
        <CopyButton text={begun.secret} about="the key" />
      </p>
      <Form
        submit="Switch on"
        kind="second main"
        send={(fields: Fields) => confirm(fields('code').replace(/\s/g, ''))}
        after={<Cancel onCancel={onCancel} />}
      >
        <Field
          label="Code"
          name="code"
          class="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={7}
          hint="Six digits, new every 30 seconds."
          hasFocus
        />
      </Form>
    </>
  );
}

type OnProps = PartProps & { show: (codes: Codes) => void };

function TotpOn({ account, facts, show }: OnProps) {
  const left = facts.recoveryCodesLeft;
  const renew = () =>
    account.change('totp', async () =>
      show((await call('POST /v1/account/recovery-codes', { body: {} })).recoveryCodes),
    );
  const remove = () =>
    account.change(
      'totp',
      () => call('DELETE /v1/account/authenticator', {}),
      'The authenticator is off.',
    );
  return (
    <>
      <p class="row-text">
        You sign in with your password and a code. {left} recovery{' '}
        {left === 1 ? 'code is' : 'codes are'} left in case you lose your phone.
      </p>
      <div class="ways">
        <ActionButton
          section={account}
          at="codes"
          onAction={renew}
          question={{
            title: 'Make new recovery codes?',
            yes: 'Make new codes',
            text: <p>Your current codes stop working.</p>,
          }}
        >
          New recovery codes
        </ActionButton>
        <ActionButton
          section={account}
          at="totp"
          kind="quiet danger"
          onAction={remove}
          question={{
            title: 'Switch the authenticator off?',
            yes: 'Switch off',
            no: 'Keep it on',
            text: (
              <p>You will sign in with your password only. Your recovery codes stop working.</p>
            ),
          }}
        >
          Switch off
        </ActionButton>
      </div>
    </>
  );
}

function RecoveryCodes({ codes, onDone }: { codes: Codes; onDone: () => void }) {
  const box = useRef<HTMLElement>(null);
  useLayoutEffect(() => box.current?.focus(), []);
  return (
    <section class="once" aria-label="Recovery codes" tabIndex={-1} ref={box}>
      <h4>Your recovery codes</h4>
      <p>
        Each code signs you in once without your phone. Store them away from the phone. They are
        shown only once.
      </p>
      <ul class="codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <CopyButton text={codes.join('\n')} about="the recovery codes" />
      <p>
        <button type="button" class="second" onClick={onDone}>
          I have put them away
        </button>
      </p>
    </section>
  );
}
