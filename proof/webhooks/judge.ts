// Checks a run of deliveries by the database and the receiver's own log. Each violation begins with
// the reliability rule that it breaks.

import {
  maxAttempts,
  mostInFlight,
  orderedForMs,
} from '../../service/src/domain/protocol/webhook-schedule.ts';
import type { Arrival } from './receiver.ts';
import { isGoodStatus, statusOf } from './receiver-behaviour.ts';
import { type Delivery, keyOf, type Records } from './record.ts';

type Rule = (records: Records) => string[];

/** The difference between PostgreSQL's clock and this process's, and the rounding. */
const slackMs = 5;
const disablingMs = 5000;
/** The end of a socket may be noticed shortly after the next request. */
const lateEndMs = 50;

const nameOf = ({ event, endpoint }: Delivery): string =>
  `${event.wireId} to endpoint ${endpoint.number} (${endpoint.way})`;

const eachDelivery =
  (judge: (delivery: Delivery, records: Records) => string[]): Rule =>
  (records) =>
    [...records.deliveries.values()].flatMap((one) => judge(one, records));

const isWritten: Rule = ({ events, written }) => [
  ...[...written.committed.values()].flatMap(({ id, payload }) => {
    const row = events.get(id);
    if (!row) return [`E12 committed and not there: ${id}`];
    return row.payload === payload ? [] : [`E6 other bytes than were written: ${id}`];
  }),
  ...[...written.undone].flatMap((id) =>
    events.has(id) ? [`E12 rolled back and there: ${id}`] : [],
  ),
];

/** Each event has a delivery for each endpoint that was subscribed when the event was created. */
const isQueued: Rule = ({ events, merchants, deliveries, ends }) => {
  const byClient = new Map(merchants.map((one) => [one.id, one]));
  return [...events.values()].flatMap((event) =>
    (byClient.get(event.clientId)?.endpoints ?? []).flatMap((endpoint) => {
      const end = ends.get(endpoint.id);
      // An endpoint gets no events about its own health.
      const isOwn = event.resourceId === endpoint.id;
      const wants = !isOwn && (endpoint.types === null || endpoint.types.includes(event.type));
      // An endpoint that was disabled meanwhile has no deliveries from then on.
      const isOver = end?.isEnabled === false && event.createdAt > end.updatedAt - disablingMs;
      if (!wants || isOver || deliveries.has(keyOf(event.id, endpoint.id))) return [];
      return [`E5 no delivery of ${event.type} ${event.wireId} to endpoint ${endpoint.number}`];
    }),
  );
};

const isEnded = eachDelivery((one, { ends }) => {
  const judgeWrong = (why: string) => [`E5 ${one.state}, ${why}: ${nameOf(one)}`];
  const wasGood = one.arrivals.some(({ deed }) => isGoodStatus(deed));
  const end = ends.get(one.endpoint.id);
  if (one.state === 'delivered')
    return wasGood ? [] : judgeWrong('and the receiver had none of it');
  if (one.state === 'dead') {
    const wasGone = one.arrivals.some(({ deed }) => deed === 'gone') && one.lastStatus === 410;
    return wasGone || one.attempts === maxAttempts
      ? []
      : judgeWrong(`after ${one.attempts} attempts`);
  }
  if (one.state === 'cancelled')
    return end?.isEnabled ? judgeWrong('and its endpoint is well') : [];
  return judgeWrong('at the end');
});

/** Attempts are numbered without a gap, and the receiver's log confirms their results. */
const isRecorded = eachDelivery((one) => {
  const numbers = new Set(one.recorded.map(({ attempt }) => attempt));
  const missing = Array.from({ length: one.attempts }, (_, at) => at + 1).filter(
    (number) => !numbers.has(number),
  );
  const told = new Map<number, number>();
  for (const { status } of one.recorded) {
    if (status !== null) told.set(status, (told.get(status) ?? 0) + 1);
  }
  const unheard = [...told].filter(
    ([status, count]) =>
      one.arrivals.filter(({ deed }) => statusOf[deed] === status).length < count,
  );
  return [
    ...missing.map((number) => `E5 attempt ${number} is not recorded: ${nameOf(one)}`),
    ...unheard.map(([status]) => `E5 an answer ${status} that nobody gave: ${nameOf(one)}`),
  ];
});

/** The last holder of a delivery wrote the result that ended it. */
const isFenced = eachDelivery((one) => {
  if (one.state !== 'delivered' && one.state !== 'dead') return [];
  const wanted = one.state === 'delivered' ? 'delivered' : 'failed';
  const isHolders = one.recorded.some(
    ({ epoch, attempt, outcome }) =>
      epoch === one.epoch && attempt === one.attempts && outcome === wanted,
  );
  return isHolders ? [] : [`E9 ended by one who had lost the lease: ${nameOf(one)}`];
});

