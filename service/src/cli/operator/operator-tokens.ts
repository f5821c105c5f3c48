// Makes API tokens as `svc tokens` does, for `svc trigger`.

import { createTokenFor, endToken } from '../../engine/steps/api-tokens/operate-tokens.ts';
import { CommandError, type OperatorSurroundings, type TokenMaker } from '../line/command.ts';

const refusals = {
  not_a_member: 'nobody of this address is a member of the merchant',
  over: 'its end is over already',
  too_many: 'its owner has ten active ones',
  crowded: 'too many were made within an hour',
} as const;

/** Makes tokens in the database that is used when no flag names one. */
export function operatorTokens({ openPorts }: Pick<OperatorSurroundings, 'openPorts'>): TokenMaker {
  type Open = Awaited<ReturnType<OperatorSurroundings['openPorts']>>;
  const withPorts = async <T>(work: (ports: Open['ports']) => Promise<T>): Promise<T> => {
    const { ports, close } = await openPorts(undefined);
    try {
      return await work(ports);
    } finally {
      await close();
    }
  };
  return {
    create: (of) =>
      withPorts(async (ports) => {
        const terms = { ...of, description: null, expiresAt: null, scopes: null };
        const issued = await createTokenFor(terms, ports);
        if (issued.kind === 'issued') return issued.token.id;
        throw new CommandError(`no token was made: ${refusals[issued.kind]}`);
      }),
    revoke: (id) => withPorts(async (ports) => void (await endToken(id, ports))),
  };
}
