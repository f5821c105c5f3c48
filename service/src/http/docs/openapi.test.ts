// /openapi.json, compared with the rows of the contract that it describes.

import { rows } from '@svc/contract';
import type { RowShape } from '@svc/contract/rows/row';
import { isEmail } from '@svc/contract/rows/schema';
import { describe, expect, it } from 'vitest';
import { codesOf, openApi } from './openapi.ts';
import type { Json } from './openapi-json.ts';
import { sectionDescriptions } from './openapi-sections.ts';

const table: Readonly<Record<string, RowShape>> = rows;
const document = openApi({ rows: table, baseUrl: 'https://pay.example', mode: 'sandbox' }) as {
  openapi: string;
  paths: Record<string, Record<string, Json>>;
  components: Record<string, Record<string, Json>>;
};
const all = Object.entries(table);

type Media = { content?: Record<string, { schema: Json; examples?: Record<string, Json> }> };

/** Puts components in place of their references. */
function resolve(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(resolve);
  if (typeof part !== 'object' || part === null) return part;
  const { $ref } = part as { $ref?: string };
  const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(\w+)$/.exec($ref ?? '') ?? [];
  if ($ref !== undefined) return resolve(document.components[kind]?.[name]);
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, resolve(value)]));
}

/** Returns a row's schema as the document shows it: without our own keywords. */
function plainOf(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plainOf);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { pattern, 'x-plain': plain = pattern } = schema as Json;
  return Object.fromEntries(
    Object.entries({ ...schema, ...(pattern === undefined ? {} : { pattern: plain }) })
      .filter(([key]) => !/^x-(?:code|name|plain|light|trimmed|ops|lines)$|^~/.test(key))
      .map(([key, value]) => [key, plainOf(value)]),
  );
}

function operationAt(call: string): Json {
  const [method = '', path = ''] = call.split(' ');
  const operation = document.paths[path]?.[method.toLowerCase()];
  if (!operation) throw new Error(`no operation ${call}`);
  return operation;
}

describe('/openapi.json', () => {
  const text = JSON.stringify(document);

  it('is OpenAPI 3.1 in structure', () => {
    expect(document.openapi).toBe('3.1.0');
    for (const [path, byMethod] of Object.entries(document.paths)) {
      expect(path).toMatch(/^\/v1\//);
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
      for (const [method, operation] of Object.entries(byMethod)) {
        expect(['get', 'post', 'put', 'patch', 'delete']).toContain(method);
        const { responses, security } = operation as {
          responses: Record<string, { description: string }>;
          security: Json[];
        };
        const parameters = resolve(operation.parameters) as {
          name: string;
          in: string;
          required?: boolean;
        }[];
        const declared = parameters.filter((each) => each.in === 'path');
        expect(declared.map(({ name }) => name).sort()).toEqual(inPath);
        expect(declared.every(({ required }) => required)).toBe(true);
        const places = parameters.map((each) => `${each.in} ${each.name}`);
        expect(new Set(places).size).toBe(places.length);
        for (const [status, { description }] of Object.entries(responses)) {
          expect(status).toMatch(/^[2-5]\d\d$/);
          expect(description).not.toBe('');
        }
        for (const scheme of security.flatMap((each) => Object.keys(each))) {
          expect(document.components.securitySchemes).toHaveProperty(scheme);
        }
      }
    }
    const ids = all.map(([name]) => name);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('a claim takes the merchant’s credential beside the nonce', () => {
    const claim = document.paths['/v1/checkouts/sessions/{checkoutSessionId}/claim'];
    expect(claim?.patch).toMatchObject({
      security: [
        { sessionToken: [] },
        { sessionToken: [], clientBasic: [] },
        { sessionToken: [], bearer: [] },
      ],
    });
  });

  it('every reference resolves', () => {
    const references = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)];
    expect(references.length).toBeGreaterThan(10);
    for (const [, kind = '', name = ''] of references)
      expect(document.components[kind]).toHaveProperty(name);
    expect([...text.matchAll(/"\$ref":"/g)]).toHaveLength(references.length);
  });

  it('keeps our own keywords to itself', () => {
    expect(text).not.toMatch(/"x-code"|"x-name"|"~kind"/);
  });

  it('says what the rows say: with its references put back, every body and answer is as in its row', () => {
    for (const [name, row] of all) {
      const { requestBody, responses } = operationAt(row.call) as {
        requestBody?: Media;
        responses: Record<string, Media>;
      };
      const shown = (media: Media | undefined) =>
        resolve(Object.values(media?.content ?? {})[0]?.schema);
      expect(shown(requestBody), name).toEqual(plainOf(row.input.body));
      for (const [status, schema] of Object.entries(row.answers)) {
        expect(shown(responses[status]), name).toEqual(plainOf(schema ?? undefined));
      }
    }
  });

  it('writes each body, answer, refusal and example once, and is under a megabyte', () => {
    expect(text.length).toBeLessThan(1_000_000);
    for (const byMethod of Object.values(document.paths)) {
      for (const { responses } of Object.values(byMethod)) {
        for (const [status, response] of Object.entries(responses as Record<string, Json>)) {
          if (status >= '400') expect(Object.keys(response)).toEqual(['$ref']);
        }
      }
    }
  });

  it('its patterns are those that every language reads', () => {
    const patterns = [...text.matchAll(/"pattern":("(?:[^"\\\\]|\\\\.)*")/g)].map(
      ([, one = '""']) => String(JSON.parse(one)),
    );
    expect(patterns.length).toBeGreaterThan(20);
    for (const pattern of patterns) {
      expect(pattern).not.toMatch(/\\[pPk]|\\u\{|\(\?</);
      expect(() => new RegExp(pattern)).not.toThrow();
    }
    const email = resolve(document.components.schemas?.CreateCustomerBody) as {
      properties: { email: { pattern: string } };
    };
    const shown = new RegExp(email.properties.email.pattern);
    for (const one of ['a@b.example', "o'brien+x@mail.b.example", 'ä@größe.example']) {
      expect([isEmail(one), shown.test(one)]).toEqual([true, true]);
    }
  });

  it('every section has a description, and every description a section', () => {
    const { tags } = document as unknown as { tags: { name: string; description: string }[] };
    expect(tags.map(({ name }) => name).sort()).toEqual(Object.keys(sectionDescriptions).sort());
    for (const { description } of tags) expect(description).toMatch(/^[A-Z].*\.$/);
  });

  it('names every refusal with an example', () => {
    const { responses } = operationAt(rows.capturePayment.call) as {
      responses: Record<string, Json>;
    };
    const shown = Object.entries(responses).flatMap(([status, response]) => {
      const [media] = Object.values((resolve(response) as Media).content ?? {});
      return Object.entries(media?.examples ?? {}).map(([code, example]) => {
        expect(example).toMatchObject({ value: { status: Number(status), code } });
        return code;
      });
    });
    // A code that is in no answer is null in the example as well.
    expect(shown.sort()).toEqual(codesOf(rows.capturePayment).sort());
  });
});
