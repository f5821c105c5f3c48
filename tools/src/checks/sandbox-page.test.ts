import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../../sandbox/src/index.ts';
import { sandboxPage, writeSandboxPage } from './sandbox-page.ts';

const page = readFileSync(join(import.meta.dirname, '../../..', sandboxPage), 'utf8');
const [served = '', rest = ''] = page.split('\n## What it does not have\n');
const [missing = ''] = rest.split('\n## ');

let sandbox: Sandbox;
let key = '';
beforeAll(async () => {
  sandbox = await startSandbox({ limits: null });
  const answer = await fetch(`${sandbox.url}/_control/accounts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"name":"page"}',
  });
  ({ secretKey: key } = (await answer.json()) as { secretKey: string });
});
afterAll(() => sandbox.close());

type Answer = { status: number; error?: { code?: string; param?: string; message?: string } };

const call = async (operation: string, form = ''): Promise<Answer> => {
  const [method = '', template = ''] = operation.split(' ');
  const path = template.replaceAll(':id', 'none_1');
  const isWrite = method === 'POST';
  const answer = await fetch(`${sandbox.url}${path}${isWrite || !form ? '' : `?${form}`}`, {
    method,
    headers: { authorization: `Bearer ${key}` },
    ...(isWrite ? { body: new URLSearchParams(form) } : {}),
  });
  return { status: answer.status, ...((await answer.json()) as object) };
};

/** Each served call with the names of a line below it. */
const linesOf = (word: string): [string, string[]][] =>
  served.split('\n- ').flatMap((part): [string, string[]][] => {
    const operation = /^`(\w+ \/v1\/[^`]+)`/.exec(part)?.[1];
    const line = new RegExp(`\\n {2}- ${word} (.+)`).exec(part)?.[1] ?? '';
    const names = [...line.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
    return operation && names.length > 0 ? [[operation, names]] : [];
  });

const isUnknown = ({ error }: Answer, name: string) =>
  error?.code === 'parameter_unknown' && error.param === name;

describe('docs/reference/sandbox.md', () => {
  it('is what the code says', () => {
    expect(page === writeSandboxPage(), 'node tools/src/checks/sandbox-page.ts --write').toBe(true);
  });

  it('each parameter that it calls refused is refused by name', async () => {
    const lines = linesOf('refuses');
    const taken: string[] = [];
    for (const [operation, names] of lines) {
      await Promise.all(
        names.map(async (name) => {
          const answer = await call(operation, `${name}=x`);
          const isEnded = answer.error?.code?.endsWith('no_longer_supported');
          if (!isUnknown(answer, name) && !isEnded) taken.push(`${operation} ${name}`);
        }),
      );
    }
    expect(taken).toEqual([]);
    expect(lines.flatMap(([, names]) => names).length).toBeGreaterThan(100);
  });

  it('each parameter that it calls taken is known', async () => {
    const lines = linesOf('takes');
    const refused: string[] = [];
    for (const [operation, names] of lines) {
      await Promise.all(
        names.map(async (name) => {
          if (isUnknown(await call(operation, `${name}=x`), name)) {
            refused.push(`${operation} ${name}`);
          }
        }),
      );
    }
    expect(refused).toEqual([]);
    expect(lines.length).toBeGreaterThan(50);
  });

  it('404 for each call that it calls missing', async () => {
    const operations = [...missing.matchAll(/^- `(\w+ \/v1\/[^`]+)`/gm)].map(([, one = '']) => one);
    const there: string[] = [];
    for (const operation of operations) {
      const { status, error } = await call(operation);
      if (status !== 404 || !error?.message?.startsWith('Unrecognized')) there.push(operation);
    }
    expect(there).toEqual([]);
    expect(operations.length).toBeGreaterThan(30);
  });
});
