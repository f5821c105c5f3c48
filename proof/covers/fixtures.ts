// Opens the fixture of each scenario. They stand apart from the scenarios, so that the check of the
// covers needs no server; a layer's code is loaded when its first fixture is opened.

import type { OpenScenario } from '../kit/scenario.ts';
import { eventsOfCoverSeed, eventsOfSeed } from '../webhooks/scenario.ts';
import { findScenario } from './scenarios.ts';

const fixtures: Readonly<Record<string, OpenScenario['open']>> = {
  model: async () => (await import('../model/run-pure.ts')).openPureModel(),
  'api-model': async () => (await import('../model/run-api.ts')).openApiModel(),
  'schedules-guarded': async () =>
    (await import('../simulation/schedule.ts')).openSchedules('guarded'),
  'schedules-unguarded': async () =>
    (await import('../simulation/schedule.ts')).openSchedules('unguarded'),
  checkouts: async () => (await import('../checkout/run-interleavings.ts')).openInterleavings(),
  detachments: async () => (await import('../detachment/run-detachments.ts')).openDetachments(),
  'detachment-races': async () => (await import('../detachment/run-races.ts')).openRaces(),
  revocations: async () => (await import('../revocation/run-revocations.ts')).openRevocations(),
  merchants: async () => (await import('../merchant/run-merchants.ts')).openServiceGroups(),
  deliveries: async (runs) => {
    const { openDeliveries } = await import('../webhooks/run-deliveries.ts');
    if (runs === undefined) return openDeliveries({ events: eventsOfCoverSeed, crashes: false });
    return openDeliveries({ events: Math.min(eventsOfSeed, runs), crashes: true });
  },
};

/** Returns the scenario with its fixture. */
export function openScenario(name: string): OpenScenario {
  const open = fixtures[name];
  if (!open) throw new Error(`${name} has no fixture`);
  return { ...findScenario(name), open };
}
