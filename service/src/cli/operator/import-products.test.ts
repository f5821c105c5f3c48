// The import as it is typed: files, reports, exit codes, and what is in the catalog afterwards.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { emptySurroundings } from '../../../test/command-line.ts';
import {
  aClient,
  freshDatabase,
  portsFor,
  type TestClient,
  type TestDatabase,
} from '../../../test/harness.ts';
import { findProduct } from '../../storage/catalog/products.ts';
import { sql } from '../../storage/database/sql.ts';
import { runCommand } from '../run.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-import-'));
const file = join(folder, 'products.csv');
const refusedFile = join(folder, 'refused.csv');
let db: TestDatabase;
let client: TestClient;
beforeAll(async () => {
  db = await freshDatabase();
});
beforeEach(async () => {
  client = await aClient(db.database);
});
afterAll(async () => {
  await db?.close();
  rmSync(folder, { recursive: true });
});

const stopped = new AbortController();

async function runSvc(
  args: readonly string[],
  signal = new AbortController().signal,
  database = db.database,
) {
  let [out, err] = ['', ''];
  const code = await runCommand(['import-products', ...args], {
    out: {
      write(text) {
        out += text;
      },
    },
    err: {
      write(text) {
        err += text;
      },
    },
    signal,
    databaseUrl: () => db.url,
    openPorts: () => ({ ports: portsFor(database), close: async () => undefined }),
    describeError: () => undefined,
    ...emptySurroundings,
  });
  return { code, out, err };
}

/** Imports a text as a file into the catalog of this test's client. */
function imported(text: string | Buffer, ...more: string[]) {
  writeFileSync(file, text);
  return runSvc(['--file', file, '--client', client.id, '--report', refusedFile, ...more]);
}
const find = (code: string) => findProduct(db.database, client.id, code);
const refusals = () =>
  readFileSync(refusedFile, 'utf8')
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.split(',').slice(0, 3).join(' '));

const count = sql<{ n: number }>(
  'test_count_products',
  'select count(*)::int as n from products where client_id = $1',
);
const products = async () => (await db.database.read(count, [client.id]))[0]?.n;

