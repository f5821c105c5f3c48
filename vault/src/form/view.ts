// The form's elements and the content that is written into them. It contains no messages and no rules.
import type { BrandFacts } from '@svc/contract/vault/card-number';
import type { FormField } from '@svc/contract/vault/form-messages';
import type { Colour, FormLook, ReadColour, Theme } from './appearance.ts';
import type { Texts } from './texts/keys.ts';

export const allFields: readonly FormField[] = ['number', 'expiry', 'cvc', 'name', 'postalCode'];

const svgNamespace = 'http://www.w3.org/2000/svg';

function findElement<T extends Element>(
  selector: string,
  type: abstract new (...a: never[]) => T,
): T {
  const element = document.querySelector(selector);
  if (!(element instanceof type)) throw new Error(`The form lacks ${selector}.`);
  return element;
}

export const inputOf = (field: FormField): HTMLInputElement =>
  findElement(`#${field}`, HTMLInputElement);
/** Our own input, or the place of the provider's field. */
export const placeOf = (field: FormField): HTMLElement => findElement(`#${field}`, HTMLElement);
export const formElement = (): HTMLFormElement => findElement('#form', HTMLFormElement);
export const frameElement = (): HTMLElement => findElement('#frame', HTMLElement);

const rowOf = (field: FormField) => findElement(`[data-field="${field}"]`, HTMLElement);
const labelOf = (field: FormField) => findElement(`label[for="${field}"]`, HTMLElement);

const createDrawing = (name: string): SVGSVGElement => {
  const svg = document.createElementNS(svgNamespace, 'svg');
  const use = document.createElementNS(svgNamespace, 'use');
  svg.setAttribute('aria-hidden', 'true');
  use.setAttribute('href', `#${name}`);
  svg.append(use);
  return svg;
};

const setMark = (field: FormField, name: string) =>
  findElement(`[data-field="${field}"] use`, SVGElement).setAttribute('href', `#${name}`);

/** Sets language, reading direction and the text that is shown while nothing is mounted. */
export function showLanguage(code: string, direction: 'ltr' | 'rtl', texts: Texts): void {
  document.documentElement.lang = code;
  document.documentElement.dir = direction;
  document.title = texts.title;
  findElement('#skeleton .unseen', HTMLElement).textContent = texts.loading;
  findElement('#group', HTMLElement).setAttribute('aria-label', texts.title);
}

/** Sets a placeholder. The provider's field shows it after its next update. */
function setPlaceholder(field: FormField, text: string): void {
  const place = placeOf(field);
  if (place instanceof HTMLInputElement) place.placeholder = text;
  else place.dataset.placeholder = text;
}

/** Sets labels and placeholders. Hidden labels stay for screen readers and appear as placeholders. */
export function showTexts(texts: Texts, labels: FormLook['labels']): void {
  for (const field of allFields) {
    labelOf(field).textContent = texts[field];
    setPlaceholder(field, labels === 'hidden' ? texts[field] : '');
  }
  setPlaceholder('expiry', texts.expiryPlaceholder);
  if (labels === 'above') setPlaceholder('number', '1234 1234 1234 1234');
}

/** Shows exactly these fields. Text typed into the others is kept. */
export function showFields(fields: readonly FormField[]): void {
  for (const field of allFields) rowOf(field).hidden = !fields.includes(field);
  const isPaired = fields.includes('name') && fields.includes('postalCode');
  findElement('#group', HTMLElement).classList.toggle('paired', isPaired);
  const last = allFields.filter((field) => fields.includes(field)).at(-1);
  for (const field of allFields) placeOf(field).enterKeyHint = field === last ? 'done' : 'next';
}

/** Shows the drawing and text alternative of the brand, and where its CVC is printed. */
export function showBrand(brand: BrandFacts | undefined, texts: Texts, look: FormLook): void {
  setMark('number', `mark-${brand?.brand ?? 'unknown'}`);
  const isFront = brand?.cvcLength === 4;
  setMark('cvc', isFront ? 'cvc-front' : 'cvc-back');
  setPlaceholder('cvc', look.labels === 'hidden' ? texts.cvc : isFront ? '1234' : '123');
  findElement('#cvc-hint', HTMLElement).textContent = isFront ? texts.cvcHint4 : texts.cvcHint3;
  findElement('#brand-text', HTMLElement).textContent = brandSentence(brand, texts);
}

const brandSentence = (brand: BrandFacts | undefined, texts: Texts): string =>
  brand ? texts.brandDetected.replace('{brand}', brand.name) : '';

