// The functions that the OAuth server's routes may use: the one place that reads credentials, and
// the sign-in cookie.

import type { IncomingMessage } from 'node:http';
import type { RowShape } from '@svc/contract/rows/row';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { arrivalOf } from '../access/arrival.ts';
import type { Authenticator } from '../access/authenticate.ts';
import type { Admission } from '../access/authorise.ts';
import { readSignInCookie } from '../wire/cookies.ts';
import { headerValues } from '../wire/idempotency-key.ts';

export type OauthAccess = {
  /**
   * Returns the caller of a route of the service's own pages. Throws the authenticator's error for
   * a visitor.
   */
  admit(request: FastifyRequest): Promise<Admission>;
  signInCookie(request: IncomingMessage): string | undefined;
};

export type MountOauth = (app: FastifyInstance, door: OauthAccess) => void;

/** Routes of the OAuth server are no rows of the contract; the authenticator treats them as this one. */
const visit: RowShape = {
  spec: 'Contract §6',
  summary: 'An application asks a person.',
  call: 'POST /oauth/interactions/{uid}',
  auth: 'visitor',
  scope: null,
  permission: null,
  limit: 'person',
  input: {},
  answers: {},
  refuses: [],
  emits: [],
};

export const openOauthAccess = (authenticator: Authenticator, baseUrl: string): OauthAccess => ({
  admit: (request) => authenticator.authenticate(visit, arrivalOf(request)),
  signInCookie: ({ rawHeaders }) => readSignInCookie(headerValues(rawHeaders, 'cookie'), baseUrl),
});
