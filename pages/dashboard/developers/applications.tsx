// The merchant's own OAuth applications: programs that act for people who allow it. Contract §6.

import type { Application } from '@svc/contract/applications';
import { useMemo, useState } from 'preact/hooks';
import { call } from '../../kit/calls.ts';
import { useMerchant } from '../../kit/merchant.ts';
import { Busy } from '../../kit/parts/form.tsx';
import { SecretOnce } from '../../kit/parts/inputs.tsx';
import { ActionButton, SectionBox, TroubleAt } from '../../kit/parts/section-box.tsx';
import { Empty } from '../../kit/parts/states.tsx';
import { FactLine, SaidAt } from '../../kit/parts/time.tsx';
import { readAll } from '../../kit/read.ts';
import { meaningOf, sortByWeight } from '../../kit/scopes.ts';
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
  const [isMaking, setMaking] = useState(false);
  const [secret, setSecret] = useState<Secret | null>(null);
  const create = async (wish: ApplicationWish) => {
    const said = `The application “${wish.name}” is made.`;
    const send = () => call('POST /v1/applications', { body: wish }, { clientId });
    const made = await section.make('create', send, said);
    setMaking(false);
    setSecret(made.secret ? { id: made.id, name: made.name, value: made.secret } : null);
  };
  return (
    <SectionBox
      section={section}
      title="OAuth applications"
      intro="Programs of yours that act in the name of people who allow it, instead of holding an API token."
    >
      {(applications) => (
        <>
          {secret && <SecretShown secret={secret} onDone={() => setSecret(null)} />}
          {applications.length === 0 && !isMaking && <NoApplications />}
          <ul class="rows">
            {applications.map((application) => (
              <ApplicationRow
                key={application.id}
                section={section}
                application={application}
                show={setSecret}
              />
            ))}
          </ul>
          {isMaking ? (
            <ApplicationForm
              submit="Make application"
              send={create}
              onCancel={() => setMaking(false)}
            />
          ) : (
            <Busy kind="second" onClick={() => setMaking(true)}>
              Make an application
            </Busy>
          )}
        </>
      )}
    </SectionBox>
  );
}

const NoApplications = () => (
  <Empty title="No application yet">
    <p>
      Make one for a tool that your people sign in to: each of them says on our page what it may do
      and at which merchant, and can take it back. Agents that bring an address of their own need
      none.
    </p>
  </Empty>
);

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

type RowProps = {
  section: Applications;
  application: Application;
  show: (secret: Secret | null) => void;
};

function ApplicationRow({ section, application, show }: RowProps) {
  const { clientId } = useMerchant();
  const [isEditing, setEditing] = useState(false);
  const { id, name } = application;
  const save = async ({ kind: _, ...changes }: ApplicationWish) => {
    const body = { version: application.version, ...changes };
    const action = () => call('PATCH /v1/applications/{id}', { id, body }, { clientId });
    await section.make(`edit ${id}`, action, `The application “${changes.name}” is saved.`);
    setEditing(false);
  };
  return (
    <li class="row">
      <ApplicationFacts application={application} />
      <TroubleAt section={section} at={id} />
      {isEditing ? (
        <ApplicationForm
          application={application}
          submit="Save application"
          send={save}
          onCancel={() => setEditing(false)}
        />
      ) : (
        <div class="ways">
          <ActionButton
            section={section}
            at={`edit ${id}`}
            about={name}
            onAction={() => setEditing(true)}
          >
            Change
          </ActionButton>
          <EndsOfSecret section={section} application={application} show={show} />
        </div>
      )}
    </li>
  );
}

const ApplicationFacts = ({ application }: { application: Application }) => (
  <>
    <div class="row-head">
      <span class="row-name">{application.name}</span>
      <span class="tag">{application.kind === 'public' ? 'No secret' : 'With a secret'}</span>
    </div>
    <FactLine>
      <SaidAt said="Made" at={application.createdAt} />
      {application.uri}
    </FactLine>
    <p class="row-text">
      Client id <code>{application.id}</code>
    </p>
    <ul class="scopes">
      {application.redirectUris.map((uri) => (
        <li key={uri}>
          <code>{uri}</code>
        </li>
      ))}
    </ul>
    <p class="row-text">
      May ask for:{' '}
      {sortByWeight(application.scopes)
        .map((scope) => meaningOf(scope).title)
        .join(' · ')}
    </p>
  </>
);

/** A new secret, and the end of the application. */
function EndsOfSecret({ section, application, show }: RowProps) {
  const { clientId } = useMerchant();
  const { id, name } = application;
  const renew = () => {
    show(null);
    return section.change(id, async () => {
      const { secret } = await call(
        'POST /v1/applications/{id}/rotate-secret',
        { id, body: {} },
        { clientId },
      );
      show(secret ? { id, name, value: secret } : null);
    });
  };
  const remove = () => {
    show(null);
    return section.change(
      id,
      () => call('DELETE /v1/applications/{id}', { id }, { clientId }),
      `The application “${name}” is removed.`,
    );
  };
  return (
    <>
      {application.kind === 'confidential' && (
        <ActionButton
          section={section}
          at={id}
          about={name}
          onAction={renew}
          question={{
            title: `Make a new secret for “${name}”?`,
            yes: 'Make a new secret',
            text: <p>The secret that it has now stops at once.</p>,
          }}
        >
          New secret
        </ActionButton>
      )}
      <ActionButton
        section={section}
        at={id}
        about={name}
        isDanger
        onAction={remove}
        question={{
          title: `Remove “${name}”?`,
          yes: 'Remove',
          no: 'Keep it',
          text: <p>Every access that people gave it ends at its next request.</p>,
        }}
      >
        Remove
      </ActionButton>
    </>
  );
}