const isSameBody: Rule = ({ log, events }) => {
  const hashes = new Map([...events.values()].map(({ wireId, sha256 }) => [wireId, sha256]));
  return log.arrivals.flatMap(({ eventId, sha256, isGenuine, endpoint }) => {
    const place = `${eventId} at endpoint ${endpoint}`;
    if (!hashes.has(eventId)) return [`E6 an event that is not there: ${place}`];
    return [
      ...(hashes.get(eventId) === sha256 ? [] : [`E6 other bytes: ${place}`]),
      ...(isGenuine ? [] : [`E10 not genuine: ${place}`]),
    ];
  });
};

/** There is no attempt while an earlier event of the resource is pending and younger than 60 s. */
const isOrdered: Rule = ({ deliveries, time }) => {
  const found: string[] = [];
  for (const line of linesOf(deliveries)) {
    line.sort((a, b) => a.event.sequence - b.event.sequence);
    for (const [at, later] of line.entries()) {
      for (const arrival of later.arrivals) {
        const now = time.latest(arrival.at) + slackMs;
        const overtaken = line
          .slice(0, at)
          .find((one) => one.createdAt > now - orderedForMs && (one.finishedAt ?? Infinity) > now);
        if (overtaken) {
          found.push(`E7 ${nameOf(later)} overtook number ${overtaken.event.sequence}`);
        }
      }
    }
  }
  return found;
};

function linesOf(deliveries: Records['deliveries']): Delivery[][] {
  const lines = new Map<string, Delivery[]>();
  for (const one of deliveries.values()) {
    const key = `${one.endpoint.id} ${one.event.resourceId}`;
    lines.set(key, [...(lines.get(key) ?? []), one]);
  }
  return [...lines.values()];
}

/**
 * A delivery is not attempted twice at once, unless a worker took over an expired lease. The record
 * of claims decides this: a request may still be in flight when the clock moves past its lease.
 */
const isAlone = eachDelivery((one) => {
  const overlaps = one.arrivals.flatMap((first, at) =>
    one.arrivals
      .slice(at + 1)
      .filter((second) => first.end === null || second.at <= first.end - lateEndMs),
  );
  return [
    ...(one.takenAway > 0 ? [`E9 claimed while it was leased: ${nameOf(one)}`] : []),
    ...(overlaps.length > 0 && one.takenOver === 0 ? [`E9 twice at once: ${nameOf(one)}`] : []),
  ];
});

/**
 * Returns the largest number of requests that were open at once at an endpoint while the clock did
 * not move.
 */
export function mostOpenAtOnce(arrivals: readonly Arrival[], { time }: Records): number {
  const steps = arrivals.flatMap(({ at, end, endpoint }) => {
    const era = `${endpoint} ${time.era(at)}`;
    return [
      { era, at, by: 1 },
      { era, at: end ?? at, by: -1 },
    ];
  });
  // In the same millisecond, an end counts before a start.
  steps.sort((a, b) => a.at - b.at || a.by - b.by);
  const open = new Map<string, number>();
  let most = 0;
  for (const { era, by } of steps) {
    const now = (open.get(era) ?? 0) + by;
    open.set(era, now);
    most = Math.max(most, now);
  }
  return most;
}

const isBounded: Rule = (records) => {
  const most = mostOpenAtOnce(records.log.arrivals, records);
  return most > mostInFlight ? [`E8 ${most} at once at one endpoint`] : [];
};

const isShut: Rule = ({ log, merchants }) => {
  const closed = new Set(
    merchants
      .flatMap(({ endpoints }) => endpoints)
      .filter(({ way }) => way === 'hidden' || way === 'tls')
      .map(({ number }) => number),
  );
  const reached = log.arrivals.filter(({ endpoint }) => closed.has(endpoint));
  return [
    ...reached.map(({ endpoint }) => `F30 reached where nothing may be sent: endpoint ${endpoint}`),
    ...(log.followed > 0 ? [`F30 ${log.followed} redirects were followed`] : []),
  ];
};

/** A reader that follows the list of events misses none and gets none twice, in their order. */
const isFollowed: Rule = ({ readers, events }) =>
  readers.flatMap(({ merchant, seen }) => {
    const all = [...events.values()].filter(({ clientId }) => clientId === merchant.id);
    const known = new Set(seen);
    const missed = all.filter(({ wireId }) => !known.has(wireId));
    const isInOrder = all.every(({ wireId }, at) => wireId === seen[at]);
    return [
      ...missed.slice(0, 5).map(({ wireId }) => `E12 the list of events left out ${wireId}`),
      ...(seen.length === known.size ? [] : ['E12 the list of events told one twice']),
      ...(isInOrder || missed.length > 0 ? [] : ['E12 the list of events told another order']),
    ];
  });

const rules: readonly Rule[] = [
  isWritten,
  isQueued,
  isEnded,
  isRecorded,
  isFenced,
  isSameBody,
  isOrdered,
  isAlone,
  isBounded,
  isShut,
  isFollowed,
];

export const judge = (records: Records): string[] => rules.flatMap((rule) => rule(records));
