// The calls for an application's request and for the person's decision. Contract §6.

import type { Role } from '@svc/contract/roles';
import { call } from '../kit/calls.ts';

export type Merchant = { readonly clientId: string; readonly name: string; readonly role: Role };

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

export type Interaction = {
  /** `sign_in`: a proof of identity is needed first, whoever is signed in. */
  readonly prompt: 'sign_in' | 'consent';
  readonly kind: 'redirect' | 'device';
  readonly application: Application;
  readonly scopes: readonly string[];
  /** Requested only for /mcp. */
  readonly isForAgents: boolean;
  readonly merchants: readonly Merchant[];
  readonly person: { readonly email: string; readonly name: string | null } | null;
};

type Answer =
  | { readonly decision: 'refuse' }
  | { readonly decision: 'allow'; readonly clientId: string; readonly scopes: readonly string[] };

const interactionPath = (uid: string) => `/oauth/interactions/${encodeURIComponent(uid)}`;

export const readInteraction = (uid: string): Promise<Interaction> =>
  call('GET', interactionPath(uid), { isVisitor: true });

/**
 * Sends the decision. Returns the address to continue at: the service, which redirects to the application.
 */
export const answerInteraction = (uid: string, body: Answer): Promise<{ redirectTo: string }> =>
  call('POST', interactionPath(uid), { body, isVisitor: true });
