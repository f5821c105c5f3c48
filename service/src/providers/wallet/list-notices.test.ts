import { describe, expect, it } from 'vitest';
import { listNotices } from './list-notices.ts';
import { startCall } from './wire.ts';

const account = { accountId: 'MERCHANT1', livemode: false };
const event = (id: string, resource: object = {}) => ({
  ...{ id, event_type: 'PAYMENT.REFUND.FAILED', create_time: '2026-11-21T11:59:58Z' },
  ...{ resource_type: 'refund', resource: { id: 'R1', ...resource } },
});
const span = {
  from: new Date('2026-11-21T11:00:00Z'),
  until: new Date('2026-11-21T12:00:00Z'),
  page: null,
};

describe('listNotices', () => {
  const asked: string[] = [];
  const list = (answer: object, page: string | null = null) => {
    const transport = {
      send: async ({ path }: { path: string }) => {
        asked.push(path);
        return { status: 200, text: JSON.stringify(answer), requestId: null };
      },
    };
    const tokens = { get: async () => ({ kind: 'token', value: 't' }), drop: () => undefined };
    const settings = { budgetMs: 1000, answerMs: 500, resendMs: 300, pauseMs: 1 };
    const wire = startCall({ transport, tokens } as never, settings);
    return listNotices(wire, account, { ...span, page });
  };
  const nextLink = (href: string) => [{ rel: 'next', href, method: 'GET' }];
  const base = 'https://api.paypal.com/v1/notifications/webhooks-events';

  it('type by type, page by page; what is no event of the account is left out', async () => {
    const others = [null, {}, event('x y'), event('WH-2', { payee: { merchant_id: 'OTHER' } })];
    const events = [event('WH-1'), ...others];
    const first = await list({ events, links: nextLink(`${base}/?index_id=WH-1`) });
    expect(first).toMatchObject({
      ...{ kind: 'found', notices: [{ id: 'WH-1' }] },
      next: '0 /v1/notifications/webhooks-events/?index_id=WH-1',
    });
    let page = 'next' in first ? first.next : null;
    while (page !== null) {
      const found = await list({ events: [] }, page);
      page = 'next' in found ? found.next : null;
    }
    const types = asked.map((path) => new URLSearchParams(path.split('?')[1]).get('event_type'));
    expect(types).toEqual([
      ...['PAYMENT.CAPTURE.REFUNDED', null, 'PAYMENT.CAPTURE.REVERSED'],
      ...['PAYMENT.REFUND.PENDING', 'PAYMENT.REFUND.FAILED'],
    ]);
  });

  const page = '0 /v1/notifications/webhooks-events?a=1';
  it.each([
    ['no list', {}],
    ['a link that leads elsewhere', { events: [], links: nextLink('https://a.test/v1/payments') }],
    ['the same page again', { events: [], links: nextLink(`${base}?a=1`) }],
  ])('in doubt with %s', async (_, answer) => {
    expect(await list(answer, page)).toMatchObject({ kind: 'in_doubt' });
  });
});
