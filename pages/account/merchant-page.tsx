// One merchant as a member of it sees it: people, API tokens, applications, audit log.

import type { OwnMembership } from '@svc/contract/account';
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { ApplicationsSection } from './applications.tsx';
import { AuditSection } from './audit.tsx';
import { Wide } from './home-frame.tsx';
import { type Memberships, useMemberships } from './home-memberships.ts';
import { CopyButton, Empty, SectionBox } from './home-parts.tsx';
import { MembersSection } from './members.tsx';
import { type Role, roleNames } from './members-words.ts';
import { MerchantCalls } from './merchant-calls.ts';
import { roleMeaning, roleWords } from './roles.ts';
import { TokensSection } from './tokens.tsx';

export type MerchantProps = {
  readonly calls: MerchantCalls;
  /** The person's own role, which may have changed since. */
  readonly role: Role;
  readonly isSandbox: boolean;
  /** The person changed the own role. */
  readonly onOwnRole: () => void;
};

type SectionName = 'members' | 'tokens' | 'applications' | 'audit';

const sections: Readonly<
  Record<SectionName, { title: string; show: (p: MerchantProps) => VNode }>
> = {
  members: { title: 'Members', show: (props) => <MembersSection {...props} /> },
  tokens: { title: 'API tokens', show: (props) => <TokensSection {...props} /> },
  applications: {
    title: 'Applications',
    show: ({ calls }) => <ApplicationsSection calls={calls} />,
  },
  audit: { title: 'Audit log', show: ({ calls }) => <AuditSection calls={calls} /> },
};

/** What members of the plain role may see of a merchant. */
const ofMembers: readonly SectionName[] = ['members', 'tokens'];

type PageProps = { readonly clientId: string; readonly section: SectionName };

export function MerchantPage({ clientId, section }: PageProps) {
  const memberships = useMemberships();
  const found = memberships.content.value?.find((each) => each.clientId === clientId);
  if (!found) return <NotYet memberships={memberships} />;
  return <Merchant membership={found} section={section} onOwnRole={() => memberships.load()} />;
}

const NotYet = ({ memberships }: { memberships: Memberships }) => (
  <Wide title="Merchant">
    <SectionBox section={memberships} title="Your merchant">
      {() => (
        <Empty title="You do not belong to this merchant">
          <p>
            An owner or admin of it can invite you. <a href="/account">Go to your account</a>
          </p>
        </Empty>
      )}
    </SectionBox>
  </Wide>
);

type MerchantViewProps = {
  membership: OwnMembership;
  section: SectionName;
  onOwnRole: () => void;
};

function Merchant({ membership, section, onOwnRole }: MerchantViewProps) {
  const { clientId, name: merchant, role, livemode } = membership;
  const calls = useMemo(() => new MerchantCalls(clientId), [clientId]);
  const names = Object.keys(sections) as SectionName[];
  const seen = role === 'member' ? ofMembers : names;
  const { show } = sections[section];
  // A member of the plain role sees nobody else: what is left of the page is the own membership.
  const titleOf = (name: SectionName) =>
    name === 'members' && role === 'member' ? 'Your membership' : sections[name].title;
  return (
    <Wide
      title={merchant}
      part={titleOf(section)}
      lead={`You are ${roleWords(role)} here. ${roleMeaning(role)}`}
      isSandbox={!livemode}
    >
      <p class="fine">
        Client id <code>{clientId}</code> <CopyButton text={clientId} about="the client id" />
      </p>
      <nav class="tabs" aria-label={merchant}>
        {seen.map((name) => (
          <a
            key={name}
            href={addressOf(clientId, name)}
            {...(name === section ? { 'aria-current': 'page' } : {})}
          >
            {titleOf(name)}
          </a>
        ))}
      </nav>
      {seen.includes(section) ? (
        show({ calls, role, isSandbox: !livemode, onOwnRole })
      ) : (
        <Empty title="Only owners and admins see this">
          <p>Ask one of them to make you an {roleNames.admin.toLowerCase()}.</p>
        </Empty>
      )}
    </Wide>
  );
}

const addressOf = (clientId: string, name: SectionName) =>
  `/account/merchants/${clientId}${name === 'members' ? '' : `/${name}`}`;
