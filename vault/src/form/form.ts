// The card form's life: what was typed, what is wrong with it, and what the page is told of both.
import { type BrandFacts, findBrand } from '@svc/contract/card-number';
import type { FormErrorCode, FormField, FormOptions } from '@svc/contract/form-messages';
import { contrastWarnings } from './appearance.ts';
import { digitsOf, type Edit, editCvc, editExpiry, editNumber, parseExpiry } from './card-text.ts';
import type { Send } from './channel.ts';
import {
  checkCvc,
  checkExpiry,
  checkName,
  checkNumber,
  checkPostalCode,
  isNumberFinished,
} from './checks.ts';
import { mergeOptions, readSettings, type Settings } from './settings.ts';
import type { Texts } from './texts/keys.ts';
import type { Card } from './token-call.ts';
import * as view from './view.ts';

const darkQuery = () => matchMedia('(prefers-color-scheme: dark)');

export class CardForm {
  readonly #send: Send;
  readonly #errors = new Map<FormField, FormErrorCode>();
  readonly #before = new Map<FormField, string>();
  readonly #warned = new Set<string>();
  #options: FormOptions;
  #settings: Settings;
  #brand: BrandFacts | undefined;
  #announced: BrandFacts | undefined;
  #lastChange = '';
  /** The field that the page was told has the focus. */
  #focused: FormField | null = null;
  #contrastTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: FormOptions, send: Send) {
    this.#send = send;
    this.#options = options;
    this.#settings = this.#apply(options);
    for (const field of view.allFields) this.#watch(field);
    darkQuery().addEventListener('change', () => this.#applyTheme());
    view.showErrors(new Map());
  }

  get texts(): Texts {
    return this.#settings.texts;
  }

  get wantsFocus(): boolean {
    return this.#settings.autofocus && !matchMedia('(pointer: coarse)').matches;
  }

