import type { SignalKind } from '../../../domain/payments/dispute.ts';
import { readAskingTime } from '../../../storage/database/clock.ts';
import type { DueNotice } from '../../../storage/gateways/provider-inbox.ts';
import { findPaymentByIntent } from '../../../storage/payments/payments.ts';
import type { Ports } from '../../ports.ts';
import { settleSignal } from '../../steps/fraud-signals/settle-signal.ts';
import { openGateway } from '../../steps/gateways/open-gateway.ts';
import { isOld, isSettling } from '../../steps/notices/leave-to-operation.ts';
import { readUnknownMoney } from './read-unknown-money.ts';

/**
 * Handles a notice about a warning of fraud or a review. The provider is read, whatever the notice states,
 * so the order and number of notices change nothing. Undefined leaves it for a later pass.
 */
export async function readSignalNotice(
  notice: DueNotice,
  kind: SignalKind,
  ports: Ports,
): Promise<string | undefined> {
  const { database } = ports;
  const { gatewayId, intentId, objectId } = notice;
  // Every payment of ours has an intent, so a signal about one names it.
  if (!intentId || !objectId) return 'not_ours';
  const purchase = await findPaymentByIntent(database, gatewayId, intentId);
  if (!purchase) return readUnknownMoney(notice, ports);
  const { clientId, id: purchaseId } = purchase;
  const gateway = await openGateway(ports, clientId, gatewayId);
  const askedAt = await readAskingTime(database);
  const read = await ports.provider(gateway, 'upkeep').retrieveSignal(kind, objectId);
  if (read.kind === 'missing' && isOld(notice)) return 'unknown_object';
  if (read.kind !== 'found') return undefined;
  const said = read.signal;
  if (said.intentId !== intentId) return 'not_ours';
  const word = { clientId, purchaseId, said, askedAt, mayLag: isSettling(notice) };
  const outcome = await settleSignal(word, ports);
  const isLagging = outcome === 'behind' || (notice.isOpen === false && said.isOpen);
  if (isLagging && !isOld(notice)) return undefined;
  return outcome === 'behind' ? 'nothing_to_change' : outcome;
}
