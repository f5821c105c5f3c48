// Messages from the page. Every field is checked before the form uses it. Contract §4.
import type {
  Appearance,
  FormField,
  FormHandshake,
  FormOptions,
  ToForm,
} from '@svc/contract/vault/form-messages';

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const formFields: readonly string[] = ['number', 'expiry', 'cvc', 'name', 'postalCode'];
export const isFormField = (value: unknown): value is FormField =>
  typeof value === 'string' && formFields.includes(value);

const maxTextLength = 4096;
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= maxTextLength;

const isTexts = (value: unknown): value is Readonly<Record<string, string>> =>
  isFields(value) && Object.values(value).every(isText);

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length <= 50 && value.every(isText);

const isOptional = (value: unknown, isRight: (value: unknown) => boolean): boolean =>
  value === undefined || isRight(value);

const isBoolean = (value: unknown): boolean => typeof value === 'boolean';

const isAppearance = (value: unknown): value is Appearance =>
  isFields(value) &&
  [value.theme, value.labels, value.density].every((v) => isOptional(v, isText)) &&
  isOptional(value.variables, isTexts);

const isOptions = (value: unknown): value is FormOptions =>
  isFields(value) &&
  isOptional(value.appearance, isAppearance) &&
  isOptional(value.locale, isText) &&
  isOptional(value.fields, isTextList) &&
  isOptional(value.brands, isTextList) &&
  isOptional(value.autoAdvance, isBoolean) &&
  isOptional(value.autofocus, isBoolean) &&
  isOptional(value.texts, isTexts);

/** Returns a page's handshake; undefined for anything else, such as a browser extension's message. */
export function parseHandshake(value: unknown): FormHandshake | undefined {
  if (!isFields(value) || value.svc !== 'mount') return undefined;
  const { protocol } = value;
  return typeof protocol === 'number' ? { svc: 'mount', protocol } : undefined;
}

/** Returns a message received over the port; undefined when it is none of `ToForm`. */
export function parseMessage(value: unknown): ToForm | undefined {
  if (!isFields(value)) return undefined;
  const { type, mountToken, options, id, field, disabled, express } = value;
  if (type === 'mount' && isText(mountToken) && isOptions(options)) {
    return { type, mountToken, options, ...(express === true ? { express } : {}) };
  }
  if (type === 'mountToken' && isText(mountToken)) return { type, mountToken };
  if (type === 'update' && isOptions(options)) return { type, options };
  if (type === 'submit' && isText(id)) return { type, id };
  if (type === 'focus' && isFormField(field)) return { type, field };
  if (type === 'disable' && typeof disabled === 'boolean') return { type, disabled };
  return type === 'clear' ? { type } : undefined;
}
