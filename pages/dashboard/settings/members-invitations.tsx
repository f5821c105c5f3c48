// Invitations by mail: the open ones, sending one again, and revoking one.

import type { Invitation } from '@svc/contract/members';
import { useMemo, useState } from 'preact/hooks';
import { call } from '../../kit/calls.ts';
import { choicesFor, meaningsFor, type Role, roleNames } from '../../kit/members-words.ts';
import { useMerchant } from '../../kit/merchant.ts';
import { Busy, Field, type Fields, Form } from '../../kit/parts/form.tsx';
import { Cancel, Select } from '../../kit/parts/inputs.tsx';
import { ActionButton, SectionBox, TroubleAt } from '../../kit/parts/section-box.tsx';
import { Empty } from '../../kit/parts/states.tsx';
import { FactLine, SaidAt } from '../../kit/parts/time.tsx';
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
  const [isInviting, setInviting] = useState(false);
  const isWaiting = useWaitingMails();
  const send = async (fields: Fields) => {
    const email = fields('email').trim();
    const body = { email, role: fields('role') as Role };
    const action = () => call('POST /v1/invitations', { body }, { clientId });
    await section.make('invite', action, sentWords(email, isWaiting));
    setInviting(false);
  };
  return (
    <SectionBox section={section} title="Invitations">
      {(invitations) => (
        <>
          {invitations.length === 0 && !isInviting && (
            <Empty title="Nobody is invited">
              <p>
                Invite people by their address. The link in the mail works for seven days and once.
              </p>
            </Empty>
          )}
          <ul class="rows">
            {invitations.map((invitation) => (
              <InvitationRow
                key={invitation.id}
                section={section}
                invitation={invitation}
                isWaiting={isWaiting}
              />
            ))}
          </ul>
          {isInviting ? (
            <Form
              submit="Send invitation"
              kind="second main"
              send={send}
              after={<Cancel onCancel={() => setInviting(false)} />}
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
          ) : (
            <Busy kind="second" onClick={() => setInviting(true)}>
              Invite somebody
            </Busy>
          )}
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

type RowProps = {
  section: Section<readonly Invitation[]>;
  invitation: Invitation;
  isWaiting: boolean;
};

function InvitationRow({ section, invitation, isWaiting }: RowProps) {
  const { clientId } = useMerchant();
  const { id, email, role, status, expiresAt } = invitation;
  const inviteAgain = () =>
    section.change(
      id,
      () => call('POST /v1/invitations', { body: { email, role } }, { clientId }),
      `${sentWords(email, isWaiting)} The old link is dead.`,
    );
  const revoke = () =>
    section.change(
      id,
      () => call('DELETE /v1/invitations/{invitationId}', { invitationId: id }, { clientId }),
      `${email} is not invited any more.`,
    );
  return (
    <li class="row">
      <div class="row-head">
        <span class="row-name">{email}</span>
        <span class="tag">{roleNames[role]}</span>
        {status === 'expired' && <span class="tag soon">Expired</span>}
      </div>
      <FactLine>
        <SaidAt said={status === 'expired' ? 'Ended' : 'Good until'} at={expiresAt} />
      </FactLine>
      <TroubleAt section={section} at={id} />
      <div class="ways">
        <ActionButton section={section} at={id} about={email} onAction={inviteAgain}>
          Send a new link
        </ActionButton>
        {status === 'open' && (
          <ActionButton
            section={section}
            at={`revoke ${id}`}
            about={email}
            isDanger
            onAction={revoke}
          >
            Take back
          </ActionButton>
        )}
      </div>
    </li>
  );
}
