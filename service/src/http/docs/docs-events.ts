// The section of /docs about the types of events: when each is sent, and an example. Contract §7.

import { eventExamples } from '@svc/contract/events/event-examples';
import { eventKinds, eventSchemas, toldTypes } from '@svc/contract/events/event-schemas';
import type { EventType } from '@svc/contract/rows/event-types';
import { type Html, html } from '../wire/html.ts';
import type { Components, Json } from './openapi-json.ts';

/** Renders text of the contract: code and emphasis are kept, links in brackets are left out. */
const renderWords = (text: string): Html =>
  html`${text
    .replace(/ \(\[[^\]]*\]\([^)]*\)\)/g, '')
    .split(/(`[^`]+`|\*\*[^*]+\*\*)/)
    .map((part) => {
      if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`;
      return part.startsWith('**') ? html`<strong>${part.slice(2, -2)}</strong>` : html`${part}`;
    })}`;

/** Returns the names of the schemas that `data.object` may have. */
function objectsOf(type: EventType, components: Components): string[] {
  components.reference(eventSchemas[type]);
  const data = components.reference(eventKinds[type].data) as { properties: { object: Json } };
  const { object } = data.properties;
  return ((object.anyOf as Json[] | undefined) ?? [object]).map(
    ({ $ref }) => String($ref).split('/').at(-1) ?? '',
  );
}

/** Writes a row for each type. `anchor` makes the target of an object's name. */
export function eventSection(components: Components, anchor: (name: string) => string): Html {
  const row = (type: EventType): Html => {
    const { when, what } = eventKinds[type];
    const links = objectsOf(type, components).map(
      (name, at) => html`${at === 0 ? '' : ' or '}<a href="#object-${anchor(name)}">${name}</a>`,
    );
    const example = JSON.stringify(eventExamples[type], null, 2);
    return html`<tr id="event-${anchor(type)}"><td><code>${type}</code></td><td>${renderWords(when)}</td>
      <td>${renderWords(what)}: ${links}<details><summary>Example</summary><pre><code>${example}</code></pre></details></td></tr>`;
  };
  return html`<section><h2 id="event-types">Event types</h2>
    <p>Each change that a merchant hears of is posted to every webhook endpoint that subscribes to its type, signed in
      <code>Svc-Signature</code> and in the headers of Standard Webhooks. The <code>webhooks</code> of
      <a href="/openapi.json">/openapi.json</a> have the schema of every type. Later versions may add fields and
      types; those that stand here stay.</p>
    <div class="table"><table><thead><tr><th>Type</th><th>When</th><th>data.object</th></tr></thead>
    <tbody>${toldTypes.map(row)}</tbody></table></div></section>`;
}
