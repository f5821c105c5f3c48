// A call that creates something, repeated with its key: it is made once, and each repeat gets the bytes
// of the first answer for a day. Key, what was made and answer commit together. Contract §2.

import { isUuid } from '../domain/people/buyer-id.ts';
import {
  databaseWithin,
  findKeptAnswer,
  finishAnswer,
  type KeptAnswer,
  keepAnswer,
  takeCreateKey,
} from '../storage/checkout-sessions/kept-answers.ts';
import { type Database, repeatWhenLost, type Tx } from '../storage/database/database.ts';
import { refuse } from './implement.ts';
import type { Caller, CreateOnce, Ports } from './ports.ts';

type Answer = { readonly status: number; readonly body?: unknown };
type Replayed = {
  readonly status: number;
  /** Absent where the answer has no body. */
  readonly replay?: string;
  readonly isReplayed: boolean;
};

/** Adds to an answer what can only be asked for once its transaction has committed. */
export type FinishAnswer = (body: never, ports: Ports) => Promise<unknown>;

type Made<A> = { readonly answer: A; readonly finish: FinishAnswer | null };

const placeOf = (id: string) => ({ table: 'kept_answers', rowId: id, field: 'answer' });

/**
 * Makes the row's operation repeatable by its key: it runs within one transaction, and so may ask nobody
 * outside the process. Without a key it runs as it is.
 */
export const createsOnce =
  <I, A extends Answer, R>(
    run: (input: I, caller: Caller, ports: Ports, refuseCode: R) => Promise<A>,
  ): typeof run =>
  async (input, caller, ports, refuseCode) => {
    const once = onceOf(caller);
    if (!once) return run(input, caller, ports, refuseCode);
    const make = async (inner: Ports): Promise<Made<A>> => ({
      answer: await run(input, caller, inner, refuseCode),
      finish: null,
    });
    const { customerId } = input as { readonly customerId?: string };
    return createOnce(once, { ports, make, finish: async (body) => body, customerId });
  };

export const onceOf = (caller: Caller): CreateOnce | undefined =>
  caller.kind === 'server' ? caller.once : undefined;

/**
 * Runs `make` once for the key. `finish` is called after the commit where `make` says so, and again by a
 * repeat that finds the answer unfinished; the first finished answer is the one that everybody gets.
 * Refuses idempotency_key_reused. A refusal of `make` leaves no key.
 */
export async function createOnce<A extends Answer>(
  once: CreateOnce,
  work: {
    readonly ports: Ports;
    readonly make: (ports: Ports) => Promise<Made<A>>;
    readonly finish: FinishAnswer;
    /** The customer of the call's path: the answer is forgotten with them, also where it has no id. */
    readonly customerId?: string | undefined;
  },
): Promise<A> {
  const { ports } = work;
  const known = await findKept(ports.database, once);
  const kept = known ?? (await repeatWhenLost(() => makeWithin(once, work)));
  const isReplayed = 'isOurs' in kept ? !kept.isOurs : true;
  return (await answerOf(kept, once, { ...work, isReplayed })) as Answer as A;
}

async function findKept(via: Tx | Database, once: CreateOnce): Promise<KeptAnswer | undefined> {
  const found = await findKeptAnswer(via, once);
  return found === 'other' ? refuse('idempotency_key_reused') : found;
}

async function makeWithin<A extends Answer>(
  once: CreateOnce,
  {
    ports,
    make,
    customerId,
  }: Pick<Parameters<typeof createOnce<A>>[1], 'ports' | 'make' | 'customerId'>,
): Promise<KeptAnswer & { readonly isOurs: boolean }> {
  const { clientId } = once;
  const nudged: Parameters<Ports['nudge']>[0][] = [];
  const kept = await ports.database.transaction(clientId, async (tx) => {
    const id = ports.newId();
    if (!(await takeCreateKey(tx, once, id))) {
      const found = await findKept(tx, once);
      if (!found) throw new Error('the key belongs to no answer');
      return { ...found, isOurs: false };
    }
    const database = databaseWithin(tx, clientId);
    const nudge: Ports['nudge'] = (worker) => void nudged.push(worker);
    const { answer, finish } = await make({ ...ports, database, nudge });
    const { status, body } = answer;
    const answerSealed =
      body === undefined ? null : ports.sealedHere.seal(placeOf(id), once.write({ status, body }));
    const one = { id, status, answerSealed, isFinal: finish === null };
    await keepAnswer(tx, clientId, { ...one, resourceId: customerId ?? idOf(body) });
    return { ...one, isOurs: true };
  });
  for (const worker of nudged) ports.nudge(worker);
  return kept;
}

/** The id of what was created; of a note, that of what it is about, with which it is forgotten. */
function idOf(body: unknown): string | null {
  const { id, resourceId = id } = (body ?? {}) as { id?: string; resourceId?: string };
  return resourceId !== undefined && isUuid(resourceId) ? resourceId : null;
}

async function answerOf(
  { id, status, answerSealed, isFinal }: KeptAnswer,
  { clientId, write }: CreateOnce,
  around: { readonly ports: Ports; readonly finish: FinishAnswer; readonly isReplayed: boolean },
): Promise<Answer | Replayed> {
  const { ports, finish, isReplayed } = around;
  if (answerSealed === null) return { status, isReplayed };
  const replay = ports.sealedHere.open(placeOf(id), answerSealed);
  if (isFinal) return { status, replay, isReplayed };
  const body = await finish(JSON.parse(replay) as never, ports);
  const finished = ports.sealedHere.seal(placeOf(id), write({ status, body }));
  const first = await finishAnswer(ports.database, clientId, { id, answerSealed: finished });
  return { status, replay: ports.sealedHere.open(placeOf(id), first), isReplayed };
}
