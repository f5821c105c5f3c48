// A notice about a refund: one of ours that moved by itself, late failures among them, or one that
// somebody made at the provider.

import { findGatewayOfNotice } from '../../storage/gateways.ts';
import { findOpenOperation, findOperation } from '../../storage/payment-operations.ts';
import { findPayment, findPaymentByIntent, findPaymentByRefund } from '../../storage/payments.ts';
import type { DueNotice } from '../../storage/provider-inbox.ts';
import { openGateway } from '../gateways/open-gateway.ts';
import { settleRefund } from '../payments/settle-refund.ts';
import type { Ports, ProviderRefund } from '../ports.ts';
import { handOver, isOld } from './hand-over.ts';
import { recordRefund } from './record-refund.ts';

/** How the notice ended; undefined leaves it for a later pass. */
export async function readRefundNotice(
  notice: DueNotice,
  ports: Ports,
): Promise<string | undefined> {
  const { database } = ports;
  const providerRefundId = notice.objectId ?? '';
  const found = await findPaymentByRefund(database, notice.gatewayId, providerRefundId);
  if (!found) return readUnknownRefund(notice, ports);
  const open = await findOpenOperation(database, found.clientId, found.id);
  if (open) return handOver(open, notice, ports);
  const refund = await findPayment(database, found.clientId, found.id);
  if (!refund?.parentPaymentId) return 'nothing_to_change';
  const gateway = await openGateway(ports, refund.clientId, refund.gatewayId);
  const outcome = await ports.provider(gateway).retrieveRefund(providerRefundId);
  if (outcome.kind !== 'confirmed') return undefined;
  const held = {
    clientId: refund.clientId,
    refundId: refund.id,
    purchaseId: refund.parentPaymentId,
    operation: null,
    startedAt: notice.now,
  };
  const settled = await settleRefund(held, outcome, ports);
  return settled?.refund.status === refund.status ? 'nothing_to_change' : 'settled';
}

/** Ours, with our own commit still to come; or made at the provider by somebody else. */
async function readUnknownRefund(notice: DueNotice, ports: Ports): Promise<string | undefined> {
  const unknown = isOld(notice) ? 'unknown_object' : undefined;
  const said = await readRefund(notice, ports);
  if (!said?.intentId) return unknown;
  if (notice.intentId !== null && said.intentId !== notice.intentId) return 'not_ours';
  const purchase = await findPaymentByIntent(ports.database, notice.gatewayId, said.intentId);
  if (!purchase) return unknown;
  if (said.operationId) {
    return (await handOwnOver(purchase.clientId, said, { notice, ports })) ?? unknown;
  }
  const recorded = await recordRefund(purchase, said, ports);
  if (recorded === 'recorded') return 'settled';
  if (recorded === 'misfit') return 'refund_misfit';
  if (recorded === 'wait') return isOld(notice) ? 'refund_misfit' : undefined;
  return 'nothing_to_change';
}

/** A notice that names no payment of ours is not worth a question; one that names none may be. */
async function readRefund(
  { gatewayId, intentId, objectId }: DueNotice,
  ports: Ports,
): Promise<ProviderRefund | undefined> {
  const { database } = ports;
  const owner =
    intentId === null
      ? await findGatewayOfNotice(database, gatewayId)
      : await findPaymentByIntent(database, gatewayId, intentId);
  if (!owner) return undefined;
  const gateway = await openGateway(ports, owner.clientId, gatewayId);
  const read = await ports.provider(gateway).retrieveRefund(objectId ?? '');
  return read.kind === 'confirmed' ? read.refund : undefined;
}

async function handOwnOver(
  clientId: string,
  { operationId }: ProviderRefund,
  { notice, ports }: { notice: DueNotice; ports: Ports },
): Promise<string | undefined> {
  if (!operationId || !uuidPattern.test(operationId)) return undefined;
  const operation = await findOperation(ports.database, clientId, operationId);
  const isOpen = operation && operation.state !== 'succeeded' && operation.state !== 'failed';
  return isOpen ? handOver(operation, notice, ports) : undefined;
}

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
