// Files of the merchant's lists: where they are made, and which ones were, by whom.

import type { AuditEntry } from '@svc/contract/audit-log';
import { addressOf } from '../../kit/addresses.ts';
import { mayDo, useMerchant } from '../../kit/merchant.ts';
import { InstantText } from '../../kit/parts/bits.tsx';
import { Block } from '../../kit/parts/facts.tsx';
import { Bones, NotAllowed, Trouble } from '../../kit/parts/states.tsx';
import { styles } from '../../kit/parts/style-field.tsx';
import { Title } from '../../kit/parts/title.tsx';
import { useResource } from '../../kit/read.ts';
import { countedNoun } from '../../kit/words.ts';
import { Contents, KeptFiles } from './kept-files.tsx';
import { MonthlyFiles } from './monthly-files.tsx';

export function ExportsPage() {
  const merchant = useMerchant();
  const { clientId } = merchant;
  const payments = addressOf(clientId, 'payments');
  return (
    <>
      <Title>Exports</Title>
      <Block title="Make a file">
        <ul class="cards">
          <li class="card">
            <a href={`${payments}?createdAt=last-month`}>Payments of last month</a>
            <p class="fine">Filter the list as you like, then press Export above it.</p>
          </li>
          <li class="card">
            <a href={addressOf(clientId, 'reports')}>The ledger of a month</a>
            <p class="fine">For the accountant: one line for each movement of money.</p>
          </li>
        </ul>
      </Block>
      <MonthlyFiles />
      <KeptFiles />
      {mayDo(merchant, 'audit.read') ? (
        <MadeExports />
      ) : (
        <Block title="Files that were made">
          <NotAllowed action="see which files were made" permission="audit.read" />
        </Block>
      )}
    </>
  );
}

type Facts = {
  readonly rows?: number;
  readonly style?: keyof typeof styles;
  readonly timeZone?: string;
  readonly filters?: string;
};

function MadeExports() {
  const { zone } = useMerchant();
  const { content, failure, again } = useResource('GET /v1/audit-entries', {
    'action[eq]': 'export.made',
    limit: 25,
  });
  return (
    <Block title="Files that were made">
      <p class="fine">From the audit log. All times {zone}.</p>
      {failure && <Trouble failure={failure} onRetry={again} />}
      {!content && !failure && <Bones lines={2} />}
      {content?.data.length === 0 && <p>No file was made yet.</p>}
      {content && content.data.length > 0 && (
        <ul class="rows" aria-label="Files that were made">
          {content.data.map((entry) => (
            <Row key={entry.id} entry={entry} />
          ))}
        </ul>
      )}
    </Block>
  );
}

function Row({ entry }: { entry: AuditEntry }) {
  const facts = (entry.after ?? {}) as Facts;
  const { actor } = entry;
  return (
    <li class="row">
      <div class="row-head">
        <span class="row-name">{countedNoun(facts.rows ?? 0, ['payment', 'payments'])}</span>
        <span class="fine">{facts.style ? styles[facts.style] : ''}</span>
      </div>
      <p class="fine">
        <InstantText at={entry.createdAt} /> · {actor.email ?? actor.tokenName ?? 'a program'} ·
        times in {facts.timeZone}
      </p>
      <Contents filters={facts.filters ?? ''} />
    </li>
  );
}
