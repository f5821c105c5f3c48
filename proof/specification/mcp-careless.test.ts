// Contract §6: an agent that retries badly cannot move money twice, nor any that nobody confirmed.

import { byLevel } from '@svc/tools/levels/level';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPayment } from '../../service/src/storage/payments/payments.ts';
import { type Fixture, openFixture } from './agent.ts';
import { type PlayResult, playCarelessAgent, type ToolIntent } from './careless-agent.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.close());

const runs = byLevel({ gate: 14, proof: 100 });
// The first of those few that together meet each of the coincidences below.
const first = byLevel({ gate: 18, proof: 1 });
const lanes = 4;

/** Returns the movements that the wishes cause at the provider. */
function movementsWanted(wishes: readonly ToolIntent[]): string[] {
  return wishes.flatMap(({ tool, args }) => {
    if (tool === 'cancel_payment') return [];
    return [tool === 'capture_payment' ? 'capture 1990' : `refund ${Number(args.amount) * 100}`];
  });
}

async function readMovements({ paymentId }: PlayResult): Promise<string[]> {
  const { world } = fixture;
  const payment = await findPayment(world.database, world.client.id, paymentId);
  const entries = await world.ledger(payment?.providerIntentId ?? '');
  const isMoney = ({ kind }: { kind: string }) => kind === 'capture' || kind === 'refund';
  return entries.filter(isMoney).map(({ kind, amount }) => `${kind} ${Math.abs(amount)}`);
}

describe('careless agents', () => {
  it('each wish is in the books of the provider exactly once', async () => {
    const seen: Record<string, number> = {};
    const playSeed = async (seed: number) => {
      const played = await playCarelessAgent(fixture, seed);
      const context = `seed ${seed}`;
      expect(played.wrongs, context).toEqual([]);
      expect((await readMovements(played)).sort(), context).toEqual(
        movementsWanted(played.wishes).sort(),
      );
      for (const [what, times] of Object.entries(played.seen)) {
        seen[what] = (seen[what] ?? 0) + times;
      }
    };
    const lane = async (index: number) => {
      for (let seed = first + index; seed < first + runs; seed += lanes) await playSeed(seed);
    };
    await Promise.all(Array.from({ length: lanes }, (_, index) => lane(index)));
    // Agents for which none of these happened would prove nothing.
    for (const what of ['cut', 'replayed', 'confirmation_invalid', 'confirmation_outdated']) {
      expect(seen[what] ?? 0, `${what} of ${JSON.stringify(seen)}`).toBeGreaterThan(0);
    }
  }, 600_000);
});
