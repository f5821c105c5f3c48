// Customers and channels of a running Vendure, for its own cases.

import type { Vendure } from './vendure.ts';

/** A registered customer. Returns the token with which they are signed in. */
export async function addCustomer(shop: Vendure, emailAddress: string): Promise<string> {
  const input = { firstName: 'A', lastName: 'B', emailAddress };
  const refusal = '__typename ... on ErrorResult { errorCode }';
  await shop.asAdmin(
    `mutation ($input: CreateCustomerInput!) { createCustomer(input: $input, password: "password") { ${refusal} } }`,
    { input },
  );
  const signIn = `mutation ($name: String!) { login(username: $name, password: "password") { ${refusal} } }`;
  const { token } = await shop.call('shop-api', signIn, { variables: { name: emailAddress } });
  return token ?? '';
}

type Found = Record<
  'sellers' | 'paymentMethods' | 'stockLocations',
  { items: [{ id: string }] }
> & {
  activeChannel: { defaultTaxZone: { id: string } };
};

/** One more channel, which sells by the methods of the first. */
export async function addChannel(shop: Vendure, token: string): Promise<void> {
  const { data } = await shop.asAdmin(
    '{ activeChannel { defaultTaxZone { id } } sellers { items { id } } paymentMethods { items { id } } stockLocations { items { id } } }',
  );
  const { activeChannel, sellers, paymentMethods, stockLocations } = data as Found;
  const zone = activeChannel.defaultTaxZone.id;
  const { id } = await shop.asAdmin(
    'mutation ($input: CreateChannelInput!) { createChannel(input: $input) { ... on Channel { id } ... on ErrorResult { errorCode } } }',
    {
      input: {
        ...{ code: token, token, defaultLanguageCode: 'en', defaultCurrencyCode: 'EUR' },
        ...{ defaultTaxZoneId: zone, defaultShippingZoneId: zone, pricesIncludeTax: true },
        sellerId: sellers.items[0].id,
      },
    },
  );
  shop.channels.set(token, id);
  const assign = (kind: string, ids: object) =>
    shop.asAdmin(
      `mutation ($input: Assign${kind}ToChannelInput!) { assign${kind}ToChannel(input: $input) { __typename } }`,
      { input: { channelId: id, ...ids } },
    );
  await assign('ShippingMethods', { shippingMethodIds: [shop.shipping] });
  await assign('PaymentMethods', { paymentMethodIds: [paymentMethods.items[0].id] });
  await assign('StockLocations', { stockLocationIds: [stockLocations.items[0].id] });
}
