import { Svc } from '@svc/server';
import { expect, it } from 'vitest';
import { readWebhook } from './webhook.ts';

it('a webhook with another secret is refused with the remedy, and reads nothing', async () => {
  // Nobody listens there: a read would fail with another sentence.
  const svc = new Svc({ baseUrl: 'http://127.0.0.1:1', clientId: 'c', apiToken: 'svc_t' });
  const warn = () => undefined;
  const rawData = '{"id":"evt_1"}';
  const secret = 'svc_whsec_b25l';
  const header = svc.webhooks.generateTestHeader({ payload: rawData, secret });
  const payload = { data: {}, rawData, headers: { 'svc-signature': header } };
  await expect(readWebhook(payload, { svc, warn, secret: 'svc_whsec_dHdv' })).rejects.toThrow(
    /webhookSecret in medusa-config is not that of this endpoint/,
  );
  await expect(readWebhook(payload, { svc, warn, secret: undefined })).rejects.toThrow(
    /webhookSecret is missing/,
  );
});
