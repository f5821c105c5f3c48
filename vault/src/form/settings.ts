// The page's options, checked and completed. Every option that is not applied becomes a warning.
import { brands as knownBrands } from '@svc/contract/vault/card-number';
import type { FormField, FormOptions } from '@svc/contract/vault/form-messages';
import { type FormLook, type ReadColour, readAppearance } from './appearance.ts';
import { isFormField } from './incoming.ts';
import { fallbackLanguage, findLanguage, type Language } from './texts/index.ts';
import { type Texts, textKeys } from './texts/keys.ts';

export type Settings = {
  readonly language: Language;
  readonly texts: Texts;
  readonly fields: readonly FormField[];
  readonly brands: readonly string[] | undefined;
  readonly look: FormLook;
  readonly autoAdvance: boolean;
  readonly autofocus: boolean;
  readonly warnings: readonly string[];
};

/** What the browser reports about itself. */
export type Surroundings = {
  readonly languages: readonly string[];
  readonly readColour: ReadColour;
};

const short = (text: string) => text.slice(0, 40);

function readLanguage(wanted: string, around: Surroundings, warnings: string[]): Language {
  if (wanted !== 'auto') {
    const language = findLanguage([wanted]);
    if (language) return language;
    warnings.push(`locale '${short(wanted)}' is not available; the browser's language is used.`);
  }
  return findLanguage(around.languages) ?? fallbackLanguage;
}

function readTexts(language: Language, options: FormOptions, warnings: string[]): Texts {
  const given = Object.entries(options.texts ?? {});
  const keys: readonly string[] = textKeys;
  for (const [key] of given) {
    if (!keys.includes(key))
      warnings.push(`texts.${short(key)} is ignored: there is no such text.`);
  }
  const known = given.filter(([key, text]) => keys.includes(key) && text.trim() !== '');
  return { ...language.texts, ...Object.fromEntries(known) };
}

function readFields(wanted: readonly string[] | undefined, warnings: string[]): FormField[] {
  for (const field of wanted ?? []) {
    if (!isFormField(field)) warnings.push(`fields: there is no field '${short(String(field))}'.`);
  }
  const optional = (['name', 'postalCode'] as const).filter((field) => wanted?.includes(field));
  return ['number', 'expiry', 'cvc', ...optional];
}

function readBrands(wanted: readonly string[] | undefined, warnings: string[]) {
  const names: readonly string[] = knownBrands.map(({ brand }) => brand);
  for (const name of wanted ?? []) {
    if (!names.includes(name)) warnings.push(`brands: there is no brand '${short(name)}'.`);
  }
  const accepted = wanted?.filter((name) => names.includes(name)) ?? [];
  return accepted.length > 0 ? accepted : undefined;
}

const optionNames: readonly string[] = [
  'appearance',
  'locale',
  'fields',
  'brands',
  'autoAdvance',
  'autofocus',
  'texts',
];

/** Makes complete settings of any options. Depends only on its arguments. */
export function readSettings(options: FormOptions, around: Surroundings): Settings {
  const warnings: string[] = [];
  for (const name of Object.keys(options)) {
    if (!optionNames.includes(name)) warnings.push(`option '${short(name)}' is not supported.`);
  }
  const language = readLanguage(options.locale ?? 'auto', around, warnings);
  const texts = readTexts(language, options, warnings);
  const fields = readFields(options.fields, warnings);
  const brands = readBrands(options.brands, warnings);
  const look = readAppearance(options.appearance ?? {}, around.readColour);
  return {
    language,
    texts,
    fields,
    brands,
    look,
    autoAdvance: options.autoAdvance ?? false,
    autofocus: options.autofocus ?? false,
    warnings: [...warnings, ...look.warnings],
  };
}

/** Merges options: newer ones replace older ones; variables and texts are replaced one by one. */
export function mergeOptions(older: FormOptions, newer: FormOptions): FormOptions {
  const appearance = {
    ...older.appearance,
    ...newer.appearance,
    variables: { ...older.appearance?.variables, ...newer.appearance?.variables },
  };
  return { ...older, ...newer, appearance, texts: { ...older.texts, ...newer.texts } };
}
