// What of a refused body is parsed: that becomes strings, which nobody can wipe.

import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { postCard, startTestVault, type TestVault } from '../test/harness.ts';

let vault: TestVault;
beforeAll(async () => {
  vault = await startTestVault();
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => vault?.close());

it.each([
  ['a number in groups', { number: '4242 4242 4242 4242' }, 'number'],
  ['a number without quotes', { number: 4242424242424242 }, 'number'],
  ['a number in a list', { number: ['4242424242424242'] }, 'number'],
  ['a code with a blank', { number: '4242424242424242', cvc: '98 7' }, 'cvc'],
])('%s is refused without its digits', async (_, fields, param) => {
  const parse = vi.spyOn(JSON, 'parse');
  const { status, body } = await postCard(vault, fields);
  expect([status, body.code, body.param]).toEqual([400, 'invalid_request', param]);
  const parsed = parse.mock.calls.map(([text]) => String(text)).join();
  expect(parsed).toContain('mountToken');
  expect(parsed).not.toMatch(/4242|98 7/);
});
