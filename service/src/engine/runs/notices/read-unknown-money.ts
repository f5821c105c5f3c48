// Handles a notice about an intent that no payment of ours has: it belongs to other software, or it
// is money of ours that no row knows. The first is closed after a day; the second is recorded and
// reported.

import { findGatewayOfNotice } from '../../../storage/gateways/gateways.ts';
import type { DueNotice } from '../../../storage/gateways/provider-inbox.ts';
import { findUnknown } from '../../../storage/payments/unknown-money.ts';
import type { Ports } from '../../ports.ts';
import { isOld } from '../../steps/notices/leave-to-operation.ts';
import { passOn } from '../../steps/notices/pass-on.ts';
import { lookAtUnknown } from '../unknown-money/look-at-unknown.ts';
import { notifyOperator } from '../unknown-money/notify-operator.ts';

/** Returns how the notice ended; undefined leaves it for a later pass. */
export async function readUnknownMoney(
  notice: DueNotice,
  ports: Ports,
): Promise<string | undefined> {
  const unknown = isOld(notice) ? 'unknown_object' : undefined;
  const { gatewayId, intentId } = notice;
  if (intentId === null) return unknown;
  const passed = await passOn(notice, ports);
  if (passed) return passed;
  // The provider is not asked about payments that other software made.
  const isOurs = notice.isMarked || (await findUnknown(ports.database, intentId)) !== undefined;
  if (!isOurs) return unknown;
  const gateway = await findGatewayOfNotice(ports.database, gatewayId);
  if (!gateway) return 'not_ours';
  const looked = await lookAtUnknown({ clientId: gateway.clientId, gatewayId, intentId }, ports);
  if (looked === 'elsewhere') return 'made_elsewhere';
  if (looked === 'foreign') return unknown;
  // A payment of ours has it or may get it, which the next pass will find; a notice that could not
  // be read stays too.
  if (looked !== 'written') return undefined;
  await notifyOperator(ports);
  return 'unknown_money';
}
