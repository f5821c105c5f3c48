// The comparison with the wire's description: that it is made, and that it finds what is wrong.
import { describe, expect, it } from 'vitest';
import { approvedOrder, openWalletBench, orderBody } from '../../test/wallet.ts';
import { openReference } from './reference.ts';
import type { Exchange } from './wire.ts';

const reference = openReference();

describe('every call and answer of the wallet', () => {
  const exchange: Exchange = {
    method: 'POST',
    path: '/v2/checkout/orders',
    query: '',
    requestId: null,
    requestBody: JSON.stringify(orderBody()),
    status: 201,
    body: '{"id":"A","status":"CREATED"}',
  };

  it('is compared with what the wire describes', async () => {
    const kept: Exchange[] = [];
    const keepExchange = (one: Exchange): string[] => {
      kept.push(one);
      return [];
    };
    const bench = await openWalletBench({}, { compare: keepExchange, seen: new Set() });
    const id = await approvedOrder(bench);
    bench.complaints();
    await bench.sandbox.close();
    expect(kept).toMatchObject([{ method: 'POST', status: 201 }]);
    expect(kept[0]?.body).toContain(id);
    expect(reference.compare(kept[0] as Exchange)).toEqual([]);
    expect([...reference.seen]).toContain('POST /v2/checkout/orders 201');
  });

  it.each([
    ['a status of ours', { body: '{"status":"DONE"}' }],
    [
      'an amount as a number',
      { requestBody: '{"intent":"CAPTURE","purchase_units":[{"amount":1}]}' },
    ],
    ['no purchase', { requestBody: '{"intent":"CAPTURE"}' }],
    [
      'a refusal of ours',
      { status: 422, body: '{"name":"UNPROCESSABLE_ENTITY","details":[{"issue":"NO"}]}' },
    ],
    ['a status code of ours', { status: 202 }],
    ['a field of ours', { body: '{"id":"A","status":"CREATED","shop":"B"}' }],
    ['a path of ours', { path: '/v2/checkout/baskets' }],
  ])('%s is found', (_, more) => {
    expect(reference.compare({ ...exchange, ...more })).toHaveLength(1);
  });
});
