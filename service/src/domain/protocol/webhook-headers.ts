/** The headers of every attempt but those of its signatures. `redelivery` 0: none. Contract §7. */
export const webhookHeaders = (redelivery: number): Readonly<Record<string, string>> => ({
  'content-type': 'application/json; charset=utf-8',
  'user-agent': 'Svc-Webhooks/1',
  ...(redelivery > 0 ? { 'svc-redelivery': String(redelivery) } : {}),
});
