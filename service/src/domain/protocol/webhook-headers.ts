/** The headers of every attempt except those of its signatures. `redelivery` 0: it is none. Contract §7. */
export const webhookHeaders = (redelivery: number): Readonly<Record<string, string>> => ({
  'content-type': 'application/json; charset=utf-8',
  'user-agent': 'Svc-Webhooks/1',
  ...(redelivery > 0 ? { 'svc-redelivery': String(redelivery) } : {}),
});
