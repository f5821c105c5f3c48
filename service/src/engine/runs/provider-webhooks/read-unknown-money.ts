// A notice about something that no payment of ours has: other software's, or money of ours that no row knows
// any more. The one is put away after a day; the other is written down and told.

import { findGatewayOfNotice } from '../../../storage/gateways/gateways.ts';
import type { DueNotice } from '../../../storage/gateways/provider-inbox.ts';
import { findUnknown } from '../../../storage/payments/unknown-money.ts';
import type { Ports } from '../../ports.ts';
import { isOld } from '../../steps/provider-webhooks/hand-over.ts';
import { lookAtUnknown } from '../unknown-money/look-at-unknown.ts';
import { notifyOperator } from '../unknown-money/notify-operator.ts';

/** How the notice ended; undefined leaves it for a later pass. */
export async function readUnknownMoney(
  notice: DueNotice,
  ports: Ports,
): Promise<string | undefined> {
  const unknown = isOld(notice) ? 'unknown_object' : undefined;
  const { gatewayId, intentId } = notice;
  if (intentId === null) return unknown;
  // Nobody is asked about what other software made.
  const isOurs = notice.isMarked || (await findUnknown(ports.database, intentId)) !== undefined;
  if (!isOurs) return unknown;
  const gateway = await findGatewayOfNotice(ports.database, gatewayId);
  if (!gateway) return 'not_ours';
  const looked = await lookAtUnknown({ clientId: gateway.clientId, gatewayId, intentId }, ports);
  if (looked === 'foreign') return unknown;
  // A row of ours has it, or may get it: the next look finds that. What could not be read stays.
  if (looked !== 'written') return undefined;
  await notifyOperator(ports);
  return 'unknown_money';
}
