import { recordUnsent } from '../../../storage/payments/operation-attempts.ts';
import type { Gateway, Ports } from '../../ports.ts';
import { openGateway } from '../gateways/open-gateway.ts';
import type { ProviderCall } from './provider-call.ts';

/**
 * The account that an attempt is asked of, before anything of it is sent. Where its keys do not open,
 * an attempt of a wallet has that on record: an order that is gone by the next look was not captured by
 * this holder, who sends nothing any more.
 */
export async function openProviderCall(
  { payment, operation, now }: ProviderCall,
  ports: Ports,
): Promise<Gateway> {
  try {
    return await openGateway(ports, payment.clientId, payment.gatewayId);
  } catch (error) {
    if (payment.provider === 'wallet') {
      const unsent = { code: 'gateway_unopened', startedAt: now } as const;
      // Without the record the holder counts as one that may have sent.
      await recordUnsent(ports.database, operation, unsent).catch(() => undefined);
    }
    throw error;
  }
}
