// The entries of the audit log as a table: when, who, what, on what and from where. A row opens to the values before
// and after.

import type { AuditEntry } from '@svc/contract/settings/audit-log';
import { useContext, useState } from 'preact/hooks';
import { FactLine, Time } from '../parts/time.tsx';
import { zoneContext } from '../times.ts';
import { type ActionWords, actionWords, type FieldChange, fromWords } from './audit-words.ts';

/** How a log tells its entries. */
export type LogWords = {
  /** Texts of actions whose name alone does not tell what was done. */
  readonly words: ActionWords;
  readonly fieldOf: (field: string) => string;
  readonly changesOf: (entry: AuditEntry, zone: string | null) => readonly FieldChange[];
  readonly whoOf: (actor: AuditEntry['actor']) => string;
  /** The name of what an entry is about. */
  readonly nameOf: (entry: AuditEntry) => string;
  /** The page of what an entry is about; null where there is none. */
  readonly pageOf?: (entry: AuditEntry) => string | null;
  /** The sum that an entry is about, such as `€19.90` of a refund. */
  readonly sumOf?: (entry: AuditEntry) => string | null;
};

type TableProps = { readonly entries: readonly AuditEntry[]; readonly log: LogWords };

export const EntryTable = ({ entries, log }: TableProps) => (
  <table class="audit" aria-label="Entries">
    <thead>
      <tr>
        {['When', 'Who', 'What', 'On', 'From'].map((title) => (
          <th key={title} scope="col">
            {title}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {entries.map((entry) => (
        <EntryRow key={entry.id} entry={entry} log={log} />
      ))}
    </tbody>
  </table>
);

type EntryProps = { readonly entry: AuditEntry; readonly log: LogWords };

function EntryRow({ entry, log }: EntryProps) {
  const [isOpen, setOpen] = useState(false);
  const [who, from, sum] = [log.whoOf(entry.actor), fromWords(entry), log.sumOf?.(entry)];
  return (
    <>
      <tr>
        <td>
          <Time at={entry.createdAt} />
        </td>
        <td>{who}</td>
        <td>
          <button
            type="button"
            class="opener"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {actionWords(entry.action, log.words)}
          </button>
          {sum && <span class="fine"> {sum}</span>}
        </td>
        <td>{linkTo(log.nameOf(entry), log.pageOf?.(entry))}</td>
        <td>{from}</td>
      </tr>
      {isOpen && (
        <tr class="audit-open">
          <td colSpan={5}>
            <Details entry={entry} log={log} />
          </td>
        </tr>
      )}
    </>
  );
}

function linkTo(name: string, href: string | null | undefined) {
  return href ? <a href={href}>{name}</a> : name;
}

/** What the row has no room for. */
function Details({ entry, log: { words, fieldOf, changesOf, whoOf } }: EntryProps) {
  const { actor, action, requestId } = entry;
  const zone = useContext(zoneContext);
  const changes = changesOf(entry, zone);
  return (
    <>
      <strong>{actionWords(action, words)}</strong>
      {changes.length > 0 && (
        <dl class="changes">
          {changes.map((change) => (
            <div key={change.field}>
              <dt>{fieldOf(change.field)}</dt>
              <dd>
                {change.before !== null && <del>{change.before}</del>}
                {change.before !== null && change.after !== null && <Arrow />}
                {change.after !== null && <ins>{change.after}</ins>}
              </dd>
            </div>
          ))}
        </dl>
      )}
      <FactLine>
        {whoOf(actor)}
        {fromWords(entry)}
        {requestId}
      </FactLine>
    </>
  );
}

const Arrow = () => (
  <>
    <span aria-hidden="true"> → </span>
    <span class="unseen"> is now </span>
  </>
);
