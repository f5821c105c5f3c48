import type { SeedFixture } from './run-seeds.ts';

/** Runs one seed again, on a fixture of its own. */
export async function replay(
  open: () => Promise<SeedFixture>,
  seed: number,
): Promise<{ trace: string[]; violations: string[] }> {
  const fixture = await open();
  try {
    const { trace = [], violations } = await fixture.run(seed);
    return { trace: [...trace], violations: [...violations] };
  } finally {
    await fixture.close();
  }
}
