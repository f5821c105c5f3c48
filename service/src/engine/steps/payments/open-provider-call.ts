import { recordUnsent } from '../../../storage/payments/operation-attempts.ts';
import type { Gateway, Ports } from '../../ports.ts';
import { openGateway } from '../gateways/open-gateway.ts';
import type { ProviderCall } from './provider-call.ts';

/**
 * Opens the gateway of an attempt, before anything is sent. Where its keys cannot be opened, that
 * is recorded for an attempt of a wallet: this lease holder sends nothing, so if the order is gone at the
 * next reading, it was not captured by this lease holder.
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
      // Without the record the lease holder counts as one that may have sent the call.
      await recordUnsent(ports.database, operation, unsent).catch(() => undefined);
    }
    throw error;
  }
}
