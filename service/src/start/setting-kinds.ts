// The kinds of settings: how a text becomes a value, and what the kind is called.

import { asLibpqReads } from '@svc/contract/servers/database-address';
import { readDatabaseHosts } from '@svc/contract/servers/database-hosts';

export type Setting<T> = {
  readonly name: string;
  readonly doc: string;
  readonly kind: string;
  /** The default as it would be written; when absent, the setting may be missing, unless required. */
  readonly fallback?: string;
  readonly isRequired?: true;
  /** The value is never shown, and may be given as a file named by `<name>_FILE`. */
  readonly isSecret?: true;
  /** Returns undefined when the text is not a valid value. */
  parse(text: string): T | undefined;
};

type SettingFields<T> = Omit<Setting<T>, 'kind' | 'parse'>;

export const text = <const F extends SettingFields<string>>(facts: F) => ({
  ...facts,
  kind: 'text',
  parse: (t: string): string | undefined => t,
});

export const integer = <const F extends SettingFields<number> & { min: number; max: number }>(
  facts: F,
) => ({
  ...facts,
  kind: `integer ${facts.min} to ${facts.max}`,
  parse: (t: string): number | undefined => {
    const n = /^\d{1,15}$/.test(t) ? Number(t) : Number.NaN;
    return n >= facts.min && n <= facts.max ? n : undefined;
  },
});

/** A number of days; null: for ever. */
export const days = <const F extends SettingFields<number | null> & { min: number }>(facts: F) => ({
  ...facts,
  kind: `days, ${facts.min} to 36500, or forever`,
  parse: (t: string): number | null | undefined => {
    if (t === 'forever' || t === '0') return null;
    const n = /^\d{1,5}$/.test(t) ? Number(t) : Number.NaN;
    return n >= facts.min && n <= 36_500 ? n : undefined;
  },
});

export const choice = <const V extends readonly string[], const F extends SettingFields<V[number]>>(
  values: V,
  facts: F,
) => ({
  ...facts,
  kind: values.join(' | '),
  parse: (t: string): V[number] | undefined => values.find((value) => value === t),
});

/** An origin with an optional path prefix, without a trailing slash. */
export const url = <const F extends SettingFields<string>>(facts: F) => ({
  ...facts,
  kind: 'http(s) address',
  parse: (t: string): string | undefined => {
    const parsed = URL.parse(t);
    const isPlain =
      parsed &&
      /^https?:$/.test(parsed.protocol) &&
      !parsed.username &&
      !parsed.search &&
      !parsed.hash;
    return isPlain ? t.replace(/\/+$/, '') : undefined;
  },
});

export const smtp = <const F extends SettingFields<string>>(facts: F) => ({
  ...facts,
  kind: 'smtp:// or smtps:// address',
  parse: (t: string): string | undefined => {
    const parsed = URL.parse(t);
    const isPlain = parsed && parsed.hostname !== '' && !parsed.search && !parsed.hash;
    return isPlain && /^smtps?:$/.test(parsed.protocol) ? t : undefined;
  },
});

export const sender = <const F extends SettingFields<string>>(facts: F) => ({
  ...facts,
  kind: 'a mail address, with or without a name',
  parse: (t: string): string | undefined =>
    /^(?:[^<>@,;:\r\n]+ )?<[^\s<>@]+@[^\s<>@]+>$|^[^\s<>@]+@[^\s<>@]+$/.test(t) ? t : undefined,
});

export const address = <const F extends SettingFields<string>>(facts: F) => ({
  ...facts,
  kind: 'a mail address',
  parse: (t: string): string | undefined => (/^[^\s<>@,;]+@[^\s<>@,;]+$/.test(t) ? t : undefined),
});

export const webhookSecret = <const F extends SettingFields<string>>(facts: F) => ({
  ...facts,
  kind: 'whsec_ and 24 to 64 bytes in base64',
  parse: (t: string): string | undefined =>
    /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(t) ? t : undefined,
});

export const database = <const F extends SettingFields<string>>(facts: F) => ({
  ...facts,
  kind: 'postgres:// address of one server, or of several with target_session_attrs any, read-write or primary',
  parse: (t: string): string | undefined => (readDatabaseHosts(t) ? asLibpqReads(t) : undefined),
});

export const key = <const F extends SettingFields<Buffer>>(facts: F) => ({
  ...facts,
  kind: 'base64 of 32 bytes',
  parse: (t: string): Buffer | undefined => {
    const bytes = Buffer.from(t, 'base64');
    return bytes.length === 32 && bytes.toString('base64') === t ? bytes : undefined;
  },
});

export const keys = <const F extends SettingFields<readonly Buffer[]>>(facts: F) => ({
  ...facts,
  kind: 'base64 of 32 bytes each, separated by commas',
  parse: (t: string): readonly Buffer[] | undefined => {
    const list = t.split(',').map((each) => each.trim());
    const bytes = list.map((each) => Buffer.from(each, 'base64'));
    const isRight = bytes.every(
      (one, at) => one.length === 32 && one.toString('base64') === list[at],
    );
    return isRight ? bytes : undefined;
  },
});

const cidr = /^[0-9a-fA-F.:]+\/\d{1,3}$/;
export const networks = <const F extends SettingFields<readonly string[]>>(facts: F) => ({
  ...facts,
  kind: 'networks in CIDR form, separated by commas',
  parse: (t: string): readonly string[] | undefined => {
    const list = t
      .split(',')
      .map((each) => each.trim())
      .filter(Boolean);
    return list.every((each) => cidr.test(each)) ? list : undefined;
  },
});

export const limit = <const F extends SettingFields<number>>(facts: F) =>
  integer({ ...facts, min: 1, max: 1_000_000 });