  update(options: FormOptions): void {
    this.#options = mergeOptions(this.#options, options);
    this.#settings = this.#apply(this.#options);
    for (const field of this.#errors.keys()) {
      if (this.#check(field) === undefined) this.#errors.delete(field);
    }
    this.#showErrors();
    this.#tellChange();
  }

  focus(field: FormField): void {
    view.inputOf(field).focus();
  }

  disable(isDisabled: boolean): void {
    for (const field of view.allFields) view.inputOf(field).disabled = isDisabled;
  }

  clear(): void {
    for (const field of view.allFields) {
      view.inputOf(field).value = '';
      this.#before.set(field, '');
    }
    this.#errors.clear();
    this.#readBrand();
    this.#showErrors();
    this.#tellChange();
  }

  /** The card when every field is right; otherwise the first code, its field focused. */
  read(nowMs: number): Card | { readonly code: FormErrorCode } {
    for (const field of this.#settings.fields) this.#checkAloud(field);
    this.#showErrors();
    this.#tellChange();
    const bad = this.#settings.fields.find((field) => this.#errors.has(field));
    const code = bad && this.#errors.get(bad);
    if (bad && code) {
      this.focus(bad);
      return { code };
    }
    return this.#card(nowMs);
  }

  /** Whether this very card is still what is typed. */
  holds(card: Card): boolean {
    return JSON.stringify(card) === JSON.stringify(this.#card(Date.now()));
  }

  /** Shows what the vault found wrong; a code of no field is left to the page. */
  reject(code: string): void {
    const found = fieldOfCode(code);
    if (!found) return;
    this.#errors.set(found.field, found.code);
    this.#showErrors();
    this.#tellChange();
    this.focus(found.field);
  }

  sentence(code: string): string {
    const { texts } = this.#settings;
    const key = Object.hasOwn(texts, code) ? (code as keyof Texts) : 'card_declined';
    const hint = this.#brand?.cvcLength === 4 ? texts.cvcHint4 : texts.cvcHint3;
    return texts[key].replace('{hint}', hint);
  }

  #apply(options: FormOptions): Settings {
    const settings = readSettings(options, {
      languages: navigator.languages,
      readColour: view.readColour,
    });
    this.#settings = settings;
    const { language, texts, look } = settings;
    view.showLanguage(language.code, language.direction, texts);
    view.showTexts(texts, look.labels);
    view.showFields(settings.fields);
    view.showLook(look);
    this.#applyTheme();
    view.showBrand(this.#brand, texts, look);
    this.#warn(settings.warnings);
    // Colours are painted and read back, which takes longer than all the rest: after the form stands.
    clearTimeout(this.#contrastTimer);
    this.#contrastTimer = setTimeout(() => this.#warn(contrastWarnings(view.colourOf)));
    return settings;
  }

  #warn(warnings: readonly string[]): void {
    for (const warning of warnings) {
      if (!this.#warned.has(warning)) this.#send({ type: 'warning', message: warning });
      this.#warned.add(warning);
    }
  }

  #applyTheme(): void {
    const { theme } = this.#settings.look;
    view.setTheme(theme === 'auto' ? (darkQuery().matches ? 'dark' : 'light') : theme);
  }

  #watch(field: FormField): void {
    const input = view.inputOf(field);
    input.addEventListener('input', (event) => {
      if (event instanceof InputEvent && event.isComposing) return;
      this.#edited(field, event instanceof InputEvent ? event.inputType : '');
    });
    input.addEventListener('compositionend', () => this.#edited(field, 'insertText'));
    input.addEventListener('focus', () => {
      // Firefox reports the focus again when the frame that holds the field gets it.
      if (this.#focused === field) return;
      this.#focused = field;
      this.#send({ type: 'focus', field });
    });
    input.addEventListener('blur', () => {
      if (input.value !== '') this.#checkAloud(field);
      if (field === 'number') this.#announce();
      this.#showErrors();
      this.#tellChange();
      this.#focused = null;
      this.#send({ type: 'blur', field });
    });
  }

  #edited(field: FormField, inputType: string): void {
    const input = view.inputOf(field);
    const edit: Edit = {
      text: input.value,
      caret: input.selectionStart ?? input.value.length,
      previous: this.#before.get(field) ?? '',
      inputType,
    };
    const edited =
      field === 'number'
        ? editNumber(edit)
        : field === 'expiry'
          ? editExpiry(edit)
          : field === 'cvc'
            ? editCvc(edit, this.#brand)
            : edit;
    if (edited.text !== input.value) {
      input.value = edited.text;
      if (document.activeElement === input) input.setSelectionRange(edited.caret, edited.caret);
    }
    this.#before.set(field, edited.text);
    if (field === 'number') this.#readBrand();
    this.#forgive();
    this.#tellChange();
    if (this.#settings.autoAdvance && !inputType.startsWith('delete')) this.#advance(field);
  }

  /** A sentence goes as soon as its reason does; a new one waits for the person to leave. */
  #forgive(): void {
    const fixed = [...this.#errors.keys()].filter((field) => this.#check(field) === undefined);
    for (const field of fixed) this.#errors.delete(field);
    if (fixed.length > 0) this.#showErrors();
  }

  #advance(field: FormField): void {
    const input = view.inputOf(field);
    if (input.selectionStart !== input.value.length || document.activeElement !== input) return;
    const isFinished = field === 'number' && isNumberFinished(input.value);
    if (isFinished) this.focus('expiry');
    if (field === 'expiry' && this.#check('expiry') === undefined) this.focus('cvc');
  }

  #readBrand(): void {
    this.#brand = findBrand(digitsOf(view.inputOf('number').value));
    const cvc = view.inputOf('cvc');
    cvc.value = editCvc(
      { text: cvc.value, caret: 0, previous: '', inputType: '' },
      this.#brand,
    ).text;
    view.showBrand(this.#brand, this.texts, this.#settings.look);
    if (this.#brand) this.#announce();
  }

  #announce(): void {
    if (this.#brand === this.#announced) return;
    this.#announced = this.#brand;
    view.announceBrand(this.#brand, this.texts);
  }

  #check(field: FormField): FormErrorCode | undefined {
    const { value } = view.inputOf(field);
    const checks: Record<FormField, () => FormErrorCode | undefined> = {
      number: () => checkNumber(value, this.#settings.brands),
      expiry: () => checkExpiry(value, Date.now()),
      cvc: () => checkCvc(value, this.#brand),
      name: () => checkName(value),
      postalCode: () => checkPostalCode(value),
    };
    return this.#settings.fields.includes(field) ? checks[field]() : undefined;
  }

  #checkAloud(field: FormField): void {
    const code = this.#check(field);
    if (code) this.#errors.set(field, code);
    else this.#errors.delete(field);
  }

  #showErrors(): void {
    const sentences = [...this.#errors].map(([f, code]) => [f, this.sentence(code)] as const);
    view.showErrors(new Map(sentences));
  }

  #tellChange(): void {
    const { fields } = this.#settings;
    const errors = fields.flatMap((field) => {
      const code = this.#errors.get(field);
      return code ? [{ field, code }] : [];
    });
    const change = {
      type: 'change' as const,
      complete: fields.every((field) => this.#check(field) === undefined),
      empty: fields.every((field) => view.inputOf(field).value === ''),
      brand: this.#brand?.brand ?? null,
      errors,
    };
    const text = JSON.stringify(change);
    if (text !== this.#lastChange) this.#send(change);
    this.#lastChange = text;
  }

  #card(nowMs: number): Card | { readonly code: FormErrorCode } {
    const expiry = parseExpiry(view.inputOf('expiry').value);
    if (!expiry) return { code: checkExpiry('', nowMs) ?? 'expiry_incomplete' };
    const { fields } = this.#settings;
    return {
      number: digitsOf(view.inputOf('number').value),
      expiryMonth: expiry.month,
      expiryYear: expiry.year,
      cvc: digitsOf(view.inputOf('cvc').value),
      ...(fields.includes('name') ? { name: view.inputOf('name').value.trim() } : {}),
      ...(fields.includes('postalCode')
        ? { postalCode: view.inputOf('postalCode').value.trim() }
        : {}),
    };
  }
}

const fieldCodes: Readonly<Record<FormField, readonly FormErrorCode[]>> = {
  number: ['number_incomplete', 'number_invalid', 'brand_unsupported'],
  expiry: ['expiry_incomplete', 'expiry_past'],
  cvc: ['cvc_incomplete'],
  name: ['name_required'],
  postalCode: ['postal_code_required'],
};

/** The field that a code of the vault speaks of. */
function fieldOfCode(code: string): { field: FormField; code: FormErrorCode } | undefined {
  for (const field of view.allFields) {
    const known = fieldCodes[field].find((candidate) => candidate === code);
    if (known) return { field, code: known };
  }
  return undefined;
}
