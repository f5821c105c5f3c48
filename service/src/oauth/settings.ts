import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller, Ports } from '../engine/ports.ts';

/** A document from a URL that a stranger named; a null status means no answer. */
export type FetchedDocument = {
  readonly status: number | null;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
};

export type OauthSettings = {
  readonly ports: Ports;
  /** SVC_KEY: the keys of the OAuth server are derived from it. */
  readonly key: Buffer;
  /** SVC_FORMER_KEYS: cookies of a flow that began under one of them are still valid. */
  readonly formerKeys?: readonly Buffer[];
  /** Fetches an application's metadata document; never from an internal network. */
  fetchDocument(url: string): Promise<FetchedDocument>;
  readonly log: { error(message: string, facts: { requestId?: string; error: string }): void };
  /** False switches off the budgets per address, for benchmarks. */
  readonly isLimited: boolean;
};

/** Functions of the HTTP server: who calls the routes of the consent page, and the cookie of a sign-in. */
export type OauthAccess = {
  admit(request: FastifyRequest): Promise<{ caller: Caller; sinceProofMs: number | null }>;
  signInCookie(request: IncomingMessage): string | undefined;
};

export type MountOauth = (app: FastifyInstance, door: OauthAccess) => void;

/** Where a request of a flow came from, for limits and the audit log. */
export type Traces = {
  readonly requestId: string;
  readonly address: string;
  readonly userAgent?: string;
};
