// Narrows what the types of the OAuth library leave open.

import type Provider from 'oidc-provider';
import type { Client } from 'oidc-provider';

/** The context of a middleware. The library adds `oidc` when it has chosen a route. */
export type Context = Parameters<Parameters<Provider['use']>[0]>[0];

/** Returns a parameter of a request; undefined when it is absent or was given more than once. */
export const textOf = (parameter: unknown): string | undefined =>
  typeof parameter === 'string' ? parameter : undefined;

/** Returns the scopes that the application may ask for; undefined means all. */
export const allowedScopesOf = ({ allowed }: Client): readonly string[] | undefined =>
  Array.isArray(allowed) ? allowed : undefined;
