import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller, Ports } from '../engine/ports.ts';

/** A document of an address that somebody else named; null status: no answer. */
export type FetchedDocument = {
  readonly status: number | null;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
};

export type OauthSettings = {
  readonly ports: Ports;
  /** SVC_KEY: the keys of this room are derived from it. */
  readonly key: Buffer;
  /** SVC_FORMER_KEYS: cookies of a flow that began under one are still good. */
  readonly formerKeys?: readonly Buffer[];
  /** Fetches what an application says about itself; never from inside our networks. */
  fetchDocument(url: string): Promise<FetchedDocument>;
  readonly log: { error(message: string, facts: { requestId?: string; error: string }): void };
  /** False switches the budgets of an address off, for benchmarks. */
  readonly isLimited: boolean;
};

/** What the HTTP server lends: who calls our own pages' routes, and the cookie of a sign-in. */
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
