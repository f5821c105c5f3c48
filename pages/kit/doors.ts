// The addresses of the service that the pages call and that are no rows of the contract. Contract §6.

import type { Role } from '@svc/contract/rows/roles';

export type Application = {
  readonly id: string;
  readonly name: string;
  readonly uri: string | null;
  /** Null for a device. */
  readonly redirectHost: string | null;
  /** The application is known only by its metadata document: nobody here has checked its name. */
  readonly isSelfNamed: boolean;
  /** The merchant whose people registered the application and chose its name. */
  readonly madeBy: string | null;
};

/** The request of an application that a person allows or refuses. */
export type Interaction = {
  /** `sign_in`: a proof of identity is needed first, whoever is signed in. */
  readonly prompt: 'sign_in' | 'consent';
  readonly kind: 'redirect' | 'device';
  readonly application: Application;
  readonly scopes: readonly string[];
  /** Requested only for /mcp. */
  readonly isForAgents: boolean;
  readonly merchants: readonly {
    readonly clientId: string;
    readonly name: string;
    readonly role: Role;
  }[];
  readonly person: { readonly email: string; readonly name: string | null } | null;
};

export type Decision =
  | { readonly decision: 'refuse' }
  | { readonly decision: 'allow'; readonly clientId: string; readonly scopes: readonly string[] };

export type Doors = {
  readonly 'GET /readyz': {
    readonly input: object;
    readonly answer: { readonly mode: string };
  };
  readonly 'POST /oauth/device-code': {
    readonly input: { readonly body: { readonly userCode: string } };
    readonly answer: { readonly uid: string };
  };
  readonly 'GET /oauth/interactions/{uid}': {
    readonly input: { readonly uid: string };
    readonly answer: Interaction;
  };
  readonly 'POST /oauth/interactions/{uid}': {
    readonly input: { readonly uid: string; readonly body: Decision };
    /** The service's own address, which leads on to the application. */
    readonly answer: { readonly redirectTo: string };
  };
};
