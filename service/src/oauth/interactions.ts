// Serves the consent page while an application waits: who wants what, and what the person decides.
// The browser that began the request has a signed cookie; the person has the sign-in cookie.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type Provider from 'oidc-provider';
import type { Client, DeviceCode } from 'oidc-provider';
import { recentProofMs } from '../domain/people/sign-in.ts';
import { Refusal } from '../domain/protocol/refusal.ts';
import { uuidPattern } from '../domain/protocol/uuid.ts';
import type { Caller } from '../engine/ports.ts';
import { allowApplication, refuseApplication } from '../engine/steps/oauth/allow-application.ts';
import { findMakerName, findMerchants, findPerson } from '../engine/steps/oauth/find-person.ts';
import type { Budget } from './budgets.ts';
import { openDeviceNames } from './device-names.ts';
import { textOf } from './library.ts';
import { agentsAddress } from './mcp-resource.ts';
import { audiencesOf, interactionPath, offeredScopes } from './provider.ts';
import type { OauthAccess, OauthSettings } from './settings.ts';
import { digestOf } from './token-writes.ts';

type Person = Caller & { kind: 'person' };

/** A request of an application that waits for a person. */
type WaitingRequest = {
  readonly kind: 'redirect' | 'device';
  readonly client: Client;
  readonly scopes: readonly string[];
  /** The request is for /mcp alone: its token opens nothing else. */
  readonly isForAgents: boolean;
  readonly redirectUri: string | null;
  /** The proof must be younger than this, in ms; null when the usual limit applies. */
  readonly provenWithinMs: number | null;
  /** The person whom it waits for; null for anybody. */
  readonly userId: string | null;
  /** Identifies the request for its one decision. */
  readonly sha256: Buffer;
  /** Grants the request; returns the URL where the browser continues. */
  allow(grantId: string, userId: string): Promise<string>;
  refuse(): Promise<string>;
};

export type InteractionRoom = OauthSettings & {
  readonly door: OauthAccess;
  readonly userCodes: Budget;
  provider(): Promise<Provider>;
};

/**
 * Returns whether a merchant registered the application; otherwise its id is the URL of its
 * metadata document.
 */
const isMade = (clientId: string): boolean => uuidPattern.test(clientId);

const notFound = () => new Refusal('authorization_not_found');

export function serveInteractions(app: FastifyInstance, room: InteractionRoom): void {
  const { door, ports } = room;
  const devices = openDeviceNames(ports);

  const find = async (request: FastifyRequest, reply: FastifyReply): Promise<WaitingRequest> => {
    const { uid } = request.params as { uid: string };
    const provider = await room.provider();
    const device = devices.read(uid);
    return device
      ? findDevice(device, { provider, baseUrl: ports.settings.baseUrl })
      : findRedirect(uid, { provider, request, reply, baseUrl: ports.settings.baseUrl });
  };

  app.get(interactionPath(':uid'), async (request, reply) => {
    const { caller, sinceProofMs } = await door.admit(request);
    const waiting = await find(request, reply);
    const person = caller.kind === 'person' ? caller : null;
    return reply
      .header('cache-control', 'no-store')
      .send(await describe(waiting, { person, sinceProofMs, ports }));
  });

  app.post(interactionPath(':uid'), async (request, reply) => {
    const { caller, sinceProofMs } = await door.admit(request);
    const decision = readDecision(request.body);
    const waiting = await find(request, reply);
    if (decision.kind === 'refuse') {
      if (!(await refuseApplication(waiting.sha256, ports))) throw notFound();
      return { redirectTo: await waiting.refuse() };
    }
    const person = requirePerson(caller);
    // Required for everything that gives a credential away; the page's confirm dialog asks the
    // person to sign in again.
    const withinMs = waiting.provenWithinMs ?? recentProofMs;
    if (sinceProofMs === null || sinceProofMs > withinMs) {
      throw new Refusal('recent_sign_in_required');
    }
    if (waiting.userId !== null && waiting.userId !== person.userId) throw notFound();
    const scopes = decision.scopes ?? waiting.scopes;
    if (scopes.length === 0 || !scopes.every((scope) => waiting.scopes.includes(scope))) {
      throw new Refusal('invalid_request', { param: 'scopes' });
    }
    const { clientId: id, clientName } = waiting.client;
    const application = { id, name: clientName ?? id, isMade: isMade(id) };
    const { clientId } = decision;
    const consent = { clientId, application, scopes, requestSha256: waiting.sha256 };
    const grantId = await allowApplication(consent, person, ports);
    return { redirectTo: await waiting.allow(grantId, person.userId) };
  });

  app.post('/oauth/device-code', async (request) => {
    const person = requirePerson((await door.admit(request)).caller);
    const { userCode } = bodyOf(request.body);
    if (typeof userCode !== 'string' || userCode.length > 40) {
      throw new Refusal('invalid_request', { param: 'userCode' });
    }
    room.userCodes.check(person.userId);
    room.userCodes.take(person.userId);
    const code = userCode.toUpperCase().replace(/[^A-Z]/g, '');
    const found = await waitingDevice(code, await room.provider());
    if (!found) throw notFound();
    room.userCodes.giveBack(person.userId);
    return { uid: devices.write({ code, userId: person.userId }) };
  });
}

