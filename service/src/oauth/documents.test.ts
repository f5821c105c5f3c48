// Documents that strangers make us fetch, over HTTP, many at once.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../test/harness.ts';
import { type OauthWorld, startOauth } from '../../test/people/oauth.ts';
import { openBudgets } from './budgets.ts';
import { openDocuments } from './documents.ts';

let test: TestDatabase;
let world: OauthWorld;
beforeAll(async () => {
  test = await freshDatabase();
  world = await startOauth(test, { isLimited: true });
});
afterAll(async () => {
  await world?.server.close();
  await test?.close();
});

const none = { status: null, body: Buffer.alloc(0), headers: {} };

describe('documents of applications', () => {
  it.each(['token', 'revoke', 'introspect'])(
    '429 at /oauth/%s after twenty a minute, one address',
    async (path) => {
      const before = world.fetched.length;
      const answers = await Promise.all(
        Array.from({ length: 30 }, async (_, at) => {
          const client_id = `https://many.example.test/${path}/${at}`;
          const body = new URLSearchParams({ client_id, grant_type: 'refresh_token', token: 'x' });
          const answer = await fetch(`${world.baseUrl}/oauth/${path}`, { method: 'POST', body });
          return { status: answer.status, retryAfter: answer.headers.get('retry-after') };
        }),
      );
      // All three ways share the limit per minute.
      expect(world.fetched.length).toBeLessThanOrEqual(before === 0 ? 20 : before);
      const refused = answers.filter(({ status }) => status === 429);
      expect(refused.length).toBeGreaterThanOrEqual(10);
      for (const { retryAfter } of refused) expect(Number(retryAfter)).toBeGreaterThan(0);
    },
  );

  it('429 beyond sixteen at once, whoever asks; then again', async () => {
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    let open = 0;
    const answerSlowly = async () => {
      open += 1;
      await isOver;
      return none;
    };
    const documents = openDocuments(answerSlowly, openBudgets(true).documents);
    const asked = Array.from({ length: 20 }, (_, at) =>
      documents.fetch(`https://x.example.test/${at}`, at % 2 ? `192.0.2.${at}` : null),
    );
    const outcomes = Promise.allSettled(asked);
    await expect(asked[16]).rejects.toMatchObject({ code: 'rate_limited' });
    expect(open).toBe(16);
    end();
    expect((await outcomes).filter(({ status }) => status === 'fulfilled')).toHaveLength(16);
    expect(await documents.fetch('https://x.example.test/again', null)).toEqual(none);
  });
});
