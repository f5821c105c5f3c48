import type { WebhookAttempt } from '@svc/contract/developers/webhook-endpoints';
import { webhookHeaders } from '../../../domain/protocol/webhook-headers.ts';
import type { AttemptResult } from '../../../storage/webhooks/webhook-attempts.ts';
import { eventId as wireId } from './compose-event.ts';

export type Attempt = AttemptResult & {
  /** The event's UUID. */
  readonly eventId: string;
  readonly endpointId: string;
  readonly attempt: number;
  /** The number of the redelivery that the attempt belongs to; 0 when it belongs to none. */
  readonly redelivery: number;
  readonly outcome: 'delivered' | 'failed';
};

/** An attempt as the API shows it. The headers are those that every attempt is sent with. */
export const showAttempt = (made: Attempt, body: string): WebhookAttempt => ({
  eventId: wireId(made.eventId),
  endpointId: made.endpointId,
  attempt: made.attempt,
  isRedelivery: made.redelivery > 0,
  outcome: made.outcome,
  request: {
    url: made.url,
    headers: {
      host: URL.parse(made.url)?.host ?? '',
      'content-length': String(Buffer.byteLength(body)),
      'webhook-id': wireId(made.eventId),
      ...webhookHeaders(made.redelivery),
    },
  },
  status: made.status,
  error: made.error,
  response: made.excerpt,
  durationMs: made.durationMs,
  startedAt: made.startedAt.toISOString(),
});
