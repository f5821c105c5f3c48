// Opens the fixture of each layer. A layer's code is loaded when its first fixture is opened.

import type { SeedFixture } from '../kit/run-seeds.ts';
import type { CoverLayer } from './layers.ts';

const fixtures: Readonly<Record<string, () => Promise<SeedFixture>>> = {
  model: async () => (await import('../model/run-pure.ts')).openPureModel(),
  'api-model': async () => (await import('../model/run-api.ts')).openApiModel(),
  'schedules-guarded': async () =>
    (await import('../simulation/run-schedules.ts')).openSchedules('guarded'),
  'schedules-unguarded': async () =>
    (await import('../simulation/run-schedules.ts')).openSchedules('unguarded'),
  checkouts: async () => (await import('../checkout/run-interleavings.ts')).openInterleavings(),
  detachments: async () => (await import('../detachment/run-detachments.ts')).openDetachments(),
  'detachment-races': async () => (await import('../detachment/run-races.ts')).openRaces(),
  revocations: async () => (await import('../revocation/run-revocations.ts')).openRevocations(),
  merchants: async () => (await import('../merchant/run-merchants.ts')).openServiceGroups(),
  deliveries: async () => (await import('../webhooks/run-deliveries.ts')).openDeliveries(),
};

export function openFixture({ name }: Pick<CoverLayer, 'name'>): Promise<SeedFixture> {
  const open = fixtures[name];
  if (!open) throw new Error(`${name} has no fixture`);
  return open();
}
