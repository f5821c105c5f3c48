// Races of a revocation with requests that move money, over HTTP at several servers, on real
// PostgreSQL and the sandbox provider. A request that begins after the revocation has returned, or
// waits before its claim until then, is refused, and nothing is recorded; every other request is
// executed completely. Reliability N4, N8.

import { setTimeout as pause } from 'node:timers/promises';
import { scaled } from '@svc/tools/machine';
import { callAs } from '../../service/test/harness.ts';
import { aHold } from '../../service/test/world.ts';
import { seeded } from '../kit/random.ts';
import { openCounters, type SeedFixture, type SeedRun } from '../kit/run-seeds.ts';
import { judgeMove, type MoveResult } from './check.ts';
import { type App, aCredential, type Credential, type Fixture, openFixture } from './fixture.ts';
import { drawRevocation, type Move, type RevocationPlan } from './race-plan.ts';

/** Opens servers of one merchant, for one race after the other. */
export async function openRevocations(): Promise<SeedFixture> {
  const fixture = await openFixture();
  return { run: (seed) => runRace(fixture, seed), close: () => fixture.close() };
}

async function runRace(fixture: Fixture, seed: number): Promise<SeedRun> {
  const { sometimes, count } = openCounters();
  const plan = drawRevocation(seeded(seed));
  const credential = await aCredential(fixture, plan.via);
  const holds = await Promise.all(plan.moves.map(() => aHold(fixture.world)));
  const moved = await race(fixture, plan, {
    credential,
    holds: holds.map(({ paymentId }) => paymentId),
    count,
  });
  const found: string[] = [];
  for (const one of moved) {
    const { violations, outcome } = await judgeMove(fixture.world, one);
    const what = `${plan.end} by ${plan.via}, ${one.move.when} ${one.move.kind}`;
    found.push(...violations.map((text) => `${what}: ${text}`));
    count(`${one.move.when}: ${outcome}`);
    count(`${plan.end} by ${plan.via}`);
  }
  return { violations: found, sometimes };
}

type Racers = {
  readonly credential: Credential;
  readonly holds: readonly string[];
  readonly count: (what: string) => void;
};

async function race(fixture: Fixture, plan: RevocationPlan, racers: Racers): Promise<MoveResult[]> {
  const { apps, stalling, gate } = fixture;
  const { credential, holds, count } = racers;
  const request = async (move: Move, at: number): Promise<MoveResult> => {
    const app = move.when === 'stalled' ? stalling : (apps[move.server] as App);
    await pause(move.delayMs);
    const paymentId = holds[at] ?? '';
    const response = await send(app, `PUT /v1/payments/${paymentId}/${move.kind}`, {
      ...credential.headers,
      'idempotency-key': `race-${paymentId}`,
    });
    return { move, paymentId, status: response.statusCode, text: response.body };
  };
  const beginMoves = (when: Move['when']) =>
    plan.moves.flatMap((move, at) => (move.when === when ? [request(move, at)] : []));

  gate.close();
  const stalled = beginMoves('stalled');
  if (stalled.length > 0 && (await waitUntil(() => gate.waiting > 0)))
    count('held up before its claim');
  const early = beginMoves('early');
  await pause(plan.revokesAfterMs);
  const revoked = await revoke(apps[plan.revokesAt] as App, plan, credential);
  gate.open();
  const moved = await Promise.all([...stalled, ...early, ...beginMoves('late')]);
  if (revoked.statusCode >= 300) throw new Error(`not revoked: ${plan.end} ${revoked.body}`);
  return moved;
}

async function waitUntil(isThere: () => boolean): Promise<boolean> {
  const until = performance.now() + scaled(2000);
  while (!isThere() && performance.now() < until) await pause(5);
  return isThere();
}

type Headers = Readonly<Record<string, string>>;

const send = (app: App, call: Parameters<typeof callAs>[2], headers: Headers, body?: object) =>
  callAs(app, null, call, body ? { headers, body } : { headers });

/** Revokes by the product's own calls. */
function revoke(
  app: App,
  { end }: RevocationPlan,
  credential: Credential,
): ReturnType<typeof send> {
  const { token, own, keeper, grantId, signInId, owner } = credential;
  const member = `/v1/members/${token.userId}`;
  switch (end) {
    case 'token':
      return send(app, `DELETE /v1/api-tokens/${token.id}`, { authorization: keeper });
    case 'membership':
      return send(app, `DELETE ${member}?tokenIds=${token.id}`, owner);
    case 'role':
      return send(app, `PATCH ${member}`, owner, { role: 'member' });
    case 'sign-in':
      return send(app, `DELETE /v1/account/sign-ins/${signInId}`, own);
    case 'consent':
      return send(app, `DELETE /v1/account/applications/${grantId}`, own);
  }
}
