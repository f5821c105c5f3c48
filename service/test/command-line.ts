// What a command line needs beside a database, for commands that use none of it.

import type { Surroundings } from '../src/cli/command.ts';

export const nothingElse: Pick<Surroundings, 'env' | 'sendWebhook'> = {
  env: {},
  sendWebhook: async () => {
    throw new Error('this command sends no webhook');
  },
};
