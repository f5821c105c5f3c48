// The operation of the card provider's API that a request belongs to. The provider counts requests
// by operation, whatever the ids in their paths.

/** `POST /v1/payment_intents/:id/capture`. Every second segment after the version is an id. */
export function endpointOf(method: string, path: string): string {
  const [, version, ...segments] = (path.split('?', 1)[0] ?? '').split('/');
  const names = segments.map((segment, at) => (at % 2 === 1 ? ':id' : segment));
  return `${method} /${[version, ...names].join('/')}`;
}

/** Returns the payment intent that a request changes; null for every other request. */
export const changedIntent = (method: string, path: string): string | null =>
  method === 'POST' ? (/^\/v1\/payment_intents\/([^/?]+)/.exec(path)?.[1] ?? null) : null;
