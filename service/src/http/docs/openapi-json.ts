// Parts of the OpenAPI document: JSON, and the schemas that are defined once and referenced.

export type Json = { [key: string]: unknown };

/** Collects the schemas that are named by `x-name` and puts references in their place. */
export class Components {
  readonly schemas: Record<string, Json> = {};

  /** Returns the schema without the service's own keywords; its named parts move to `schemas`. */
  reference(schema: unknown): Json {
    const { 'x-name': name } = schema as Json;
    if (typeof name !== 'string') return this.#inline(schema as Json);
    this.schemas[name] ??= {};
    this.schemas[name] = this.#inline(schema as Json);
    return { $ref: `#/components/schemas/${name}` };
  }

  #inline(schema: Json): Json {
    const kept = Object.entries(schema).filter(([key]) => !key.startsWith('x-') && key !== '~kind');
    return Object.fromEntries(kept.map(([key, value]) => [key, this.#part(key, value)]));
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