/** Announces the brand to screen readers when they are idle. */
export function announceBrand(brand: BrandFacts | undefined, texts: Texts): void {
  findElement('#announcer', HTMLElement).textContent = brandSentence(brand, texts);
}

const fixedDescriptions: Partial<Record<FormField, string>> = {
  number: 'brand-text',
  cvc: 'cvc-hint',
};

/**
 * Shows the error sentences below the fields, in the order of the fields. A sentence that stays is not
 * announced again.
 */
export function showErrors(sentences: ReadonlyMap<FormField, string>): void {
  const region = findElement('#errors', HTMLElement);
  for (const field of allFields) {
    const sentence = sentences.get(field);
    const id = `error-${field}`;
    const input = placeOf(field);
    const shown = document.getElementById(id);
    input.toggleAttribute('aria-invalid', sentence !== undefined);
    if (sentence !== undefined) input.setAttribute('aria-invalid', 'true');
    const describedBy = [sentence === undefined ? '' : id, fixedDescriptions[field] ?? ''];
    input.setAttribute('aria-describedby', describedBy.join(' ').trim());
    if (sentence === undefined) shown?.remove();
    else if (shown) setSentence(shown, sentence);
    else insertSentence(region, id, sentence);
  }
}

const setSentence = (paragraph: Element, sentence: string) => {
  const text = paragraph.querySelector('span');
  if (text && text.textContent !== sentence) text.textContent = sentence;
};

function insertSentence(region: HTMLElement, id: string, sentence: string): void {
  const paragraph = document.createElement('p');
  paragraph.id = id;
  const text = document.createElement('span');
  text.textContent = sentence;
  paragraph.append(createDrawing('alert'), text);
  const order = allFields.map((field) => `error-${field}`);
  const next = [...region.children].find((p) => order.indexOf(p.id) > order.indexOf(id));
  region.insertBefore(paragraph, next ?? null);
}

export const setTheme = (theme: Theme) => {
  document.documentElement.dataset.theme = theme;
};

const variableNames = ['accent', 'text', 'background', 'border', 'danger', 'radius', 'fontSize'];

/** Sets labels, density and variables. `setTheme` sets the theme. */
export function showLook(look: FormLook): void {
  const root = document.documentElement;
  root.dataset.labels = look.labels;
  root.dataset.density = look.density;
  for (const name of variableNames) {
    const value = look.variables.get(name);
    if (value === undefined) root.style.removeProperty(`--${name}`);
    else root.style.setProperty(`--${name}`, value);
  }
}

const indirect = /var\(|env\(|currentcolor|inherit|initial|unset|revert/i;

/** Paints one pixel and reads it back: the browser itself knows every notation of colours. */
export const readColour: ReadColour = (value) => {
  if (value.length > 100 || indirect.test(value) || !CSS.supports('color', value)) return undefined;
  const canvas = document.createElement('canvas');
  canvas.width = 1;
  canvas.height = 1;
  const context = canvas.getContext('2d');
  if (!context) return undefined;
  context.fillStyle = value;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0, alpha = 0] = context.getImageData(0, 0, 1, 1).data;
  return alpha === 255 ? { red, green, blue } : undefined;
};

/** Returns the current colour of a variable, whether the theme or the page set it. */
export const colourOf = (name: string): Colour | undefined =>
  readColour(getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());

/** The place of the express buttons, where the fields would stand: these stay, unseen, for options that change. */
export function expressPlace(): HTMLElement {
  const place = document.createElement('div');
  place.id = 'express';
  const group = findElement('#group', HTMLElement);
  group.hidden = true;
  group.after(place);
  return place;
}

/** Lays the form out under the skeleton, unseen: frames of the provider load only where they stand. */
export function prepare(): void {
  formElement().toggleAttribute('data-waiting', true);
  formElement().hidden = false;
}

/** Shows the fields in place of the skeleton. */
export function reveal(): void {
  findElement('#skeleton', HTMLElement).hidden = true;
  formElement().removeAttribute('data-waiting');
  formElement().hidden = false;
  document.documentElement.dataset.state = 'ready';
}

/** Shows a sentence in place of the form. */
export function refuse(sentence: string): void {
  document.documentElement.dataset.state = 'refused';
  const paragraph = document.createElement('p');
  paragraph.className = 'refusal';
  paragraph.textContent = sentence;
  frameElement().append(paragraph);
}
