// Payment exports that the service creates after each month. Additions §8, Monthly files.

import type { ExportSchedule } from '@svc/contract/reports/export-schedules';
import { useMemo } from 'preact/hooks';
import { addressOf } from '../../kit/addresses.ts';
import { call } from '../../kit/calls.ts';
import { RowList, type RowSpec } from '../../kit/list/row-list.tsx';
import { mayDo, useMerchant } from '../../kit/merchant.ts';
import { SectionBox } from '../../kit/parts/section-box.tsx';
import { NotAllowed } from '../../kit/parts/states.tsx';
import { styles } from '../../kit/parts/style-field.tsx';
import { timeFact } from '../../kit/parts/time.tsx';
import { useFresh } from '../../kit/read.ts';
import { Section } from '../../kit/section.ts';
import { monthName } from '../reports/month.tsx';
import { Contents } from './kept-files.tsx';

export function MonthlyFiles() {
  const merchant = useMerchant();
  const { clientId, zone } = merchant;
  const section = useMemo(
    () =>
      new Section(async () => {
        const newest = { sortField: 'createdAt', sortDirection: 'DESC', limit: 30 } as const;
        return (await call('GET /v1/export-schedules', newest, { clientId })).data;
      }),
    [clientId],
  );
  useFresh(section);
  const isPermitted = mayDo(merchant, 'exports.large');
  const intro = (
    <>
      One hour after the end of each month its file is made automatically and kept below. Mailed to:{' '}
      <a href={addressOf(clientId, 'notifications')}>Notifications</a>. All times {zone}.
    </>
  );
  return (
    <SectionBox section={section} title="Made each month" intro={intro}>
      {(schedules) => (
        <>
          {!isPermitted && (
            <NotAllowed action="have files made each month" permission="exports.large" />
          )}
          <RowList
            spec={schedulesSpec({ clientId, isPermitted })}
            section={section}
            rows={schedules}
          />
        </>
      )}
    </SectionBox>
  );
}

type Given = { readonly clientId: string; readonly isPermitted: boolean };

const schedulesSpec = ({ clientId, isPermitted }: Given): RowSpec<ExportSchedule> => ({
  title: 'Made each month',
  noun: ['file', 'files'],
  keyOf: ({ id }) => id,
  nameOf: () => 'Payments',
  factsOf: ({ style, nextMonth, nextAt, author }) => [
    styles[style],
    timeFact(`Next: ${monthName(nextMonth)}, from`, nextAt),
    `set by ${author.name ?? author.email}`,
  ],
  textOf: ({ filters, columns }) => <Contents filters={filters} columns={columns} />,
  actionsOf: ({ id }) => [
    isPermitted && {
      label: 'Stop',
      isDanger: true,
      action: () => {
        const input = { exportScheduleId: id };
        return call('DELETE /v1/export-schedules/{exportScheduleId}', input, { clientId });
      },
      said: 'The file is not made each month any more.',
      question: {
        title: 'Stop making this file each month?',
        yes: 'Stop it',
        no: 'Keep it',
        text: <p>Existing files stay for their seven days.</p>,
      },
    },
  ],
  empty: {
    title: 'No monthly file',
    text: isPermitted && <p>Choose “Make it after each month” where you export a list.</p>,
  },
});
