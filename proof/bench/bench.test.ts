import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { passTime } from '@svc/tools/pass-time';
import { describe, expect, it } from 'vitest';
import { addedMs } from './latency.ts';
import { runClosedLoop } from './load/closed-loop.ts';
import { idOf } from './load/identifiers.ts';
import { runOpenLoop, scheduleArrivals } from './load/open-loop.ts';
import { openRawPool, readAnswer } from './load/raw-pool.ts';
import { countedRounds, median, medianRatio, quantile } from './load/statistics.ts';
import { slope } from './memory.ts';
import { readOptions } from './options.ts';
import { parsePgbench } from './pgbench.ts';
import { parseMachineStat, parseProcessStat, parseResident } from './processor.ts';
import { readRequests } from './raw-requests.ts';
import { assertAudit } from './run-bench.ts';
import { openUnusedRows } from './stock.ts';

describe('statistics', () => {
  it('the median of an even count is the mean of the two in the middle', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([10, 1, 2, 4])).toBe(3);
    expect(median([])).toBeNaN();
  });

  it('a quantile is a value that was seen, compared as numbers', () => {
    const values = Array.from({ length: 100 }, (_, n) => 100 - n);
    expect(quantile(values, 0.5)).toBe(50);
    expect(quantile(values, 0.99)).toBe(99);
    expect(quantile([100, 9], 0.5)).toBe(9);
    expect(quantile([], 0.5)).toBeNaN();
  });

  it('the ratio is the median over rounds, not the ratio of medians', () => {
    const rounds = [
      { limit: 100, ours: 90 },
      { limit: 1000, ours: 100 },
      { limit: 10, ours: 2 },
    ];
    expect(medianRatio(rounds, (rate) => rate)).toBe(0.2);
    expect(median([90, 100, 2]) / median([100, 1000, 10])).toBe(0.9);
  });

  it('disturbed rounds do not count where three clean ones are left', () => {
    const roundOf = (limit: number, ours: number) => ({
      limit: { foreign: limit },
      ours: { foreign: ours },
    });
    const clean = [roundOf(0, 0.1), roundOf(0.1, 0), roundOf(0.02, 0.03)];
    expect(countedRounds([roundOf(0.11, 0), ...clean, roundOf(0, 0.5)])).toEqual(clean);
    const noisy = [roundOf(0, 0), roundOf(0.2, 0), roundOf(0, 0)];
    expect(countedRounds(noisy)).toBe(noisy);
  });
});

describe('processor', () => {
  it('counts user and system time with that of ended children, whatever the name holds', () => {
    const stat =
      '42 (a) b (c) S 1 42 42 0 -1 4194560 1 2 3 4 100 20 3 4 20 0 11 0 12345 1 2 18446744073709551615';
    expect(parseProcessStat(stat)).toBe(1270);
  });

  it('idle and waiting for the disk is not busy', () => {
    const stat = 'cpu  10 1 5 100 50 2 3 4 7 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n';
    expect(parseMachineStat(stat)).toEqual({ busyMs: 250, totalMs: 1750 });
  });

  it('reads resident memory in MB', () => {
    expect(parseResident('VmHWM:\t  999 kB\nVmRSS:\t  2048 kB\n')).toBe(2);
  });
});

describe('closed loop', () => {
  it('uses each row once and never more at once than asked for', async () => {
    const rows: number[] = [];
    let running = 0;
    let most = 0;
    const plan = { rows: { first: 5, count: 40 }, isOnce: true, inFlight: 4, ms: 5000 };
    const result = await runClosedLoop(plan, async (row) => {
      rows.push(row);
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      if (row === 7) throw new Error('seven');
    });
    expect(rows).toEqual(Array.from({ length: 40 }, (_, n) => n + 5));
    expect(most).toBe(4);
    expect(result).toMatchObject({ succeeded: 39, failed: 1, firstFailure: 'seven', used: 40 });
    expect(result.perSecond).toBeGreaterThan(0);
  });
});

