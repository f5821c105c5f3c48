// Reports delays: standbys that lag behind the database server, and due work that no worker has
// taken.
import type { StandbyState } from '../../../storage/database/reads.ts';
import type { ServerFacts, Slot, Standby } from '../../../storage/doctor/read-facts.ts';
import type { LateKind, WaitingWork } from '../../../storage/doctor/read-work.ts';
import { workerFailure } from '../../worker-failure.ts';
import { type Finding, goodFinding, noteFinding, wrongFinding } from './finding.ts';

const gigabyte = 1024 ** 3;
const mostBehindSeconds = 60;
const mostBehindBytes = gigabyte;

const sizeOf = (bytes: number): string => `${(bytes / gigabyte).toFixed(1)} GB`;

function judgeSlot({ name, isActive, isLost, keptBytes }: Slot): Finding | null {
  const what = 'replication';
  if (isLost) {
    const mend = `make its standby anew, then: select pg_drop_replication_slot('${name}')`;
    return wrongFinding(
      what,
      `slot ${name}: the server has removed what its standby still needs, and the standby falls behind for good`,
      mend,
    );
  }
  const kept = keptBytes ?? 0;
  if (isActive) return null;
  const said = `slot ${name} has no reader and keeps ${sizeOf(kept)} of the log`;
  const mend = `bring its standby back, or: select pg_drop_replication_slot('${name}')`;
  return kept > mostBehindBytes
    ? wrongFinding(what, `${said}: it fills the disk`, mend)
    : noteFinding(what, `${said}: that grows until the disk is full`, mend);
}

function judgeStandby({ name, behindBytes, behindSeconds }: Standby): Finding | null {
  const what = 'replication';
  const called = name || 'a standby';
  if (behindBytes === null) {
    const mend =
      'as a role with pg_read_all_stats: select application_name, replay_lag from pg_stat_replication';
    return noteFinding(
      what,
      `${called}: this role may not see how far it is behind, so nobody knows what would be lost with the primary`,
      mend,
    );
  }
  const isLate = (behindSeconds ?? 0) > mostBehindSeconds || behindBytes > mostBehindBytes;
  const said = `${called} is ${Math.round(behindSeconds ?? 0)} s and ${sizeOf(behindBytes)} behind: what it lacks is lost with the primary`;
  const mend = 'look at its log, its disk and the way to it';
  return isLate ? wrongFinding(what, said, mend) : null;
}

/** Judges standbys and replication slots; where there are none, that is a good line too. */
export function judgeReplication({ slots, standbys }: ServerFacts): Finding[] {
  const found = [...slots.map(judgeSlot), ...standbys.map(judgeStandby)].filter(
    (one) => one !== null,
  );
  if (found.length > 0) return found;
  const said = standbys.length === 0 ? 'no standby' : `standbys that keep up: ${standbys.length}`;
  return [goodFinding('replication', said)];
}

/** Judges what DATABASE_READ_URL leads to; nothing where it is not set. While it is unfit the database counts itself. */
export function* judgeReadUrl(state: StandbyState | null): Generator<Finding> {
  if (!state) return;
  const what = 'standby';
  if ('asOf' in state) yield goodFinding(what, 'reports are counted there');
  else if (state.unfit === 'silent') {
    const { message, code } = state.error as Error & { code?: string };
    const said = `DATABASE_READ_URL does not answer (${message || code}): the database counts by itself`;
    yield wrongFinding(what, said, 'bring the standby back, or correct DATABASE_READ_URL');
  } else if (state.unfit === 'behind') {
    const minutes = Math.floor((state.behindMs ?? 0) / 60_000);
    const said = `is ${minutes} min behind, and is passed over: the database counts by itself`;
    yield wrongFinding(what, said, 'read the log of the standby: it receives or replays nothing');
  } else {
    const other = state.unfit === 'foreign' ? 'another database' : 'a server that is no standby';
    const said = `DATABASE_READ_URL names ${other}: nothing is read there`;
    yield wrongFinding(what, said, 'name a standby of the server in DATABASE_URL');
  }
}

const minuteSeconds = 60;
/** Above every wait that the workers choose by themselves, such as the lease of a process that died. */
const mostLateSeconds = 10 * minuteSeconds;
/** The comparison runs each hour, and one may take long. */
const longestRunSeconds = 3 * 60 * minuteSeconds;

const words: Readonly<Record<LateKind, string>> = {
  deliveries: 'deliveries of webhooks',
  payments: 'payments whose outcome is open',
  notices: 'notices of the provider',
  renewals: 'renewals of subscriptions',
};

type Work = Pick<WaitingWork, 'lateSeconds' | 'reconciledSecondsAgo'>;

/** Judges whether the workers of the service keep up. Each process of the service has them. */
export function judgeWorkers({ lateSeconds, reconciledSecondsAgo }: Work): Finding[] {
  const mend = `read the log of the service for "${workerFailure}", and see that it runs and is not short of CPU or connections`;
  const late = (Object.keys(words) as LateKind[])
    .filter((kind) => lateSeconds[kind] > mostLateSeconds)
    .map((kind) => `${words[kind]} for ${Math.round(lateSeconds[kind] / minuteSeconds)} min`);
  const hours = Math.round((reconciledSecondsAgo ?? 0) / 3600);
  return [
    late.length > 0
      ? wrongFinding(
          'workers',
          `due and not begun: ${late.join(', ')}. Merchants and buyers wait for it`,
          mend,
        )
      : goodFinding('workers', 'nothing is late'),
    (reconciledSecondsAgo ?? 0) > longestRunSeconds
      ? wrongFinding(
          'hourly comparison',
          `the last one with the provider ended ${hours} h ago: differences of money are not found`,
          mend,
        )
      : reconciledSecondsAgo === null
        ? noteFinding('hourly comparison', 'none yet: the first follows a minute after the start')
        : goodFinding('hourly comparison', 'made in the last hours'),
  ];
}
