// What becomes of a refund later reaches the order: Medusa's own handling of webhooks knows no refunds.

import { accountsOf } from '../../accounts.ts';
import { type Shop, settle } from '../../settle.ts';

type Delivery = { provider: string; payload: { rawData?: unknown } };
type PaymentModule = {
  getWebhookActionAndData(delivery: Delivery): Promise<{ data?: { session_id?: string } }>;
};

export default async function refundNews(given: { event: { data: Delivery }; container: Shop }) {
  const { event, container } = given;
  const at = accountsOf(container).get(`pp_${event.data.provider}`);
  if (!at) return;
  const raw = event.data.payload.rawData as { type?: string; data?: number[] } | undefined;
  const body = raw?.type === 'Buffer' ? Buffer.from(raw.data ?? []) : event.data.payload.rawData;
  event.data.payload.rawData = body;
  // Of every other event Medusa's own subscriber asks the provider.
  if (!/"type":\s*"refund\./.test(String(body))) return;
  const module = container.resolve('payment') as unknown as PaymentModule;
  // Verified by the provider; what it refuses, Medusa's own subscriber has logged.
  const { data } = await module
    .getWebhookActionAndData(event.data)
    .catch(() => ({ data: undefined }));
  if (!data?.session_id) return;
  const { data: found } = await container.resolve('query').graph({
    entity: 'payment',
    fields: ['data'],
    filters: { payment_session_id: data.session_id },
  });
  const kept = found[0]?.data as { svc_payment?: string } | undefined;
  if (kept?.svc_payment) await settle(at, await at.svc.payments.retrieve(kept.svc_payment));
}

export const config = {
  event: 'payment.webhook_received',
  context: { subscriberId: 'svc-refund-news' },
};
