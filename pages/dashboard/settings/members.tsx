// The people of one merchant, with their roles. Contract §6.

import { may } from '@svc/contract/rows/roles';
import type { Member } from '@svc/contract/settings/members';
import { useMemo, useState } from 'preact/hooks';
import { call } from '../../kit/calls.ts';
import { RowList, type RowSpec } from '../../kit/list/row-list.tsx';
import { choicesFor, meaningsFor, type Role, roleNames } from '../../kit/members-words.ts';
import { useMerchant } from '../../kit/merchant.ts';
import { Block } from '../../kit/parts/facts.tsx';
import { type Fields, Form } from '../../kit/parts/form.tsx';
import { Cancel, Select } from '../../kit/parts/inputs.tsx';
import { SectionBox } from '../../kit/parts/section-box.tsx';
import { timeFact } from '../../kit/parts/time.tsx';
import { readAll } from '../../kit/read.ts';
import { Section } from '../../kit/section.ts';
import { countedNoun } from '../../kit/words.ts';
import { InvitationsSection } from './members-invitations.tsx';
import { LeaveSection, RemoveMember } from './members-leaving.tsx';
import { runOrListStoppingTokens, type Stopping, StopTokens } from './members-tokens.tsx';

export type MembersProps = {
  /** The person's own role, which may have changed since it was read. */
  readonly role: Role;
  /** Called when the person has changed their own role. */
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
        <Block title="Who else works here">
          <p>Owners and admins see it, and invite people.</p>
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
        <RowList spec={membersSpec({ ...props, section })} section={section} rows={members} />
      )}
    </SectionBox>
  );
}

type Given = MembersProps & { readonly section: Section<readonly Member[]> };

const calledOf = ({ name, email }: Member) => name ?? email;

const membersSpec = (given: Given): RowSpec<Member> => ({
  title: 'Members',
  noun: ['member', 'members'],
  keyOf: ({ userId }) => userId,
  nameOf: calledOf,
  tagsOf: ({ role, isYou }) => [
    { text: roleNames[role], tone: 'plain' },
    isYou && { text: 'You', tone: 'good' },
  ],
  factsOf: ({ name, email, createdAt, activeTokens }) => [
    name && email,
    timeFact('Since', createdAt),
    activeTokens > 0 && countedNoun(activeTokens, ['API token', 'API tokens']),
  ],
  actionsOf: (member) => {
    // Only owners touch owners; the service would refuse the others.
    const mayTouch = may(given.role, 'owners.write') || member.role !== 'owner';
    return [
      mayTouch && {
        label: 'Change role',
        form: (close) => <ChangeRole {...given} member={member} onDone={close} />,
      },
      mayTouch &&
        !member.isYou && {
          label: 'Remove',
          isDanger: true,
          dialog: (close) => (
            <RemoveMember section={given.section} member={member} onDone={close} />
          ),
        },
    ];
  },
  empty: { title: 'Nobody is a member' },
});

type ChangeProps = Given & { readonly member: Member; readonly onDone: () => void };

function ChangeRole({ section, member, role, onOwnRole, onDone }: ChangeProps) {
  const { clientId } = useMerchant();
  const [stopping, setStopping] = useState<Stopping | null>(null);
  const { userId, isYou } = member;
  const send = async (fields: Fields) => {
    const wanted = fields('role') as Role;
    const tokens = await section.make(`role ${userId}`, () =>
      runOrListStoppingTokens(() =>
        call('PATCH /v1/members/{userId}', { userId, body: { role: wanted } }, { clientId }),
      ),
    );
    if (tokens) setStopping({ role: wanted, tokens });
    else tellRole(wanted);
  };
  const tellRole = (wanted: Role) => {
    const said = `${isYou ? 'You are' : `${calledOf(member)} is`} now: ${roleNames[wanted]}.`;
    section.news.value = { text: said };
    onDone();
    if (isYou) onOwnRole();
  };
  if (stopping) {
    const onAnswer = (isDone: boolean) => (isDone ? tellRole(stopping.role) : onDone());
    return <StopTokens {...stopping} {...{ section, member }} onDone={onAnswer} />;
  }
  return (
    <Form submit="Save role" kind="second main" send={send} after={<Cancel onCancel={onDone} />}>
      <Select label="Role" name="role" value={member.role} choices={choicesFor(role)} />
    </Form>
  );
}
