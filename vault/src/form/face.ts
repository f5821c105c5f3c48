// What every card form shows, with our own inputs or with the provider's: language, appearance, error
// sentences, and the messages to the page. Both kinds of form extend it.
import type { BrandFacts } from '@svc/contract/vault/card-number';
import type { FormErrorCode, FormField, FormOptions } from '@svc/contract/vault/form-messages';
import { contrastWarnings } from './appearance.ts';
import type { Send } from './channel.ts';
import { mergeOptions, readSettings, type Settings } from './settings.ts';
import type { Texts } from './texts/keys.ts';
import type { TokenAnswer } from './token-call.ts';
import * as view from './view.ts';

const darkQuery = () => matchMedia('(prefers-color-scheme: dark)');

/** The card in the form when the page requests a token, or its errors. */
export type EnteredCard =
  | { readonly key: string; readonly code: FormErrorCode }
  | {
      /** The same value for the same card, and a different one for every other card. */
      readonly key: string;
      /** Exchanges the card for a token; never throws. */
      trade(mountToken: string): Promise<TokenAnswer>;
      /** Returns whether the form still holds this card. */
      holds(): boolean;
    };

export abstract class Face {
  protected readonly send: Send;
  protected readonly errors = new Map<FormField, FormErrorCode>();
  protected settings: Settings;
  protected brand: BrandFacts | undefined;
  readonly #warned = new Set<string>();
  #options: FormOptions;
  #announced: BrandFacts | undefined;
  #lastChange = '';
  /** The field that was last reported to the page as focused. */
  #focused: FormField | null = null;
  #contrastTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: FormOptions, send: Send) {
    this.send = send;
    this.#options = options;
    this.settings = this.#apply(options);
    darkQuery().addEventListener('change', () => this.applyTheme());
    view.showErrors(new Map());
  }

  abstract focus(field: FormField): void;
  abstract disable(isDisabled: boolean): void;
  abstract clear(): void;
  /** Reads what would be sent. Shows every mistake and focuses the first wrong field. */
  abstract read(nowMs: number): EnteredCard;
  /** Returns why a field cannot be sent; undefined when it can be, or is not shown. */
  protected abstract check(field: FormField): FormErrorCode | undefined;
  protected abstract isEmpty(field: FormField): boolean;

  /** Whether a frame of this form may show the provider's express buttons. */
  get hasExpress(): boolean {
    return false;
  }

  /** A newer mount token, which may name another amount. */
  renew(_mountToken: string): void {}

  get wantsFocus(): boolean {
    return this.settings.autofocus && !matchMedia('(pointer: coarse)').matches;
  }

  update(options: FormOptions): void {
    this.#options = mergeOptions(this.#options, options);
    this.settings = this.#apply(this.#options);
    this.forgive();
    this.showErrors();
    this.tellChange();
  }

  /**
   * Shows a mistake that the vault or the provider found. A code that belongs to no field is left to the
   * page.
   */
  reject(code: string): void {
    const found = fieldOfCode(code);
    if (!found) return;
    this.errors.set(found.field, found.code);
    this.showErrors();
    this.tellChange();
    this.focus(found.field);
  }

  sentence(code: string): string {
    const { texts } = this.settings;
    const key = Object.hasOwn(texts, code) ? (code as keyof Texts) : 'card_declined';
    const hint = this.brand?.cvcLength === 4 ? texts.cvcHint4 : texts.cvcHint3;
    return texts[key].replace('{hint}', hint);
  }

  #apply(options: FormOptions): Settings {
    const settings = readSettings(options, {
      languages: navigator.languages,
      readColour: view.readColour,
    });
    this.settings = settings;
    const { language, texts, look } = settings;
    view.showLanguage(language.code, language.direction, texts);
    view.showTexts(texts, look.labels);
    view.showFields(settings.fields);
    view.showLook(look);
    // The brand's placeholders reach the hosted fields together with the appearance.
    view.showBrand(this.brand, texts, look);
    this.applyTheme();
    this.#warn(settings.warnings);
    // Runs after the form is shown: colours are painted and read back, which takes longer than everything
    // else.
    clearTimeout(this.#contrastTimer);
    this.#contrastTimer = setTimeout(() => this.#warn(contrastWarnings(view.colourOf)));
    return settings;
  }

  #warn(warnings: readonly string[]): void {
    for (const warning of warnings) {
      if (!this.#warned.has(warning)) this.send({ type: 'warning', message: warning });
      this.#warned.add(warning);
    }
  }

  protected applyTheme(): void {
    const { theme } = this.settings.look;
    view.setTheme(theme === 'auto' ? (darkQuery().matches ? 'dark' : 'light') : theme);
  }

  /**
   * Removes an error sentence as soon as its reason is gone. A new one appears only when the person leaves
   * the field.
   */
  protected forgive(): void {
    const fixed = [...this.errors.keys()].filter((field) => this.check(field) === undefined);
    for (const field of fixed) this.errors.delete(field);
    if (fixed.length > 0) this.showErrors();
  }

  protected entered(field: FormField): void {
    // Firefox reports the focus again when the frame with the field receives it.
    if (this.#focused === field) return;
    this.#focused = field;
    this.send({ type: 'focus', field });
  }

  /** Shows a field's error when the person leaves the field. */
  protected left(field: FormField): void {
    if (!this.isEmpty(field)) this.checkAloud(field);
    if (field === 'number') this.announce();
    this.showErrors();
    this.tellChange();
    this.#focused = null;
    this.send({ type: 'blur', field });
  }

  /** Checks every field. Focuses the first wrong one and returns its code. */
  protected checkAll(): FormErrorCode | undefined {
    for (const field of this.settings.fields) this.checkAloud(field);
    this.showErrors();
    this.tellChange();
    const bad = this.settings.fields.find((field) => this.errors.has(field));
    if (bad) this.focus(bad);
    return bad && this.errors.get(bad);
  }

  protected showBrand(brand: BrandFacts | undefined): void {
    this.brand = brand;
    view.showBrand(brand, this.settings.texts, this.settings.look);
    if (brand) this.announce();
  }

  protected announce(): void {
    if (this.brand === this.#announced) return;
    this.#announced = this.brand;
    view.announceBrand(this.brand, this.settings.texts);
  }

  protected checkAloud(field: FormField): void {
    const code = this.check(field);
    if (code) this.errors.set(field, code);
    else this.errors.delete(field);
  }

  protected showErrors(): void {
    const sentences = [...this.errors].map(([f, code]) => [f, this.sentence(code)] as const);
    view.showErrors(new Map(sentences));
  }

  protected tellChange(): void {
    const { fields } = this.settings;
    const errors = fields.flatMap((field) => {
      const code = this.errors.get(field);
      return code ? [{ field, code }] : [];
    });
    const change = {
      type: 'change' as const,
      complete: fields.every((field) => this.check(field) === undefined),
      empty: fields.every((field) => this.isEmpty(field)),
      brand: this.brand?.brand ?? null,
      errors,
    };
    const text = JSON.stringify(change);
    if (text !== this.#lastChange) this.send(change);
    this.#lastChange = text;
  }
}

const fieldCodes: Readonly<Record<FormField, readonly FormErrorCode[]>> = {
  number: ['number_incomplete', 'number_invalid', 'brand_unsupported'],
  expiry: ['expiry_incomplete', 'expiry_past'],
  cvc: ['cvc_incomplete'],
  name: ['name_required'],
  postalCode: ['postal_code_required'],
};

/** Returns the field that a code of the vault is about. */
function fieldOfCode(code: string): { field: FormField; code: FormErrorCode } | undefined {
  for (const field of view.allFields) {
    const known = fieldCodes[field].find((candidate) => candidate === code);
    if (known) return { field, code: known };
  }
  return undefined;
}
