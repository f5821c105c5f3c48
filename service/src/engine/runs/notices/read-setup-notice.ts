import { isSetupOver } from '../../../domain/payments/card-setup.ts';
import type { DueNotice } from '../../../storage/gateways/provider-inbox.ts';
import {
  claimOneSetup,
  findSetupOfProvider,
} from '../../../storage/payment-methods/card-setups.ts';
import type { Ports } from '../../ports.ts';
import { closeLockedSetup } from '../../steps/card-setups/ask-for-setup.ts';
import { isOld } from '../../steps/notices/leave-to-operation.ts';
import { passOn } from '../../steps/notices/pass-on.ts';
import { resumeSetup } from '../card-setups/settle-setups.ts';

const endTypes = new Set(['setup_intent.canceled', 'setup_intent.succeeded']);

/**
 * Handles a notice about a set-up. The provider is read, whatever the notice states, so the order
 * and number of notices change nothing. Undefined leaves it for a later pass.
 */
export async function readSetupNotice(
  notice: DueNotice,
  ports: Ports,
): Promise<string | undefined> {
  const found = await findSetupOfProvider(ports.database, notice.gatewayId, notice.intentId ?? '');
  // The notice may arrive before our own commit.
  if (!found)
    return (await passOn(notice, ports)) ?? (isOld(notice) ? 'unknown_object' : undefined);
  if (isSetupOver(found)) return 'nothing_to_change';
  const lease = { owner: ports.newId(), ms: ports.settings.leaseMs };
  const due = await claimOneSetup(ports.database, found, lease);
  // Another process works on the set-up, or it has ended meanwhile: the next pass decides.
  if (!due && notice.type === 'setup_intent.setup_failed') await closeLockedSetup(found, ports);
  if (!due) return undefined;
  const settled = await resumeSetup(due, ports);
  // The copy that was read may lag behind the end.
  const isTold = !endTypes.has(notice.type) || (settled !== undefined && isSetupOver(settled));
  return isTold || isOld(notice) ? 'settled' : undefined;
}
