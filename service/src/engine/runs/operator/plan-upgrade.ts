// What the start of this version would do to the tables of service and vault.

import {
  isInstalled,
  planUpgrade,
  servicePart,
  type UpgradePlan,
  vaultPart,
} from '../../../storage/database/upgrade.ts';

export type { Pending, UpgradePlan } from '../../../storage/database/upgrade.ts';

type Plans = {
  readonly service: UpgradePlan;
  /** Null where the vault's database is not named, or the vault is not installed here. */
  readonly vault: UpgradePlan | null;
};

export async function planUpgrades(url: string, vaultUrl: string | undefined): Promise<Plans> {
  const service = await planUpgrade(url, servicePart);
  const isWanted = vaultUrl !== undefined && isInstalled(vaultPart);
  return { service, vault: isWanted ? await planUpgrade(vaultUrl, vaultPart) : null };
}
