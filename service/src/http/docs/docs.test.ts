import { rows } from '@svc/contract';
import { type ErrorCode, errorEntry, errors } from '@svc/contract/errors/errors';
import type { RowShape } from '@svc/contract/rows/row';
import { describe, expect, it } from 'vitest';
import { isRedirectUri } from '../../domain/protocol/redirect-uri.ts';
import { operations } from '../../operations/index.ts';
import { routeOf } from '../rows/api.ts';
import { commonRefusals, refusalsOf } from '../rows/refusals.ts';
import { html } from '../wire/html.ts';
import { checkOf, serialiserOf } from '../wire/validate.ts';
import { docsPage } from './docs.ts';
import { exampleAnswer, exampleBody, exampleOf } from './example.ts';
import { openApi } from './openapi.ts';
import type { Json } from './openapi-json.ts';

const table: Readonly<Record<string, RowShape>> = rows;
const described = { rows: table, baseUrl: 'https://pay.example', mode: 'sandbox' as const };
const document = openApi(described) as {
  openapi: string;
  paths: Record<string, Record<string, Json>>;
  components: Record<string, Record<string, Json>>;
};
const page = docsPage(described);
const all = Object.entries(table);

/** Some rows take only a cookie and return no body. */
const hasSchemas = ([, { input, answers }]: (typeof all)[number]) =>
  [input.path, input.query, input.headers, input.body, ...Object.values(answers)].some(Boolean);

/** Returns the disagreements between the rows, the operations and the document. */
function findDisagreements(given: {
  rows: typeof table;
  operations: object;
  paths: typeof document.paths;
}): string[] {
  const found: string[] = [];
  for (const [name, { call }] of Object.entries(given.rows)) {
    if (!Object.hasOwn(given.operations, name)) found.push(`${name} has no operation`);
    const [method = '', path = ''] = call.split(' ');
    const operation = given.paths[path]?.[method.toLowerCase()] as
      | { operationId?: string }
      | undefined;
    if (operation?.operationId !== name) found.push(`${name} is not in the document`);
  }
  for (const name of Object.keys(given.operations)) {
    if (!Object.hasOwn(given.rows, name)) found.push(`${name} has no row`);
  }
  const routes = Object.values(given.rows).map(({ call }) =>
    JSON.stringify(routeOf(call)).replace(/:\w+/g, ':'),
  );
  if (new Set(routes).size !== routes.length) found.push('two rows have one route');
  return found;
}

/** Returns every `x-code` in a schema. */
function codesIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === 'x-code' ? [String(value)] : codesIn(value),
  );
}

describe('the contract', () => {
  it('every row has an operation and stands in the document', () => {
    expect(findDisagreements({ rows: table, operations, paths: document.paths })).toEqual([]);
  });

  it('a planted disagreement is seen', () => {
    const { capturePayment: _, ...fewer } = operations;
    expect(findDisagreements({ rows: table, operations: fewer, paths: document.paths })).toEqual([
      'capturePayment has no operation',
    ]);
    expect(
      findDisagreements({
        rows: table,
        operations: { ...operations, extra: 1 },
        paths: document.paths,
      }),
    ).toEqual(['extra has no row']);
    const { '/v1/products': _products, ...paths } = document.paths;
    expect(findDisagreements({ rows: table, operations, paths })).toEqual([
      'createProduct is not in the document',
      'listProducts is not in the document',
    ]);
    const twice = {
      ...table,
      again: { ...rows.getPayment, call: 'GET /v1/payments/{id}' as const },
    };
    expect(
      findDisagreements({
        rows: twice,
        operations: { ...operations, again: 1 },
        paths: document.paths,
      }),
    ).toContain('two rows have one route');
  });

  it.each(all)('%s: schemas refuse only what the row declares', (_, row) => {
    const known = new Set<string>([...refusalsOf(row), ...commonRefusals]);
    expect(codesIn(row.input).filter((code) => !known.has(code))).toEqual([]);
  });

  it.each(all.filter(hasSchemas))(
    '%s: its schemas compile, and its examples are valid',
    (_, row) => {
      for (const part of [row.input.path, row.input.query, row.input.headers, row.input.body]) {
        if (!part) continue;
        const check = checkOf(part);
        expect(check(exampleOf(part)), JSON.stringify([exampleOf(part), check.errors])).toBe(true);
      }
      if (row.input.body) expect(checkOf(row.input.body)(exampleBody(row))).toBe(true);
      for (const answer of Object.values(row.answers)) {
        if (!answer) continue;
        const example = exampleAnswer(row, answer);
        expect(JSON.parse(serialiserOf(answer)(example))).toEqual(example);
        const check = checkOf(answer);
        expect(check(example), JSON.stringify([example, check.errors])).toBe(true);
      }
    },
  );

  it('a row that allows a foreign refusal is seen', () => {
    const row = { ...rows.getPayment, refuses: ['payment_not_found'] as const };
    const known = new Set<string>([...refusalsOf(row), ...commonRefusals]);
    expect(codesIn(row.input).filter((code) => !known.has(code))).toEqual(['invalid_payment_id']);
  });
});

