// Checks a call's form and a response's JSON against the SDK's own types. Enumerations that the SDK leaves
// open (`| OtherString`) count as closed, and a name that no type has is reported.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RawValue } from '../requests/form.ts';
import {
  type InterfaceDeclaration,
  readDeclarations,
  type Scope,
  type Shape,
} from './declarations.ts';

/** A form has texts only; a response has JSON. */
export type ContentKind = 'form' | 'json';

type BoundShape = { shape: Shape; scope: Scope };
type Place = { file: string; scope: Scope };

const files = new Map<string, Place>();

const openFile = (file: string): Place => {
  const known = files.get(file);
  if (known) return known;
  const opened = { file, scope: readDeclarations(readFileSync(file, 'utf8')) };
  files.set(file, opened);
  fileOf.set(opened.scope, file);
  return opened;
};

const fileOf = new WeakMap<Scope, string>();

const fileAround = (scope: Scope): string => {
  const file = fileOf.get(scope);
  if (file !== undefined) return file;
  if (!scope.parent) throw new Error('a scope without a file');
  return fileAround(scope.parent);
};

type FoundDeclaration = { declared: InterfaceDeclaration; scope: Scope };

const findIn = (scope: Scope, path: readonly string[]): FoundDeclaration | undefined => {
  const name = path.at(-1) ?? '';
  let at: Scope | undefined = scope;
  for (const part of path.slice(0, -1)) at = at?.spaces.get(part);
  const declared = at?.types.get(name);
  if (declared && at) return { declared, scope: at };
  const outer = at?.exported.get(name);
  return outer !== undefined && at?.parent ? find(at.parent, [outer]) : undefined;
};

const fileFrom = (scope: Scope, file: string): Scope =>
  openFile(join(dirname(fileAround(scope)), file.replace(/\.js$/, '.d.ts'))).scope;

const find = (scope: Scope, path: readonly string[]): FoundDeclaration | undefined => {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    const found = findIn(at, path);
    if (found) return found;
    const [first = '', ...rest] = path;
    const from = at.imports.get(first);
    if (from) {
      return find(fileFrom(at, from.file), from.name === '*' ? rest : [from.name, ...rest]);
    }
    for (const star of at.stars) {
      const behind = find(fileFrom(at, star), path);
      if (behind) return behind;
    }
  }
  return undefined;
};

const isOpenString = (shape: Shape): boolean =>
  shape.kind === 'name' && shape.path.at(-1) === 'OtherString';

const shortJson = (value: unknown): string => JSON.stringify(value)?.slice(0, 60) ?? 'nothing';

const primitives: Readonly<Record<string, Record<ContentKind, (value: unknown) => boolean>>> = {
  string: {
    form: (value) => typeof value === 'string',
    json: (value) => typeof value === 'string',
  },
  number: {
    form: (value) => typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value),
    json: (value) => typeof value === 'number',
  },
  boolean: {
    form: (value) => value === 'true' || value === 'false',
    json: (value) => typeof value === 'boolean',
  },
  Decimal: {
    form: (value) => typeof value === 'string',
    json: (value) => typeof value === 'string',
  },
  null: { form: (value) => value === '', json: (value) => value === null },
  undefined: { form: (value) => value === undefined, json: (value) => value === undefined },
  // `deleted?: void`: the field is absent.
  void: { form: (value) => value === undefined, json: (value) => value === undefined },
};
const anything = new Set(['any', 'unknown', 'object', 'Record', 'Partial']);

/**
 * Returns a function that computes the result once for each shape in a scope: a list of a hundred events would
 * otherwise build the members of two hundred types for each event.
 */
const memoizePerShape = <T>(compute: (bound: BoundShape) => T): ((bound: BoundShape) => T) => {
  const scopes = new WeakMap<Scope, WeakMap<Shape, T>>();
  return (bound) => {
    const { shape, scope } = bound;
    const known = scopes.get(scope) ?? new WeakMap<Shape, T>();
    scopes.set(scope, known);
    if (known.has(shape)) return known.get(shape) as T;
    const computed = compute(bound);
    known.set(shape, computed);
    return computed;
  };
};

/** The shape without aliases: an object, a union of others, a list, a literal or a primitive name. */
const resolve = (bound: BoundShape): BoundShape =>
  bound.shape.kind === 'name' ? resolveName(bound) : bound;