describe('svc import-products', () => {
  // This test runs first: it lists all merchants, and each later test adds one.
  it('2: no file, a file that is not there, and a client that is not there or not named', async () => {
    await aClient(db.database);
    writeFileSync(file, 'code,name\n');
    const readError = async (...args: string[]) => (await runSvc(args)).err;
    expect(await readError()).toContain('--file is missing');
    expect(await readError('--file', folder)).toContain('cannot be read: no file');
    expect(await readError('--file', join(folder, 'gone.csv'))).toContain('cannot be read: ENOENT');
    expect(await readError('--file', file, '--client', 'x')).toContain('--client x is no client');
    const unnamed = await runSvc(['--file', file]);
    expect(unnamed.code).toBe(2);
    expect(unnamed.err).toContain('--client is missing; there are:');
    expect(unnamed.err).toContain(`${client.id} A shop`);
  });

  it('adds items and subscriptions with a price per currency', async () => {
    const { code, out } = await imported(
      'code,name,kind,interval,active,price_EUR,price_JPY,price_KWD\n' +
        'mug,A mug,,,,19.90,2500,5.12\n' +
        'club,"The ""Club"", monthly",subscription,month,no,9,,\n' +
        'implied,Implied,,year,1,9.5,,\n',
    );
    expect({ code, out }).toEqual({
      code: 0,
      out: '3 created, 0 changed, 0 unchanged, 0 refused\n',
    });
    expect(await find('mug')).toMatchObject({
      kind: 'item',
      isActive: true,
      prices: [
        { currency: 'EUR', amountMinor: 1990 },
        { currency: 'JPY', amountMinor: 2500 },
        { currency: 'KWD', amountMinor: 5120 },
      ],
    });
    expect(await find('club')).toMatchObject({
      name: 'The "Club", monthly',
      kind: 'subscription',
      interval: 'month',
      isActive: false,
    });
    expect(await find('implied')).toMatchObject({ kind: 'subscription', interval: 'year' });
  });

  it('a byte order mark, semicolons, CRLF, decimal commas and capitals in the first line', async () => {
    const { out } = await imported(
      '\ufeffCode;Name;PRICE EUR;price:usd\r\nmug;Tasse, groß;19,90;21\r\n',
    );
    expect(out).toContain('1 created');
    expect(await find('mug')).toMatchObject({
      name: 'Tasse, groß',
      prices: [{ amountMinor: 1990 }, { amountMinor: 2100 }],
    });
  });

  it('again: nothing changes; then only what differs; other currencies keep their price', async () => {
    const text = 'code,name,price_EUR,price_USD\nmug,A mug,1,2\ncup,A cup,3,4\n';
    await imported(text);
    const before = await find('cup');
    expect((await imported(text)).out).toBe('0 created, 0 changed, 2 unchanged, 0 refused\n');
    const next = await imported('code,name,price_EUR\nmug,A mug,1.5\ncup,A cup,\n');
    expect(next.out).toBe('0 created, 1 changed, 1 unchanged, 0 refused\n');
    expect(await find('mug')).toMatchObject({
      prices: [
        { currency: 'EUR', amountMinor: 150 },
        { currency: 'USD', amountMinor: 200 },
      ],
      version: 1,
    });
    expect(await find('cup')).toEqual(before);
  });

  it('a line that is refused stops no other: 1, each with line, product, code and reason', async () => {
    await imported('code,name,price_EUR\nold,Old,1\n');
    const { code, out } = await imported(
      [
        'code,name,kind,interval,active,price_EUR,price_JPY',
        'good,Good,,,,1,',
        ',No code,,,,1,',
        'x,,,,,1,',
        'x,X,gift,,,1,',
        'x,X,,fortnight,,1,',
        'x,X,subscription,,,1,',
        'x,X,item,month,,1,',
        'x,X,,,maybe,1,',
        'x,X,,,,1.234,',
        'x,X,,,,,0.5',
        'x,X,,,,-1,',
        'x,X,,,,1e3,',
        'x,X,,,,10 00,',
        'x,X,,,,1.000,',
        'x,X,,,,9999999999999999,',
        'x,X,,,,1',
        'x,X,,,,,',
        'old,Old,,month,,1,',
        'x,4242 4242 4242 4242,,,,1,',
        '"x"x,X,,,,1,',
        'fine,Fine,,,,2,',
      ].join('\n'),
    );
    expect(code).toBe(1);
    expect(out).toMatch(/^line 3: code_invalid: code: A code has/);
    expect(out).toMatch(/and 9 more lines were refused; --report lists all of them/);
    expect(out).toMatch(/\nline 5, product x: kind_invalid: kind: /);
    expect(readFileSync(refusedFile, 'utf8')).toMatch(
      /15,x,amount_precision,"price_EUR: 1\.000 has more decimals than EUR, or a mark between thousands: write 1000 or 1\.00\."/,
    );
    expect(out).toMatch(/\n2 created, 0 changed, 0 unchanged, 19 refused\n$/);
    expect(refusals()).toEqual([
      '3  code_invalid',
      '4 x name_invalid',
      '5 x kind_invalid',
      '6 x interval_invalid',
      '7 x interval_required',
      '8 x interval_not_allowed',
      '9 x active_invalid',
      '10 x amount_precision',
      '11 x amount_precision',
      '12 x amount_invalid',
      '13 x amount_invalid',
      '14 x amount_invalid',
      '15 x amount_precision',
      '16 x amount_invalid',
      '17  cells_differ',
      '18 x price_required',
      '19 old kind_differs',
      '20 x raw_card_data_forbidden',
      '21  quote_misplaced',
    ]);
    expect(await products()).toBe(3);
  });

  it('no word but those of the list says whether a product is active', async () => {
    const { code } = await imported(
      'code,name,active,price_EUR\nx,X,constructor,1\ny,Y,__proto__,1\nz,Z,Yes,1\n',
    );
    expect(code).toBe(1);
    expect(refusals()).toEqual(['2 x active_invalid', '3 y active_invalid']);
    expect(await products()).toBe(1);
  });

  it('what is no UTF-8 is refused by its line', async () => {
    const latin = Buffer.concat([
      Buffer.from('code,name,price_EUR\nmug,A mug,1\ncafe,Caf'),
      Buffer.from([0xe9]),
      Buffer.from(',2\n'),
    ]);
    expect((await imported(latin)).code).toBe(1);
    expect(refusals()).toEqual(['3  encoding_invalid']);
    expect(await products()).toBe(1);
  });

  it.each([[], ['--dry-run']])(
    'a code on two lines is refused with both numbers %j',
    async (...flags) => {
      const text = 'code,name,price_EUR\nmug,First,1\ncup,Cup,1\nmug,Second,2\n';
      for (const sums of [
        '2 created, 0 changed',
        flags.length > 0 ? '2 created' : '0 created, 0 changed',
      ]) {
        const { code, out } = await imported(text, ...flags);
        expect([code, out]).toEqual([1, expect.stringContaining(sums)]);
        expect(out).toContain('Lines 2 and 4 have the same code; line 2 stands.');
        expect(refusals()).toEqual(['4 mug code_repeated']);
      }
      if (flags.length === 0) {
        expect(await find('mug')).toMatchObject({ name: 'First', prices: [{ amountMinor: 100 }] });
      }
    },
  );

  it('a code twice is found however far apart its lines are', async () => {
    const lines = Array.from({ length: 1200 }, (_, index) => `p${index},P,1`);
    const { code } = await imported(`code,name,price_EUR\n${lines.join('\n')}\np7,P,2\n`);
    expect([code, refusals()]).toEqual([1, ['1202 p7 code_repeated']]);
  });

  it('a code that is not ASCII, or a dot or two, is refused', async () => {
    // Zero-width space; composed and decomposed é; direction override; a Cyrillic m.
    const codes = ['mug\u200b', 'caf\u00e9', 'cafe\u0301', 'mug\u202e', '\u043cug', '.', '..'];
    const lines = codes.map((code) => `${code},A mug,1\n`);
    expect((await imported(`code,name,price_EUR\n${lines.join('')}`)).code).toBe(1);
    expect(refusals().map((line) => line.split(' ').at(-1))).toEqual(
      codes.map(() => 'code_invalid'),
    );
    expect(await products()).toBe(0);
  });

  it('a name with a direction override is refused', async () => {
    expect((await imported('code,name,price_EUR\nmug,Gold \u202eknalb,1\n')).code).toBe(1);
    expect(refusals()).toEqual(['2 mug name_invalid']);
  });

  it('2: a file in UTF-16 is named as such, with a mark or without', async () => {
    const text = 'code,name,price_EUR\nmug,A mug,1\n';
    const marked = Buffer.from(`\ufeff${text}`, 'utf16le');
    for (const bytes of [marked, Buffer.from(marked).swap16(), Buffer.from(text, 'utf16le')]) {
      const { code, err } = await imported(bytes);
      expect([code, err]).toEqual([2, expect.stringContaining('is UTF-16')]);
    }
  });

  it('the first line that Excel writes, sep=;, names the separator', async () => {
    for (const first of ['sep=;\r\n', '"sep=;"\n', 'SEP=;\n']) {
      const { code } = await imported(`${first}code;name;price_EUR\nmug;A, B, C;1\ncup;Cup;x\n`);
      expect([code, refusals()]).toEqual([1, ['4 cup amount_invalid']]);
      expect(await find('mug')).toMatchObject({ name: 'A, B, C' });
    }
  });

  it('--dry-run judges all the same and writes nothing', async () => {
    await imported('code,name,price_EUR\nold,Old,1\nclub,Club,1\n');
    const text = 'code,name,interval,price_EUR\nold,New name,,1\nclub,Club,month,1\nnew,New,,1\n';
    const { code, out } = await imported(text, '--dry-run');
    expect(code).toBe(1);
    expect(out).toContain(
      'dry run, nothing was written: 1 created, 1 changed, 0 unchanged, 1 refused',
    );
    expect(refusals()).toEqual(['3 club kind_differs']);
    expect(await products()).toBe(2);
    expect(await find('old')).toMatchObject({ name: 'Old', version: 0 });
  });

  it('over several batches, by six at once in other orders: every product once, no circle of waiting', async () => {
    const lines = Array.from({ length: 1600 }, (_, index) => `p${index},P ${index},${index}.50`);
    const codes = await Promise.all(
      Array.from({ length: 6 }, async (_, index) => {
        const each = join(folder, `${index}.csv`);
        const turned = [...lines.slice(index * 100), ...lines.slice(0, index * 100)];
        const ordered = index % 2 === 0 ? turned : turned.toReversed();
        writeFileSync(each, `code,name,price_EUR\n${ordered.join('\n')}\n`);
        return (await runSvc(['--file', each, '--client', client.id])).code;
      }),
    );
    expect(codes).toEqual(Array(6).fill(0));
    expect(await products()).toBe(1600);
    expect(await find('p1599')).toMatchObject({ prices: [{ amountMinor: 159_950 }] });
  });

  it('broken off by Ctrl-C: 130, what was imported stays, and no report is left', async () => {
    stopped.abort();
    writeFileSync(file, 'code,name,price_EUR\nmug,A mug,1\n');
    const args = ['--file', file, '--client', client.id, '--report', join(folder, 'none.csv')];
    const { code, out } = await runSvc(args, stopped.signal);
    expect(code).toBe(130);
    expect(out).toContain('broken off');
    expect(existsSync(join(folder, 'none.csv'))).toBe(false);
    expect(await products()).toBe(0);
  });

  it.each<[string, string, string]>([
    ['no column code', 'name,price_EUR\nx,1\n', 'names no column code'],
    [
      'an unknown column',
      'code,name,intervall\n',
      'unknown column intervall; did you mean interval?',
    ],
    ['a column twice', 'code,name,price_EUR,price eur\n', 'the column price eur is there twice'],
    ['an empty file', '', 'is empty'],
  ])('2: %s', async (_what, text, why) => {
    const { code, err } = await imported(text);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(why) });
  });

  it('what the file holds does not steer the terminal', async () => {
    const bell = String.fromCharCode(27);
    const cells = await imported(`code,name,price_EUR\nmug,A mug,${bell}[2J${'9'.repeat(500)}\n`);
    const column = await imported(`code,name,${bell}]0;title${'x'.repeat(500)}\n`);
    for (const text of [cells.out, column.err]) {
      expect(text).not.toContain(bell);
      expect(text.length).toBeLessThan(300);
    }
  });

  it('--client may be left out where there is one client', async () => {
    const alone = await freshDatabase();
    const only = await aClient(alone.database);
    writeFileSync(file, 'code,name,price_EUR\nmug,A mug,1\n');
    const { code } = await runSvc(['--file', file], new AbortController().signal, alone.database);
    expect(code).toBe(0);
    expect(await findProduct(alone.database, only.id, 'mug')).toMatchObject({ name: 'A mug' });
    await alone.close();
  });

  it('--client names any client, however many there are', async () => {
    for (let n = 0; n < 20; n++) client = await aClient(db.database);
    const { code, out } = await imported('code,name,price_EUR\nmug,A mug,1\n');
    expect([code, out]).toEqual([0, '1 created, 0 changed, 0 unchanged, 0 refused\n']);
    expect((await runSvc(['--file', file, '--client', client.id.toUpperCase()])).code).toBe(0);
  });
});
