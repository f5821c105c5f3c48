import { testWebhookEndpoint as row } from '@svc/contract/developers/webhook-endpoints';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { sendTestDelivery } from '../../engine/runs/webhook-deliveries/send-test-delivery.ts';
import { showAttempt } from '../../engine/steps/events/show-attempt.ts';

const busy = {
  retryAfter: 2,
  message:
    'A test of this endpoint, or three of yours, are on their way. Try again when they are over.',
};

/**
 * Sends a test event at once, to this endpoint only, and returns the receiver's answer. Contract
 * §7. Refuses, in order: webhook_endpoint_not_found, webhook_endpoint_is_disabled, rate_limited.
 */
export const testWebhookEndpoint = implement(row)(async ({ id }, caller, ports, refuse) => {
  const { clientId } = requireServer(caller);
  const request = { id: caller.requestId, idempotencyKey: null };
  const asked = { clientId, endpointId: id.toLowerCase(), request };
  const sent = await sendTestDelivery(ports, asked);
  if (sent === 'missing') return refuse('webhook_endpoint_not_found');
  if (sent === 'disabled') return refuse('webhook_endpoint_is_disabled');
  if (sent === 'busy') return refuse('rate_limited', busy);
  return { status: 200, body: showAttempt(sent, sent.body) };
});