const resolveName = memoizePerShape(({ shape, scope }: BoundShape): BoundShape => {
  if (shape.kind !== 'name') return { shape, scope };
  const [name = ''] = shape.path;
  if (name === 'Array' && shape.path.length === 1) {
    return { shape: { kind: 'list', of: shape.args[0] ?? { kind: 'unread' } }, scope };
  }
  const found = find(scope, shape.path);
  if (!found) {
    if (name in primitives || anything.has(name)) return { shape, scope };
    throw new Error(`the SDK's types have no ${shape.path.join('.')}`);
  }
  const { declared } = found;
  const inner = bindScope(found, shape.args, scope);
  if (declared.bases.length === 0) return resolve({ shape: declared.shape, scope: inner });
  return { shape: { kind: 'all', of: [...declared.bases, declared.shape] }, scope: inner };
});

const bindScope = (
  { declared, scope }: FoundDeclaration,
  args: readonly Shape[],
  outer: Scope,
): Scope => {
  if (declared.params.length === 0) return scope;
  const types = new Map(
    declared.params.map((name, at) => [
      name,
      { params: [], bases: [], shape: args[at] ?? { kind: 'unread' as const } },
    ]),
  );
  // An argument is read where it was written, so its scope is that of the caller, with the name on top.
  return {
    parent: outer,
    types,
    spaces: new Map(),
    imports: new Map(),
    exported: new Map(),
    stars: [],
  };
};

type Fields = {
  members: Map<string, BoundShape & { isOptional: boolean }>;
  rest: BoundShape | undefined;
};

const fieldsOf = (bound: BoundShape): Fields => fieldsOfShape(resolve(bound));

const fieldsOfShape = memoizePerShape(({ shape, scope }: BoundShape): Fields => {
  const fields: Fields = { members: new Map(), rest: undefined };
  if (shape.kind === 'all') {
    for (const one of shape.of) {
      const inner = fieldsOf({ shape: one, scope });
      for (const [name, member] of inner.members) fields.members.set(name, member);
      fields.rest ??= inner.rest;
    }
  } else if (shape.kind === 'object') {
    for (const member of shape.members) {
      fields.members.set(member.name, {
        shape: member.shape,
        scope,
        isOptional: member.isOptional,
      });
    }
    if (shape.rest) fields.rest = { shape: shape.rest, scope };
  }
  return fields;
});

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const checkFields = (bound: BoundShape, value: unknown, at: CheckPlace): string[] => {
  if (!isObject(value)) return [`${at.path}: ${shortJson(value)} is no object`];
  const { members, rest } = fieldsOf(bound);
  const problems: string[] = [];
  for (const [name, inner] of Object.entries(value)) {
    const path = at.path ? `${at.path}.${name}` : name;
    const member = members.get(name) ?? rest;
    if (member === undefined) problems.push(`${path}: unknown`);
    else problems.push(...check(member, inner, { ...at, path }));
  }
  for (const [name, { isOptional }] of members) {
    if (!isOptional && !(name in value)) problems.push(`${at.path}.${name}: missing`);
  }
  return problems;
};

/** The literal that the member of a branch must be; undefined when the branch leaves the member open. */
const literalOf = (branch: BoundShape, name: string): unknown => {
  const member = fieldsOf(branch).members.get(name);
  const shape = member && resolve(member).shape;
  return shape?.kind === 'literal' ? shape.value : undefined;
};

type Branch = { bound: BoundShape; object: unknown; type: unknown };
type Union = {
  /** The branches that are no objects, lists or unions. */
  flat: readonly BoundShape[];
  deep: readonly BoundShape[];
  /** The deep branches by the literal of their `type`: undefined for those that leave it open. */
  byType: ReadonlyMap<unknown, readonly Branch[]>;
};

