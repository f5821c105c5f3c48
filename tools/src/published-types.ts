// Writes plain TypeScript from the contract's JSON Schemas, for the types that the libraries publish: a
// package without dependencies cannot ship types that import the contract.

/** The subset of JSON Schema that the contract uses. */
export type Schema = {
  $ref?: string;
  $id?: string;
  title?: string;
  description?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  required?: string[];
};

/** Returns declarations whose imports have the endings that every resolution of types understands. */
export const withJsEndings = (declarations: string): string =>
  declarations.replace(/(from ')(\.{1,2}\/[\w/-]+)\.ts(')/g, '$1$2.js$3');

/** Returns the type as text. Throws for a schema outside the subset, so that it never becomes `unknown`. */
export function typeText(schema: Schema, pad = ''): string {
  if (schema.$ref) return schema.$ref.replace(/^.*\//, '').replace('#', '');
  if ('const' in schema) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  if (schema.anyOf) return joinTypes(schema.anyOf, ' | ', pad);
  if (schema.allOf) return joinTypes(schema.allOf, ' & ', pad);
  const { type } = schema;
  if (Array.isArray(type))
    return type.map((one) => typeText({ ...schema, type: one }, pad)).join(' | ');
  if (type === 'array') return arrayText(schema, pad);
  if (type === 'object') return objectText(schema, pad);
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string' || type === 'boolean' || type === 'null') return type;
  if (allowsAnything(schema)) return 'unknown';
  throw new Error(`Not in the subset of JSON Schema: ${JSON.stringify(schema)}`);
}

/** Returns the exported types in the given order, with their descriptions as comments. */
export function writeTypes(definitions: Readonly<Record<string, Schema>>): string {
  const written = Object.entries(definitions).map(([name, schema]) => {
    if (!/^[A-Z]\w*$/.test(name)) throw new Error(`${name} cannot be the name of a type`);
    return `${comment(schema, '')}export type ${name} = ${typeText(schema)};\n`;
  });
  return written.join('\n');
}

function joinTypes(schemas: Schema[], by: string, pad: string): string {
  return schemas
    .map((one) => {
      const text = typeText(one, pad);
      return by === ' & ' && isUnion(one) ? `(${text})` : text;
    })
    .join(by);
}

function arrayText(schema: Schema, pad: string): string {
  const items = schema.items ?? {};
  const text = typeText(items, pad);
  return isUnion(items) || items.allOf ? `(${text})[]` : `${text}[]`;
}

function isUnion(schema: Schema): boolean {
  const parts = schema.anyOf ?? schema.enum ?? (Array.isArray(schema.type) ? schema.type : []);
  return parts.length > 1;
}

function objectText(schema: Schema, pad: string): string {
  const inner = `${pad}  `;
  const [pattern] = Object.values(schema.patternProperties ?? {});
  const rest = pattern ?? schema.additionalProperties;
  if (!schema.properties) {
    return typeof rest === 'object' ? `Record<string, ${typeText(rest, pad)}>` : emptyText(schema);
  }
  if (typeof rest === 'object') throw new Error('An object has either names or a pattern of names');
  const lines = Object.entries(schema.properties).map(([name, property]) => {
    const optional = schema.required?.includes(name) ? '' : '?';
    const key = keyText(name);
    return `${comment(property, inner)}${inner}${key}${optional}: ${typeText(property, inner)};`;
  });
  return lines.length > 0 ? `{\n${lines.join('\n')}\n${pad}}` : emptyText(schema);
}

/** `metadata.<key>` stands for every name of that form. */
function keyText(name: string): string {
  const form = /^(\w+)\.<key>$/.exec(name);
  if (form) return `[key: \`${form[1]}.\${string}\`]`;
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

function emptyText(schema: Schema): string {
  return schema.additionalProperties === false
    ? 'Record<string, never>'
    : 'Record<string, unknown>';
}

function allowsAnything(schema: Schema): boolean {
  return Object.keys(schema).every((key) => ['$id', 'title', 'description'].includes(key));
}

function literal(value: unknown): string {
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  if (value === null || typeof value === 'number' || typeof value === 'boolean')
    return String(value);
  throw new Error(`Not a literal: ${JSON.stringify(value)}`);
}

function comment({ description }: Schema, pad: string): string {
  return description ? `${pad}/** ${description.replaceAll('*/', '* /')} */\n` : '';
}
