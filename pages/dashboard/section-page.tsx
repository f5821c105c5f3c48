// One merchant as its member sees it: people, profile for buyers, API tokens, applications, webhooks, audit
// log.

import type { OwnMembership } from '@svc/contract/account';
import { holdersInWords, may, onlyHolders, type Permission } from '@svc/contract/roles';
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { AuditSection } from '../account/audit.tsx';
import { Wide } from '../account/home-frame.tsx';
import { type Memberships, useMemberships } from '../account/home-memberships.ts';
import { CopyButton, Empty, SectionBox } from '../account/home-parts.tsx';
import type { Role } from '../account/members-words.ts';
import { roleMeaning, roleWords } from '../account/roles.ts';
import { ApplicationsSection } from './developers/applications.tsx';
import { TokensSection } from './developers/tokens.tsx';
import { EndpointSections } from './developers/webhook-endpoint.tsx';
import { EventSections } from './developers/webhook-event.tsx';
import { TesterSections } from './developers/webhook-tester.tsx';
import { WebhooksSection } from './developers/webhooks.tsx';
import { MerchantCalls } from './merchant-calls.ts';
import { BusinessSection } from './settings/business.tsx';
import { MembersSection } from './settings/members.tsx';
import { RefundRuleSection } from './settings/refund-rule.tsx';

export type MerchantProps = {
  readonly calls: MerchantCalls;
  /** The person's own role, which may have changed since it was read. */
  readonly role: Role;
  readonly isSandbox: boolean;
  /** Called when the person has changed the own role. */
  readonly onOwnRole: () => void;
};

type Shown = MerchantProps & {
  /** The id of the shown item, when the address names one. */
  readonly id: string | null;
  readonly owners: readonly string[];
};

export type SectionName =
  | 'members'
  | 'business'
  | 'refund-rule'
  | 'tokens'
  | 'applications'
  | 'webhooks'
  | 'event'
  | 'tester'
  | 'audit';

type SectionEntry = {
  readonly title: string;
  /** What it takes to see it; null: everybody, for there is the own membership. */
  readonly permission: Permission | null;
  readonly show: (given: Shown) => VNode;
};

const webhooksOf = ({ calls, role, isSandbox }: MerchantProps) => ({
  clientId: calls.clientId,
  mayChange: may(role, 'developers.write'),
  isSandbox,
});

const sections: Readonly<Record<SectionName, SectionEntry>> = {
  members: {
    title: 'Members',
    permission: null,
    show: (given) => <MembersSection {...given} />,
  },
  business: {
    title: 'Business',
    permission: 'settings.write',
    show: ({ calls }) => <BusinessSection calls={calls} />,
  },
  'refund-rule': {
    title: 'Refund rule',
    permission: null,
    show: (given) => <RefundRuleSection {...given} />,
  },
  tokens: {
    title: 'API tokens',
    permission: 'tokens.own',
    show: (given) => <TokensSection {...given} />,
  },
  applications: {
    title: 'Applications',
    permission: 'people.write',
    show: ({ calls }) => <ApplicationsSection calls={calls} />,
  },
  webhooks: {
    title: 'Webhooks',
    permission: 'developers.use',
    show: (given) =>
      given.id === null ? (
        <WebhooksSection {...webhooksOf(given)} />
      ) : (
        <EndpointSections {...webhooksOf(given)} endpointId={given.id} />
      ),
  },
  event: {
    title: 'Event',
    permission: 'developers.use',
    show: (given) => <EventSections {...webhooksOf(given)} eventId={given.id ?? ''} />,
  },
  tester: {
    title: 'Tester',
    permission: 'developers.use',
    show: (given) => <TesterSections {...webhooksOf(given)} />,
  },
  audit: {
    title: 'Audit log',
    permission: 'audit.read',
    show: ({ calls }) => <AuditSection calls={calls} />,
  },
};

/** Whether the role may read the part. */
const isOpen = (name: SectionName, { role }: OwnMembership) => {
  const { permission } = sections[name];
  return permission === null || may(role, permission);
};

const isSeen = (name: SectionName, membership: OwnMembership) =>
  isOpen(name, membership) && (name !== 'tester' || !membership.livemode);

type PageProps = {
  readonly clientId: string;
  readonly section: SectionName;
  readonly id: string | null;
};

export function MerchantPage({ clientId, section, id }: PageProps) {
  const memberships = useMemberships();
  const found = memberships.content.value?.find((each) => each.clientId === clientId);
  if (!found) return <NotYet memberships={memberships} />;
  const onOwnRole = () => void memberships.load();
  return <Merchant membership={found} section={section} id={id} onOwnRole={onOwnRole} />;
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
  id: string | null;
  onOwnRole: () => void;
};

function Merchant({ membership, section, id, onOwnRole }: MerchantViewProps) {
  const { clientId, name: merchant, role, livemode, owners } = membership;
  const calls = useMemo(() => new MerchantCalls(clientId), [clientId]);
  const names = Object.keys(sections) as SectionName[];
  const seen = names.filter((name) => isSeen(name, membership));
  const { show } = sections[section];
  // Who may not change people sees nobody else: what is left of the page is the own membership.
  const titleOf = (name: SectionName) =>
    name === 'members' && !may(role, 'people.write') ? 'Your membership' : sections[name].title;
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
        {seen.filter(isTab).map((name) => (
          <a
            key={name}
            href={addressOf(clientId, name)}
            {...(name === tabOf(section) ? { 'aria-current': id === null ? 'page' : true } : {})}
          >
            {titleOf(name)}
          </a>
        ))}
      </nav>
      {seen.includes(section) ? (
        show({ calls, role, isSandbox: !livemode, onOwnRole, id, owners })
      ) : (
        <Unseen name={section} membership={membership} />
      )}
    </Wide>
  );
}

type UnseenProps = { readonly name: SectionName; readonly membership: OwnMembership };

/** Which roles may, and whom to ask. */
function Unseen({ name, membership }: UnseenProps) {
  const { permission } = sections[name];
  return permission && !isOpen(name, membership) ? (
    <Empty title={`${onlyHolders(permission)} see this`}>
      <p>
        It takes the role {holdersInWords(permission)}. Who gives roles here:{' '}
        {membership.owners.join(', ')}.
      </p>
    </Empty>
  ) : (
    <Empty title="Live merchants have no tester">
      <p>A sandbox has one. Live deliveries are shown with their endpoint.</p>
    </Empty>
  );
}

/** An event is opened from the deliveries and belongs to their tab. */
const tabOf = (name: SectionName): SectionName => (name === 'event' ? 'webhooks' : name);
const isTab = (name: SectionName) => tabOf(name) === name;

const addressOf = (clientId: string, name: SectionName) =>
  `/account/merchants/${clientId}${name === 'members' ? '' : `/${name}`}`;
