// Files of the merchant's lists: where they are made, and which ones were, by whom.

import type { AuditEntry } from '@svc/contract/settings/audit-log';
import { useMemo } from 'preact/hooks';
import { addressOf } from '../../kit/addresses.ts';
import { call } from '../../kit/calls.ts';
import { RowList, type RowSpec } from '../../kit/list/row-list.tsx';
import { mayDo, useMerchant } from '../../kit/merchant.ts';
import { Block } from '../../kit/parts/facts.tsx';
import { SectionBox } from '../../kit/parts/section-box.tsx';
import { NotAllowed } from '../../kit/parts/states.tsx';
import { styles } from '../../kit/parts/style-field.tsx';
import { timeFact } from '../../kit/parts/time.tsx';
import { Title } from '../../kit/parts/title.tsx';
import { useFresh } from '../../kit/read.ts';
import { Section } from '../../kit/section.ts';
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
            <p class="fine">
              Filter the list as you like, then press Export above it. Holds, disputes, customers
              and subscriptions have it too.
            </p>
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
        <Block title="Exported files">
          <NotAllowed action="see the exported files" permission="audit.read" />
        </Block>
      )}
    </>
  );
}

type Facts = {
  readonly of?: string;
  readonly rows?: number;
  readonly style?: keyof typeof styles;
  readonly timeZone?: string;
  readonly filters?: string;
};

function MadeExports() {
  const { clientId, zone } = useMerchant();
  const section = useMemo(
    () =>
      new Section(async () => {
        const made = { 'action[eq]': 'export.made', limit: 25 };
        return (await call('GET /v1/audit-entries', made, { clientId })).data;
      }),
    [clientId],
  );
  useFresh(section);
  return (
    <SectionBox
      section={section}
      title="Exported files"
      intro={`From the audit log. All times ${zone}.`}
    >
      {(entries) => <RowList spec={madeSpec} section={section} rows={entries} />}
    </SectionBox>
  );
}

const factsIn = ({ after }: AuditEntry) => (after ?? {}) as Facts;

const madeSpec: RowSpec<AuditEntry> = {
  title: 'Exported files',
  noun: ['file', 'files'],
  keyOf: ({ id }) => id,
  nameOf: (entry) => {
    const { rows = 0, of = 'payments' } = factsIn(entry);
    return countedNoun(rows, [of.replace(/s$/, ''), of]);
  },
  factsOf: (entry) => {
    const { style, timeZone } = factsIn(entry);
    const { actor, createdAt } = entry;
    return [
      style && styles[style],
      timeFact('Made', createdAt),
      actor.email ?? actor.tokenName ?? 'a program',
      `times in ${timeZone}`,
    ];
  },
  textOf: (entry) => <Contents filters={factsIn(entry).filters ?? ''} />,
  empty: { title: 'No file was made yet' },
};
