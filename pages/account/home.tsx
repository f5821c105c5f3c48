// The person's own page: name, merchants, ways to sign in, browsers, applications.

import type { OwnMembership } from '@svc/contract/account/account';
import { useMemo, useState } from 'preact/hooks';
import { call } from '../kit/calls.ts';
import { roleNames } from '../kit/members-words.ts';
import { useMemberships } from '../kit/memberships.ts';
import { ActionButton } from '../kit/parts/action-button.tsx';
import { Field, Form } from '../kit/parts/form.tsx';
import { Cancel } from '../kit/parts/inputs.tsx';
import { SectionBox } from '../kit/parts/section-box.tsx';
import { Empty } from '../kit/parts/states.tsx';
import { WidePage } from '../kit/parts/wide-page.tsx';
import { readPerson } from '../kit/person.ts';
import { Section } from '../kit/section.ts';
import { Consents } from './consents.tsx';
import { recentAccessPath } from './recent-access.tsx';
import { Security } from './security.tsx';
import { SignIns } from './sign-ins.tsx';

export function Home() {
  return (
    <WidePage title="Your account">
      <YourAccount />
      <Merchants />
      <Security />
      <SignIns />
      <Consents />
      <p class="fine">
        <a href="/account/activity">What happened in your account</a>
      </p>
      <p class="fine">
        <a href={recentAccessPath}>Created in the last 30 days</a>
      </p>
    </WidePage>
  );
}

function YourAccount() {
  const account = useMemo(() => new Section(() => call('GET /v1/account', {})), []);
  const [isEditing, setEditing] = useState(false);
  const rename = async (name: string) => {
    await account.make(
      'name',
      () => call('PATCH /v1/account', { body: { name: name || null } }),
      'Your name is saved.',
    );
    setEditing(false);
    await readPerson();
  };
  return (
    <SectionBox section={account} title="You">
      {({ email, name }) => (
        <>
          <dl class="pairs">
            <div>
              <dt>Address</dt>
              <dd>{email}</dd>
            </div>
            <div>
              <dt>Name</dt>
              <dd>{name ?? 'No name yet'}</dd>
            </div>
          </dl>
          {isEditing ? (
            <Form
              submit="Save name"
              kind="second main"
              send={(fields) => rename(fields('name').trim())}
              after={<Cancel onCancel={() => setEditing(false)} />}
            >
              <Field
                label="Name"
                name="name"
                maxLength={100}
                autoComplete="name"
                value={name ?? ''}
                hint="Other members of your merchants see it."
                hasFocus
              />
            </Form>
          ) : (
            <ActionButton section={account} at="name" onAction={() => setEditing(true)}>
              Change name
            </ActionButton>
          )}
        </>
      )}
    </SectionBox>
  );
}

function Merchants() {
  const section = useMemberships();
  return (
    <SectionBox section={section} title="Your merchants">
      {(memberships) =>
        memberships.length === 0 ? (
          <Empty title="You belong to no merchant">
            <p>An owner or admin can invite you by email. The link in the invitation adds you.</p>
          </Empty>
        ) : (
          <ul class="rows">
            {memberships.map((membership) => (
              <MerchantRow key={membership.clientId} membership={membership} />
            ))}
          </ul>
        )
      }
    </SectionBox>
  );
}

const MerchantRow = ({ membership }: { membership: OwnMembership }) => (
  <li class="row merchant-row">
    <div class="row-head">
      <a class="row-name" href={`/dashboard/${membership.clientId}`}>
        {membership.name}
      </a>
      <span class="tag">{roleNames[membership.role]}</span>
    </div>
  </li>
);
