// Seeded detachments with faults after every step: refusals, lost calls and commits, late effects, and
// processes that die. Each detachment is continued by a repeat, by the worker or by another process.
// The same seed gives the same run. Reliability §2.9, P2 to P5.

import { Refusal } from '../../service/src/domain/protocol/refusal.ts';
import type { Ports } from '../../service/src/engine/ports.ts';
import { finishDetachments } from '../../service/src/engine/runs/payment-methods/finish-detachments.ts';
import { removePaymentMethod } from '../../service/src/engine/runs/payment-methods/remove-payment-method.ts';
import { newId } from '../../service/test/harness.ts';
import { isLostConnection } from '../kit/lost-connection.ts';
import { seeded } from '../kit/random.ts';
import {
  addCounts,
  runSeeds,
  type SeedFixture,
  type SeedOptions,
  type SeedReport,
  type SeedRun,
  seedsFrom,
} from '../kit/run-seeds.ts';
import { checkAnswer, checkEnd, checkNow, type DetachmentAnswer } from './check.ts';
import { crashingPorts, ProcessDied } from './crashing-ports.ts';
import { blockByPayment, endPayment } from './live-use.ts';
import { endDetachmentLeases, type Lane, openLane, type Stage, setStage } from './stage.ts';

export type Detachments = {
  readonly count: number;
  /** The seed of the first detachment; each next one is higher by one. */
  readonly seed: number;
  readonly lanes?: number;
  /** Stops after the first violation. */
  readonly stopsAtFirst?: boolean;
  onProgress?(done: number): void;
};

export async function runDetachments(options: Detachments): Promise<SeedReport> {
  return runSeeds(openDetachments, seedOptions(options));
}

/** Returns the options of `runSeeds`. */
export const seedOptions = ({ count, seed, lanes = 2, ...rest }: Detachments): SeedOptions => ({
  ...{ seeds: seedsFrom(seed, count), lanes },
  ...rest,
});

/** Opens a merchant with a database, for one detachment after the other. */
export async function openDetachments(): Promise<SeedFixture> {
  const lane = await openLane();
  return { run: (seed) => runSeed(lane, seed), close: () => lane.db.close() };
}

async function runSeed(lane: Lane, seed: number): Promise<SeedRun> {
  const random = seeded(seed);
  const sometimes: Record<string, number> = {};
  const count = (what: string) => addCounts(sometimes, { [what]: 1 });
  const stage = await setStage(lane, random, count);
  try {
    await setTroubles(stage);
    await endTroubles(stage);
  } catch (error) {
    stage.violations.push(`it threw ${error instanceof Error ? error.stack : String(error)}`);
  }
  return { violations: stage.violations, sometimes };
}

async function requestDetachment(
  { lane, target, provider }: Stage,
  ports: Ports,
): Promise<DetachmentAnswer> {
  provider.lastDetach = null;
  try {
    const { id } = target.method;
    await removePaymentMethod(ports, { clientId: lane.clientId, id, request: null });
    return { status: 204 };
  } catch (error) {
    if (error instanceof Refusal) return { refusal: error };
    // A connection that is lost on the repeat too: the caller gets 503 and does not know the outcome.
    if (error instanceof ProcessDied || isLostConnection(error)) return null;
    throw error;
  }
}

const mostRounds = 5;

async function setTroubles(stage: Stage): Promise<void> {
  const { lane, random, provider, count } = stage;
  const blockedBy = random.chance(0.12) ? await blockByPayment(stage) : null;
  for (let round = 0; round < mostRounds; round++) {
    // Each round is another process, which knows only the rows.
    const ports = { ...crashingPorts(lane.ports, stage), newId };
    const isWorker = round > 0 && random.chance(0.35);
    const before = await checkNow(stage);
    if (isWorker) {
      if (random.chance(0.7)) await endDetachmentLeases(lane.db);
      count('the worker came by');
      await workOnce(ports);
      await endDetachmentLeases(lane.db);
    } else {
      const told = await requestDetachment(stage, ports);
      count(told === null ? 'nobody was told' : 'status' in told ? '204' : told.refusal.code);
      await checkAnswer(stage, told, { isBlocked: blockedBy !== null && round === 0, before });
      if (told && 'status' in told) break;
      // A process that died still holds a lease, for which others wait.
      if (told === null) await endDetachmentLeases(lane.db);
    }
    if (blockedBy !== null && round === 0) await endPayment(stage, blockedBy);
    if (random.chance(0.2)) await provider.arrive();
    await checkNow(stage);
  }
}

async function workOnce(ports: Ports): Promise<void> {
  const onError = (_: unknown, error: unknown) => {
    if (!(error instanceof ProcessDied || isLostConnection(error))) throw error;
  };
  try {
    await finishDetachments(ports, { limit: 10, onError });
  } catch (error) {
    onError(null, error);
  }
}

/** Without faults: calls in flight end, and repeats return 204 wherever they can. */
async function endTroubles(stage: Stage): Promise<void> {
  const { lane, provider, random } = stage;
  provider.isTroubled = false;
  await provider.arrive();
  await endDetachmentLeases(lane.db);
  const quiet = { ...stage, rates: { ...stage.rates, crash: 0, lostCommit: 0, vault: 0 } };
  const ports = crashingPorts(lane.ports, quiet);
  if (random.chance(0.5)) await workOnce(ports);
  await checkNow(stage);
  // A call that was confirmed but never executed is discovered only now, so the detachment is repeated
  // once more.
  for (let again = 0; again < 2; again++) {
    const told = await requestDetachment(stage, ports);
    if (told === null || 'status' in told || !told.refusal.facts.retrySafe) break;
  }
  await checkEnd(stage, await requestDetachment(stage, ports));
  await checkEnd(stage, await requestDetachment(stage, ports));
}
