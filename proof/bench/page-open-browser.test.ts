import { expect, it } from 'vitest';
import { openClosers } from './load/closers.ts';
import { measurePageOpen } from './page-open.ts';

it('opens every design in a browser, and each one comes to a card token', async () => {
  const closers = openClosers();
  const said: string[] = [];
  try {
    const recordLine = (line: string) => said.push(line);
    const rounds = await measurePageOpen(closers, { rounds: 1, trips: [60], say: recordLine });
    expect(rounds.map(({ roundTripMs }) => roundTripMs)).toEqual([60]);
    for (const { roundTripMs, near, across, hostedMs, bareMs } of rounds) {
      for (const { 'one-shot': oneShot, shell, eager } of [near, across]) {
        expect(eager.interactive).toBeGreaterThan(2 * roundTripMs);
        for (const slower of [oneShot, shell]) {
          expect(slower.interactive).toBeGreaterThan(3 * roundTripMs);
        }
        expect(eager.attached).toBeGreaterThan(3 * roundTripMs);
      }
      expect(across.eager.attached).toBeGreaterThan(5 * roundTripMs);
      expect(hostedMs).toBeGreaterThan(4 * roundTripMs);
      expect(bareMs).toBeGreaterThan(2 * roundTripMs);
    }
  } finally {
    await closers.close();
  }
}, 90_000);
