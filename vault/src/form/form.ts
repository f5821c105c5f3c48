// The card form with our own inputs: reads the typed values and reports their errors.
import { findBrand } from '@svc/contract/vault/card-number';
import type { FormErrorCode, FormField, FormOptions } from '@svc/contract/vault/form-messages';
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
import { type EnteredCard, Face } from './face.ts';
import { type Card, sendCard } from './token-call.ts';
import * as view from './view.ts';

export class CardForm extends Face {
  readonly #before = new Map<FormField, string>();

  constructor(options: FormOptions, send: Send) {
    super(options, send);
    for (const field of view.allFields) this.#watch(field);
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
    this.errors.clear();
    this.#readBrand();
    this.showErrors();
    this.tellChange();
  }

  read(nowMs: number): EnteredCard {
    const code = this.checkAll();
    const card = code ? { code } : this.#card(nowMs);
    const key = JSON.stringify(card);
    if ('code' in card) return { key, code: card.code };
    return {
      key,
      trade: (mountToken) => sendCard(mountToken, card),
      holds: () => key === JSON.stringify(this.#card(Date.now())),
    };
  }

  #watch(field: FormField): void {
    const input = view.inputOf(field);
    input.addEventListener('input', (event) => {
      if (event instanceof InputEvent && event.isComposing) return;
      this.#edited(field, event instanceof InputEvent ? event.inputType : '');
    });
    input.addEventListener('compositionend', () => this.#edited(field, 'insertText'));
    input.addEventListener('focus', () => this.entered(field));
    input.addEventListener('blur', () => this.left(field));
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
            ? editCvc(edit, this.brand)
            : edit;
    if (edited.text !== input.value) {
      input.value = edited.text;
      if (document.activeElement === input) input.setSelectionRange(edited.caret, edited.caret);
    }
    this.#before.set(field, edited.text);
    if (field === 'number') this.#readBrand();
    this.forgive();
    this.tellChange();
    if (this.settings.autoAdvance && !inputType.startsWith('delete')) this.#advance(field);
  }

  #advance(field: FormField): void {
    const input = view.inputOf(field);
    if (input.selectionStart !== input.value.length || document.activeElement !== input) return;
    const isFinished = field === 'number' && isNumberFinished(input.value);
    if (isFinished) this.focus('expiry');
    if (field === 'expiry' && this.check('expiry') === undefined) this.focus('cvc');
  }

  #readBrand(): void {
    const brand = findBrand(digitsOf(view.inputOf('number').value));
    const cvc = view.inputOf('cvc');
    cvc.value = editCvc({ text: cvc.value, caret: 0, previous: '', inputType: '' }, brand).text;
    this.showBrand(brand);
  }

  protected check(field: FormField): FormErrorCode | undefined {
    const { value } = view.inputOf(field);
    const checks: Record<FormField, () => FormErrorCode | undefined> = {
      number: () => checkNumber(value, this.settings.brands),
      expiry: () => checkExpiry(value, Date.now()),
      cvc: () => checkCvc(value, this.brand),
      name: () => checkName(value),
      postalCode: () => checkPostalCode(value),
    };
    return this.settings.fields.includes(field) ? checks[field]() : undefined;
  }

  protected isEmpty(field: FormField): boolean {
    return view.inputOf(field).value === '';
  }

  #card(nowMs: number): Card | { readonly code: FormErrorCode } {
    const expiry = parseExpiry(view.inputOf('expiry').value);
    if (!expiry) return { code: checkExpiry('', nowMs) ?? 'expiry_incomplete' };
    const { fields } = this.settings;
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
