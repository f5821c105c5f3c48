// The internal routes: the service redeems card tokens and deletes those of removed cards. Every call is
// signed. Contract §4.

import {
  ForgetCard,
  ForgottenCard,
  internalSignatureHeader,
  RedeemCardToken,
  RedeemedCard,
} from '@svc/contract/vault/vault';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type pg from 'pg';
import { forgetCard, redeemCardToken } from './card-tokens.ts';
import { Refusal } from './errors.ts';
import { isInternalCall } from './signatures.ts';

export type ServiceSide = { readonly pool: pg.Pool; readonly sharedKey: Buffer };

/** Adds the routes of the service's calls. An unsigned or expired call is 401, whatever it asks for. */
export function addServiceRoutes(app: FastifyInstance, side: ServiceSide): void {
  // The signature covers the raw bytes, so it is checked before they are parsed.
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (
      request: { method: string; url: string; headers: Record<string, unknown> },
      body: Buffer,
    ) => {
      const call = { method: request.method, path: request.url, body };
      const header = String(request.headers[internalSignatureHeader] ?? '');
      const verifier = { key: side.sharedKey, nowMs: Date.now() };
      if (!isInternalCall(call, header, verifier)) throw new Refusal('authentication_required');
      try {
        return JSON.parse(body.toString('utf8')) as unknown;
      } catch {
        throw new Refusal('invalid_body');
      }
    },
  );
  app.post<{ Body: RedeemCardToken }>(
    '/internal/card-tokens/redeem',
    {
      schema: { body: RedeemCardToken, response: { 200: RedeemedCard } },
      preParsing: refuseEmpty,
    },
    async (request, reply) => {
      const redeemed = await redeemCardToken(side.pool, request.body);
      if ('card' in redeemed) return redeemed.card;
      return reply.code(409).send({ code: redeemed.refusal });
    },
  );
  app.post<{ Body: ForgetCard }>(
    '/internal/card-tokens/forget',
    { schema: { body: ForgetCard, response: { 200: ForgottenCard } }, preParsing: refuseEmpty },
    async (request) => ({ forgotten: await forgetCard(side.pool, request.body) }),
  );
}

/** A request without a body is never parsed, so its signature was not verified. */
async function refuseEmpty(request: FastifyRequest): Promise<void> {
  const length = request.headers['content-length'];
  const isEmpty = length === '0' || (!length && !request.headers['transfer-encoding']);
  if (isEmpty) throw new Refusal('authentication_required');
}
