// Compares wallet calls and their responses with the OpenAPI documents of the wire, for tests. The
// documents are not part of the project: where their folder is missing, `openReference` returns undefined,
// and a test that needs them states that and is skipped.
import { existsSync, readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import type { Exchange } from './wire.ts';

const folder = new URL('../../../../shared/reference/wallet/', import.meta.url);

const files = [
  'checkout_orders_v2.json',
  'payments_payment_v2.json',
  'vault_payment_tokens_v3.json',
  'notifications_webhooks_v1.json',
] as const;

type Content = { content?: { 'application/json'?: { schema: object } }; $ref?: string };
type Operation = { requestBody?: Content; responses: Record<string, Content> };
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { properties?: Record<string, { enum?: string[] }> }> };
};

type FoundOperation = { file: string; pointer: string; operation: Operation };

export type Reference = {
  /** Returns what is wrong with the call or its response; empty when both match the description. */
  compare: (exchange: Exchange) => string[];
  /** The operations that were compared, such as `GET /v2/checkout/orders/{id} 200`. */
  seen: ReadonlySet<string>;
};

const readDocument = (file: string): Document => {
  const document = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Document;
  // The enumeration of token types omits the type that the same document's example uses.
  const tokenType = document.components.schemas.token_id_request?.properties?.type;
  if (tokenType?.enum) tokenType.enum.push('SETUP_TOKEN');
  return document;
};

const escapePart = (text: string): string => text.replaceAll('~', '~0').replaceAll('/', '~1');

const isMatch = (template: string, path: string): boolean =>
  new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);

const findOperation = (
  documents: ReadonlyMap<string, Document>,
  { method, path }: Exchange,
): FoundOperation | undefined => {
  for (const [file, { paths }] of documents) {
    for (const [template, methods] of Object.entries(paths)) {
      const operation = methods[method.toLowerCase()];
      if (operation && isMatch(template, path)) {
        return {
          file,
          pointer: `/paths/${escapePart(template)}/${method.toLowerCase()}`,
          operation,
        };
      }
    }
  }
  return undefined;
};

const createCheck = (ajv: Ajv) => {
  const compiled = new Map<string, ValidateFunction>();
  return (ref: string, text: string, what: string): string[] => {
    const validate = compiled.get(ref) ?? ajv.compile({ $ref: ref });
    compiled.set(ref, validate);
    if (validate(text === '' ? {} : JSON.parse(text))) return [];
    const [first] = validate.errors ?? [];
    return [`${what}: ${first?.instancePath ?? ''} ${first?.message ?? ''}`];
  };
};

const schemaPath = '/content/application~1json/schema';

/** Returns undefined when the documents are missing. */
export const openReference = (): Reference | undefined => {
  if (!existsSync(folder)) return undefined;
  const ajv = new Ajv({
    strict: false,
    logger: false,
    validateFormats: false,
    // The documents' patterns are not written for Unicode mode.
    unicodeRegExp: false,
  });
  const documents = new Map<string, Document>();
  for (const file of files) {
    const document = readDocument(file);
    documents.set(file, document);
    ajv.addSchema(document, file);
  }
  const check = createCheck(ajv);
  const seen = new Set<string>();
  const compare = (exchange: Exchange): string[] => {
    const { method, path, status, requestBody, body } = exchange;
    const found = findOperation(documents, exchange);
    if (!found) return [`${method} ${path}: not described`];
    const { file, pointer, operation } = found;
    const name = `${method} ${path} ${status}`;
    // The body of a refused call may be wrong on purpose, so it is not checked.
    const sent =
      operation.requestBody?.content && status < 400
        ? check(`${file}#${pointer}/requestBody${schemaPath}`, requestBody, `${name} request`)
        : [];
    const response = operation.responses[String(status)];
    if (!response && status < 400) return [...sent, `${name}: no such status is described`];
    seen.add(`${method} ${pointer.split('/')[2]?.replaceAll('~1', '/') ?? ''} ${status}`);
    if (!response?.content) return sent;
    const at = `${file}#${pointer}/responses/${status}${schemaPath}`;
    return [...sent, ...check(at, body, `${name} answer`)];
  };
  return { compare, seen };
};
