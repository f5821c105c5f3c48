// One entry of the audit log: what, who, when, from where, and the values before and after.

import type { AuditEntry } from '@svc/contract/audit-log';
import { FactLine, Time } from '../parts/time.tsx';
import { browserName } from '../sign-ins-words.ts';
import {
  type ActionWords,
  actionWords,
  actorKind,
  changesOf,
  fieldWords,
  resourceWords,
} from './audit-words.ts';

type RowProps = { readonly entry: AuditEntry; readonly words: ActionWords };

export function AuditRow({ entry, words }: RowProps) {
  const { action, actor, resource, before, after, address, userAgent, createdAt } = entry;
  return (
    <li class="row">
      <div class="row-head">
        <span class="row-name" title={action}>
          {actionWords(action, words)}
        </span>
      </div>
      <FactLine>
        <Time at={createdAt} />
        {actor.email ?? actor.userId}
        {actor.applicationName ?? actor.tokenName ?? actorKind(actor.kind)}
        {address}
        {actor.kind === 'person' && userAgent && browserName(userAgent)}
      </FactLine>
      <Changes before={before} after={after} />
      <p class="fine audit-of">
        {resourceWords(resource.type)} <code>{resource.id}</code>
      </p>
    </li>
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
