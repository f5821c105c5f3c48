// Seeded detachments with faults after every step: refusals, lost calls and commits, late effects, and
// processes that die. Each detachment is continued by a repeat, by the worker or by another process.
// The same seed gives the same run. Reliability P2 to P5.

import { Refusal } from '../../service/src/domain/protocol/refusal.ts';
import type { Ports } from '../../service/src/engine/ports.ts';
import { finishDetachments } from '../../service/src/engine/runs/payment-methods/finish-detachments.ts';
import { removePaymentMethod } from '../../service/src/engine/runs/payment-methods/remove-payment-method.ts';
import { newId } from '../../service/test/harness.ts';
import { isLostConnection } from '../kit/lost-connection.ts';
import { seeded } from '../kit/random.ts';
import { openCounters, type SeedFixture, type SeedRun } from '../kit/run-seeds.ts';
import { checkAnswer, checkEnd, checkNow, type DetachmentAnswer } from './check.ts';
import { crashingPorts, ProcessDied } from './crashing-ports.ts';
import {
  type Detachment,
  drawDetachment,
  endDetachmentLeases,
  type Fixture,
  openFixture,
} from './fixture.ts';
import { blockByPayment, endPayment } from './uses.ts';

/** Opens a merchant with a database, for one detachment after the other. */
export async function openDetachments(): Promise<SeedFixture> {
  const fixture = await openFixture();
  return { run: (seed) => runSeed(fixture, seed), close: () => fixture.db.close() };
}

async function runSeed(fixture: Fixture, seed: number): Promise<SeedRun> {
  const random = seeded(seed);
  const { sometimes, count } = openCounters();
  const detachment = await drawDetachment(fixture, random, count);
  try {
    await setTroubles(detachment);
    await endTroubles(detachment);
  } catch (error) {
    detachment.violations.push(`it threw ${error instanceof Error ? error.stack : String(error)}`);
  }
  return { violations: detachment.violations, sometimes };
}

async function requestDetachment(
  { fixture, target, provider }: Detachment,
  ports: Ports,
): Promise<DetachmentAnswer> {
  provider.lastDetach = null;
  try {
    const { id } = target.method;
    await removePaymentMethod(ports, { clientId: fixture.clientId, id, request: null });
    return { status: 204 };
  } catch (error) {
    if (error instanceof Refusal) return { refusal: error };
    // A connection that is lost on the repeat too: the caller gets 503 and does not know the outcome.
    if (error instanceof ProcessDied || isLostConnection(error)) return null;
    throw error;
  }
}

const mostRounds = 5;

async function setTroubles(detachment: Detachment): Promise<void> {
  const { fixture, random, provider, count } = detachment;
  const { database } = fixture.db;
  const blocking = random.chance(0.12) ? random.pick(['pending', 'processing', 'unknown']) : null;
  if (blocking) count(`a payment is ${blocking}`);
  const blockedBy =
    blocking === null ? null : await blockByPayment(database, detachment.target.method, blocking);
  for (let round = 0; round < mostRounds; round++) {
    // Each round is another process, which knows only the rows.
    const ports = { ...crashingPorts(fixture.ports, detachment), newId };
    const isWorker = round > 0 && random.chance(0.35);
    const before = await checkNow(detachment);
    if (isWorker) {
      if (random.chance(0.7)) await endDetachmentLeases(fixture.db);
      count('the worker came by');
      await workOnce(ports);
      await endDetachmentLeases(fixture.db);
    } else {
      const told = await requestDetachment(detachment, ports);
      count(told === null ? 'nobody was told' : 'status' in told ? '204' : told.refusal.code);
      await checkAnswer(detachment, told, { isBlocked: blockedBy !== null && round === 0, before });
      if (told && 'status' in told) break;
      // A process that died still holds a lease, for which others wait.
      if (told === null) await endDetachmentLeases(fixture.db);
    }
    if (blockedBy !== null && round === 0) await endPayment(database, blockedBy);
    if (random.chance(0.2)) await provider.arrive();
    await checkNow(detachment);
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
async function endTroubles(detachment: Detachment): Promise<void> {
  const { fixture, provider, random } = detachment;
  provider.isTroubled = false;
  await provider.arrive();
  await endDetachmentLeases(fixture.db);
  const quiet = {
    ...detachment,
    rates: { ...detachment.rates, crash: 0, lostCommit: 0, vault: 0 },
  };
  const ports = crashingPorts(fixture.ports, quiet);
  if (random.chance(0.5)) await workOnce(ports);
  await checkNow(detachment);
  // A call that was confirmed but never executed is discovered only now, so the detachment is repeated
  // once more.
  for (let again = 0; again < 2; again++) {
    const told = await requestDetachment(detachment, ports);
    if (told === null || 'status' in told || !told.refusal.facts.retrySafe) break;
  }
  await checkEnd(detachment, await requestDetachment(detachment, ports));
  await checkEnd(detachment, await requestDetachment(detachment, ports));
}
