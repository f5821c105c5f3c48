// Parts of the OpenAPI document: JSON, and the schemas that are defined once and referenced.

export type Json = { [key: string]: unknown };

/** Collects the schemas that are named by `x-name` and puts references in their place. */
export class Components {
  readonly schemas: Record<string, Json> = {};
  readonly examples: Record<string, Json> = {};
  readonly responses: Record<string, Json> = {};
  /** Names that bodies and answers without an `x-name` are given, by their schema. */
  readonly #given = new Map<string, string>();

  /** Gives a body or an answer a name, unless an equal one has one. */
  name(schema: unknown, name: string): void {
    const text = JSON.stringify(schema);
    if ((schema as Json).type === 'object' && !this.#given.has(text)) this.#given.set(text, name);
  }

  /** Puts a response among the components and returns the reference. Equal responses are one. */
  response(name: string, response: Json): Json {
    const text = JSON.stringify(response);
    for (let index = 1; ; index += 1) {
      const key = index === 1 ? name : `${name}${index}`;
      this.responses[key] ??= response;
      if (JSON.stringify(this.responses[key]) === text) {
        return { $ref: `#/components/responses/${key}` };
      }
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
