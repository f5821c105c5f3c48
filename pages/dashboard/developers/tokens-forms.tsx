// The forms for making a token and giving one a new value, and the value itself, which is shown once.

import type { ApiToken, ApiTokenWithValue } from '@svc/contract/developers/api-tokens';
import { may, roleWords } from '@svc/contract/rows/roles';
import { useState } from 'preact/hooks';
import { call } from '../../kit/calls.ts';
import type { Role } from '../../kit/members-words.ts';
import { useMerchant } from '../../kit/merchant.ts';
import { Field, type Fields, Form } from '../../kit/parts/form.tsx';
import { Cancel, CopyButton, SecretOnce, Select } from '../../kit/parts/inputs.tsx';
import { SaidAt } from '../../kit/parts/time.tsx';
import type { Section } from '../../kit/section.ts';
import { ScopeChoice, scopesIn } from './scope-choice.tsx';
import { scopesWithoutUse } from './tokens-scopes.ts';

type FormProps = {
  section: Section<readonly ApiToken[]>;
  onMade: (made: ApiTokenWithValue, facts?: { readonly oldUntil: string | null }) => void;
  onCancel: () => void;
};

const day = 86_400;
const expiryChoices: Readonly<Record<string, string>> = {
  never: 'Never',
  [30 * day]: 'In 30 days',
  [90 * day]: 'In 90 days',
  [365 * day]: 'In a year',
};
const overlaps: Readonly<Record<string, string>> = {
  0: 'Stops at once',
  3600: 'Works for an hour more',
  [day]: 'Works for a day more',
  [7 * day]: 'Works for a week more',
};

const expiryOfChoice = (choice: string): string | null =>
  choice === 'never' ? null : new Date(Date.now() + Number(choice) * 1000).toISOString();

export function MakeToken({ section, onMade, onCancel, role }: FormProps & { role: Role }) {
  const { clientId } = useMerchant();
  const [isLimited, setLimited] = useState(false);
  const send = async (fields: Fields) => {
    const body = {
      name: fields('name').trim(),
      description: fields('description').trim() || null,
      expiresAt: expiryOfChoice(fields('ends')),
      // The form offers no scope that a token has no use for.
      scopes: isLimited ? scopesIn(fields).filter((scope) => scope !== 'mcp') : null,
    };
    const action = () => call('POST /v1/api-tokens', { body }, { clientId });
    onMade(await section.make('create', action));
  };
  return (
    <Form
      submit="Create token"
      kind="second main"
      send={send}
      after={<Cancel onCancel={onCancel} />}
    >
      <Field
        label="Name"
        name="name"
        maxLength={100}
        hint="The program that will use the token, for example “Shop backend”."
        hasFocus
      />
      <Field label="Description" name="description" maxLength={255} isOptional />
      <Select label="Ends" name="ends" value={String(365 * day)} choices={expiryChoices} />
      <fieldset class="picks">
        <legend>What it may do</legend>
        <label>
          <input
            type="radio"
            name="limited"
            checked={!isLimited}
            onChange={() => setLimited(false)}
          />
          <span>
            Everything that your role allows
            {may(role, 'people.write') && (
              <small>Except people and applications: choose those yourself.</small>
            )}
          </span>
        </label>
        <label>
          <input
            type="radio"
            name="limited"
            checked={isLimited}
            onChange={() => setLimited(true)}
          />
          <span>
            Only what you choose
            <small>
              {may(role, 'checkout.vouch')
                ? 'Together with starting checkouts, collecting payments lets the token set its own prices, and seeing saved cards lets it charge them.'
                : `With the role ${roleWords[role].name}, a token moves no money, whatever you choose: its checkouts use the catalog’s prices and charge no saved card.`}
            </small>
          </span>
        </label>
      </fieldset>
      {isLimited && <ScopeChoice without={scopesWithoutUse(role)} />}
    </Form>
  );
}

export function RotateToken(props: FormProps & { token: ApiToken }) {
  const { section, token, onMade, onCancel } = props;
  const { clientId } = useMerchant();
  const send = async (fields: Fields) => {
    const seconds = Number(fields('overlap'));
    const until = new Date(Date.now() + seconds * 1000).toISOString();
    const input = { id: token.id, body: { overlapSeconds: seconds } };
    const action = () => call('POST /v1/api-tokens/{id}/rotate', input, { clientId });
    onMade(await section.make(`rotate ${token.id}`, action), {
      oldUntil: seconds > 0 ? until : null,
    });
  };
  return (
    <Form
      submit="Create a new value"
      kind="second main"
      send={send}
      after={<Cancel onCancel={onCancel} />}
    >
      <Select
        label="The old value"
        name="overlap"
        value={String(day)}
        choices={overlaps}
        hint="Until then, put the new value into your program. Revoking the token ends both values."
      />
    </Form>
  );
}

export type CreatedToken = {
  readonly token: ApiTokenWithValue;
  /** How long the previous value still works; absent when it does not. */
  readonly oldUntil?: string | null;
};

type ValueProps = { made: CreatedToken; onDone: () => void };

/** The token's value, with a first call to try it. */
export function TokenValue({ made: { token: made, oldUntil }, onDone }: ValueProps) {
  const { clientId } = useMerchant();
  const line = `curl -u ${clientId}:${made.token} ${location.origin}/v1/payments`;
  return (
    <SecretOnce
      title={`The value of “${made.name}”`}
      secret={made.token}
      about="the token"
      onDone={onDone}
    >
      {oldUntil && (
        <p>
          <SaidAt said="The old value works until" at={oldUntil} />, or until the token is revoked.
        </p>
      )}
      <p>Try it from your server:</p>
      <code class="code-line">{line}</code>
      <p>
        <CopyButton text={line} about="the command" />
      </p>
    </SecretOnce>
  );
}
