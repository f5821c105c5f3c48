// The few answers of the payments service that the shop needs, over real HTTP, so that the shop
// can be tested alone. Not a model of the service: a test sets what is answered.

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export const sessionId = '0199a1b2-0000-7000-8000-000000000051';
export const paymentId = '0199a1b2-0000-7000-8000-000000000061';
export const userId = '0199a1b2-0000-7000-8000-0000000000aa';
export const nonce = 'nonce-of-the-session';

type Refusal = { status: number; code: string; message: string };

export type Stub = Awaited<ReturnType<typeof startStub>>;

const product = (code: string, name: string, eur: number, usd: number) => ({
  object: 'product',
  code,
  name,
  kind: 'item',
  interval: null,
  active: true,
  prices: [
    { currency: 'EUR', amount: eur },
    { currency: 'USD', amount: usd },
  ],
});

const initialState = () => ({
  products: [
    product('coffee-beans', 'Coffee beans, 500 g', 14.9, 16.5),
    product('mug', 'Stoneware mug', 19.9, 21),
    product('grinder', 'Hand grinder', 89, 99),
    { ...product('club', 'Coffee club', 9, 9), kind: 'subscription' },
    { ...product('old', 'Old thing', 1, 1), active: false },
  ],
  session: 'open',
  payment: null as string | null,
  version: 1,
  isFree: false,
  refuse: new Map<string, Refusal>(),
});

type State = ReturnType<typeof initialState>;

function answersOf(state: State): Record<string, () => [status: number, body: object]> {
  const payment = () => ({
    id: paymentId,
    object: 'payment',
    sessionId,
    status: state.payment,
    version: state.version,
    authorizationVoidReason: state.payment === 'voided' ? 'merchant_requested' : null,
    authorizationExpiresAt: state.payment === 'authorized' ? '2027-01-01T00:00:00.000Z' : null,
  });
  return {
    'GET /v1/products': () => [200, { data: state.products, page: 1, limit: 100, total: 5 }],
    [`POST /v1/customers/${userId}/page-links`]: () => [
      201,
      { url: 'http://checkout.example:4000/m#link', expiresAt: '2027-01-01T00:00:00.000Z' },
    ],
    'POST /v1/checkouts/sessions': () => [
      state.isFree ? 204 : 201,
      { id: sessionId, nonce, url: `http://service.example/c/${sessionId}#${nonce}` },
    ],
    [`GET /v1/checkouts/sessions/${sessionId}/status`]: () => [
      200,
      {
        data: {
          uuid: sessionId,
          status: state.session,
          paymentId: state.payment ? paymentId : null,
          authorizationExpiresAt: null,
          latestTransactionAttempt: null,
        },
      },
    ],
    [`GET /v1/payments/${paymentId}`]: () => [200, payment()],
    [`PUT /v1/payments/${paymentId}/capture`]: () => {
      Object.assign(state, {
        payment: 'succeeded',
        session: 'completed',
        version: state.version + 1,
      });
      return [200, payment()];
    },
    [`PUT /v1/payments/${paymentId}/cancel`]: () => {
      Object.assign(state, { payment: 'voided', version: state.version + 1 });
      return [200, payment()];
    },
  };
}

/** Starts the stub. `payment.status` null: there is no payment yet. */
export async function startStub() {
  const asked: { call: string; key: string | undefined; body: unknown; authorization: string }[] =
    [];
  const state = initialState();
  const answers = answersOf(state);
  const answer = async (request: IncomingMessage): Promise<[number, object]> => {
    let text = '';
    for await (const part of request) text += part;
    const call = `${request.method} ${request.url?.split('?')[0]}`;
    const { authorization = '' } = request.headers;
    const key = request.headers['idempotency-key'];
    const body: unknown = text ? JSON.parse(text) : undefined;
    asked.push({ call, key: typeof key === 'string' ? key : undefined, body, authorization });
    const refusal = state.refuse.get(call);
    if (refusal) return [refusal.status, { ...refusal, requestId: 'req_refused' }];
    return answers[call]?.() ?? [404, { code: 'route_not_found', message: `No ${call}.` }];
  };
  const server = createServer(async (request, response) => {
    const [status, body] = await answer(request);
    if (status === 204) return void response.writeHead(204).end();
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    state,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
