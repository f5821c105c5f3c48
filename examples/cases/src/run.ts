// `npm run example <case>`: starts a case against what `npm start` has running, whose settings stand
// in its data folder (SVC_RUNNING names another file). PORT is the case's own, 3000 unless given.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');
const cases = readdirSync(import.meta.dirname)
  .map((name) => name.replace(/\.ts$/, ''))
  .filter((name) => !['merchant', 'run'].includes(name) && !name.includes('.'));

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

const [name = ''] = process.argv.slice(2);
if (!cases.includes(name)) fail(`npm run example <case>; cases: ${cases.join(', ')}`);

const file = process.env.SVC_RUNNING || join(root, '.svc/running.json');
if (!existsSync(file))
  fail(
    `Nothing is running: npm start comes first (looked for ${file}). After npm start -- --data DIR, set ` +
      'SVC_RUNNING=DIR/running.json.',
  );
const running = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;

const library = join(root, 'libraries/browser/dist');
if (!existsSync(library)) {
  execFileSync(process.execPath, [join(root, 'libraries/browser/build.ts')], { stdio: 'inherit' });
}
Object.assign(process.env, {
  SVC_API_URL: running.apiUrl,
  SVC_SANDBOX_URL: running.sandboxUrl,
  SVC_CLIENT_ID: running.clientId,
  SVC_API_TOKEN: running.apiToken,
  SVC_PROVIDER_SECRET_KEY: running.providerSecretKey,
  SVC_USER_ID: running.userId,
  SVC_USER_EMAIL: 'ada@example.com',
  SVC_BROWSER_LIBRARY: library,
});
await import(`./${name}.ts`);
