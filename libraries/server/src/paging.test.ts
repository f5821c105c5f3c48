import { describe, expect, expectTypeOf, it } from 'vitest';
import { type Planned, startWire } from '../test/wire.ts';
import { type List, type ListParams, type Payment, Svc, SvcError } from './index.ts';

type Ids = { id: string }[];
const page = (ids: string[], more: object): Planned => ({
  status: 200,
  body: { data: ids.map((id) => ({ id })), limit: 2, total: 5, ...more },
});
const connect = (wire: { url: string }) =>
  new Svc('sk_1', {
    baseUrl: wire.url,
    clientId: 'client',
    apiToken: 'svc_t',
    maxNetworkRetries: 0,
  });
const startCursorWire = () =>
  startWire(
    page(['1', '2'], { page: 1, nextCursor: 'c1' }),
    page(['3', '4'], { page: 1, nextCursor: 'c2' }),
    page(['5'], { page: 1, nextCursor: null }),
  );
const readAll = async (list: AsyncIterable<{ id: string }>) => {
  const ids: string[] = [];
  for await (const { id } of list) ids.push(id);
  return ids.join('');
};

describe('lists', () => {
  it('await reads the first page, once, with a hidden lastResponse', async () => {
    await using wire = await startCursorWire();
    const list = connect(wire).payments.list({ limit: 2 });
    const [one, two] = await Promise.all([list, list]);
    expect(two).toBe(one);
    expect(one).toEqual({
      data: [{ id: '1' }, { id: '2' }],
      limit: 2,
      total: 5,
      page: 1,
      nextCursor: 'c1',
    });
    expect(one.lastResponse.requestId).toBe('req_1');
    expect(wire.asked.map(({ path }) => path)).toEqual(['/v1/payments?limit=2']);
  });

  it('for await follows the cursor and keeps the parameters', async () => {
    await using wire = await startCursorWire();
    const list = connect(wire).payments.list({ limit: 2, page: 1, status: { eq: 'failed' } });
    expect(await readAll(list)).toBe('12345');
    expect(wire.asked.map(({ path }) => decodeURIComponent(path))).toEqual([
      '/v1/payments?limit=2&page=1&status[eq]=failed',
      '/v1/payments?limit=2&status[eq]=failed&cursor=c1',
      '/v1/payments?limit=2&status[eq]=failed&cursor=c2',
    ]);
  });

  it('for await counts pages where there is no cursor', async () => {
    await using wire = await startWire(
      page(['1', '2'], { page: 1 }),
      page(['3', '4'], { page: 2 }),
      page(['5'], { page: 3 }),
    );
    expect(await readAll(connect(wire).payments.list({ limit: 2 }))).toBe('12345');
    expect(wire.asked.at(-1)?.path).toBe('/v1/payments?limit=2&page=3');
  });

  it('break reads no page that was not needed', async () => {
    await using wire = await startCursorWire();
    for await (const { id } of connect(wire).payments.list()) if (id === '2') break;
    expect(wire.asked).toHaveLength(1);
  });

  it('nothing is sent for a list that nobody looks at', async () => {
    await using wire = await startCursorWire();
    const svc = connect(wire);
    svc.payments.list();
    // Any request of the list would have arrived before this one.
    await svc.request('GET', '/v1/client');
    expect(wire.asked.map(({ path }) => path)).toEqual(['/v1/client']);
  });

  it('autoPagingEach waits for each, and false ends it', async () => {
    await using wire = await startCursorWire();
    const seen: string[] = [];
    await connect(wire)
      .payments.list()
      .autoPagingEach(async ({ id }) => {
        await Promise.resolve();
        seen.push(id);
        return id !== '3';
      });
    expect(seen).toEqual(['1', '2', '3']);
  });

  it('toArray takes as many as it is told, over as few pages as that needs', async () => {
    await using wire = await startCursorWire();
    const found: Ids = await connect(wire).payments.list().toArray({ limit: 3 });
    expect([found.length, wire.asked.length]).toEqual([3, 2]);
  });

  it.each([undefined, {}, { limit: 0 }, { limit: 10_001 }, { limit: 1.5 }])(
    'toArray refuses %j: it must be told how much',
    async (options) => {
      await using wire = await startCursorWire();
      const list = connect(wire).payments.list();
      await expect(list.toArray(options as never)).rejects.toMatchObject({ param: 'limit' });
      expect(wire.asked).toEqual([]);
    },
  );

  it('a page that fails is thrown where the loop is, and catch and finally work', async () => {
    const gone: Planned = { status: 403, body: { code: 'insufficient_scope', message: 'No.' } };
    await using wire = await startWire(page(['1'], { page: 1, nextCursor: 'c' }), gone);
    const seen: string[] = [];
    const loop = async () => {
      for await (const { id } of connect(wire).payments.list()) seen.push(id);
    };
    await expect(loop()).rejects.toBeInstanceOf(SvcError);
    expect(seen).toEqual(['1']);
    let isOver = false;
    const caught = await connect(wire)
      .payments.list()
      .catch((error: unknown) => error)
      .finally(() => {
        isOver = true;
      });
    expect([(caught as SvcError).code, isOver]).toEqual(['insufficient_scope', true]);
  });

  it('writes comparisons as field[op], several values with commas', async () => {
    await using wire = await startCursorWire();
    await connect(wire).payments.list({
      email: 'a+b@c.d',
      sortDirection: 'ASC',
      amount: { gte: 10.5, lt: 20 },
      id: { in: ['x', 'y'] },
      status: { eq: undefined } as never,
    });
    expect(decodeURIComponent(wire.asked[0]?.path ?? '')).toBe(
      '/v1/payments?email=a+b@c.d&sortDirection=ASC&amount[gte]=10.5&amount[lt]=20&id[in]=x,y',
    );
  });

  it('refuses a value that a list of values cannot hold, and a bare list, by name', async () => {
    await using wire = await startCursorWire();
    const { payments } = connect(wire);
    await expect(payments.list({ email: { in: ['a,b'] } })).rejects.toMatchObject({
      param: 'email',
    });
    await expect(payments.list({ status: ['failed'] } as never)).rejects.toMatchObject({
      param: 'status',
    });
    expect(wire.asked).toEqual([]);
  });

  it.each([new Date(0), {}, new Map([['eq', 'failed']])])(
    'refuses %j as a filter: left out, it would list everything',
    async (value) => {
      await using wire = await startCursorWire();
      const listed = connect(wire).payments.list({ createdAt: value } as never);
      await expect(listed).rejects.toMatchObject({ param: 'createdAt' });
      expect(wire.asked).toEqual([]);
    },
  );

  it('writes a date in a comparison as an instant, and refuses what is no value', async () => {
    await using wire = await startCursorWire();
    const { payments } = connect(wire);
    const at = new Date('2026-05-01T10:00:00.250Z');
    await payments.list({ createdAt: { gte: at, in: [at] } } as never);
    expect(decodeURIComponent(wire.asked[0]?.path ?? '')).toBe(
      '/v1/payments?createdAt[gte]=2026-05-01T10:00:00.250Z&createdAt[in]=2026-05-01T10:00:00.250Z',
    );
    for (const wrong of [{ eq: {} }, { in: [undefined] }, { gt: new Date(Number.NaN) }]) {
      const listed = payments.list({ createdAt: wrong } as never);
      await expect(listed).rejects.toMatchObject({ param: 'createdAt' });
    }
    expect(wire.asked).toHaveLength(1);
  });

  it('poll goes on with what is new, and ends with the event at which its signal aborts', async () => {
    await using wire = await startWire(
      page(['1', '2'], { nextCursor: null }),
      page([], { nextCursor: null }),
      page(['3', '4'], { nextCursor: null }),
    );
    const stop = new AbortController();
    const seen: string[] = [];
    const from = { after: '0', intervalMs: 100 };
    for await (const { id } of connect(wire).events.poll(from, { signal: stop.signal })) {
      seen.push(id);
      if (id === '3') stop.abort();
    }
    expect(seen).toEqual(['1', '2', '3']);
    const places = wire.asked.map(({ path }) =>
      new URLSearchParams(path.split('?')[1]).get('after'),
    );
    expect(places).toEqual(['0', '2', '2']);
  });

  it('is typed by the contract', () => {
    type Params = ListParams<'GET /v1/payments'>;
    expectTypeOf<Params['limit']>().toEqualTypeOf<number | undefined>();
    expectTypeOf<{ status: { in: ['failed'] } }>().toExtend<Params>();
    expectTypeOf<{ status: { in: ['nothing'] } }>().not.toExtend<Params>();
    expectTypeOf<{ status: 'failed' }>().not.toExtend<Params>();
    expectTypeOf<Svc['payments']['list']>().returns.toExtend<List<Payment, { total: number }>>();
    expectTypeOf<Svc['events']['list']>().returns.not.toBeAny();
  });
});
