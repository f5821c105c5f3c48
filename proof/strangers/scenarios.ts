// Strangers whose packages carry no tests of their own: their public API, as their documentation uses it. Each prints
// one line of JSON: what was tried, and whether it came out. Their code is what npm has; only these lines are ours.

const start = `
const said = {};
const tried = async (name, work) => {
  try { said[name] = (await work()) === true; } catch (error) { said[name] = String(error.message); }
};
const { STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: secret } = process.env;
const payload = JSON.stringify({ id: 'evt_1', object: 'event', livemode: false, type: 'customer.created',
  data: { object: { id: 'cus_1', object: 'customer' } } });`;

/** A customer for each sign-up, and the webhook that takes signed events alone. */
export const betterAuth = `
import { betterAuth } from 'better-auth';
import { memoryAdapter } from 'better-auth/adapters/memory';
import { stripe } from '@better-auth/stripe';
import Stripe from 'stripe';
${start}
const client = new Stripe(key);
const db = { user: [], session: [], account: [], verification: [], subscription: [] };
const auth = betterAuth({
  baseURL: 'http://localhost:3000', secret: 'a-secret-of-thirty-two-characters!!',
  database: memoryAdapter(db), emailAndPassword: { enabled: true }, logger: { disabled: true },
  plugins: [stripe({ stripeClient: client, stripeWebhookSecret: secret, createCustomerOnSignUp: true })],
});
const post = (signature) => auth.handler(new Request('http://localhost:3000/api/auth/stripe/webhook', {
  method: 'POST', headers: { 'stripe-signature': signature }, body: payload }));
await tried('sign up', async () => {
  const body = { email: 'ada@example.com', password: 'password1234', name: 'Ada' };
  return Boolean((await auth.api.signUpEmail({ body })).user.id);
});
await tried('its customer', async () => {
  const { email, metadata } = await client.customers.retrieve(db.user[0].stripeCustomerId);
  return email === 'ada@example.com' && metadata.userId === db.user[0].id;
});
await tried('a signed event', async () => {
  const signature = await client.webhooks.generateTestHeaderStringAsync({ payload, secret });
  return (await post(signature)).status === 200;
});
await tried('a forged event', async () => (await post('t=1,v1=00')).status === 400);
console.log(JSON.stringify(said));`;

/** Its services for customers, products, payments and refunds. */
export const feathers = `
const services = require('feathers-stripe');
${start}
(async () => {
  const open = (name) => new services[name]({ stripe: new (require('stripe'))(key), secretKey: key });
  const params = { query: {} };
  const [customers, products, intents, refunds] =
    ['CustomerService', 'ProductService', 'PaymentIntentService', 'RefundService'].map(open);
  let paid;
  await tried('create a customer', async () =>
    (await customers.create({ email: 'a@example.com' }, params)).email === 'a@example.com');
  await tried('list customers', async () =>
    (await customers.find({ query: { limit: 1 } })).data.length === 1);
  await tried('create a product', async () =>
    (await products.create({ name: 'Tea' }, params)).name === 'Tea');
  await tried('pay', async () => {
    paid = await intents.create({ amount: 500, currency: 'eur', payment_method: 'pm_card_visa', confirm: true,
      payment_method_types: ['card'] }, params);
    return paid.status === 'succeeded';
  });
  await tried('refund', async () =>
    (await refunds.create({ payment_intent: paid.id }, params)).status === 'succeeded');
  console.log(JSON.stringify(said));
})();`;

/** Its module with the client, and its controller that hands signed events to a handler. */
export const nest = `
require('reflect-metadata');
const { Injectable, Module } = require('@nestjs/common');
const { NestFactory } = require('@nestjs/core');
const { StripeModule, StripeWebhookHandler } = require('@golevelup/nestjs-stripe');
const Stripe = require('stripe');
${start}
const seen = [];
class Handler { take(event) { seen.push(event.type); } }
const method = Object.getOwnPropertyDescriptor(Handler.prototype, 'take');
StripeWebhookHandler('customer.created')(Handler.prototype, 'take', method);
Injectable()(Handler);
class App {}
Module({ providers: [Handler], imports: [StripeModule.forRoot({ apiKey: key,
  webhookConfig: { stripeSecrets: { accountTest: secret }, requestBodyProperty: 'rawBody' } })] })(App);
(async () => {
  const app = await NestFactory.create(App, { rawBody: true, logger: false });
  await app.listen(0, '127.0.0.1');
  const url = (await app.getUrl()) + '/stripe/webhook';
  const client = new Stripe(key);
  const send = (signature) => fetch(url, { method: 'POST', body: payload,
    headers: { 'content-type': 'application/json', 'stripe-signature': signature } });
  await tried('pay', async () => (await client.paymentIntents.create({ amount: 700, currency: 'eur',
    payment_method: 'pm_card_visa', confirm: true,
    automatic_payment_methods: { enabled: true, allow_redirects: 'never' } })).status === 'succeeded');
  await tried('a signed event reaches its handler', async () => {
    const { ok } = await send(client.webhooks.generateTestHeaderString({ payload, secret }));
    return ok && seen.join() === 'customer.created';
  });
  await tried('a forged event does not', async () => !(await send('t=1,v1=00')).ok && seen.length === 1);
  console.log(JSON.stringify(said));
  await app.close();
})();`;

/** A token for a card from an app, which the twin does not serve. */
export const client = `
${start}
(async () => {
  const stripe = require('stripe-client')(process.env.STRIPE_PUBLISHABLE_KEY);
  await tried('create a token', async () => {
    const card = { number: '4242424242424242', exp_month: '02', exp_year: '31', cvc: '999' };
    return (await (await stripe.createToken({ card })).json()).object === 'token';
  });
  console.log(JSON.stringify(said));
})();`;
