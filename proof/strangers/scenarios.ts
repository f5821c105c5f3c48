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

/** The connection of a low-code platform, whose requests name any method of the SDK. */
export const lowdefy = `
import { Stripe } from '@lowdefy/connection-stripe/connections';
${start}
const connection = { secretKey: key };
const ask = (request) => Stripe.requests.StripeRequest({ request, connection });
const card = { payment_method: 'pm_card_visa', payment_method_types: ['card'], confirm: true };
let customer;
let paid;
await tried('create a customer', async () => {
  customer = await ask({ customers: { create: [{ email: 'a@example.com' }] } });
  return customer.object === 'customer';
});
await tried('change it', async () =>
  (await ask({ customers: { update: [customer.id, { name: 'Ada' }] } })).name === 'Ada');
await tried('pay', async () => {
  paid = await ask({ paymentIntents: { create: [{ ...card, amount: 500, currency: 'eur', customer: customer.id }] } });
  return paid.status === 'succeeded' && paid.amount_received === 500;
});
await tried('refund', async () =>
  (await ask({ refunds: { create: [{ payment_intent: paid.id, amount: 200 }] } })).amount === 200);
await tried('set up', async () =>
  (await ask({ setupIntents: { create: [{ ...card, customer: customer.id }] } })).status === 'succeeded');
await tried('a page to pay at', async () => {
  const price_data = { currency: 'eur', unit_amount: 500, product_data: { name: 'Tea' } };
  const body = { mode: 'payment', success_url: 'https://shop.example/', line_items: [{ quantity: 1, price_data }] };
  return (await ask({ checkout: { sessions: { create: [body] } } })).status === 'open';
});
await tried('list subscriptions', async () =>
  (await ask({ subscriptions: { list: [{ limit: 1 }] } })).object === 'list');
console.log(JSON.stringify(said));`;

/** The tools that the provider gives to agents: what each answers is JSON for a model. */
export const agents = `
const { StripeAgentToolkit } = require('@stripe/agent-toolkit/openai');
${start}
(async () => {
  const can = { create: true, read: true, update: true };
  const names = ['customers', 'products', 'prices', 'paymentIntents', 'refunds', 'balance', 'disputes', 'coupons',
    'invoices', 'subscriptions'];
  const actions = Object.fromEntries(names.map((name) => [name, can]));
  const kit = new StripeAgentToolkit({ secretKey: key, configuration: { actions } });
  const call = async (name, args = {}) => {
    const asked = { id: '1', function: { name, arguments: JSON.stringify(args) } };
    const { content } = await kit.handleToolCall(asked);
    return typeof content === 'string' ? JSON.parse(content) : content;
  };
  const lists = (name) => tried(name, async () => Array.isArray(await call(name, { limit: 1 })));
  let product;
  await tried('create_customer', async () => (await call('create_customer', { name: 'Ada' })).id.startsWith('cus_'));
  await tried('create_product', async () => {
    product = await call('create_product', { name: 'Tea' });
    return product.name === 'Tea';
  });
  await tried('create_price', async () =>
    (await call('create_price', { product: product.id, unit_amount: 500, currency: 'eur' })).unit_amount === 500);
  const paid = await new (require('stripe'))(key).paymentIntents.create({ amount: 500, currency: 'eur',
    payment_method: 'pm_card_visa', confirm: true, payment_method_types: ['card'] });
  await tried('list_payment_intents', async () =>
    (await call('list_payment_intents', { limit: 1 }))[0].id === paid.id);
  await tried('create_refund', async () =>
    (await call('create_refund', { payment_intent: paid.id })).status === 'succeeded');
  await tried('retrieve_balance', async () => (await call('retrieve_balance')).object === 'balance');
  for (const name of ['list_customers', 'list_products', 'list_prices', 'list_disputes']) await lists(name);
  for (const name of ['list_coupons', 'list_invoices', 'list_subscriptions']) await lists(name);
  console.log(JSON.stringify(said));
})();`;

