// The points at which a process is killed. A placed kill stops the service at one statement or
// packet, with a row lock or a proxy, and kills it there. The point that a random kill hit is found
// afterwards.

import { setTimeout as pause } from 'node:timers/promises';
import { reachedWithinMs } from './bounds.ts';
import { type Run, restart } from './chaos-run.ts';
import type { Fixture } from './fixture.ts';
import type { Move } from './shop.ts';
import type { Slot } from './slots.ts';

export const points = [
  'before the claim',
  'before the request',
  'while the provider was asked',
  'after the answer',
  'after the settlement',
] as const;
export type Point = (typeof points)[number];

async function waitUntil(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + reachedWithinMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`it never came to it: ${what}`);
    await pause(5);
  }
}

/** Rejects after a time limit instead of waiting for ever. */
async function withTimeLimit<T>(what: string, promise: Promise<T>): Promise<T> {
  const late = pause(reachedWithinMs, undefined, { ref: false }).then(() => {
    throw new Error(`it never came to it: ${what}`);
  });
  return Promise.race([promise, late]);
}

/** Holds a lock of the database until it is released; reports whether somebody waits for it. */
async function lock(fixture: Fixture, statement: string, values: unknown[]) {
  const client = await fixture.owner.connect();
  await client.query('begin');
  await client.query(statement, values);
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const pid = rows[0]?.pid;
  return {
    isAwaited: async () => {
      const waiting = await fixture.owner.query(
        'select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))',
        [pid],
      );
      return waiting.rowCount !== 0;
    },
    release: async () => {
      await client.query('rollback');
      client.release();
    },
  };
}

const lockPayment = (fixture: Fixture, paymentId: string) =>
  lock(fixture, 'select from payments where id = $1 for update', [paymentId]);

async function intentOf(fixture: Fixture, paymentId: string): Promise<string> {
  const { rows } = await fixture.owner.query<{ intent: string }>(
    'select provider_intent_id as intent from payments where id = $1',
    [paymentId],
  );
  return rows[0]?.intent ?? '';
}

type KillTarget = { readonly run: Run; readonly paymentId: string; readonly slot: Slot };

/**
 * Starts a capture of the payment at the process and kills the process when it reaches the point.
 */
export const placedKills: Readonly<Record<Point, (placing: KillTarget) => Promise<void>>> = {
  'before the claim': async ({ run: { fixture, shop }, slot, paymentId }) => {
    const held = await lockPayment(fixture, paymentId);
    try {
      shop.move('capture', paymentId, { isPatient: true, at: slot });
      await waitUntil('the claim', held.isAwaited);
      await slot.kill();
    } finally {
      await held.release();
    }
  },

  'before the request': async ({ run, slot, paymentId }) => {
    // The gateway's row is read between claim and request, and then cached. Only a new process
    // reads it, so this process gets no other request before.
    const { fixture, shop } = run;
    shop.reserved = slot;
    await (run.starting.get(slot) ?? slot.kill().then(() => restart(run, slot)));
    const held = await lock(fixture, 'lock table gateways in access exclusive mode', []);
    try {
      const { key } = shop.move('capture', paymentId, { isPatient: true, at: slot });
      await waitUntil('a claimed operation', async () => {
        const found = await fixture.owner.query(
          'select from payment_operations where idempotency_key = $1',
          [key],
        );
        return found.rowCount !== 0;
      });
      await slot.kill();
    } finally {
      shop.reserved = null;
      await held.release();
    }
  },

  'while the provider was asked': async ({ run, slot, paymentId }) => {
    const { fixture, shop, random } = run;
    const path = `${await intentOf(fixture, paymentId)}/capture`;
    const stopping = fixture.provider.holdNext('requests', path);
    shop.move('capture', paymentId, { isPatient: true, at: slot });
    const request = await withTimeLimit('a request to the provider', stopping);
    await slot.kill();
    // The request is lost, or executed late: at once, or after another process has taken over.
    if (random.chance(0.3)) request.lose();
    else void pause(random.whole(0, 1500)).then(() => request.forward());
  },

  'after the answer': async ({ run: { fixture, shop }, slot, paymentId }) => {
    const path = `${await intentOf(fixture, paymentId)}/capture`;
    const stopping = fixture.provider.holdNext('answers', path);
    shop.move('capture', paymentId, { isPatient: true, at: slot });
    const answer = await withTimeLimit('an answer of the provider', stopping);
    const held = await lockPayment(fixture, paymentId);
    try {
      answer.forward();
      await waitUntil('the settlement', held.isAwaited);
      await slot.kill();
    } finally {
      await held.release();
    }
  },

  'after the settlement': async ({ run: { shop }, slot, paymentId }) => {
    const stopping = slot.front.holdNext('answers', `/v1/payments/${paymentId}/capture`);
    shop.move('capture', paymentId, { isPatient: true, at: slot });
    const answer = await withTimeLimit('an answer to the client', stopping);
    await slot.kill();
    answer.lose();
  },
};

/**
 * Finds the point at which each request was when its process was killed, from what was written and
 * sent.
 */
export async function findPoints(
  { fixture, asked, answered }: Run,
  moves: readonly Move[],
): Promise<Point[]> {
  const keys = moves.flatMap(({ kind, key }) => (kind === 'purchase' ? [] : [key]));
  if (keys.length === 0) return [];
  const { rows } = await fixture.owner.query<{ key: string; name: string; isOpen: boolean }>(
    `select idempotency_key as key, 'op-' || id || '-' || attempt as name,
       state = 'active' as "isOpen"
     from payment_operations where idempotency_key = any($1)`,
    [keys],
  );
  const operations = new Map(rows.map((row) => [row.key, row]));
  return keys.map((key) => {
    const operation = operations.get(key);
    if (!operation) return 'before the claim';
    if (!operation.isOpen) return 'after the settlement';
    if (!asked.has(operation.name)) return 'before the request';
    return answered.has(operation.name) ? 'after the answer' : 'while the provider was asked';
  });
}
