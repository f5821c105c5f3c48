// The public routes: the form's document, and the exchange of a card for a token. Contract §4.

import { isOneLine } from '@svc/contract/servers/plain-text';
import { countCharacters } from '@svc/contract/values/characters';
import { containsCardNumber } from '@svc/contract/vault/card-number';
import { formProtocol } from '@svc/contract/vault/vault';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hideDigits, takeDigits } from './card-bytes.ts';
import { Refusal } from './errors.ts';
import {
  documentHeaders,
  type FormDocument,
  refusalDocument,
  unnamedParent,
} from './form-files.ts';
import { addPolicyReports } from './policy-reports.ts';
import type { Driver } from './settings.ts';
import { openParents } from './signatures.ts';
import {
  type HostedCard,
  type MountedForm,
  type Ports,
  type TypedCard,
  tokenise,
  tokeniseMethod,
} from './tokenise.ts';

export type FormSide = Ports & {
  readonly form: FormDocument;
  /** Available once the listening port is known. */
  readonly origin: () => string;
};

// Cached for a short time, so that a correction reaches buyers the same day. A stale copy is shown while
// the browser revalidates.
const documentCaching = 'public, max-age=300, stale-while-revalidate=86400';

/**
 * Sends the document in the best encoding that the browser accepts; 304 when the browser has this version.
 */
function sendForm(request: FastifyRequest, reply: FastifyReply, form: FormDocument) {
  reply.headers({
    'cache-control': documentCaching,
    etag: form.etag,
    vary: 'accept-encoding',
  });
  if (request.headers['if-none-match'] === form.etag) return reply.code(304).send();
  const accepted = String(request.headers['accept-encoding'] ?? '');
  if (/\bbr\b/.test(accepted)) return reply.header('content-encoding', 'br').send(form.brotli);
  if (/\bgzip\b/.test(accepted)) return reply.header('content-encoding', 'gzip').send(form.gzip);
  return reply.send(form.plain);
}

function addDocument(app: FastifyInstance, side: FormSide): void {
  const { form } = side;
  const refused = {
    origin: refusalDocument(form, 'origin_not_allowed'),
    version: refusalDocument(form, 'version_mismatch'),
  };
  app.get<{ Params: { version: string }; Querystring: { parents?: unknown } }>(
    '/form/:version',
    async (request, reply) => {
      const { parents: signed } = request.query;
      const { version } = request.params;
      if (!/^\d{1,4}$/.test(version)) throw new Refusal('route_not_found');
      const parents = typeof signed === 'string' && openParents(signed, side.sharedKey);
      if (!parents) {
        return reply.code(403).headers(documentHeaders(form, [])).send(refused.origin);
      }
      const unnamed = unnamedParent(parents, request.headers.referer);
      reply.headers(documentHeaders(form, parents, unnamed));
      if (version !== String(formProtocol)) return reply.code(404).send(refused.version);
      // Only for the requesting page: a cache must not return this response to another one.
      if (unnamed) return reply.header('cache-control', 'no-store').send(form.plain);
      return sendForm(request, reply, form);
    },
  );
}

/** Only the form's own document may send cards: browsers do not let a page forge either header. */
function assertOwnPage(request: FastifyRequest, origin: string): void {
  const site = request.headers['sec-fetch-site'];
  const isOwnSite = site === undefined || site === 'same-origin';
  if (request.headers.origin !== origin || !isOwnSite) throw new Refusal('origin_not_allowed');
}

type Fields = Readonly<Record<string, unknown>>;
const ofEach = ['mountToken', 'parents'];
const ofCard = ['number', 'expiryMonth', 'expiryYear', 'cvc', 'name', 'postalCode'];
const ofMethod = ['paymentMethodId'];

/** Each driver accepts its own kind of card and refuses the other kind. */
const foreign = {
  'own-vault': { names: ofMethod, code: 'provider_method_not_accepted' },
  'provider-fields': { names: ofCard, code: 'raw_card_data_forbidden' },
} as const;

const invalid = (param: string) => new Refusal('invalid_request', { param });

function parseFields(raw: Buffer, driver: Driver): Fields {
  let value: unknown;
  try {
    value = JSON.parse(raw.toString('utf8'));
  } catch {
    throw new Refusal('invalid_body');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refusal('invalid_body');
  }
  const given = Object.keys(value);
  const { names, code } = foreign[driver];
  const param = names.find((name) => given.includes(name));
  if (param !== undefined) throw new Refusal(code, { param });
  const known: readonly string[] = [...ofEach, ...(driver === 'own-vault' ? ofCard : ofMethod)];
  if (given.some((name) => !known.includes(name))) throw new Refusal('invalid_request');
  return value as Fields;
}

