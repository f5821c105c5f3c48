// Developers and Settings of a merchant: one page for each part, with the part's own calls.

import { describeHolders, holdersInWords, may } from '@svc/contract/rows/roles';
import type { ComponentChildren, VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { addressOf, type Group, parts, type SectionName, sections } from '../kit/addresses.ts';
import { useMemberships } from '../kit/memberships.ts';
import { type Merchant, useMerchant } from '../kit/merchant.ts';
import { CopyButton } from '../kit/parts/inputs.tsx';
import { Empty } from '../kit/parts/states.tsx';
import { Title } from '../kit/parts/title.tsx';
import { roleMeaning, roleName } from '../kit/roles.ts';
import { goTo, query } from '../kit/router.ts';
import { ApplicationsSection } from './developers/applications.tsx';
import { EventsSection } from './developers/event-list.tsx';
import { TokensSection } from './developers/tokens.tsx';
import { EndpointSections } from './developers/webhook-endpoint.tsx';
import { EventSections } from './developers/webhook-event.tsx';
import { TesterSections } from './developers/webhook-tester.tsx';
import { WebhooksSection } from './developers/webhooks.tsx';
import { isOpen, sectionsSeen, titleOf } from './frame/sections.ts';
import { AuditSection } from './settings/audit.tsx';
import { BusinessSection } from './settings/business.tsx';
import { BuyerMailsSection } from './settings/buyer-mails.tsx';
import { GoLiveSection } from './settings/go-live.tsx';
import { type MembersProps, MembersSection } from './settings/members.tsx';
import { NotificationsSection } from './settings/notifications.tsx';
import { ProviderSection } from './settings/provider.tsx';
import { RefundRuleSection } from './settings/refund-rule.tsx';
import { SandboxSections } from './settings/sandbox.tsx';

type SectionContext = MembersProps & { readonly clientId: string; readonly isSandbox: boolean };

const webhooksOf = ({ clientId, role, isSandbox }: SectionContext) => ({
  clientId,
  mayChange: may(role, 'developers.write'),
  isSandbox,
});

const views: Readonly<Record<SectionName, (given: SectionContext) => VNode>> = {
  tokens: (given) => <TokensSection {...given} />,
  applications: () => <ApplicationsSection />,
  webhooks: (given) => <WebhooksSection {...webhooksOf(given)} />,
  events: () => <EventsSection />,
  tester: (given) => <TesterSections {...webhooksOf(given)} />,
  members: (given) => <MembersSection {...given} />,
  business: () => <BusinessSection />,
  provider: () => <ProviderSection />,
  'go-live': () => <GoLiveSection />,
  'refund-rule': ({ role }) => <RefundRuleSection role={role} />,
  mails: () => <BuyerMailsSection />,
  notifications: () => <NotificationsSection />,
  audit: () => <AuditSection />,
  sandbox: () => <SandboxSections />,
};

export const SectionPage = ({ name }: { name: SectionName }) => (
  <Part name={name} show={views[name]} />
);

export const EndpointPage = ({ id }: { id: string }) => (
  <Part
    name="webhooks"
    title="Webhook endpoint"
    show={(given) => <EndpointSections {...webhooksOf(given)} endpointId={id} />}
  />
);

export const EventPage = ({ id }: { id: string }) => (
  <Part
    name="events"
    title="Event"
    show={(given) => <EventSections {...webhooksOf(given)} eventId={id} />}
  />
);

type PartProps = {
  readonly name: SectionName;
  /** The window's title when the page shows one item of the part. */
  readonly title?: string;
  readonly show: (given: SectionContext) => ComponentChildren;
};

function Part({ name, title, show }: PartProps) {
  const merchant = useMerchant();
  // Read again by each page: the role may have changed since.
  const memberships = useMemberships();
  const { clientId, role, isSandbox, zone } = merchant;
  const { group } = sections[name];
  const groupTitle = parts[group].title;
  const onOwnRole = () => void memberships.again();
  return (
    <>
      <div class="part-head">
        <Title title={`${title ?? titleOf(name, merchant)} · ${groupTitle}`}>{groupTitle}</Title>
        <p class="fine">
          Your role: {roleName(role)} · All times {zone} · Client id <code>{clientId}</code>{' '}
          <CopyButton text={clientId} about="the client id" />
        </p>
      </div>
      {name === 'members' && <p class="fine">{roleMeaning(role)}</p>}
      {sectionsSeen(group, merchant).includes(name) ? (
        show({ clientId, role, isSandbox, onOwnRole })
      ) : (
        <UnseenSection name={name} merchant={merchant} />
      )}
    </>
  );
}

type UnseenProps = { readonly name: SectionName; readonly merchant: Merchant };

/** Which roles may, and whom to ask. */
function UnseenSection({ name, merchant }: UnseenProps) {
  const { permission, title } = sections[name];
  return permission && !isOpen(name, merchant) ? (
    <Empty title={`${describeHolders(permission)} see this`}>
      <p>
        It needs the role {holdersInWords(permission)}. Roles are assigned by:{' '}
        {merchant.owners.join(', ')}.
      </p>
    </Empty>
  ) : (
    <Empty title={`Only a sandbox has a ${title.toLowerCase()} page`}>
      <p>
        {merchant.isSandbox
          ? 'This service runs in test mode, with a test account at the card provider.'
          : 'This merchant takes real money.'}
      </p>
    </Empty>
  );
}

/** The address of a group without a part leads to the first part that the person sees. */
export function FirstPartOfGroup({ group }: { group: Group }) {
  const merchant = useMerchant();
  const [first] = sectionsSeen(group, merchant);
  useEffect(() => {
    if (first) goTo(addressOf(merchant.clientId, first) + query.value, { replaces: true });
  }, [first]);
  return first ? null : <SectionPage name="webhooks" />;
}
