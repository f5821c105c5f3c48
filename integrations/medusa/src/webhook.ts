// What a verified event of Svc means to Medusa. The event only says which payment to look at: its state is read.

import type { WebhookEvent } from '@svc/server';
import { givenBack, isTaken, troubleOf } from '@svc/server/shops';
import type { Account } from './options.ts';

export type WebhookPayload = {
  data: Record<string, unknown>;
  rawData: string | Uint8Array;
  headers: Record<string, unknown>;
};

export type WebhookResult = {
  action: 'authorized' | 'captured' | 'failed' | 'not_supported';
  data?: { session_id: string; amount: number };
};

type Warn = (text: string) => void;

const unsupported = { action: 'not_supported' } as const;

/** Throws a sentence with the remedy for what cannot be verified. */
export async function readWebhook(
  payload: WebhookPayload,
  { svc, secret, warn }: Pick<Account, 'svc'> & { secret: string | undefined; warn: Warn },
): Promise<WebhookResult> {
  if (!secret)
    throw new Error(
      "the option webhookSecret is missing; give the endpoint's secret in medusa-config",
    );
  const event = verify(payload, { svc, secret });
  if (event.resource.type !== 'payment') return unsupported;
  const object = event.data.object as { parentPaymentId?: string | null };
  const payment = await svc.payments.retrieve(object.parentPaymentId ?? event.resource.id);
  const session = payment.metadata.medusa_session;
  if (typeof session !== 'string') return unsupported;
  const data = { session_id: session, amount: payment.amount };
  // For `refund-news.ts`; Medusa itself does nothing about it.
  if (event.type.startsWith('refund.')) return { ...unsupported, data };
  if (payment.status === 'authorized') return { action: 'authorized', data };
  // Only while nothing was given back: Medusa would capture for an order that it has refunded.
  if (isTaken(payment) && givenBack(payment) === 0) return { action: 'captured', data };
  const trouble = troubleOf(payment);
  if (trouble) warn(trouble);
  return payment.status === 'failed' ? { action: 'failed', data } : unsupported;
}

function verify(
  { rawData, headers }: WebhookPayload,
  { svc, secret }: Pick<Account, 'svc'> & { secret: string },
): WebhookEvent {
  try {
    return svc.webhooks.constructEvent(rawData, headers['svc-signature'] as string, secret);
  } catch (error) {
    // Its first sentence: the others are for who writes a server.
    const [said] = (error as Error).message.split('. ');
    throw new Error(
      `${said}. webhookSecret in medusa-config is not that of this endpoint: a new one is made in the dashboard of Svc, Developers, Webhooks, the endpoint. Svc shows these deliveries as delivered, since Medusa answers before it checks. Nothing is lost: the job reads Svc each minute.`,
    );
  }
}