function requirePerson(caller: Caller): Person {
  if (caller.kind === 'person') return caller;
  const isHalf = caller.kind === 'anonymous' && caller.halfOpen !== undefined;
  throw new Refusal(isHalf ? 'second_factor_required' : 'sign_in_required');
}

const bodyOf = (body: unknown): Readonly<Record<string, unknown>> =>
  (body as { value?: Readonly<Record<string, unknown>> } | undefined)?.value ?? {};

type Decision =
  | { readonly kind: 'refuse' }
  | { readonly kind: 'allow'; readonly clientId: string; readonly scopes: string[] | null };

const known = new Set(['decision', 'clientId', 'scopes']);

function readDecision(body: unknown): Decision {
  const given = bodyOf(body);
  const unknown = Object.keys(given).find((name) => !known.has(name));
  const invalid = (param: string) => new Refusal('invalid_request', { param });
  if (unknown !== undefined) throw invalid(unknown);
  const { decision, clientId, scopes = null } = given;
  if (decision === 'refuse') return { kind: 'refuse' };
  if (decision !== 'allow') throw invalid('decision');
  if (typeof clientId !== 'string' || !uuidPattern.test(clientId)) throw invalid('clientId');
  const isList = Array.isArray(scopes) && scopes.every((scope) => typeof scope === 'string');
  if (scopes !== null && !isList) throw invalid('scopes');
  return {
    kind: 'allow',
    clientId: clientId.toLowerCase(),
    scopes: scopes === null ? null : [...new Set(scopes as string[])],
  };
}

async function findRedirect(
  uid: string,
  at: { provider: Provider; request: FastifyRequest; reply: FastifyReply; baseUrl: string },
): Promise<WaitingRequest> {
  const { provider } = at;
  const [req, res] = [at.request.raw, at.reply.raw];
  const interaction = await provider.interactionDetails(req, res).catch((error: Error) => {
    if (error.name === 'SessionNotFound') return undefined;
    throw error;
  });
  if (interaction?.uid !== uid || interaction.result !== undefined) throw notFound();
  const { params, prompt, iat } = interaction;
  const client = await provider.Client.find(textOf(params.client_id) ?? '');
  if (!client) throw notFound();
  const options = { mergeWithLastSubmission: false };
  const isNewProofAsked = prompt.reasons.includes('login_prompt');
  return {
    kind: 'redirect',
    client,
    scopes: offeredScopes(textOf(params.scope), client),
    isForAgents: isForAgents(params.resource, at.baseUrl),
    redirectUri: textOf(params.redirect_uri) ?? null,
    sha256: digestOf(uid),
    provenWithinMs: isNewProofAsked ? Math.max(0, Date.now() - iat * 1000) : null,
    userId: null,
    allow: (grantId, accountId) =>
      provider.interactionResult(req, res, { login: { accountId }, consent: { grantId } }, options),
    refuse: () =>
      provider.interactionResult(
        req,
        res,
        { error: 'access_denied', error_description: 'the person refused' },
        options,
      ),
  };
}

