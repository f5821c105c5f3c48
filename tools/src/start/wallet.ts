// The demo merchant's webhook at the sandbox's wallet, in the wallet's own format.

export type WalletApp = {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly merchantId: string;
};

type Webhook = { readonly id: string; readonly url: string };

/**
 * Returns the id of the app's one webhook. One with another address, because ports have changed, is
 * replaced.
 */
export async function subscribeToWallet(
  sandboxUrl: string,
  app: WalletApp,
  url: string,
): Promise<string> {
  const token = await grant(sandboxUrl, app);
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${sandboxUrl}/v1/notifications/webhooks${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`the sandbox's wallet took no webhook: ${text}`);
    return text === '' ? null : JSON.parse(text);
  };
  const { webhooks } = (await call('GET', '')) as { webhooks: readonly Webhook[] };
  const known = webhooks.find((webhook) => webhook.url === url);
  for (const { id } of webhooks) if (id !== known?.id) await call('DELETE', `/${id}`);
  if (known) return known.id;
  const made = (await call('POST', '', { url, event_types: [{ name: '*' }] })) as Webhook;
  return made.id;
}

async function grant(sandboxUrl: string, app: WalletApp): Promise<string> {
  const basic = Buffer.from(`${app.clientId}:${app.clientSecret}`).toString('base64');
  const response = await fetch(`${sandboxUrl}/v1/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: 'grant_type=client_credentials',
  });
  const { access_token: token } = (await response.json()) as { access_token?: string };
  if (!token) throw new Error("the sandbox's wallet gave no access");
  return token;
}
