import { defineConfig } from 'vitest/config';
import { LongestFirst } from './proof/longest-first.ts';
import { seededProperties } from './proof/seeded-properties.ts';

export default defineConfig({
  plugins: [seededProperties],
  test: {
    include: ['**/*.test.ts', '**/*.test.tsx'],
    exclude: ['**/node_modules/**', '**/dist/**', '**/.cache/**', '**/.svc/**'],
    globalSetup: ['tools/src/test-database/set-up.ts'],
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    // A third uses what two leave idle while they wait for processes, browsers and clocks.
    maxWorkers: 3,
    testTimeout: 20_000,
    // A condition that comes true ends the wait at once; a busy machine is no fault.
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 30_000,
    teardownTimeout: 20_000,
  },
});
