import type Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { listNotices } from './list-notices.ts';
import { startCall } from './wire.ts';

const event = (id: string, object: object = {}) => ({
  ...{ id, object: 'event', type: 'refund.failed', created: 1_772_000_000, livemode: false },
  data: { object: { object: 'refund', id: 're_1', payment_intent: 'pi_1', ...object } },
});
const span = { from: new Date(1_771_999_000_500), until: new Date(1_772_000_000_500), page: null };

describe('listNotices', () => {
  const asked: Stripe.EventListParams[] = [];
  const list = (answer: object, page: string | null = null) => {
    const listAnswering = async (params: Stripe.EventListParams) => asked.push(params) && answer;
    const sdk = { events: { list: listAnswering } } as unknown as Stripe;
    const settings = { budgetMs: 1000, answerMs: 500, resendMs: 300, pauseMs: 1 };
    return listNotices(startCall(sdk, settings), { ...span, page });
  };

  it('each as if it had come, and where to go on; what is no event is left out', async () => {
    const strange = [null, {}, event('evt 2'), event('evt_3', { id: { a: 1 } })];
    const found = await list({
      data: [event('evt_1'), ...strange, event('evt_4')],
      has_more: true,
    });
    expect(found).toMatchObject({
      ...{ kind: 'found', next: 'evt_4' },
      notices: [{ id: 'evt_1', intentId: 'pi_1', livemode: false }, { id: 'evt_4' }],
    });
    await list({ data: [event('evt_5')], has_more: false }, 'evt_4');
    expect(asked).toMatchObject([
      { created: { gte: 1_771_999_000, lte: 1_772_000_001 } },
      { starting_after: 'evt_4' },
    ]);
  });

  it.each([
    ['no list', {}],
    ['more to come after nothing', { data: [], has_more: true }],
    ['the same page again', { data: [event('evt_1')], has_more: true }],
  ])('in doubt with %s', async (_, answer) => {
    expect(await list(answer, 'evt_1')).toMatchObject({ kind: 'in_doubt' });
  });
});
