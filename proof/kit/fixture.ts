// The fixture of actors that pay one merchant: its database, sandbox provider and vault, with timers
// that belong to the actors, and the provider's account as others see it.

import { startWorld, type World } from '../../service/test/world.ts';
import { ProviderAccount } from './provider-account.ts';
import { takeTimers } from './timers.ts';

export type ActorFixture = {
  readonly world: World;
  readonly account: ProviderAccount;
  close(): Promise<void>;
};

export async function openActorFixture(): Promise<ActorFixture> {
  const world = await startWorld();
  const restoreTimers = takeTimers();
  return {
    world,
    account: new ProviderAccount(world.sandbox.url, world.account),
    async close() {
      restoreTimers();
      await world.close();
    },
  };
}
