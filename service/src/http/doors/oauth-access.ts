// What the OAuth server's routes are lent: the one place that reads credentials, and its cookie.

import type { IncomingMessage } from 'node:http';
import type { RowShape } from '@svc/contract/row';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { arrivalOf } from '../access/arrival.ts';
import type { Authenticator } from '../access/authenticate.ts';
import type { Admission } from '../access/authorise.ts';
import { readSignInCookie } from '../wire/cookies.ts';
import { headerValues } from '../wire/idempotency-key.ts';

export type OauthAccess = {
  /** Who calls one of our own pages' routes. Refuses as the authenticator does for a visitor. */
  admit(request: FastifyRequest): Promise<Admission>;
  signInCookie(request: IncomingMessage): string | undefined;
};

export type MountOauth = (app: FastifyInstance, door: OauthAccess) => void;

/** Routes of the OAuth server are no rows; to the authenticator they are as one of these. */
const visit: RowShape = {
  spec: 'Contract §6',
  summary: 'An application asks a person.',
  call: 'POST /oauth/interactions/{uid}',
  auth: 'visitor',
  scope: null,
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