function readMounted({ mountToken, parents }: Fields): MountedForm {
  if (typeof mountToken !== 'string' || mountToken.length > 2000) throw invalid('mountToken');
  if (typeof parents !== 'string' || parents.length > 100) throw invalid('parents');
  return { mountToken, parents };
}

const zeros = (digits: Buffer) => '0'.repeat(digits.length);

function text(fields: Fields, name: string, maxLength: number): string | undefined {
  const value = fields[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || countCharacters(value) > maxLength) throw invalid(name);
  // The database cannot store lone surrogates, and an address cannot carry them.
  if (!isOneLine(value) || !value.isWellFormed()) throw invalid(name);
  // A card number typed into the wrong field would be stored or passed on as something else.
  if (containsCardNumber(value) || /\d{12}/.test(value)) throw invalid(name);
  return value.trim() || undefined;
}

function whole(fields: Fields, name: string): number {
  const value = fields[name];
  if (typeof value !== 'number' || !Number.isInteger(value)) throw invalid(name);
  return value;
}

/** Reads the card of a raw body. Afterwards the body holds zeros in place of number and CVC. */
function readCard(raw: Buffer): TypedCard {
  const number = takeDigits(raw, 'number');
  const cvc = takeDigits(raw, 'cvc');
  try {
    // Parsing makes strings, which cannot be wiped. The body is refused in any case, so its digits are
    // replaced first: parsing only decides which error it gets.
    if (!number || !cvc) hideDigits(raw);
    const fields = parseFields(raw, 'own-vault');
    if (!number || !cvc) throw invalid(number ? 'cvc' : 'number');
    if (fields.number !== zeros(number)) throw invalid('number');
    if (fields.cvc !== zeros(cvc)) throw invalid('cvc');
    return {
      ...readMounted(fields),
      number,
      cvc,
      expiryMonth: whole(fields, 'expiryMonth'),
      expiryYear: whole(fields, 'expiryYear'),
      name: text(fields, 'name', 100),
      postalCode: text(fields, 'postalCode', 20),
    };
  } catch (error) {
    number?.fill(0);
    cvc?.fill(0);
    throw error;
  } finally {
    raw.fill(0);
  }
}

const methodId = /^pm_[A-Za-z0-9_]{1,200}$/;
/**
 * Text that occurs only in a body with a card: a member name, or a backslash that could spell one
 * differently.
 */
const signsOfCard = ['"number"', '"cvc"', '\\'];

/**
 * Reads the provider's method from a raw body. A body that contains a card has its digits replaced and is
 * refused.
 */
function readMethod(raw: Buffer): HostedCard {
  try {
    if (signsOfCard.some((sign) => raw.includes(sign))) hideDigits(raw);
    const fields = parseFields(raw, 'provider-fields');
    const mounted = readMounted(fields);
    const { paymentMethodId } = fields;
    if (typeof paymentMethodId !== 'string' || !methodId.test(paymentMethodId)) {
      throw invalid('paymentMethodId');
    }
    return { ...mounted, paymentMethodId };
  } finally {
    raw.fill(0);
  }
}

async function tokeniseTyped(side: FormSide, body: Buffer) {
  const card = readCard(body);
  try {
    return await tokenise(side, card);
  } finally {
    card.number.fill(0);
    card.cvc.fill(0);
  }
}

function addTokens(app: FastifyInstance, side: FormSide): void {
  // The body stays bytes here, after the sender was checked: no other parser ever reads it.
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_: unknown, body: Buffer) => body,
  );
  app.post<{ Body: unknown }>(
    '/form/tokens',
    { onRequest: async (request) => assertOwnPage(request, side.origin()) },
    async (request) => {
      if (!Buffer.isBuffer(request.body)) throw new Refusal('unsupported_media_type');
      return side.driver === 'own-vault'
        ? tokeniseTyped(side, request.body)
        : tokeniseMethod(side, readMethod(request.body));
    },
  );
}

/** Adds the form's routes. */
export function addFormRoutes(app: FastifyInstance, side: FormSide): void {
  addDocument(app, side);
  addTokens(app, side);
  addPolicyReports(app);
}
