// The people of one merchant, with their roles. Contract §6.

import type { Member } from '@svc/contract/members';
import { may } from '@svc/contract/roles';
import { useMemo, useState } from 'preact/hooks';
import { call } from '../../kit/calls.ts';
import { choicesFor, meaningsFor, type Role, roleNames } from '../../kit/members-words.ts';
import { useMerchant } from '../../kit/merchant.ts';
import { Block } from '../../kit/parts/facts.tsx';
import { type Fields, Form } from '../../kit/parts/form.tsx';
import { Cancel, Select } from '../../kit/parts/inputs.tsx';
import { ActionButton, SectionBox, TroubleAt } from '../../kit/parts/section-box.tsx';
import { Empty } from '../../kit/parts/states.tsx';
import { FactLine, SaidAt } from '../../kit/parts/time.tsx';
import { readAll } from '../../kit/read.ts';
import { Section } from '../../kit/section.ts';
import { InvitationsSection } from './members-invitations.tsx';
import { LeaveSection, RemoveMember } from './members-leaving.tsx';
import { type Stopping, StopTokens, tokensInTheWay } from './members-tokens.tsx';

export type MembersProps = {
  /** The person's own role, which may have changed since it was read. */
  readonly role: Role;
  /** Called when the person has changed the own role. */
  readonly onOwnRole: () => void;
};

export const listMembers = (clientId: string): Promise<readonly Member[]> =>
  readAll((place) =>
    call(
      'GET /v1/members',
      { sortField: 'createdAt', sortDirection: 'ASC', ...place },
      { clientId },
    ),
  );

/** `role`: the person's own; who may not change people sees nobody else. */
export function MembersSection(props: MembersProps) {
  const { role } = props;
  if (!may(role, 'people.write')) {
    return (
      <>
        <Block>
          <Empty title="Who else works here">
            <p>Owners and admins see it, and invite people.</p>
          </Empty>
        </Block>
        <LeaveSection />
      </>
    );
  }
  return (
    <>
      <People {...props} />
      <InvitationsSection role={role} />
      <LeaveSection />
    </>
  );
}

function People(props: MembersProps) {
  const { clientId } = useMerchant();
  const section = useMemo(() => new Section(() => listMembers(clientId)), [clientId]);
  return (
    <SectionBox section={section} title="Members" intro={meaningsFor('owner')}>
      {(members) => (
        <ul class="rows">
          {members.map((member) => (
            <MemberRow key={member.userId} {...props} section={section} member={member} />
          ))}
        </ul>
      )}
    </SectionBox>
  );
}

type RowProps = MembersProps & { section: Section<readonly Member[]>; member: Member };

function MemberRow({ section, member, role, onOwnRole }: RowProps) {
  const { clientId } = useMerchant();
  const [isChanging, setChanging] = useState(false);
  const [isLeaving, setLeaving] = useState(false);
  const [stopping, setStopping] = useState<Stopping | null>(null);
  const { userId, email, name, isYou, activeTokens } = member;
  const called = name ?? email;
  const send = async (fields: Fields) => {
    const wanted = fields('role') as Role;
    const stopping = await section.make(`role ${userId}`, () =>
      tokensInTheWay(() =>
        call('PATCH /v1/members/{userId}', { userId, body: { role: wanted } }, { clientId }),
      ),
    );
    setChanging(false);
    if (stopping) setStopping({ role: wanted, tokens: stopping });
    else changeRole(wanted);
  };
  const changeRole = (wanted: Role) => {
    const said = `${isYou ? 'You are' : `${called} is`} now: ${roleNames[wanted]}.`;
    section.news.value = { text: said };
    if (isYou) onOwnRole();
  };
  // Only owners touch owners; the service would refuse the others.
  const mayTouch = may(role, 'owners.write') || member.role !== 'owner';
  return (
    <li class="row">
      <div class="row-head">
        <span class="row-name">{called}</span>
        <span class="tag">{roleNames[member.role]}</span>
        {isYou && <span class="tag good">You</span>}
      </div>
      <FactLine>
        {name && email}
        <SaidAt said="Since" at={member.createdAt} />
        {activeTokens > 0 && `${activeTokens} API ${activeTokens === 1 ? 'token' : 'tokens'}`}
      </FactLine>
      <TroubleAt section={section} at={userId} />
      {isChanging && (
        <Form
          submit="Save role"
          kind="second main"
          send={send}
          after={<Cancel onCancel={() => setChanging(false)} />}
        >
          <Select label="Role" name="role" value={member.role} choices={choicesFor(role)} />
        </Form>
      )}
      {mayTouch && !isChanging && (
        <div class="ways">
          <ActionButton
            section={section}
            at={`role ${userId}`}
            about={called}
            onAction={() => setChanging(true)}
          >
            Change role
          </ActionButton>
          {!isYou && (
            <ActionButton
              section={section}
              at={userId}
              about={called}
              isDanger
              onAction={() => setLeaving(true)}
            >
              Remove
            </ActionButton>
          )}
        </div>
      )}
      {stopping && (
        <StopTokens
          {...stopping}
          {...{ section, member }}
          onDone={(isDone) => {
            setStopping(null);
            if (isDone) changeRole(stopping.role);
          }}
        />
      )}
      {isLeaving && (
        <RemoveMember section={section} member={member} onDone={() => setLeaving(false)} />
      )}
    </li>
  );
}
