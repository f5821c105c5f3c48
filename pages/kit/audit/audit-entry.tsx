// One entry of the audit log: what, who, when, from where, and the values before and after.

import type { AuditEntry } from '@svc/contract/settings/audit-log';
import { browserName } from '../browser-name.ts';
import type { RowSpec } from '../list/row-list.tsx';
import { Time } from '../parts/time.tsx';
import {
  type ActionWords,
  actionWords,
  actorKind,
  changesOf,
  fieldWords,
  resourceWords,
  type Values,
} from './audit-words.ts';

/** Of a customer's act the maker of the link, which the service mails too. */
const whoOf = ({ kind, email, userId }: AuditEntry['actor']): string | null => {
  const who = email ?? userId;
  return kind === 'customer' ? `by a link of ${who ?? 'Svc itself'}` : who;
};

/** What a merchant's log has beside that of a person's own account. */
export type LogOfMerchant = {
  /** Texts of actions whose name alone does not tell what was done. */
  readonly words: ActionWords;
  /** The page of what an entry is about; null where there is none. */
  readonly pageOf: (entry: AuditEntry) => string | null;
  /** Writes the sums among the values. */
  readonly withMoney: (values: Values) => Values;
};

export const entriesSpec = (
  { words, pageOf, withMoney }: LogOfMerchant,
  empty: RowSpec<AuditEntry>['empty'],
): RowSpec<AuditEntry> => ({
  title: 'Entries',
  noun: ['entry', 'entries'],
  keyOf: ({ id }) => id,
  nameOf: ({ action }) => actionWords(action, words),
  codeOf: ({ action }) => action,
  factsOf: ({ createdAt, actor, address, userAgent }) => [
    <Time key="at" at={createdAt} />,
    actor.kind === 'customer' && `customer ${actor.customerId}`,
    whoOf(actor),
    actor.applicationName ?? actor.tokenName ?? actorKind(actor.kind),
    address,
    actor.kind === 'person' && userAgent && browserName(userAgent),
  ],
  textOf: (entry) => (
    <>
      <Changes
        before={entry.before && withMoney(entry.before)}
        after={entry.after && withMoney(entry.after)}
      />
      <AboutLine entry={entry} href={pageOf(entry)} />
    </>
  ),
  empty,
});

function AboutLine({ entry, href }: { entry: AuditEntry; href: string | null }) {
  const { type, id } = entry.resource;
  return (
    <p class="fine audit-of">
      {resourceWords(type)} {href === null ? <code>{id}</code> : <a href={href}>{id}</a>}
    </p>
  );
}

type ChangesProps = Pick<AuditEntry, 'before' | 'after'>;

function Changes({ before, after }: ChangesProps) {
  const changes = changesOf(before, after);
  if (changes.length === 0) return null;
  return (
    <dl class="changes">
      {changes.map((change) => (
        <div key={change.field}>
          <dt>{fieldWords(change.field)}</dt>
          <dd>
            {change.before !== null && <del>{change.before}</del>}
            {change.before !== null && change.after !== null && <Arrow />}
            {change.after !== null && <ins>{change.after}</ins>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const Arrow = () => (
  <>
    <span aria-hidden="true"> → </span>
    <span class="unseen"> is now </span>
  </>
);
