// docs/reference/events.md, written from the contract by `node tools/src/checks/event-pages.ts --write`.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventExamples } from '../../../contract/src/events/event-examples.ts';
import { eventKinds, toldTypes } from '../../../contract/src/events/event-schemas.ts';
import type { EventType } from '../../../contract/src/rows/event-types.ts';

const reference = 'docs/reference/events.md';

/** Returns what is wrong with the page, one text each. */
export function checkEventPages(root: string): string[] {
  return textOf(join(root, reference)) === referencePage()
    ? []
    : [`${reference} is not up to date: node tools/src/checks/event-pages.ts --write`];
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Returns the names of the schemas that `data.object` can have. */
function objectsOf(type: EventType): string {
  type NamedSchema = { readonly 'x-name'?: string; readonly anyOf?: readonly NamedSchema[] };
  const { object } = eventKinds[type].data.properties as { readonly object: NamedSchema };
  return (object.anyOf ?? [object]).map(({ 'x-name': name }) => `\`${name}\``).join(' or ');
}

/** Returns the anchor of this type's heading. */
const addressOf = (type: EventType): string => type.replaceAll('.', '');

type Fields = Readonly<Record<string, unknown>>;

const show = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;

/** Returns the data of this type's example, without the fields that a type before it has shown. */
function showData(type: EventType): string {
  const first = toldTypes.find((one) => objectsOf(one) === objectsOf(type)) ?? type;
  const data: Fields = eventExamples[type].data;
  if (first === type) return show(data);
  const { object, ...beside } = data as { readonly object: Fields };
  const before = eventExamples[first].data.object as Fields;
  const isNew = ([name, value]: [string, unknown]) =>
    JSON.stringify(before[name]) !== JSON.stringify(value);
  const changed = { ...beside, object: Object.fromEntries(Object.entries(object).filter(isNew)) };
  const gone = Object.keys(before).filter((name) => !(name in object));
  const less = gone.length > 0 ? `, without ${gone.map((name) => `\`${name}\``).join(', ')}` : '';
  return `Like [\`${first}\`](#${addressOf(first)})${less}, and with:\n\n${show(changed)}`;
}

function sectionOf(type: EventType): string {
  const { when, what, resources } = eventKinds[type];
  const clause = when.replace('(subscriptions.md)', '(../guides/subscriptions.md)');
  return [
    `## \`${type}\``,
    `${clause.charAt(0).toUpperCase()}${clause.slice(1)}. \`data.object\` is ${what} (${objectsOf(type)}); \`resource.type\` is ${resources.map((each) => `\`${each}\``).join(' or ')}.`,
    showData(type),
  ].join('\n\n');
}

const referencePage = (): string =>
  `${[
    '# Events',
    'When each type of event is sent, and its data. Written from the contract by `node tools/src/checks/event-pages.ts --write`; do not edit. The schemas stand under `webhooks` in [/openapi.json](http://localhost:4000/openapi.json) and are the type `WebhookEvent` of [`@svc/server`](server-library.md). How to receive events: [webhooks](../guides/webhooks.md).',
    'Around the data every event has the same fields, at a webhook endpoint as in `GET /v1/events`:',
    show({ ...eventExamples['item.purchased'], data: {} }),
    ...toldTypes.map(sectionOf),
  ].join('\n\n')}\n`;

if (process.argv[1] === import.meta.filename) {
  const root = join(import.meta.dirname, '../../..');
  if (process.argv.includes('--write')) writeFileSync(join(root, reference), referencePage());
  const complaints = checkEventPages(root);
  for (const complaint of complaints) console.error(complaint);
  process.exitCode = complaints.length > 0 ? 1 : 0;
}