/** A copy of the provider's objects in a database of its own, by lists, by id and by webhooks. */
export const sync = `
const { StripeSync, runMigrations } = require('@supabase/stripe-sync-engine');
const Stripe = require('stripe');
const pg = require('pg');
${start}
(async () => {
  const client = new Stripe(key);
  const databaseUrl = process.env.STRANGER_DATABASE_URL;
  await runMigrations({ databaseUrl, schema: 'stripe' });
  const engine = new StripeSync({ poolConfig: { connectionString: databaseUrl }, stripeSecretKey: key,
    stripeWebhookSecret: secret, stripeApiVersion: '2025-03-31.basil', backfillRelatedEntities: true });
  const database = new pg.Client(databaseUrl);
  await database.connect();
  const kept = async (table, id) =>
    (await database.query('select * from stripe.' + table + ' where id = $1', [id])).rows[0];
  const card = { payment_method: 'pm_card_visa', payment_method_types: ['card'], confirm: true };
  const customer = await client.customers.create({ email: 'a@example.com' });
  const product = await client.products.create({ name: 'Tea' });
  const price = await client.prices.create({ product: product.id, currency: 'eur', unit_amount: 500 });
  const setup = await client.setupIntents.create({ ...card, customer: customer.id });
  const paid = await client.paymentIntents.create({ ...card, amount: 500, currency: 'eur', customer: customer.id });
  const refund = await client.refunds.create({ payment_intent: paid.id, amount: 200 });
  const kinds = { customer: customer.id, product: product.id, price: price.id, charge: paid.latest_charge,
    payment_intent: paid.id, refund: refund.id, setup_intent: setup.id, payment_method: setup.payment_method };
  for (const [object, id] of Object.entries(kinds)) {
    await tried('all of ' + object, async () => {
      await engine.syncBackfill({ object });
      return Boolean(await kept(object + 's', id));
    });
  }
  await tried('its amounts', async () =>
    Number((await kept('charges', paid.latest_charge)).amount) === 500 && Number((await kept('refunds', refund.id)).amount) === 200);
  await tried('one by its id', async () => {
    const other = await client.customers.create({ email: 'b@example.com' });
    await engine.syncSingleEntity(other.id);
    return (await kept('customers', other.id)).email === 'b@example.com';
  });
  // Its copy counts as newer than an event of the same second.
  const news = JSON.stringify({ id: 'evt_1', object: 'event', livemode: false, type: 'customer.updated',
    created: Math.floor(Date.now() / 1000) + 60, data: { object: { ...customer, name: 'Ada' } } });
  await tried('a signed event', async () => {
    await engine.processWebhook(news, client.webhooks.generateTestHeaderString({ payload: news, secret }));
    return (await kept('customers', customer.id)).name === 'Ada';
  });
  await tried('a forged event', async () =>
    engine.processWebhook(news, 't=1,v1=00').then(() => false, () => true));
  console.log(JSON.stringify(said));
  process.exit(0);
})();`;

/** A client that was made of the provider's own description of its API, without its SDK. */
export const described = `
import { initStripeSDK } from '@opensdks/sdk-stripe';
${start}
const api = initStripeSDK({ headers: { authorization: 'Bearer ' + key, 'stripe-version': '2024-04-10' } });
const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' },
  bodySerializer: (body) => new URLSearchParams(body).toString() };
const post = async (path, body, params) => (await api.POST(path, { ...form, body, params })).data;
let paid;
await tried('create a customer', async () =>
  (await post('/v1/customers', { email: 'a@example.com' })).email === 'a@example.com');
await tried('list customers', async () =>
  (await api.GET('/v1/customers', { params: { query: { limit: 1 } } })).data.data.length === 1);
await tried('hold', async () => {
  paid = await post('/v1/payment_intents', { amount: '500', currency: 'eur', payment_method: 'pm_card_visa',
    'payment_method_types[]': 'card', confirm: 'true', capture_method: 'manual' });
  return paid.status === 'requires_capture';
});
await tried('capture', async () =>
  (await post('/v1/payment_intents/{intent}/capture', {}, { path: { intent: paid.id } })).amount_received === 500);
await tried('refund', async () => (await post('/v1/refunds', { payment_intent: paid.id })).amount === 500);
await tried('read it', async () =>
  (await api.GET('/v1/payment_intents/{intent}', { params: { path: { intent: paid.id } } })).data.status === 'succeeded');
await tried('what is not there', async () =>
  api.GET('/v1/customers/{customer}', { params: { path: { customer: 'cus_none' } } })
    .then(() => false, (error) => error.response.status === 404));
console.log(JSON.stringify(said));`;
