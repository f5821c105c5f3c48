// Invitations by mail: the open ones, sending one again, and revoking one.

import type { Invitation } from '@svc/contract/settings/members';
import { useMemo } from 'preact/hooks';
import { call } from '../../kit/calls.ts';
import { RowList, type RowSpec } from '../../kit/list/row-list.tsx';
import { choicesFor, meaningsFor, type Role, roleNames } from '../../kit/members-words.ts';
import { useMerchant } from '../../kit/merchant.ts';
import { Field, type Fields, Form } from '../../kit/parts/form.tsx';
import { Cancel, Select } from '../../kit/parts/inputs.tsx';
import { SectionBox } from '../../kit/parts/section-box.tsx';
import { timeFact } from '../../kit/parts/time.tsx';
import { useWaitingMails, WaitingMails } from '../../kit/parts/waiting-mails.tsx';
import { readAll } from '../../kit/read.ts';
import { Section } from '../../kit/section.ts';

/** Lists invitations that are open or expired, newest first. */
async function listInvitations(clientId: string): Promise<readonly Invitation[]> {
  const all = await readAll((place) =>
    call('GET /v1/invitations', { sortField: 'createdAt', ...place }, { clientId }),
  );
  return all.filter(({ status }) => status === 'open' || status === 'expired');
}

export function InvitationsSection({ role }: { role: Role }) {
  const { clientId } = useMerchant();
  const section = useMemo(() => new Section(() => listInvitations(clientId)), [clientId]);
  const isWaiting = useWaitingMails();
  const send = async (fields: Fields) => {
    const email = fields('email').trim();
    const body = { email, role: fields('role') as Role };
    const action = () => call('POST /v1/invitations', { body }, { clientId });
    await section.make('invite', action, sentWords(email, isWaiting));
  };
  const inviteForm = (close: () => void) => (
    <Form
      submit="Send invitation"
      kind="second main"
      send={async (fields) => {
        await send(fields);
        close();
      }}
      after={<Cancel onCancel={close} />}
    >
      <Field label="Address" name="email" type="email" maxLength={254} hasFocus />
      <Select
        label="Role"
        name="role"
        value="member"
        choices={choicesFor(role)}
        hint={meaningsFor(role)}
      />
    </Form>
  );
  return (
    <SectionBox section={section} title="Invitations">
      {(invitations) => (
        <>
          <RowList
            spec={invitationsSpec({ clientId, isWaiting })}
            section={section}
            rows={invitations}
            add={{ label: 'Invite somebody', form: inviteForm }}
          />
          {isWaiting && <WaitingMails />}
        </>
      )}
    </SectionBox>
  );
}

const sentWords = (email: string, isWaiting: boolean): string =>
  isWaiting
    ? `${email} is invited. The mail with the link waits below.`
    : `The mail with the link is on its way to ${email}.`;

type Given = { readonly clientId: string; readonly isWaiting: boolean };

const invitationsSpec = ({ clientId, isWaiting }: Given): RowSpec<Invitation> => ({
  title: 'Invitations',
  noun: ['invitation', 'invitations'],
  keyOf: ({ id }) => id,
  nameOf: ({ email }) => email,
  tagsOf: ({ role, status }) => [
    { text: roleNames[role], tone: 'plain' },
    status === 'expired' && { text: 'Expired', tone: 'soon' },
  ],
  factsOf: ({ status, expiresAt }) => [
    timeFact(status === 'expired' ? 'Ended' : 'Good until', expiresAt),
  ],
  actionsOf: ({ id, email, role, status }) => [
    {
      label: 'Send a new link',
      action: () => call('POST /v1/invitations', { body: { email, role } }, { clientId }),
      said: `${sentWords(email, isWaiting)} The old link is dead.`,
    },
    status === 'open' && {
      label: 'Take back',
      isDanger: true,
      action: () =>
        call('DELETE /v1/invitations/{invitationId}', { invitationId: id }, { clientId }),
      said: `${email} is not invited any more.`,
    },
  ],
  empty: {
    title: 'Nobody is invited',
    text: <p>Invite people by email. The link in the mail works once, within seven days.</p>,
  },
});
