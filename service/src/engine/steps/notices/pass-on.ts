// A provider tells each webhook of an account about everything there, so where two merchants share the
// account, or one merchant has two gateways to it, a notice also arrives at the gateway that it is not about.

import { judgeMaker } from '../../../domain/protocol/marks.ts';
import {
  findGatewayBeside,
  listInstallations,
  toInstallations,
} from '../../../storage/gateways/gateways.ts';
import { type DueNotice, passNotice } from '../../../storage/gateways/provider-inbox.ts';
import type { Ports } from '../../ports.ts';

/**
 * Passes on a notice about an object that is not this gateway's. Returns `handed_over` when it belongs to another
 * gateway, found by our row or else by the merchant in its marks; `made_elsewhere` when another installation made
 * it; undefined otherwise.
 */
export async function passOn(
  notice: DueNotice,
  { database, newId }: Ports,
): Promise<'handed_over' | 'made_elsewhere' | undefined> {
  const { gatewayId, maker } = notice;
  const objectId = notice.intentId ?? notice.objectId;
  const made = judgeMaker(maker, toInstallations(await listInstallations(database, newId)));
  const other = await findGatewayBeside(database, gatewayId, {
    ...(objectId ? { objectId } : {}),
    ...(maker.merchantId && made === 'ours' ? { clientId: maker.merchantId } : {}),
  });
  if (other) await passNotice(database, notice, other.gatewayId);
  if (other) return 'handed_over';
  return made === 'elsewhere' ? 'made_elsewhere' : undefined;
}
