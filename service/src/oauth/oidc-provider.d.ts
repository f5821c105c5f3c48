// Types for the part of oidc-provider 9.13 that is used here. The package ships no types.

declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  export type Payload = { [key: string]: unknown };

  export type AdapterShape = {
    upsert(id: string, payload: Payload, expiresIn: number): Promise<void>;
    find(id: string): Promise<Payload | undefined>;
    findByUid(uid: string): Promise<Payload | undefined>;
    findByUserCode(userCode: string): Promise<Payload | undefined>;
    consume(id: string): Promise<void>;
    destroy(id: string): Promise<void>;
    revokeByGrantId(grantId: string): Promise<void>;
  };

  export type Client = {
    readonly clientId: string;
    readonly clientName?: string;
    readonly clientUri?: string;
    readonly clientSecret?: string;
    readonly clientAuthMethod: string;
    /** Added by this service: the scopes that the application may ask for; absent means all. */
    readonly allowed?: readonly string[];
    grantTypeAllowed(type: string): boolean;
  };

  export type Token = { readonly clientId: string };

  export type Context = {
    readonly req: IncomingMessage;
    readonly res: ServerResponse;
    readonly path: string;
    status: number;
    type: string;
    body: unknown;
    readonly response: { get(name: string): string | string[] };
    set(name: string, value: string | string[]): void;
    redirect(url: string): void;
    readonly oidc: {
      readonly route: string;
      readonly provider: Provider;
      readonly params: { readonly [name: string]: string | undefined };
      readonly result?: {
        readonly login?: { readonly accountId: string };
        readonly consent?: { readonly grantId: string };
      };
    };
  };

  export type Interaction = {
    readonly uid: string;
    readonly iat: number;
    readonly prompt: { readonly name: string; readonly reasons: readonly string[] };
    readonly params: { readonly [name: string]: string | undefined };
    readonly result?: unknown;
  };

  export type DeviceCode = {
    readonly jti: string;
    readonly clientId: string;
    readonly params: { readonly [name: string]: string | undefined };
    readonly isExpired: boolean;
    readonly accountId?: string;
    readonly error?: string;
    save(): Promise<string>;
  };

  type Callback<A extends unknown[], R> = (...a: A) => R;

  export class Provider {
    readonly Grant: { find(id: string): Promise<unknown> };
    constructor(issuer: string, configuration: Payload);
    static readonly ctx: Context | undefined;
    proxy: boolean;
    readonly Client: {
      find(id: string): Promise<Client | undefined>;
      readonly prototype: { compareClientSecret(this: Client, given: string): boolean };
    };
    readonly DeviceCode: { findByUserCode(code: string): Promise<DeviceCode | undefined> };
    use(middleware: Callback<[Context, () => Promise<void>], Promise<void>>): this;
    on(event: 'server_error', listener: Callback<[Context, Error], void>): this;
    on(event: 'error', listener: Callback<[Error], void>): this;
    callback(): RequestListener;
    interactionDetails(req: IncomingMessage, res: ServerResponse): Promise<Interaction>;
    interactionResult(
      req: IncomingMessage,
      res: ServerResponse,
      result: Payload,
      options: { mergeWithLastSubmission: boolean },
    ): Promise<string>;
  }

  export const errors: {
    readonly InvalidScope: new (description: string, scope?: string) => Error;
    readonly InvalidTarget: new () => Error;
    readonly SessionNotFound: new (description: string) => Error;
  };

  class Check {
    constructor(
      reason: string,
      description: string,
      error: string,
      check: Callback<[Context], boolean | Promise<boolean>>,
    );
  }
  class Prompt {
    constructor(facts: { name: string; requestable: boolean }, ...checks: Check[]);
  }
  export const interactionPolicy: { readonly Check: typeof Check; readonly Prompt: typeof Prompt };
}
