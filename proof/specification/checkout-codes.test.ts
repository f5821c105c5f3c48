// What a refusal looks like, contract §1, over HTTP; the codes are shown by the tests beside the operations.
// A title begins with the place that it shows.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../service/test/harness.ts';
import { cards } from '../../service/test/world.ts';
import { openShop, refusal, type Shop, sessions } from './buyer.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterEach(() => shop.control('DELETE', '/_control/faults'));
afterAll(() => shop?.close());

describe('Contract §1, codes of paying', () => {
  it('Contract §1 user_id_required: 400 without x-user-id, and where it is empty', async () => {
    const session = await shop.open();
    const token = await shop.card(session);
    for (const headers of [{}, { 'x-user-id': '' }]) {
      expect(await shop.payWith(session, { token }, { headers })).toMatchObject(
        refusal(400, 'user_id_required'),
      );
    }
  });
});

describe('Contract §1, what a refusal looks like', () => {
  it('Contract §1 object: one flat object, with declineCode and advice of a declined card', async () => {
    const { body, headers } = await shop.pay(await shop.open(), cards.declined);
    expect(body).toEqual({
      type: 'card_error',
      code: 'card_declined',
      message: expect.any(String),
      status: 402,
      requestId: headers['request-id'],
      retryable: false,
      docUrl: expect.stringContaining('card_declined'),
      declineCode: 'generic_decline',
      advice: 'try_again_later',
    });
    const { body: wrong } = await shop.create({ products: [] });
    expect(wrong).toMatchObject({
      code: 'invalid_request',
      param: 'products',
      errors: [{ path: 'products', code: expect.any(String), message: expect.any(String) }],
    });
  });

  it('Contract §1 validation_error, authentication_error, permission_error, not_found_error, conflict_error, card_error, gateway_error and api_error: by the status', async () => {
    const [session, shell] = [await shop.open(), await shop.shell()];
    const types: Record<number, unknown> = {};
    const recordType = ({ status, body }: { status: number; body: Record<string, unknown> }) => {
      types[status] = body.type;
    };
    recordType(await shop.create({ products: [] }));
    recordType(await shop.call(null, `GET ${sessions}/${session.sessionId}`));
    recordType(await shop.pay(session, cards.declined));
    recordType(await shop.pay({ ...session, userId: newId() }));
    recordType(await shop.get(session, 'wrong'));
    recordType(await shop.call(session, `DELETE ${sessions}/${session.sessionId}`));
    recordType(await shop.decline(shell));
    recordType(await shop.create({ metadata: { note: 'x'.repeat(65_536) } }));
    recordType(await shop.create({ currency: undefined }));
    recordType(await shop.charge(shell, await shop.card(shell)));
    await shop.fault({ path: '/v1/payment_intents/*/confirm' }, 'error_500');
    recordType(await shop.pay(session));
    expect(types).toEqual({
      400: 'validation_error',
      401: 'authentication_error',
      402: 'card_error',
      403: 'permission_error',
      404: 'not_found_error',
      405: 'validation_error',
      409: 'conflict_error',
      413: 'validation_error',
      422: 'validation_error',
      502: 'gateway_error',
      503: 'api_error',
    });
  });
});
