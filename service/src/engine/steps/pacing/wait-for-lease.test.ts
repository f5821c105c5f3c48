import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { leaseWaitMs } from './wait-for-lease.ts';

it('waits as long as the contract says', () => {
  const contract = readFileSync(
    join(import.meta.dirname, '../../../../../docs/spec/contract.md'),
    'utf8',
  );
  expect(contract).toContain(`a duplicate waits up to ${leaseWaitMs / 1000} s, then 409`);
});
