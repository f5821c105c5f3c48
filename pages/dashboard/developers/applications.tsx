// The merchant's own OAuth applications: programs that act for people who allow it. Contract §6.

import type { Application } from '@svc/contract/developers/applications';
import { useMemo, useState } from 'preact/hooks';
import { call } from '../../kit/calls.ts';
import { type RowAction, RowList, type RowSpec } from '../../kit/list/row-list.tsx';
import { useMerchant } from '../../kit/merchant.ts';
import { SecretOnce } from '../../kit/parts/inputs.tsx';
import { SectionBox } from '../../kit/parts/section-box.tsx';
import { timeFact } from '../../kit/parts/time.tsx';
import { readAll } from '../../kit/read.ts';
import { scopesInWords } from '../../kit/scopes.ts';
import { Section } from '../../kit/section.ts';
import { ApplicationForm, type ApplicationWish } from './applications-form.tsx';

type Applications = Section<readonly Application[]>;
type Secret = { readonly id: string; readonly name: string; readonly value: string };

export function ApplicationsSection() {
  const { clientId } = useMerchant();
  const section = useMemo(
    () =>
      new Section(() =>
        readAll((place) =>
          call('GET /v1/applications', { sortField: 'createdAt', ...place }, { clientId }),
        ),
      ),
    [clientId],
  );
  const [secret, setSecret] = useState<Secret | null>(null);
  const create = async (wish: ApplicationWish) => {
    const said = `The application “${wish.name}” is created.`;
    const send = () => call('POST /v1/applications', { body: wish }, { clientId });
    const made = await section.make('create', send, said);
    setSecret(made.secret ? { id: made.id, name: made.name, value: made.secret } : null);
  };
  const makeForm = (close: () => void) => (
    <ApplicationForm
      submit="Make application"
      send={async (wish) => {
        await create(wish);
        close();
      }}
      onCancel={close}
    />
  );
  return (
    <SectionBox
      section={section}
      title="OAuth applications"
      intro="Programs of yours that act for people who allow it, instead of using an API token."
    >
      {(applications) => (
        <>
          {secret && <SecretShown secret={secret} onDone={() => setSecret(null)} />}
          <RowList
            spec={applicationsSpec({ section, clientId, show: setSecret })}
            section={section}
            rows={applications}
            add={{ label: 'Make an application', form: makeForm }}
          />
        </>
      )}
    </SectionBox>
  );
}

const SecretShown = ({ secret, onDone }: { secret: Secret; onDone: () => void }) => (
  <SecretOnce
    title={`The secret of “${secret.name}”`}
    secret={secret.value}
    about="the secret"
    onDone={onDone}
  >
    <p>
      Give it to the application, with the client id <code>{secret.id}</code> and the address of
      this service, <code>{location.origin}</code>: its OAuth library finds the rest there.
    </p>
  </SecretOnce>
);

type Given = {
  readonly section: Applications;
  readonly clientId: string;
  readonly show: (secret: Secret | null) => void;
};

const applicationsSpec = (given: Given): RowSpec<Application> => ({
  title: 'OAuth applications',
  noun: ['application', 'applications'],
  keyOf: ({ id }) => id,
  nameOf: ({ name }) => name,
  tagsOf: ({ kind }) => [
    { text: kind === 'public' ? 'No secret' : 'With a secret', tone: 'plain' },
  ],
  factsOf: ({ createdAt, uri }) => [timeFact('Made', createdAt), uri],
  textOf: ({ id, redirectUris, scopes }) => (
    <>
      <p class="row-text">
        Client id <code>{id}</code>
      </p>
      <ul class="scopes">
        {redirectUris.map((uri) => (
          <li key={uri}>
            <code>{uri}</code>
          </li>
        ))}
      </ul>
      <p class="row-text">May ask for: {scopesInWords(scopes)}</p>
    </>
  ),
  actionsOf: (application) => [
    changeOf(application, given),
    application.kind === 'confidential' && newSecretOf(application, given),
    removalOf(application, given),
  ],
  empty: {
    title: 'No application yet',
    text: (
      <p>
        Create one for a tool that your people sign in to. Each person decides on our page what the
        tool may do and at which merchant, and can revoke it. Agents with an address of their own
        need none.
      </p>
    ),
  },
});

function changeOf(application: Application, { section, clientId }: Given): RowAction {
  const { id, version } = application;
  const save = async ({ kind: _, ...changes }: ApplicationWish) => {
    const body = { version, ...changes };
    const action = () => call('PATCH /v1/applications/{id}', { id, body }, { clientId });
    await section.make(`edit ${id}`, action, `The application “${changes.name}” is saved.`);
  };
  return {
    label: 'Change',
    form: (close) => (
      <ApplicationForm
        application={application}
        submit="Save application"
        send={async (wish) => {
          await save(wish);
          close();
        }}
        onCancel={close}
      />
    ),
  };
}

const newSecretOf = ({ id, name }: Application, { clientId, show }: Given): RowAction => ({
  label: 'New secret',
  action: async () => {
    show(null);
    const input = { id, body: {} };
    const { secret } = await call('POST /v1/applications/{id}/rotate-secret', input, { clientId });
    show(secret ? { id, name, value: secret } : null);
  },
  question: {
    title: `Make a new secret for “${name}”?`,
    yes: 'Make a new secret',
    text: <p>The current secret stops working at once.</p>,
  },
});

const removalOf = ({ id, name }: Application, { clientId, show }: Given): RowAction => ({
  label: 'Remove',
  isDanger: true,
  action: () => {
    show(null);
    return call('DELETE /v1/applications/{id}', { id }, { clientId });
  },
  said: `The application “${name}” is removed.`,
  question: {
    title: `Remove “${name}”?`,
    yes: 'Remove',
    no: 'Keep it',
    text: <p>Every access that people gave it ends with its next request.</p>,
  },
});
