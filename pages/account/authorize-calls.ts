// What an application asks for, and the person's answer. Contract §6.

import { call } from './calls.ts';

export type Role = 'owner' | 'admin' | 'member';
export type Merchant = { readonly clientId: string; readonly name: string; readonly role: Role };

export type Application = {
  readonly id: string;
  readonly name: string;
  readonly uri: string | null;
  /** Null for a device. */
  readonly redirectHost: string | null;
  /** Known by its metadata document alone: nobody here has checked its name. */
  readonly isSelfNamed: boolean;
  /** The merchant whose people made it and chose its name. */
  readonly madeBy: string | null;
};

export type Interaction = {
  /** `sign_in`: somebody must prove who sits there first, whoever is signed in. */
  readonly prompt: 'sign_in' | 'consent';
  readonly kind: 'redirect' | 'device';
  readonly application: Application;
  readonly scopes: readonly string[];
  /** Asked for /mcp alone. */
  readonly isForAgents: boolean;
  readonly merchants: readonly Merchant[];
  readonly person: { readonly email: string; readonly name: string | null } | null;
};

type Answer =
  | { readonly decision: 'refuse' }
  | { readonly decision: 'allow'; readonly clientId: string; readonly scopes: readonly string[] };

const at = (uid: string) => `/oauth/interactions/${encodeURIComponent(uid)}`;

export const readInteraction = (uid: string): Promise<Interaction> =>
  call('GET', at(uid), { isVisitor: true });

/** Where the browser goes on: back to the service, which sends it to the application. */
export const answerInteraction = (uid: string, body: Answer): Promise<{ redirectTo: string }> =>
  call('POST', at(uid), { body, isVisitor: true });
