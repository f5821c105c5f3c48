// Runs the program of the guide to agents, unchanged, with a person's consent.

import { spawn } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { aClient, aToken, freshDatabase, type TestDatabase } from '../../service/test/harness.ts';
import {
  anApplication,
  Browser,
  decide,
  type OauthWorld,
  startOauth,
} from '../../service/test/people/oauth.ts';
import { freePort } from '../chaos/free-port.ts';

// Written beside this test, where its package can be resolved.
const program = join(import.meta.dirname, `.agent-${process.pid}.mjs`);

let test: TestDatabase;
let world: OauthWorld;
beforeAll(async () => {
  test = await freshDatabase();
  world = await startOauth(test);
});
afterAll(async () => {
  await rm(program, { force: true });
  await world.server.close();
  await test.close();
});

/** Writes the program with a free port. */
async function writeProgram(): Promise<void> {
  const guide = await readFile(join(import.meta.dirname, '../../docs/guides/agents.md'), 'utf8');
  const [, code = ''] = /```js\n([\s\S]*?)```/.exec(guide) ?? [];
  expect(code).toContain('8765');
  await writeFile(program, code.replaceAll('8765', String(await freePort())));
}

it('the agent of the guide is let in with the id of a public application, and reads', async () => {
  const client = await aClient(test.database);
  const owner = await aToken(test.database, client);
  const { id } = await anApplication(world.ports, owner, {
    redirectUris: ['http://127.0.0.1/callback'],
    scopes: ['payments:read'],
  });
  await writeProgram();
  const agent = spawn(process.execPath, [program], {
    env: { SVC: world.baseUrl, APPLICATION_ID: id },
  });
  let said = '';
  const sentTo = new Promise<string>((resolve) => {
    agent.stdout.on('data', (bytes) => {
      said += String(bytes);
      const [, url] = /Open (\S+)\n/.exec(said) ?? [];
      if (url) resolve(url);
    });
  });
  const complaints = text(agent.stderr);
  const ended = new Promise((resolve) => agent.on('close', resolve));
  const url = await Promise.race([sentTo, complaints.then((said) => Promise.reject(said))]);
  const browser = new Browser(world.baseUrl);
  await browser.signIn(world.ports, { id: owner.userId });
  const page = await browser.go(new URL(url));
  const answer = await decide(browser, page, { decision: 'allow', clientId: client.id });
  const back = await browser.go(answer.body.redirectTo);
  expect((await fetch(back)).status).toBe(200);
  expect(await ended, await complaints).toBe(0);
  expect(said).toContain('get_payment_timeline');
  expect(said).not.toContain('list_products');
  expect(said).toContain('total: 0');
});
