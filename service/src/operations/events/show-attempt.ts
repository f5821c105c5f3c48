import type { WebhookAttempt } from '@svc/contract/webhook-endpoints';
import { eventId as wireId } from './compose-event.ts';

export type Attempt = {
  readonly eventId: string;
  readonly endpointId: string;
  readonly attempt: number;
  /** Number of the redelivery that it belongs to; 0: none. */
  readonly redelivery: number;
  readonly outcome: 'delivered' | 'failed';
  readonly url: string;
  readonly status: number | null;
  readonly error: string | null;
  readonly excerpt: string | null;
  readonly durationMs: number;
  readonly startedAt: Date;
};

/** One attempt as the API shows it; the headers are those that every attempt is sent with. */
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
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': 'Svc-Webhooks/1',
      'webhook-id': wireId(made.eventId),
      ...(made.redelivery > 0 ? { 'svc-redelivery': String(made.redelivery) } : {}),
    },
  },
  status: made.status,
  error: made.error,
  response: made.excerpt,
  durationMs: made.durationMs,
  startedAt: made.startedAt.toISOString(),
});