describe('open loop', () => {
  const plan = { rows: { first: 7, count: 5000 }, perSecond: 1000, ms: 2000 };

  it('arrivals come at the rate asked for, with gaps of every length, and within the time', () => {
    const arrivals = scheduleArrivals(plan);
    expect(arrivals.length).toBeGreaterThan(1800);
    expect(arrivals.length).toBeLessThan(2200);
    const gaps = arrivals.map((at, n) => at - (arrivals[n - 1] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0);
    expect(gaps.filter((gap) => gap > 2).length / gaps.length).toBeCloseTo(Math.exp(-2), 1);
    expect(arrivals.at(-1)).toBeLessThan(2000);
    expect(scheduleArrivals({ ...plan, rows: { first: 0, count: 3 } })).toHaveLength(3);
  });

  it('nobody waits for the one before, and a wait counts from the scheduled time', async () => {
    let running = 0;
    let most = 0;
    const short = { rows: { first: 0, count: 20 }, perSecond: 2000, ms: 1000 };
    const result = await runOpenLoop(short, async (row) => {
      most = Math.max(most, ++running);
      // Blocks the generator itself: the operations that were due meanwhile begin late.
      if (row === 0) for (const end = performance.now() + 40; performance.now() < end; );
      await passTime(30, 'calls overlap');
      running -= 1;
      if (row === 3) throw new Error('three');
    });
    expect(most).toBeGreaterThan(10);
    expect(result).toMatchObject({ succeeded: 19, failed: 1, firstFailure: 'three', used: 20 });
    const second = result.timed.find(([row]) => row === 1)?.[1] ?? 0;
    expect(second).toBeGreaterThan(55);
  });
});

describe('the generator’s connections', () => {
  it('an answer is read once it is whole; 204 has no length', () => {
    const text = 'HTTP/1.1 201 Created\r\nContent-Length: 2\r\nx: y\r\n\r\n{}';
    for (let at = 0; at < text.length; at++) expect(readAnswer(text.slice(0, at))).toBeNull();
    const answer = { status: 201, body: '{}' };
    expect(readAnswer(text)).toEqual({ answer, length: text.length });
    expect(readAnswer(`${text}HTTP`)).toEqual({ answer, length: text.length });
    expect(readAnswer('HTTP/1.1 204 No Content\r\n\r\n')?.answer.status).toBe(204);
    expect(() => readAnswer('HTTP/1.1 200 OK\r\n\r\n')).toThrow('no answer to read');
  });

  it('one request at a time on each, kept for the next; what is cut fails', async () => {
    const sockets = new Set<Socket>();
    let isCut = false;
    const server = createServer((socket) => {
      sockets.add(socket);
      readRequests(socket, (head) => {
        if (isCut) return void socket.destroy();
        const body = head.slice(0, head.indexOf(' HTTP'));
        const answer = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
        // Sent in two parts, as a network may do.
        socket.write(answer.slice(0, 20), () => setImmediate(() => socket.write(answer.slice(20))));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const pool = openRawPool(origin);
    const askPool = (path: string) => pool.ask({ method: 'GET', path, headers: {}, body: null });
    const bodies = async (paths: readonly string[]) =>
      (await Promise.all(paths.map(askPool))).map(({ body }) => body);
    expect(await bodies(['/a', '/b', '/c'])).toEqual(['GET /a', 'GET /b', 'GET /c']);
    expect(await bodies(['/d', '/e'])).toEqual(['GET /d', 'GET /e']);
    expect(sockets.size).toBe(3);
    const { ask: askAfresh } = openRawPool(origin, -1);
    for (const path of ['/a', '/b']) {
      expect(await askAfresh({ method: 'GET', path, headers: {}, body: null })).toMatchObject({
        body: `GET ${path}`,
      });
    }
    expect(sockets.size).toBe(5);
    isCut = true;
    await expect(askPool('/f')).rejects.toThrow('closed');
    for (const socket of sockets) socket.destroy();
    server.close();
  });
});

describe('added latency', () => {
  it('is the client’s time less the provider’s, request by request', () => {
    const stamps = { pi_4: 50, pi_5: 61 };
    const timed = [[4, 53.5] as const, [5, 63] as const];
    const intentOf = (row: number) => `pi_${row}`;
    expect(addedMs(timed, stamps, intentOf)).toEqual([3.5, 2]);
    expect(() => addedMs([[6, 60]], stamps, intentOf)).toThrow(/row 6/);
  });
});

describe('memory', () => {
  it('its slope is that of the second half', () => {
    const seen = [0, 1, 2, 3, 4, 5].map((n) => ({ captures: n * 10_000, mb: 100 + n }));
    expect(slope(seen)).toBeCloseTo(10);
    const warmed = seen.map(({ captures }, n) => ({ captures, mb: n < 3 ? n * 50 : 150 }));
    expect(slope(warmed)).toBeCloseTo(0);
  });
});

describe('stock', () => {
  it('seeds only what is missing, and gives no row twice', async () => {
    const seeded: unknown[] = [];
    const stock = openUnusedRows(async (rows) => void seeded.push(rows));
    await stock.ensure(10);
    stock.spend(4);
    await stock.ensure(6);
    await stock.ensure(8);
    expect(seeded).toEqual([
      { first: 0, count: 10 },
      { first: 10, count: 2 },
    ]);
    expect(stock.left()).toEqual({ first: 4, count: 8 });
  });
});

describe('options', () => {
  it('takes values with and without an equals sign, and measures by the start of their name', () => {
    const quick = ['--quick', '--rounds=7', '--only', 'capture-1', '--json', 'x'];
    const options = readOptions([...quick, '--postgres', '/opt/pg']);
    const folders = { peersFolder: null, postgresFolder: '/opt/pg' };
    expect(options).toMatchObject({ rounds: 7, only: ['capture-128'], jsonFile: 'x', ...folders });
  });

  it.each([['--rounds', '0'], ['--only', 'nothing'], ['--only'], ['--fast']])(
    'refuses %s %s with the usage',
    (...args) => {
      expect(() => readOptions(args)).toThrow(/npm run bench/);
    },
  );
});

describe('ids', () => {
  it('are UUID v7 in the order of their rows', () => {
    const ids = [0, 1, 255, 256, 70_000].map((n) => idOf('payment', n));
    expect([...ids].sort()).toEqual(ids);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7002-8000-[0-9a-f]{12}$/);
  });
});

describe('pgbench', () => {
  it('is read by its closing lines, also of versions that count no failures', () => {
    const text = `transaction type: capture.sql
number of transactions actually processed: 6120
latency average = 2.613 ms
initial connection time = 30.1 ms
tps = 6123.456789 (without initial connection time)`;
    const rows = { first: 0, count: 16_000 };
    const result = { succeeded: 6120, failed: 0, perSecond: 6123.456789, p50Ms: 2.613 };
    expect(parsePgbench(text, rows)).toMatchObject(result);
    const failing = `${text}\nnumber of failed transactions: 3 (0.049%)`;
    expect(parsePgbench(failing, rows).failed).toBe(3);
  });
});

describe('audit', () => {
  const right = { answered: 9, failed: 1, captured: 9, events: 9, operations: 9, asked: 9 };

  it('lets pass what was answered, and failed requests that were settled all the same', () => {
    expect(() => assertAudit(right)).not.toThrow();
    expect(() =>
      assertAudit({ ...right, captured: 10, events: 10, operations: 10, asked: 10 }),
    ).not.toThrow();
  });

  it.each(['captured', 'events', 'operations', 'asked'] as const)(
    'refuses one too few and one too many of %s',
    (name) => {
      expect(() => assertAudit({ ...right, [name]: 8 })).toThrow(/not what was answered/);
      expect(() => assertAudit({ ...right, [name]: 11 })).toThrow(/not what was answered/);
    },
  );
});
