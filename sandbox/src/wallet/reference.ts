// Compares wallet calls and their responses with what the provider publishes of its wire, for tests.
// described.json has, of each operation that the sandbox serves, the statuses, and of each body the names,
// types, values and patterns of the fields that the sandbox sends or reads. A field that is not there is
// a complaint: look it up in the published description, and add it.
import { readFileSync } from 'node:fs';
import { Ajv2019, type ValidateFunction } from 'ajv/dist/2019.js';
import type { Exchange } from './wire.ts';

type Operation = { request?: object; answers: Record<string, object | null> };
type Described = { operations: Record<string, Operation>; $defs: Record<string, object> };

export type Reference = {
  /** Returns what is wrong with the call or its response; empty when both match the description. */
  compare: (exchange: Exchange) => string[];
  /** The operations that were compared, such as `GET /v2/checkout/orders/{id} 200`. */
  seen: ReadonlySet<string>;
};

const { operations, $defs } = JSON.parse(
  readFileSync(new URL('described.json', import.meta.url), 'utf8'),
) as Described;

const isMatch = (template: string, path: string): boolean =>
  new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);

const findOperation = ({ method, path }: Exchange) =>
  Object.entries(operations).find(([call]) => {
    const [itsMethod, template = ''] = call.split(' ');
    return itsMethod === method && isMatch(template, path);
  });

const createCheck = () => {
  // The description's patterns are not written for Unicode mode.
  const ajv = new Ajv2019({ strict: false, logger: false, unicodeRegExp: false });
  const compiled = new Map<object, ValidateFunction>();
  return (schema: object, text: string, what: string): string[] => {
    const validate = compiled.get(schema) ?? ajv.compile({ ...schema, $defs });
    compiled.set(schema, validate);
    if (validate(text === '' ? {} : JSON.parse(text))) return [];
    const [first] = validate.errors ?? [];
    const { unevaluatedProperty = '' } = first?.params ?? {};
    return [`${what}: ${first?.instancePath ?? ''} ${first?.message ?? ''} ${unevaluatedProperty}`];
  };
};

export const openReference = (): Reference => {
  const check = createCheck();
  const seen = new Set<string>();
  const compare = (exchange: Exchange): string[] => {
    const { method, path, status, requestBody, body } = exchange;
    const [call, operation] = findOperation(exchange) ?? [];
    if (!call || !operation) return [`${method} ${path}: not described`];
    const name = `${method} ${path} ${status}`;
    const isDescribed = String(status) in operation.answers;
    // The body of a refused call may be wrong on purpose, so it is not checked.
    const sent =
      operation.request && status < 400
        ? check(operation.request, requestBody, `${name} request`)
        : [];
    if (!isDescribed && status < 400) return [...sent, `${name}: no such status is described`];
    seen.add(`${call} ${status}`);
    const answer = operation.answers[String(status)];
    if (answer) return [...sent, ...check(answer, body, `${name} answer`)];
    return body && status < 400 ? [...sent, `${name}: its answer is not described`] : sent;
  };
  return { compare, seen };
};
