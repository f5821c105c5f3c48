// Files of payments that are made by themselves after each month. Additions §8, Monthly files.

import type { ExportSchedule } from '@svc/contract/export-schedules';
import { addressOf } from '../../kit/addresses.ts';
import { call } from '../../kit/calls.ts';
import { mayDo, useMerchant } from '../../kit/merchant.ts';
import { InstantText } from '../../kit/parts/bits.tsx';
import { ConfirmButton } from '../../kit/parts/confirm-button.tsx';
import { Block } from '../../kit/parts/facts.tsx';
import { Bones, NotAllowed, Trouble } from '../../kit/parts/states.tsx';
import { styles } from '../../kit/parts/style-field.tsx';
import { useResource } from '../../kit/read.ts';
import { monthName } from '../reports/month.tsx';
import { Contents } from './kept-files.tsx';

export function MonthlyFiles() {
  const merchant = useMerchant();
  const { clientId, zone } = merchant;
  const { content, failure, again } = useResource('GET /v1/export-schedules', {
    sortField: 'createdAt',
    sortDirection: 'DESC',
    limit: 30,
  });
  const isPermitted = mayDo(merchant, 'exports.large');
  return (
    <Block title="Made each month">
      <p class="fine">
        An hour after a month has ended, its file is made by itself, and kept below. Who is mailed:{' '}
        <a href={addressOf(clientId, 'notifications')}>Notifications</a>. All times {zone}.
      </p>
      {!isPermitted && (
        <NotAllowed action="have files made each month" permission="exports.large" />
      )}
      {failure && <Trouble failure={failure} onRetry={again} />}
      {!content && !failure && <Bones lines={1} />}
      {content?.data.length === 0 && (
        <p>
          No file is made by itself.{' '}
          {isPermitted && 'Choose “Make it after each month” where you export a list.'}
        </p>
      )}
      {content && content.data.length > 0 && (
        <ul class="rows" aria-label="Made each month">
          {content.data.map((schedule) => (
            <Schedule
              key={schedule.id}
              schedule={schedule}
              isPermitted={isPermitted}
              onEnded={again}
            />
          ))}
        </ul>
      )}
    </Block>
  );
}

type ScheduleProps = {
  readonly schedule: ExportSchedule;
  readonly isPermitted: boolean;
  readonly onEnded: () => Promise<void>;
};

function Schedule({ schedule, isPermitted, onEnded }: ScheduleProps) {
  const { clientId } = useMerchant();
  const { id, filters, columns, style, author, nextMonth, nextAt } = schedule;
  const end = async () => {
    await call(
      'DELETE /v1/export-schedules/{exportScheduleId}',
      { exportScheduleId: id },
      { clientId },
    );
    await onEnded();
  };
  return (
    <li class="row">
      <div class="row-head">
        <span class="row-name">Payments</span>
        <span class="fine">{styles[style]}</span>
      </div>
      <p class="fine">
        Next: {monthName(nextMonth)}, from <InstantText at={nextAt} /> · set by{' '}
        {author.name ?? author.email}
      </p>
      <Contents filters={filters} columns={columns} />
      {isPermitted && (
        <div class="ways">
          <ConfirmButton
            label="Stop"
            name="Stop making this file each month"
            title="Stop making this file each month?"
            yes="Stop it"
            failed="The file is still made each month"
            action={end}
          >
            <p>Files that were made stay for their seven days.</p>
          </ConfirmButton>
        </div>
      )}
    </li>
  );
}
