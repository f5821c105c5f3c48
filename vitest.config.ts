import { defineConfig } from 'vitest/config';
import { readChoice } from './proof/gate/choice.ts';
import { plantedChanges } from './proof/planting/plugin.ts';
import { LongestFirst } from './proof/vitest/longest-first.ts';
import { seededProperties } from './proof/vitest/seeded-properties.ts';
import { testLevel } from './tools/src/levels/level.ts';
import { scaled } from './tools/src/machine.ts';
import { quickTests } from './tools/src/quick-tests.ts';

// What keeps nothing in its own process beyond its database, world, server or browser. Such files share
// processes, which load and warm the product once.
const shared = [
  '{contract,pages}/**/*.test.ts',
  'proof/specification/**/*.test.ts',
  '{sandbox,vault,libraries/browser,libraries/server,examples/demo-shop}/src/**/*.test.ts',
  'service/src/{cli,domain,engine,http,oauth,operations,providers,storage,webhooks,workers}/**/*.test.ts',
];
// What others have left on the heap would be taken for room by those that measure it.
const measuring = [
  'service/src/engine/runs/audit/large-database.test.ts',
  'service/src/engine/runs/reconcile/run-reconcile.test.ts',
];
// What needs neither a server nor a browser: `npm run check` runs these alone.
const quick = quickTests(import.meta.dirname);
// What `npm test` leaves to `npm run proof`; a run that names its files leaves nothing out.
const left = testLevel() === 'gate' ? readChoice().proof : [];
// Drives a browser of its own, which the layer `browsers` of the proof starts.
const otherBrowser = process.env.TEST_BROWSER === 'webkit' ? [] : ['proof/browsers/webkit.test.ts'];
const rest = { include: ['**/*.test.ts', '**/*.test.tsx'], exclude: [...shared, ...quick] };
const stand = {
  globalSetup: ['tools/src/test-database/set-up.ts'],
  setupFiles: ['tools/src/say-server-log.ts'],
};

export default defineConfig({
  plugins: [seededProperties, plantedChanges],
  test: {
    // In the order in which they run. Types, lint and dead code run beside the first, whole products after these.
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          ...stand,
          include: shared,
          exclude: [...measuring, ...quick],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', ...stand, ...rest } },
      { extends: true, test: { name: 'measuring', ...stand, include: measuring } },
      {
        extends: true,
        test: {
          name: 'quick',
          include: quick,
          isolate: false,
          setupFiles: ['tools/src/say-server-log.ts', 'tools/src/no-servers.ts'],
          // In a browser, waiting for what must be seen is an assertion that this does not count.
          expect: { requireAssertions: true },
        },
      },
    ],
    exclude: [
      '**/node_modules/**',
      '**/dist/**',
      '**/.cache/**',
      '**/.svc/**',
      ...left,
      ...otherBrowser,
    ],
    pool: 'forks',
    reporters: ['default', './tools/src/failures.ts'],
    sequence: { sequencer: LongestFirst },
    // Four use what two leave idle while they wait for processes, browsers and clocks.
    maxWorkers: 4,
    // Ends a test that hangs. A test that promises a time asserts it itself.
    testTimeout: scaled(60_000),
    // A condition that comes true ends the wait at once; a busy machine is no fault.
    expect: { poll: { timeout: scaled(10_000) } },
    hookTimeout: scaled(60_000),
    teardownTimeout: scaled(20_000),
  },
});
