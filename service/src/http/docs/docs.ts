// The page of the reference, written from the rows of the contract.

import type { ErrorCode } from '@svc/contract/errors/errors';
import { type Auth, operators, type RowShape } from '@svc/contract/rows/row';
import { currency, givenInstant, instant, uuid } from '@svc/contract/rows/schema';
import { version } from '@svc/contract/version';
import { type Html, html } from '../wire/html.ts';
import { errorTable, nameOf } from './docs-errors.ts';
import { eventSection } from './docs-events.ts';
import { filterNames } from './docs-filters.ts';
import { exampleAnswer, exampleBody, exampleOf, examplePath } from './example.ts';
import { codesOf, type OpenapiOptions } from './openapi.ts';
import { Components, type Json } from './openapi-json.ts';
import { sectionOf } from './openapi-sections.ts';

const anchorOf = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]+/g, '-');

const credentials: Readonly<Record<Auth, string>> = {
  server: 'Client Basic (client id and API token), or a Bearer token',
  bearer: 'a Bearer token; never Client Basic',
  session: 'the session’s nonce in x-checkout-session-token',
  'server-or-session': 'Client Basic, or the session’s nonce in x-checkout-session-token',
  anyone: 'none needed; the merchant’s Client Basic adds rights',
  'customer-page': 'the opened page’s token in x-customer-page-token',
  person: 'a signed-in browser, on our own pages',
  visitor: 'a browser on our own pages',
};

/** How the documents name the mode. */
export const wordOf = { sandbox: 'sandbox', test: 'test mode', live: 'live' } as const;

const code = (text: string): Html => html`<code>${text}</code>`;

/** The names of the contract's patterns. */
const patterns: Readonly<Record<string, string>> = Object.fromEntries(
  [
    [uuid(), 'UUID'],
    [instant(), 'instant'],
    [givenInstant(), 'instant'],
    [currency(), 'ISO 4217 code'],
    [{ pattern: '^[A-Z]{2}$' }, 'ISO 3166 code'],
  ].map(([schema, name]) => [(schema as { pattern?: string }).pattern ?? '', name as string]),
);

/** Returns the type of a schema in a few words, such as `string or null` or `array of object`. */
function kindOf(schema: Json): Html {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return html`<a href="#object-${anchorOf(name)}">${name}</a>`;
  }
  const { enum: values, type, items, const: only } = schema;
  if (only !== undefined) return code(JSON.stringify(only));
  if (Array.isArray(values)) {
    return html`${values.map((value, i) => html`${i === 0 ? '' : ' | '}${code(String(value))}`)}`;
  }
  const meaning = typeof schema.pattern === 'string' ? patterns[schema.pattern] : undefined;
  const kinds = [type ?? 'any']
    .flat()
    .map((kind) => (kind === 'string' ? (meaning ?? kind) : kind))
    .join(' or ');
  const rest = schema.additionalProperties;
  if (typeof rest === 'object' && rest !== null) return html`${kinds} of ${kindOf(rest as Json)}`;
  return items ? html`${kinds} of ${kindOf(items as Json)}` : html`${kinds}`;
}

/** Groups digits by thousands, from five digits on. */
const digits = (value: unknown): string =>
  Number(value) < 10_000 ? String(value) : String(value).replace(/\B(?=(\d{3})+$)/g, '\u00a0');

function rangeOf({ minimum, exclusiveMinimum, maximum }: Json): string {
  const least = minimum === undefined ? '' : `at least ${digits(minimum)}`;
  const from = exclusiveMinimum === undefined ? least : `more than ${digits(exclusiveMinimum)}`;
  if (maximum === undefined) return from;
  if (from === least && least !== '') return `${digits(minimum)} to ${digits(maximum)}`;
  return [from, `at most ${digits(maximum)}`].filter(Boolean).join(', ');
}

/** Returns the limits of a schema that a caller can exceed. */
function boundsOf(schema: Json): string {
  const { minLength, maxLength, maxItems, default: fallback, format, description } = schema;
  // A description that states a length counts differently, for example after trimming.
  const isLengthSaid = / characters\b/.test(String(description ?? ''));
  const lengths = `${minLength ? `${minLength} to` : 'up to'} ${digits(maxLength)}`;
  const parts = [
    rangeOf(schema),
    maxLength === undefined || isLengthSaid ? '' : `${lengths} characters`,
    maxItems === undefined ? '' : `at most ${maxItems}`,
    format === undefined ? '' : String(format),
    fallback === undefined ? '' : `default ${fallback}`,
  ];
  const said = parts.filter(Boolean).join('; ');
  return said.charAt(0).toUpperCase() + said.slice(1);
}

