// The test files of which `npm test` keeps only the cheapest that catch every planted fault. A file comes
// here because it takes long; whether it stays is measured: `proof/gate/main.ts --write`.

export type Candidate = {
  readonly file: string;
  /** Why `npm test` runs it whatever the planted faults say. */
  readonly stays?: string;
};

export const candidates: readonly Candidate[] = [
  { file: 'proof/bench/page-open-browser.test.ts' },
  { file: 'proof/bench/run-bench.test.ts' },
  {
    file: 'proof/chaos/crash-database.test.ts',
    stays: 'one run in which real processes die under load',
  },
  { file: 'proof/chaos/kill-during-capture.test.ts' },
  { file: 'proof/chaos/storms.test.ts' },
  { file: 'proof/checkout/interleavings.test.ts' },
  { file: 'proof/journey/express-ends.test.ts' },
  { file: 'proof/looks/looks.test.ts' },
  { file: 'proof/merchant/merchants.test.ts' },
  { file: 'proof/model/api-model.test.ts' },
  { file: 'proof/packages/command.test.ts' },
  { file: 'proof/planted-faults/planted-faults.test.ts' },
  { file: 'proof/detachment/races.test.ts' },
  { file: 'proof/detachment/detachments.test.ts' },
  { file: 'proof/revocation/races.test.ts' },
  { file: 'proof/simulation/simulation.test.ts' },
  { file: 'proof/soak/stopped-proof.test.ts' },
  { file: 'proof/webhooks/deliveries.test.ts' },
  { file: 'service/src/cli/database/bench-run.test.ts' },
  { file: 'service/src/cli/trigger/trigger.test.ts' },
  { file: 'service/src/engine/runs/audit/large-database.test.ts' },
  { file: 'service/src/start/postgres/as-root.test.ts' },
  { file: 'tools/src/start/demo-data.test.ts' },
  { file: 'vault/src/rolling-restart.test.ts' },
];
