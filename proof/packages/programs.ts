// Small programs as merchants write them: the same program with `import` and with `require`, the
// types that a shop uses, and a worker without Node's modules.

const steps = `
async function main() {
  const [providerBaseUrl, secretKey, session] = process.argv.slice(2);
  const svc = new Svc(secretKey, { providerBaseUrl });
  const payload = '{"id":"evt_1","type":"item.purchased","data":{}}';
  const secret = 'svc_whsec_x';
  const header = svc.webhooks.generateTestHeader({ payload, secret });
  const said = { id: svc.webhooks.constructEvent(payload, header, secret).id };
  try { new Svc(''); } catch (error) {
    said.refused = [error instanceof SvcError, error.type, error.name];
    const { server, browser } = await other();
    const { SvcAuthenticationError, SvcApiError, Svc: Other } = server;
    said.otherBuild = [
      error instanceof server.SvcError,
      error instanceof SvcAuthenticationError,
      error instanceof SvcApiError,
      Other === Svc,
    ];
    said.otherBrowser = new browser.SvcError('api_error', 'x') instanceof BrowserError;
  }
  const { status, amount_total } = await svc.checkout.sessions.retrieve(session);
  said.session = [status, amount_total];
  said.api = await new PaymentAPI('http://127.0.0.1:9').createAndFetchSession({ products: [] })
    .catch((error) => [error instanceof BrowserError, error.code]);
  said.parts = [createInbox, mountCardFrame, defineCardSetup, CardSetup].map((one) => typeof one);
  console.log(JSON.stringify(said));
}
main();
`;

export const esmProgram = `
import { Svc, SvcError } from '@svc/server';
import { createInbox } from '@svc/server/inbox';
import { CardSetup, PaymentAPI, SvcError as BrowserError } from '@svc/browser';
import { mountCardFrame } from '@svc/browser/card-frame';
import { defineCardSetup } from '@svc/browser/element';
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const other = async () => ({ server: require('@svc/server'), browser: require('@svc/browser') });
${steps}`;

export const cjsProgram = `
const { Svc, SvcError } = require('@svc/server');
const { createInbox } = require('@svc/server/inbox');
const { CardSetup, PaymentAPI, SvcError: BrowserError } = require('@svc/browser');
const { mountCardFrame } = require('@svc/browser/card-frame');
const { defineCardSetup } = require('@svc/browser/element');
const other = async () => ({
  server: await import('@svc/server'),
  browser: await import('@svc/browser'),
});
${steps}`;

/** The output of both programs about an open session over 30 EUR. */
export const programAnswer = {
  id: 'evt_1',
  refused: [true, 'authentication_error', 'SvcAuthenticationError'],
  otherBuild: [true, true, false, false],
  otherBrowser: true,
  session: ['open', 3000],
  api: [true, 'CurrencyRequired'],
  parts: ['function', 'function', 'function', 'function'],
};

/** A shop's use of the types, for both kinds of module. */
export const typedProgram = `
import { PaymentAPI, SvcError as BrowserError } from '@svc/browser';
import { mountCardFrame } from '@svc/browser/card-frame';
import { Svc, SvcError, type Payment, type WebhookEvent } from '@svc/server';
import { createInbox, type Inbox } from '@svc/server/inbox';
const svc = new Svc('sk', { apiVersion: '2026-10-28.endive', clientId: 'c', apiToken: 't' });
export async function run(id: string): Promise<Payment> {
  const session = await svc.checkout.sessions.create({
    currency: 'EUR',
    products: [{ code: 'mug', quantity: 1 }],
    account: { userId: 'u', email: 'a@example.com', country: 'DE' },
    captureMethod: 'manual',
  });
  if ('redirectUrl' in session) session.redirectUrl.trim();
  return await svc.request('PUT', \`/v1/payments/\${id}/capture\`, {}, { idempotencyKey: 'k' });
}
export function name(event: WebhookEvent): string {
  switch (event.type) {
    case 'item.purchased': return event.data.object.items[0]?.code ?? '';
    default: return event.type;
  }
}
export async function asTheGuideSays(id: string): Promise<void> {
  const key = { idempotencyKey: 'order-7', timeout: 5_000, signal: AbortSignal.timeout(9_000) };
  await svc.request('PUT', \`/v1/payments/\${id}/cancel\`, {}, key);
  await svc.payments.refund(id, { amount: 5 }, key);
  for await (const payment of svc.payments.list({ limit: 50, status: { in: ['succeeded'] } })) {
    payment.status.trim();
  }
  (await svc.payments.list().toArray({ limit: 500 })).length.toFixed();
  const session = await svc.setupSessions.create({ userId: id });
  session.nonce.trim();
  await svc.paymentMethods.list({ userUuid: id, status: { eq: 'active' } });
  await svc.paymentMethods.delete(id);
  const { email } = await svc.customers.create({ email: 'a@example.com' });
  email?.trim();
  const endpoint = await svc.webhookEndpoints.create({ url: 'https://shop.example/hook' });
  await svc.webhookEndpoints.rotateSecret(endpoint.id);
  svc.webhooks.toExpressHandler((event) => name(event), endpoint.secret as \`svc_whsec_\${string}\`);
  for await (const event of svc.events.poll({ after: 'evt_1' })) name(event);
  await svc.checkout.sessions.expire('cs_1');
  const [line] = await svc.checkout.sessions.listLineItems('cs_1').toArray({ limit: 1 });
  line?.quantity?.toFixed();
  svc.on('response', ({ status }) => status);
}
export const isOurs = (error: unknown): boolean =>
  (error instanceof SvcError && error.type === 'api_error') || error instanceof BrowserError;
export const api = new PaymentAPI('https://pay.example');
export type Made = Awaited<ReturnType<typeof api.createAndFetchSession>>['id'];
export const mount: (...given: never) => unknown = mountCardFrame;
export const make: (...given: never) => Inbox = createInbox;
`;

/** Code that the types must refuse; each line is an error. */
export const wrongProgram = `
import { Svc } from '@svc/server';
import { PaymentAPI } from '@svc/browser';
const svc = new Svc('sk');
svc.request('GET', '/v1/payment');
svc.checkout.sessions.create({ currency: 'EUR', products: [], account: { userId: 'u' } });
new PaymentAPI(7);
`;

/**
 * A worker's module: it verifies a delivery and reads from the provider with web standards only.
 */
export const workerProgram = `
import { Svc, SvcError } from '@svc/server';
import { createInbox } from '@svc/server/inbox';
import { PaymentAPI } from '@svc/browser';
globalThis.answer = (async () => {
  const { providerBaseUrl, secretKey, session } = globalThis.given;
  const svc = new Svc(secretKey, { providerBaseUrl });
  const payload = '{"id":"evt_1","type":"item.purchased","data":{}}';
  const secret = 'svc_whsec_x';
  const header = await svc.webhooks.generateTestHeaderAsync({ payload, secret });
  const { id } = await svc.webhooks.constructEventAsync(payload, header, secret);
  const forged = await svc.webhooks.constructEventAsync(payload + ' ', header, secret)
    .catch((error) => error instanceof SvcError);
  const { status } = await svc.checkout.sessions.retrieve(session);
  return JSON.stringify([id, forged, status, typeof createInbox, typeof PaymentAPI]);
})();
`;

/** A page that only pays, and one that also saves a card on request. */
export const pageProgram = `
import { PaymentAPI, SvcError } from '@svc/browser';
const api = new PaymentAPI('https://pay.example');
api.createAndFetchSession({ products: [] }).catch((error) => {
  document.title = error instanceof SvcError ? error.code : 'odd';
});
`;
