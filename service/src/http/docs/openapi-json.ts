// Parts of the OpenAPI document: JSON, and what is defined once and referenced.

export type Json = { [key: string]: unknown };

/** Collects the schemas that are named by `x-name` and puts references in their place. */
export class Components {
  readonly schemas: Record<string, Json> = {};
  readonly examples: Record<string, Json> = {};
  readonly responses: Record<string, Json> = {};
  readonly parameters: Record<string, Json> = {};
  /** The names given to bodies and responses whose schema has no `x-name`, by the schema's JSON. */
  readonly #given = new Map<string, string>();

  /** Names the schema of a body or a response, unless an equal schema has a name. */
  name(schema: unknown, name: string): void {
    const text = JSON.stringify(schema);
    if ((schema as Json).type === 'object' && !this.#given.has(text)) this.#given.set(text, name);
  }

  response(name: string, response: Json): Json {
    return this.#once('responses', name, response);
  }

  parameter(parameter: Json & { readonly name: string }): Json {
    return this.#once('parameters', parameter.name.replace(/\W/g, ''), parameter);
  }

  /** Puts a part among the components and returns the reference. Equal parts are one. */
  #once(kind: 'responses' | 'parameters', name: string, part: Json): Json {
    const text = JSON.stringify(part);
    for (let index = 1; ; index += 1) {
      const key = index === 1 ? name : `${name}${index}`;
      this[kind][key] ??= part;
      if (JSON.stringify(this[kind][key]) === text) return { $ref: `#/components/${kind}/${key}` };
    }
  }

  example(name: string, value: () => Json): Json {
    this.examples[name] ??= { value: value() };
    return { $ref: `#/components/examples/${name}` };
  }

  /** Returns the schema without the service's own keywords; its named parts move to `schemas`. */
  reference(schema: unknown): Json {
    const { 'x-name': own } = schema as Json;
    const name = own ?? this.#given.get(JSON.stringify(schema));
    if (typeof name !== 'string') return this.#inline(schema as Json);
    this.schemas[name] ??= this.#inline(schema as Json);
    return { $ref: `#/components/schemas/${name}` };
  }

  #inline(schema: Json): Json {
    const kept = Object.entries(schema).filter(([key]) => !key.startsWith('x-') && key !== '~kind');
    const { 'x-plain': plain } = schema;
    return Object.fromEntries(
      kept.map(([key, value]) => [
        key,
        key === 'pattern' && plain !== undefined ? plain : this.#part(key, value),
      ]),
    );
  }

  #part(key: string, value: unknown): unknown {
    if (key === 'properties') {
      const entries = Object.entries(value as Json);
      return Object.fromEntries(entries.map(([name, schema]) => [name, this.reference(schema)]));
    }
    const isSchema = ['items', 'not', 'additionalProperties'].includes(key);
    if (isSchema && typeof value === 'object' && value !== null) return this.reference(value);
    if (Array.isArray(value) && ['anyOf', 'oneOf', 'allOf'].includes(key)) {
      return value.map((schema) => this.reference(schema));
    }
    return value;
  }
}
