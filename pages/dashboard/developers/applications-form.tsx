// The form of an OAuth application: name, address, redirect addresses, and the scopes that it may ask for.

import type { Application } from '@svc/contract/developers/applications';
import { useId } from 'preact/hooks';
import { Field, type Fields, Form } from '../../kit/parts/form.tsx';
import { Cancel, Select } from '../../kit/parts/inputs.tsx';
import type { InputFor } from '../../kit/rows.ts';
import { ScopeChoice, scopesIn } from './scope-choice.tsx';

export type ApplicationWish = InputFor<'POST /v1/applications'>['body'];

type FormProps = {
  /** The application to change; absent for a new one. */
  readonly application?: Application;
  readonly submit: string;
  readonly send: (wish: ApplicationWish) => Promise<unknown>;
  readonly onCancel: () => void;
};

const kinds: Readonly<Record<Application['kind'], string>> = {
  confidential: 'On a server, which can keep a secret',
  public: 'On people’s devices, without a secret',
};

export function ApplicationForm({ application, submit, send, onCancel }: FormProps) {
  const read = (fields: Fields): ApplicationWish => ({
    name: fields('name').trim(),
    uri: fields('uri').trim() || null,
    kind: application?.kind ?? (fields('kind') as Application['kind']),
    redirectUris: fields('redirectUris').split(/\s+/).filter(Boolean),
    scopes: scopesIn(fields),
  });
  return (
    <Form
      submit={submit}
      kind="second main"
      send={async (fields) => send(read(fields))}
      after={<Cancel onCancel={onCancel} />}
    >
      <Field
        label="Name"
        name="name"
        maxLength={100}
        value={application?.name ?? ''}
        hint="People see this name when the application asks for access."
        hasFocus
      />
      <Field
        label="Its web address"
        name="uri"
        type="url"
        maxLength={500}
        value={application?.uri ?? ''}
        isOptional
      />
      {!application && <Select label="Where it runs" name="kind" choices={kinds} />}
      <RedirectUris given={application?.redirectUris ?? []} />
      <ScopeChoice chosen={application?.scopes ?? []} />
    </Form>
  );
}

function RedirectUris({ given }: { given: readonly string[] }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>Redirect addresses</label>
      <textarea
        id={id}
        name="redirectUris"
        rows={3}
        spellcheck={false}
        aria-describedby={`${id}-hint`}
        defaultValue={given.join('\n')}
      />
      <p class="hint" id={`${id}-hint`}>
        One address per line, compared exactly: https, or http on 127.0.0.1, [::1] or localhost with
        any port for a program on a person’s own computer. Leave it empty for a device that shows a
        code.
      </p>
    </div>
  );
}