type Field = { readonly name: string; readonly schema: Json; readonly isRequired: boolean };

/** Returns the fields of an object, those of nested objects under dotted names. */
function fieldsOf(schema: Json, prefix = ''): Field[] {
  const { properties = {}, required = [] } = schema as { properties?: Json; required?: string[] };
  return Object.entries(properties).flatMap(([name, property]) => {
    const own = property as Json;
    if (own.not !== undefined) return [];
    const path = prefix + name;
    const inner = own.items
      ? ([own.items as Json, `${path}[].`] as const)
      : ([own, `${path}.`] as const);
    const field = { name: path, schema: own, isRequired: required.includes(name) };
    return [field, ...fieldsOf(inner[0], inner[1])];
  });
}

function fieldTable(fields: readonly Field[]): Html {
  const row = ({ name, schema, isRequired }: Field): Html => {
    const said = [schema.description, boundsOf(schema)].filter(Boolean).map(String).join(' ');
    return html`<tr><td>${code(name)}${isRequired ? html`<span class="must">required</span>` : ''}</td>
      <td class="kind">${kindOf(schema)}</td><td>${said}</td></tr>`;
  };
  return html`<div class="table"><table><thead><tr><th>Field</th><th>Type</th><th>Meaning</th></tr></thead>
    <tbody>${fields.map(row)}</tbody></table></div>`;
}

function renderPart(title: string, schema: unknown, components: Components): Html {
  if (!schema) return html``;
  const plain = components.reference(schema);
  const fields = fieldsOf(plain).map((field) => ({
    ...field,
    isRequired: field.isRequired && field.schema.default === undefined,
  }));
  if (fields.length === 0) {
    return html`<h4>${title}</h4><p>Any JSON object, or none.</p>`;
  }
  return html`<h4>${title}</h4>${fieldTable(fields)}`;
}

const exampleClient = String(exampleOf({ type: 'string' }, 'clientId'));

const basic = '-u "$SVC_CLIENT_ID:$SVC_API_TOKEN"';

/** The option with which curl sends the credential. */
const credentialOf: Readonly<Record<Auth, string>> = {
  server: basic,
  bearer: '-H "Authorization: Bearer $SVC_ACCESS_TOKEN"',
  session: '-H "x-checkout-session-token: $NONCE"',
  'server-or-session': basic,
  anyone: '',
  'customer-page': '-H "x-customer-page-token: $PAGE_TOKEN"',
  person: '-H "Cookie: $SIGN_IN_COOKIE"',
  visitor: '',
};

const isOfBrowser = ({ auth }: RowShape): boolean => auth === 'person' || auth === 'visitor';

/** Explains how to get a credential that is not one of a merchant's server. */
function credentialNote({ auth }: RowShape): Html {
  if (auth === 'bearer') {
    return html`<p>${code('$SVC_ACCESS_TOKEN')} is an access token with the scope ${code('mcp')}, from the addresses in
      <a href="/.well-known/oauth-authorization-server">/.well-known/oauth-authorization-server</a>.</p>`;
  }
  if (auth === 'person') {
    return html`<p>For a browser that is signed in at <a href="/account">/account</a>: ${code('$SIGN_IN_COOKIE')} is the
      cookie of that sign-in, name and value. No API token and no access token opens it.</p>`;
  }
  return html``;
}

/** Returns the call's path with example values. */
function pathTo(row: RowShape): string {
  const values: Readonly<Record<string, unknown>> = examplePath(row);
  const [, path = ''] = row.call.split(' ');
  return path.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? name));
}

