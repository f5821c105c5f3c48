// Ten times more requests than can be served, and a database that gives no connection: the service
// refuses soon, with the time to retry, and never with an internal error. Reliability R6.

import { randomUUID } from 'node:crypto';
import { heardWithinMs, refusedWithinMs } from './bounds.ts';
import { countEvent, type Run } from './chaos-run.ts';
import type { Slot } from './slots.ts';

const callers = 1200;
const starvedCallers = 60;

type OverloadAnswer = {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly ms: number;
};

async function sendMove(
  run: Run,
  slot: Slot,
  given: { paymentId: string; key: string },
): Promise<OverloadAnswer> {
  const from = performance.now();
  const path = `PUT /v1/payments/${given.paymentId}/capture` as const;
  const signal = AbortSignal.timeout(heardWithinMs);
  const answer = await run.shop.call(slot, path, { key: given.key, body: '{}', signal });
  await answer.arrayBuffer();
  const { status, headers } = answer;
  return { status, retryAfter: headers.get('retry-after'), ms: performance.now() - from };
}

/** 408 means that a connection sends no request in time, which here is this process's own fault. */
function judge(name: string, told: readonly PromiseSettledResult<OverloadAnswer>[]): string[] {
  const wrong: string[] = [];
  for (const one of told) {
    if (one.status === 'rejected') wrong.push(`R6 ${name}: no answer: ${one.reason}`);
    else if (one.value.status === 503 && one.value.retryAfter === null) {
      wrong.push(`R6 ${name}: 503 without Retry-After`);
    } else if (![200, 503, 408].includes(one.value.status)) {
      wrong.push(`R6 ${name}: ${one.value.status}`);
    }
  }
  return [...new Set(wrong)];
}

const count503 = (told: readonly PromiseSettledResult<OverloadAnswer>[]): number =>
  told.filter((one) => one.status === 'fulfilled' && one.value.status === 503).length;

const slotOf = ({ fixture: { slots } }: Run, index: number): Slot =>
  slots[index % slots.length] ?? slots[0];

/** Sends replays of one capture, ten times as many at once as both processes accept. */
export async function overload(run: Run): Promise<string[]> {
  const paymentId = await run.shop.hold();
  const { key, ended } = run.shop.move('capture', paymentId, { isPatient: true });
  await ended;
  const told = await Promise.allSettled(
    Array.from({ length: callers }, (_, index) =>
      sendMove(run, slotOf(run, index), { paymentId, key }),
    ),
  );
  countEvent(run, 'refused for too many', count503(told));
  countEvent(run, 'served among too many', told.length - count503(told));
  return judge('overload', told);
}

/** Locks the payments for longer than a request may wait. */
export async function starveConnections(run: Run): Promise<string[]> {
  const holds = await Promise.all(Array.from({ length: starvedCallers }, () => run.shop.hold()));
  const client = await run.fixture.owner.connect();
  let told: PromiseSettledResult<OverloadAnswer>[];
  try {
    await client.query('begin');
    await client.query('lock table payments in access exclusive mode');
    const calls = holds.map((paymentId, index) =>
      sendMove(run, slotOf(run, index), { paymentId, key: randomUUID() }),
    );
    told = await Promise.allSettled(calls);
  } finally {
    await client.query('rollback');
    client.release();
  }
  const slow = told.filter((one) => one.status === 'fulfilled' && one.value.ms > refusedWithinMs);
  countEvent(run, 'refused for want of a connection', count503(told));
  return [
    ...judge('starved', told),
    ...(slow.length > 0
      ? [`R6 starved: ${slow.length} waited longer than ${refusedWithinMs / 1000} s`]
      : []),
  ];
}
