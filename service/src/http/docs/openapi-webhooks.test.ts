// The types of events in /openapi.json and /docs, compared with the contract and the signer.

import { rows } from '@svc/contract';
import { violationsOf } from '@svc/contract/events/check-event';
import { eventExamples } from '@svc/contract/events/event-examples';
import { eventKinds } from '@svc/contract/events/event-schemas';
import { eventTypes } from '@svc/contract/rows/event-types';
import type { RowShape } from '@svc/contract/rows/row';
import { describe, expect, it } from 'vitest';
import { webhookHeaders } from '../../domain/protocol/webhook-headers.ts';
import { signatureHeaders } from '../../webhooks/sign.ts';
import { checkOf } from '../wire/validate.ts';
import { docsPage } from './docs.ts';
import { openApi } from './openapi.ts';

type Schema = Record<string, unknown>;
type Webhook = {
  post: {
    summary: string;
    description: string;
    security: unknown[];
    parameters: { $ref: string }[];
    requestBody: { content: Record<string, { schema: Schema; example: Schema }> };
    responses: Record<string, { $ref: string }>;
  };
};

const table: Readonly<Record<string, RowShape>> = rows;
const described = { rows: table, baseUrl: 'https://pay.example', mode: 'sandbox' as const };
const document = openApi(described) as {
  webhooks: Record<string, Webhook>;
  components: Record<string, Record<string, { name: string; required: boolean }>>;
};

function postOf(type: string): Webhook['post'] {
  const webhook = document.webhooks[type];
  if (!webhook) throw new Error(`no webhook ${type}`);
  return webhook.post;
}

/** Checks events of a type by the document alone, following its references. */
function judgeOf(type: string): (event: unknown) => boolean {
  const content = postOf(type).requestBody.content['application/json'];
  const schema = { ...content?.schema, $defs: document.components.schemas };
  const text = JSON.stringify(schema).replaceAll('#/components/schemas/', '#/$defs/');
  return checkOf(JSON.parse(text));
}

describe('the webhooks of /openapi.json', () => {
  it('are the types of events, each with when it is sent, an object and an example', () => {
    expect(Object.keys(document.webhooks).toSorted()).toEqual(eventTypes.toSorted());
    for (const type of eventTypes) {
      const { summary, description, requestBody } = postOf(type);
      expect(summary).toMatch(/^[A-Z].*\.$/);
      expect(`${summary}${description}`).not.toMatch(/\*\*|\]\(/);
      expect(requestBody.content['application/json']?.example).toEqual(eventExamples[type]);
    }
  });

  it.each(eventTypes)('%s: its example is what the document says, and nothing less is', (type) => {
    const example = eventExamples[type];
    const isRight = judgeOf(type);
    expect(violationsOf(example)).toEqual([]);
    expect(isRight(example)).toBe(true);
    expect(isRight({ ...example, type: 'another.type' })).toBe(false);
    expect(isRight({ ...example, data: {} })).toBe(false);
    for (const name of Object.keys(example.data.object)) {
      const { [name]: _, ...object } = example.data.object as Record<string, unknown>;
      expect(isRight({ ...example, data: { ...example.data, object } }), name).toBe(false);
    }
  });

  it('name the headers that a delivery has, and those alone', () => {
    const now = new Date();
    const signed = signatureHeaders({
      eventId: 'evt_1',
      secrets: ['svc_whsec_AAAA'],
      now,
      body: '',
    });
    const always = Object.keys({ ...signed, ...webhookHeaders(0) });
    const again = Object.keys({ ...signed, ...webhookHeaders(1) });
    // OpenAPI states the content type elsewhere and does not describe who calls.
    const plainNames = (names: readonly string[]) =>
      names.filter((name) => name !== 'content-type' && name !== 'user-agent').toSorted();
    for (const type of eventTypes) {
      const named = postOf(type).parameters.map(
        ({ $ref }) => document.components.parameters?.[$ref.split('/').at(-1) ?? ''],
      );
      const names = (only: boolean) =>
        named.filter((one) => one?.required || !only).map((one) => one?.name.toLowerCase());
      expect(names(true)?.toSorted()).toEqual(plainNames(always));
      expect(names(false)?.toSorted()).toEqual(plainNames(again));
    }
  });

  it('ask for no credential of the API, and say what each answer leads to', () => {
    for (const type of eventTypes) {
      const { security, responses } = postOf(type);
      expect(security).toEqual([]);
      expect(Object.keys(responses).toSorted()).toEqual(['2XX', '410', 'default']);
      for (const { $ref } of Object.values(responses)) {
        expect(document.components.responses).toHaveProperty($ref.split('/').at(-1) ?? '');
      }
    }
  });
});

describe('/docs', () => {
  const page = docsPage(described);

  it('has a row for every type with its object and an example', () => {
    const plain = page.replaceAll('&quot;', '"');
    for (const type of eventTypes) {
      const from = plain.slice(plain.indexOf(`<tr id="event-${type.replaceAll(/[._]/g, '-')}">`));
      const row = from.slice(0, from.indexOf('</tr>'));
      expect(row).toContain(`<code>${type}</code>`);
      expect(row).toMatch(/<a href="#object-[a-z]+">/);
      const [, example = ''] = /<pre><code>([\s\S]*?)<\/code>/.exec(row) ?? [];
      expect(JSON.parse(example.replaceAll('&#39;', "'"))).toEqual(eventExamples[type]);
      expect(eventKinds[type].what).not.toBe('');
    }
    expect(page).toContain('<a href="#event-types">');
  });
});