describe('/docs', () => {
  const plainOf = (text: string): string =>
    text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
  const articleOf = (name: string): string => {
    const from = page.slice(page.indexOf(`<article id="${name}">`));
    return plainOf(from.slice(0, from.indexOf('</article>')));
  };
  const examplesOf = (name: string): string[] =>
    [...articleOf(name).matchAll(/<pre><code>([\s\S]*?)<\/code>/g)].map(([, one = '']) => one);

  it('has an anchor for every error code, with its words', () => {
    for (const code of Object.keys(errors) as ErrorCode[]) {
      expect(page).toContain(`id="error-${code}"`);
      expect(page).toContain(html`${errorEntry(code).message}`.text);
    }
  });

  it('describes every call', () => {
    for (const [name, { call, summary }] of all) {
      expect(page).toContain(`id="${name}"`);
      expect(page).toContain(`<code>${call.split(' ')[1]}</code>`);
      expect(page).toContain(html`${summary}`.text);
    }
  });

  it('every call with a body can be tried with one, and every filter with curl', () => {
    const plain = plainOf(page);
    for (const [, row] of all) {
      const [method, path = ''] = row.call.split(' ');
      const start = path.replace(/\{.*$/, '');
      const calls = plain
        .split('<pre><code>')
        .filter((one) => one.includes(described.baseUrl + start));
      if (row.input.body) expect(calls.some((one) => one.includes(`-X ${method}`))).toBe(true);
      if (row.filters) expect(calls.some((one) => one.startsWith(`curl -g '`))).toBe(true);
    }
    const bodies = plain.match(/curl -X[^\n]*(?:\n {2}-[Hu][^\n]*)*\n {2}-d '\{/g) ?? [];
    expect(bodies).toHaveLength(all.filter(([, row]) => row.input.body).length);
    expect(plain).toContain('"reason": "requested_by_customer"');
  });

  it('every example brings the credential of its row', () => {
    const ways: Readonly<Record<string, string>> = {
      server: '-u "$SVC_CLIENT_ID:$SVC_API_TOKEN"',
      bearer: '-H "Authorization: Bearer $SVC_ACCESS_TOKEN"',
      session: '-H "x-checkout-session-token: $NONCE"',
      'server-or-session': '-u "$SVC_CLIENT_ID:$SVC_API_TOKEN"',
      'customer-page': '-H "x-customer-page-token: $PAGE_TOKEN"',
      person: '-H "Cookie: $SIGN_IN_COOKIE"',
    };
    for (const [name, row] of all) {
      const examples = examplesOf(name).filter((one) => one.startsWith('curl'));
      expect(examples).toHaveLength(row.filters ? 2 : 1);
      for (const one of examples) {
        const brought = [...new Set(Object.values(ways))].filter((way) => one.includes(way));
        expect(brought).toEqual([ways[row.auth]].filter(Boolean));
        expect(one).not.toMatch(/[{]\w+[}]/);
      }
      if (row.auth === 'person') expect(articleOf(name)).toContain('signed in at');
    }
  });

  it('the contents name every call by a whole clause and by its address', () => {
    const nav = plainOf(page.slice(page.indexOf('<nav'), page.indexOf('</nav>')));
    const titles = [...nav.matchAll(/<li><a href="#\w+">(.*?) <small>(.*?)<\/small>/g)];
    expect(titles.map(([, , address]) => address).sort()).toEqual(
      all.map(([, { call }]) => call).sort(),
    );
    const names = titles.map(([, title]) => title);
    expect(new Set(names).size).toBe(names.length);
    expect(nav).not.toContain('`');
    expect(names).toContain(
      'Sends an event of type webhook_endpoint.test at once and returns the endpoint’s response',
    );
  });

  it('examples say words, not the kind of a value', () => {
    for (const [name, row] of all) {
      for (const one of examplesOf(name)) {
        expect(one).not.toMatch(/"text"(?!:)|\/text\b|=text\b/);
        // A page that contains the only row has no next cursor.
        expect(one).not.toMatch(/"nextCursor": "/);
        if (row.call.includes('{eventId}') && one.startsWith('curl')) {
          expect(one).toMatch(/\/v1\/events\/evt_[0-9a-f]{32}/);
        }
        if (row.call.includes('/coupons/{code}') && one.startsWith('curl')) {
          expect(one).toContain('/v1/coupons/SUMMER10');
        }
      }
    }
    const { redirectUris } = exampleBody(rows.createApplication) as { redirectUris: string[] };
    expect([redirectUris.length, redirectUris.every(isRedirectUri)]).toEqual([1, true]);
  });

  it('a list of payments shows whole ones', () => {
    const [answer] = Object.values(rows.listPayments.answers);
    const { data } = exampleAnswer(rows.listPayments, answer) as { data: Json[] };
    const payment = exampleAnswer(rows.getPayment, rows.getPayment.answers[200]) as Json;
    const details = exampleAnswer(rows.getPaymentDetails, rows.getPaymentDetails.answers[200]);
    const { reference, balance } = details as Json;
    expect(data).toEqual([
      { ...payment, customerName: 'Ada Lovelace', shortReference: reference, balance },
    ]);
  });

  it('limits are said once and in words, large numbers in groups', () => {
    const meanings = [...page.matchAll(/<td>([^<]*)<\/td><\/tr>/g)].map(([, said = '']) => said);
    expect(meanings).toContain('0 to 1\u00a0000\u00a0000\u00a0000\u00a0000');
    expect(meanings).toContain('Trimmed; then 1 to 100 characters.');
    expect(meanings).toContain('At least 1; default 1');
    for (const said of meanings) {
      expect(said).not.toMatch(/(?<![\w.])\d{6,}|… to|to …/);
      expect(said.match(/ characters\b/g) ?? []).toHaveLength(/ characters\b/.test(said) ? 1 : 0);
    }
  });

  it('the payments of the examples are what their status says', () => {
    const shown = all.flatMap(([, row]) =>
      Object.values(row.answers).flatMap((answer) =>
        answer ? [exampleAnswer(row, answer) as Record<string, unknown>] : [],
      ),
    );
    const payments = shown.filter((one) => one.object === 'payment');
    expect(payments.length).toBeGreaterThan(3);
    for (const one of payments.filter(({ type }) => type === 'purchase')) {
      expect(one.capturedAt !== null).toBe(one.status === 'succeeded');
      expect(one.amountCaptured).toBe(one.status === 'succeeded' ? one.amount : 0);
      expect(one.voidedAt !== null).toBe(one.status === 'voided');
      expect(one.authorizationVoidReason !== null).toBe(one.status === 'voided');
    }
    for (const one of payments.filter(({ type }) => type === 'refund')) {
      expect(one.parentPaymentId).not.toBeNull();
      expect(one.capturedAt).toBeNull();
    }
  });

  it('every link inside the page has its target, and every id is one', () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target);
  });
});

describe('html', () => {
  it('escapes what is put in, and nothing twice', () => {
    expect(
      html`<p title="${`"'<&>`}">${html`<b>${'<i>'}</b>`}${['a<', html`<br>`]}${null}</p>`.text,
    ).toBe('<p title="&quot;&#39;&lt;&amp;&gt;"><b>&lt;i&gt;</b>a&lt;<br></p>');
  });
});
