import { tokenScopes } from '@svc/contract/developers/api-tokens';
import { oneLine } from '@svc/contract/servers/plain-text';
import { isTokenDescription, readTokenName } from '../../domain/people/api-token.ts';
import {
  createTokenFor,
  endToken,
  findTokens,
} from '../../engine/steps/api-tokens/operate-tokens.ts';
import type { Surroundings } from '../line/command.ts';
import { readId, readInstant, UsageError } from '../line/flags.ts';
import { table } from '../line/report.ts';
import { type FlagReader, operatorCommand, type VerbWork } from '../line/verbs.ts';

const help = `svc tokens: API tokens, the passwords of merchants' programs

  svc tokens list [--client ID]
                  every token that authenticates, with owner and last use; never a value
  svc tokens create --client ID --user ADDRESS --name NAME
                  makes a token of a member of the merchant, and prints its value once
  svc tokens revoke --token ID
                  ends a token at once, in every process

Its owner's role decides what a token may do. It needs the settings of the service.

  --description TEXT  up to 255 characters
  --scopes LIST       limits the token to these scopes, separated by commas
  --expires-at TIME   a day or a time; by default the token does not expire
  --database URL      the database; overrides DATABASE_URL
  --data DIR          the data folder of npm start (default .svc); overrides environment variables
`;

const flags = ['client', 'user', 'name', 'description', 'scopes', 'expires-at', 'token'] as const;

type Text = FlagReader<(typeof flags)[number]>;

export const tokensCommand = operatorCommand({
  name: 'tokens',
  summary: 'list, create and revoke API tokens',
  help,
  flags,
  verbs: { list, create, revoke },
});

function list(text: Text, { out }: Surroundings): VerbWork {
  const clientId = text('client') === undefined ? null : readId('client', text('client'));
  return async (ports) => {
    const lines = (await findTokens(clientId, ports)).map((token) => [
      token.id,
      token.clientId,
      token.email,
      oneLine(token.name),
      token.lastUsedAt?.toISOString() ?? 'never used',
      token.expiresAt?.toISOString() ?? 'never ends',
      token.scopes?.join(',') ?? 'as the role',
    ]);
    const titles = ['token', 'client', 'owner', 'name', 'last used', 'ends', 'scopes'];
    out.write(table([titles, ...lines]));
    return 0;
  };
}

function create(text: Text, { out, err }: Surroundings): VerbWork {
  const clientId = readId('client', text('client'));
  const email = text('user');
  if (email === undefined) throw new UsageError('--user is missing: the address of a member');
  const name = readTokenName(text('name') ?? '');
  if (name === undefined) throw new UsageError('--name is missing: 1 to 100 characters');
  const description = text('description') ?? null;
  if (description !== null && !isTokenDescription(description)) {
    throw new UsageError('--description is at most 255 characters long');
  }
  const end = text('expires-at');
  const expiresAt = end === undefined ? null : readInstant('expires-at', end);
  const terms = { name, description, expiresAt, scopes: readScopes(text('scopes')) };
  return async (ports) => {
    const issued = await createTokenFor({ clientId, email, ...terms }, ports);
    if (issued.kind !== 'issued') {
      err.write(`svc tokens: ${refusals[issued.kind]}\n`);
      return 1;
    }
    out.write(
      `token  ${issued.token.id}\nvalue  ${issued.value}\n       shown only once: store it now\n`,
    );
    return 0;
  };
}

const refusals = {
  not_a_member:
    'nobody of this address is a member of the client and may sign in; an invitation has to be accepted first',
  over: '--expires-at is over already',
  too_many: 'this member has ten active tokens for the client; revoke one first',
  crowded: 'too many tokens were made for this person within an hour; wait',
} as const;

function revoke(text: Text, { out, err }: Surroundings): VerbWork {
  const id = readId('token', text('token'));
  return async (ports) => {
    if (!(await endToken(id, ports))) {
      err.write(`svc tokens: there is no token ${id}\n`);
      return 1;
    }
    out.write(`${id} is revoked\n`);
    return 0;
  };
}

type TokenScope = (typeof tokenScopes)[number];

function readScopes(text: string | undefined): TokenScope[] | null {
  if (text === undefined) return null;
  const given = [...new Set(text.split(',').map((one) => one.trim()))];
  const known = given.map((one) => tokenScopes.find((scope) => scope === one));
  const wrong = given.find((_, at) => known[at] === undefined);
  if (wrong !== undefined) {
    throw new UsageError(`--scopes: ${wrong || 'nothing'} is none of ${tokenScopes.join(', ')}`);
  }
  return known.flatMap((scope) => scope ?? []);
}
