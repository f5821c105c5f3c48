// The audit log of a merchant, filtered by action, person and time.

import type { AuditEntry } from '@svc/contract/settings/audit-log';
import type { Member } from '@svc/contract/settings/members';
import { useEffect, useRef, useState } from 'preact/hooks';
import { addressOf, type Part } from '../../kit/addresses.ts';
import { AuditLog } from '../../kit/audit/audit.tsx';
import { actionChoices } from '../../kit/audit/audit-words.ts';
import { call } from '../../kit/calls.ts';
import { type AddressSpec, filtersOf } from '../../kit/list/list-address.ts';
import { Filters, readPageAddress } from '../../kit/list/list-filters.tsx';
import { type Merchant, mayDo, useMerchant } from '../../kit/merchant.ts';
import { serviceTime } from '../../kit/parts/sandbox-clock.tsx';
import { query } from '../../kit/router.ts';
import { merchantActions, merchantActionWords } from './audit-actions.ts';
import { sumOf } from './audit-money.ts';
import { aboutWords, actorWords, merchantChanges, merchantField } from './audit-values.ts';
import { listMembers } from './members.tsx';

export function AuditSection() {
  const merchant = useMerchant();
  const { clientId, zone } = merchant;
  const { members, choicesOf: peopleOf } = usePeople(merchant);
  const memberName = ({ resource: { type, id } }: AuditEntry) => {
    const member = type === 'member' && members.find(({ userId }) => userId === id);
    return member ? `Member ${member.name ?? member.email}` : null;
  };
  const specOf = (entries: readonly AuditEntry[]): AddressSpec => {
    const actions = actionChoices(merchantActions, valuesOf('action'), merchantActionWords);
    return {
      path: '',
      sort: '-createdAt',
      columns: [],
      filters: [
        { name: 'action', title: 'Action', kind: 'choice', choices: actions },
        { name: 'actorUserId', title: 'Who', kind: 'choice', choices: peopleOf(entries) },
        { name: 'createdAt', title: 'Time', kind: 'time' },
      ],
    };
  };
  const spec = specOf([]);
  const { asked, change } = readPageAddress(spec);
  return (
    <AuditLog
      read={(wanted) => call('GET /v1/audit-entries', {}, { clientId, query: wanted })}
      title="Audit log"
      intro="Every change to people, settings and money, and who made it. Nobody can change or remove an entry."
      ofMerchant={{
        words: merchantActionWords,
        fieldOf: merchantField,
        changesOf: merchantChanges,
        whoOf: actorWords,
        nameOf: (entry) => memberName(entry) ?? aboutWords(entry),
        pageOf: (entry) => pageOf(clientId, entry),
        sumOf,
      }}
      filter={filtersOf(asked, spec, zone, serviceTime()).toString()}
      bar={(entries) => <Filters filters={specOf(entries).filters} asked={asked} change={change} />}
    />
  );
}

/** The parts whose pages show one thing each, by what an entry is about. */
const itemPages: Readonly<Record<string, Part>> = {
  checkout_session: 'sessions',
  coupon: 'coupons',
  customer: 'customers',
  dispute: 'disputes',
  payment: 'payments',
  product: 'products',
  subscription: 'subscriptions',
  webhook_endpoint: 'webhooks',
};

/** The parts that list what an entry is about. */
const listPages: Readonly<Record<string, Part>> = {
  api_token: 'tokens',
  application: 'applications',
  client: 'business',
  consent: 'applications',
  export: 'exports',
  export_schedule: 'exports',
  invitation: 'members',
  member: 'members',
  month: 'reports',
  payment_method: 'cards',
  refund_rule: 'refund-rule',
};

/** A request for a refund is shown by its payment, a note by what it is about. */
function pageOf(clientId: string, { resource: { type, id }, before, after }: AuditEntry) {
  const { paymentId, resourceType, resourceId } = after ?? before ?? {};
  if (type === 'refund_request' && typeof paymentId === 'string') {
    return addressOf(clientId, 'payments', paymentId);
  }
  const item = itemPages[type === 'note' ? String(resourceType) : type];
  if (item) return addressOf(clientId, item, type === 'note' ? String(resourceId) : id);
  const list = listPages[type];
  return list ? addressOf(clientId, list) : null;
}

/** The values of a filter in the page's address. */
const valuesOf = (name: string): readonly string[] =>
  (new URLSearchParams(query.value).get(name) ?? '').split(',').filter(Boolean);

/**
 * Returns the people to choose from: the members, or for a role that may not read them the people of the
 * entries seen so far; and those of the address. The log also works without the members.
 */
function usePeople(merchant: Merchant) {
  const mayRead = mayDo(merchant, 'people.write');
  const [members, setMembers] = useState<readonly Member[]>([]);
  const seen = useRef(new Map<string, string>());
  useEffect(() => {
    if (mayRead) listMembers(merchant.clientId).then(setMembers, () => undefined);
  }, [merchant.clientId, mayRead]);
  const choicesOf = (entries: readonly AuditEntry[]): Record<string, string> => {
    for (const { actor } of entries) {
      if (!mayRead && actor.userId && actor.email) seen.current.set(actor.userId, actor.email);
    }
    const others = valuesOf('actorUserId').map(
      (id) => [id, mayRead ? 'Somebody who left' : 'Somebody else'] as const,
    );
    const known = members.map(({ userId, name, email }) => [userId, name ?? email] as const);
    return Object.fromEntries([...others, ...seen.current, ...known]);
  };
  return { members, choicesOf };
}