function curl(row: RowShape, baseUrl: string): string {
  const [method = ''] = row.call.split(' ');
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${baseUrl}${pathTo(row)}`,
    credentialOf[row.auth],
    isOfBrowser(row) && method !== 'GET' ? `-H "Origin: ${new URL(baseUrl).origin}"` : '',
    ...Object.keys(row.input.headers?.properties ?? {}).map(
      (name) => `-H "${name}: 018f6e5c-b7a2-7c3e-9d41-a0b2c4d6e8f0"`,
    ),
    row.idempotent ? `-H "Idempotency-Key: order-1042-${row.call.split('/').at(-1)}"` : '',
    row.input.body ? '-H "Content-Type: application/json"' : '',
    row.input.body
      ? `-d '${JSON.stringify(exampleBody(row), null, 2).replaceAll('\n', '\n  ')}'`
      : '',
  ];
  // The caller's own merchant id, where the shell can insert it.
  return lines
    .filter(Boolean)
    .join(' \\\n  ')
    .replace(`/${exampleClient}`, '/$SVC_CLIENT_ID')
    .replaceAll(`"${exampleClient}"`, `"'"$SVC_CLIENT_ID"'"`);
}

/** Returns a curl call of a list with a filter, to be copied. */
function filterCurl(
  row: RowShape,
  { baseUrl, filters }: { baseUrl: string; filters: readonly string[] },
): string {
  const field = ['status', 'createdAt'].find((name) => filters.includes(name)) ?? filters[0] ?? '';
  const op = field === 'createdAt' ? 'gte' : 'eq';
  const value = field === 'status' ? statusOf(row) : exampleOf(row.filters?.[field] ?? {}, field);
  const address = `${baseUrl}${pathTo(row)}?${field}[${op}]=${String(value)}&limit=20`;
  return `curl -g '${address}' \\\n  ${credentialOf[row.auth]}`;
}

const statusOf = ({ filters }: RowShape): unknown => {
  const values = (filters?.status as { readonly enum?: readonly string[] } | undefined)?.enum ?? [];
  return values.find((value) => value === 'authorized') ?? values[0];
};

function answersOf(row: RowShape, components: Components): Html {
  const each = Object.entries(row.answers).map(([status, schema]) => {
    if (schema === null) return html`<p>${code(status)} with an empty body.</p>`;
    const kind = components.reference(schema);
    const isNamed = kind.$ref !== undefined;
    return html`<p>${code(status)} ${isNamed ? kindOf(kind) : ''}</p>
      ${isNamed ? '' : fieldTable(fieldsOf(kind))}
      <pre><code>${JSON.stringify(exampleAnswer(row, schema), null, 2)}</code></pre>`;
  });
  return html`<h4>Answers</h4>${each}`;
}

const codeLinks = (codes: readonly ErrorCode[]): Html =>
  html`<ul class="codes">${codes.map((each) => html`<li><a href="#error-${each}">${code(nameOf(each))}</a></li>`)}</ul>`;

function call(
  name: string,
  row: RowShape,
  { baseUrl, components }: { baseUrl: string; components: Components },
): Html {
  const [method = '', path = ''] = row.call.split(' ');
  const facts = [
    `Credential: ${credentials[row.auth]}.`,
    row.scope === null ? '' : `Scope: ${row.scope}.`,
    row.tokenScope === undefined ? '' : `Scope of an API token: ${row.tokenScope}.`,
    row.emits.length === 0 ? '' : `Emits: ${row.emits.join(', ')}.`,
    `Source: ${row.spec}.`,
  ];
  const filters = Object.keys(row.filters ?? {});
  return html`<article id="${name}">
    <h3>${row.summary}</h3>
    <div class="call"><span class="method ${method}">${method}</span><code>${path}</code></div>
    <p class="facts">${facts.filter(Boolean).join(' ')}</p>
    ${
      row.idempotent
        ? html`<p>Needs the header ${code('Idempotency-Key')}, one stable key per logical operation.
      The same key with the same body gives the first outcome again, with
      ${code('Idempotent-Replayed: true')}.</p>`
        : ''
    }
    ${
      row.createsOnce
        ? html`<p>Takes the header ${code('Idempotency-Key')} with the merchant's credential: the same key with the
      same body creates once, and gives the same answer again for a day, with
      ${code('Idempotent-Replayed: true')}.</p>`
        : ''
    }
    ${renderPart('Path', row.input.path, components)}
    ${renderPart('Headers', row.input.headers, components)}
    ${renderPart('Query', row.input.query, components)}
    ${
      filters.length === 0
        ? ''
        : html`<h4>Filters</h4>
      <p>${code('field[op]=value')} with ${code(operators.join(' '))} on
      ${filterNames(row)}; ${code('in')} takes
      several values with commas between. With curl, ${code('-g')} keeps the brackets as they are.</p>
      <pre><code>${filterCurl(row, { baseUrl, filters })}</code></pre>`
    }
    ${renderPart('Body', row.input.body, components)}
    <h4>Try it</h4>${credentialNote(row)}<pre><code>${curl(row, baseUrl)}</code></pre>
    ${answersOf(row, components)}
    <h4>Refusals</h4>${codeLinks(codesOf(row))}
  </article>`;
}

function objects(components: Components): Html {
  const each = Object.entries(components.schemas).sort(([a], [b]) => (a < b ? -1 : 1));
  return html`<section><h2 id="objects">Objects</h2>${each.map(
    ([name, schema]) => html`<article>
    <h3 id="object-${anchorOf(name)}">${name}</h3>${fieldTable(fieldsOf(schema))}</article>`,
  )}</section>`;
}

const introduction = (baseUrl: string): Html => html`<h1>Svc API</h1>
  <p class="lead">Checkout sessions, holds, captures, and the events that tell of them.</p>
  <p>Base address: ${code(baseUrl)}. Machine-readable: <a href="/openapi.json">/openapi.json</a>.</p>
  <p><strong>Servers</strong> use Client Basic: the client id as user name, an API token as password. What it may do
    is what its owner's role allows; calls that ask for an owner or admin say so.
    <strong>Browsers</strong> hold nothing but the nonce of one checkout session, sent as
    ${code('x-checkout-session-token')}. A token never belongs into a page.</p>
  <p><strong>Applications</strong> act for a person with a Bearer token. The addresses for getting, refreshing and
    revoking one are no calls of this list: they stand in
    <a href="/.well-known/oauth-authorization-server">/.well-known/oauth-authorization-server</a>.
    <strong>Agents</strong> connect to ${code(`${baseUrl}/mcp`)}. <strong>People</strong> sign in at
    <a href="/account">/account</a>.</p>
  <p><strong>Bodies</strong> are JSON objects of up to 64 kB; unknown fields are refused by name. Amounts are
    numbers in major units with the exact digits of the currency, instants are ISO 8601 in UTC.
    Every answer carries ${code('Request-Id')}.</p>
  <p><strong>Lists</strong> answer ${code('data, page, limit, total, nextCursor')}; ${code('total')} is exact.
    Pass ${code('nextCursor')} as ${code('cursor')} to go on.</p>`;

/** Returns the summary's first clause; a full stop inside a name does not end it. */
const titleOf = ({ summary }: RowShape): string =>
  summary.replace(/[.;](\s.*)?$/, '').replaceAll('`', '');

/** The reference as one HTML page. */
export function docsPage({ rows, baseUrl, mode }: OpenapiOptions): string {
  const components = new Components();
  const sections = [...Map.groupBy(Object.entries(rows), ([, row]) => sectionOf(row))];
  const calls = sections.map(
    ([title, entries]) => html`<section>
    <h2 id="${anchorOf(title)}">${title}</h2>
    ${entries.map(([name, row]) => call(name, row, { baseUrl, components }))}</section>`,
  );
  const events = eventSection(components, anchorOf);
  const menu = sections.map(
    ([title, entries]) =>
      html`<h2><a href="#${anchorOf(title)}">${title}</a></h2><ul>${entries.map(
        ([name, row]) =>
          html`<li><a href="#${name}">${titleOf(row)} <small>${row.call}</small></a></li>`,
      )}</ul>`,
  );
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Svc API reference</title><link rel="stylesheet" href="/docs/style.css"></head>
<body><div class="page">
<nav aria-label="Contents"><strong>Svc API</strong><small>${version}, ${wordOf[mode]}</small>
  <form class="search" role="search" hidden><label for="search">Search <kbd>/</kbd></label>
  <input id="search" type="search" autocomplete="off" spellcheck="false"><p role="status"></p><ul></ul></form>
  ${menu}<h2><a href="#event-types">Event types</a></h2><h2><a href="#objects">Objects</a></h2><h2><a href="#errors">Errors</a></h2>
  <h2><a href="/openapi.json">OpenAPI 3.1</a></h2></nav>
<main>${introduction(baseUrl)}${calls}${events}${objects(components)}${errorTable(baseUrl)}</main>
</div><script type="module" src="/docs/search.js"></script></body></html>`.text;
}
