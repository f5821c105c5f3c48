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
 * Returns how the notice ended where it is about an object of another gateway, by a row of ours or else by the
 * merchant that the marks name, or of another installation; undefined where it is neither.
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