/** Returns a device's code that nobody has decided yet. */
async function waitingDevice(code: string, provider: Provider): Promise<DeviceCode | undefined> {
  const found = await provider.DeviceCode.findByUserCode(code);
  const isOver = !found || found.isExpired || found.accountId || found.error;
  return isOver ? undefined : found;
}

async function findDevice(
  { code, userId }: { readonly code: string; readonly userId: string },
  { provider, baseUrl }: { provider: Provider; baseUrl: string },
): Promise<WaitingRequest> {
  const device = await waitingDevice(code, provider);
  const client = device && (await provider.Client.find(device.clientId ?? ''));
  if (!client) throw notFound();
  const { params = {} } = device;
  const decide = async (result: object, done: string): Promise<string> => {
    // Another person may have decided meanwhile.
    if (!(await waitingDevice(code, provider))) throw notFound();
    await Object.assign(device, result).save();
    return `${baseUrl}/account/device?done=${done}`;
  };
  const scopes = offeredScopes(textOf(params.scope), client);
  const [resource] = audiencesOf(baseUrl);
  return {
    kind: 'device',
    client,
    scopes,
    isForAgents: isForAgents(params.resource, baseUrl),
    redirectUri: null,
    provenWithinMs: null,
    userId,
    sha256: digestOf(device.jti),
    allow: (grantId, accountId) =>
      decide(
        {
          accountId,
          grantId,
          scope: scopes.join(' '),
          resource: params.resource ?? resource,
          authTime: Math.floor(Date.now() / 1000),
        },
        'allowed',
      ),
    refuse: () =>
      decide({ error: 'access_denied', errorDescription: 'the person refused' }, 'refused'),
  };
}

async function describe(
  waiting: WaitingRequest,
  who: { person: Person | null; sinceProofMs: number | null; ports: OauthSettings['ports'] },
) {
  const { client, kind, scopes, isForAgents, redirectUri, provenWithinMs, userId } = waiting;
  const { person, sinceProofMs, ports } = who;
  const isOther = person !== null && userId !== null && userId !== person.userId;
  const isOld = provenWithinMs !== null && (sinceProofMs === null || sinceProofMs > provenWithinMs);
  const shown = person && !isOther ? await findPerson(person.userId, ports) : undefined;
  return {
    prompt: shown && !isOld ? 'consent' : 'sign_in',
    kind,
    application: {
      id: client.clientId,
      name: client.clientName ?? client.clientId,
      uri: client.clientUri ?? null,
      redirectHost: redirectUri === null ? null : hostOf(redirectUri),
      isSelfNamed: !isMade(client.clientId),
      madeBy: isMade(client.clientId) ? await findMakerName(client.clientId, ports) : null,
    },
    scopes,
    isForAgents,
    merchants: shown && person ? await findMerchants(person.userId, ports) : [],
    person: shown ?? null,
  };
}

/** Returns whether every requested resource is /mcp; a request without a resource is for the service. */
const isForAgents = (resource: unknown, baseUrl: string): boolean => {
  const asked = [resource ?? []].flat();
  return asked.length > 0 && asked.every((each) => each === agentsAddress(baseUrl));
};

/** A private scheme has no host: then the scheme identifies the application. */
const hostOf = (uri: string): string => {
  const url = new URL(uri);
  return url.host || url.protocol.slice(0, -1);
};