const unionOf = memoizePerShape(({ shape, scope }: BoundShape): Union => {
  const of = shape.kind === 'union' ? shape.of : [];
  const isEnum = of.some((one) => one.kind === 'literal' && typeof one.value === 'string');
  const branches = of
    .filter((one) => !(isEnum && isOpenString(one)))
    .map((one) => resolve({ shape: one, scope }));
  const isFlat = (one: BoundShape) => !['object', 'all', 'list', 'union'].includes(one.shape.kind);
  const deep = branches.filter((one) => !isFlat(one));
  const named = deep.map((bound): Branch => {
    return { bound, object: literalOf(bound, 'object'), type: literalOf(bound, 'type') };
  });
  return {
    flat: branches.filter(isFlat),
    deep,
    byType: Map.groupBy(named, ({ type }) => type),
  };
});

/** Leaves the branches of a union that the value's own `object` or `type` names, if any does. */
const narrowUnion = ({ deep, byType }: Union, value: unknown): readonly BoundShape[] => {
  if (!isObject(value)) return deep;
  const open = byType.get(undefined) ?? [];
  const ofType = value.type === undefined ? [] : (byType.get(value.type) ?? []);
  const fits = [...ofType, ...open].filter(
    ({ object }) => object === undefined || object === value.object,
  );
  return fits.length > 0 ? fits.map(({ bound }) => bound) : deep;
};

const checkUnion = (bound: BoundShape, value: unknown, at: CheckPlace): string[] => {
  const union = unionOf(bound);
  for (const branch of union.flat) {
    if (check(branch, value, at).length === 0) return [];
  }
  let closest: string[] | undefined;
  for (const branch of narrowUnion(union, value)) {
    const problems = check(branch, value, at);
    if (problems.length === 0) return [];
    if (closest === undefined || problems.length < closest.length) closest = problems;
  }
  const isDeep = typeof value === 'object' && value !== null;
  return isDeep && closest ? closest : [`${at.path}: ${shortJson(value)} is none of the values`];
};

const checkList = (bound: BoundShape, value: unknown, at: CheckPlace): string[] => {
  if (bound.shape.kind !== 'list') return [];
  const { of } = bound.shape;
  const isForm = at.way === 'form' && isObject(value);
  const items = Array.isArray(value) ? value : isForm ? Object.values(value) : undefined;
  if (items === undefined) return [`${at.path}: ${shortJson(value)} is no list`];
  if (isForm && Object.keys(value).some((key) => !/^\d+$/.test(key))) {
    return [`${at.path}: the keys of a list are numbers`];
  }
  return items.flatMap((item, place) =>
    check({ shape: of, scope: bound.scope }, item, { ...at, path: `${at.path}[${place}]` }),
  );
};

type CheckPlace = { way: ContentKind; path: string };

const check = (given: BoundShape, value: unknown, at: CheckPlace): string[] => {
  const bound = resolve(given);
  const { shape } = bound;
  if (shape.kind === 'union') return checkUnion(bound, value, at);
  if (shape.kind === 'list') return checkList(bound, value, at);
  if (shape.kind === 'object') return checkFields(bound, value, at);
  if (shape.kind === 'all') {
    // `string & Record<never, never>` is how the SDK writes a text that is none of its values.
    const first = shape.of[0];
    const isText = first?.kind === 'name' && first.path[0] === 'string';
    return isText
      ? check({ shape: first, scope: bound.scope }, value, at)
      : checkFields(bound, value, at);
  }
  if (shape.kind === 'literal') {
    const isIt =
      shape.value === null
        ? primitives.null?.[at.way](value)
        : at.way === 'form'
          ? String(shape.value) === value
          : shape.value === value;
    return isIt ? [] : [`${at.path}: ${shortJson(value)} is not ${shortJson(shape.value)}`];
  }
  if (shape.kind === 'name') {
    const [name = ''] = shape.path;
    const test = primitives[name]?.[at.way];
    return !test || test(value) ? [] : [`${at.path}: ${shortJson(value)} is no ${name}`];
  }
  return [];
};

/** Returns what is wrong with `value`; empty when the type, as that file sees it, describes it. */
export const compareWith = (
  type: { file: string; shape: Shape },
  value: RawValue | unknown,
  way: ContentKind,
): string[] =>
  check({ shape: type.shape, scope: openFile(type.file).scope }, value, { way, path: '' });

/** Returns the names of the fields that the type, as that file sees it, has. */
export const fieldNames = (type: { file: string; shape: Shape }): string[] => [
  ...fieldsOf({ shape: type.shape, scope: openFile(type.file).scope }).members.keys(),
];
