import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testsReachedBy } from './changed-tests.ts';

const reach = (...changed: string[]) =>
  testsReachedBy(join(import.meta.dirname, '../../..'), changed);

describe('testsReachedBy', () => {
  it('takes what imports the file, directly or through other files', () => {
    const found = reach('service/src/domain/money/money.ts');
    expect(found).toContain('service/src/domain/money/money.test.ts');
    expect(found).toContain('service/src/operations/payments/capture-payment.test.ts');
    expect(found).not.toContain('tools/src/free-port.test.ts');
  });

  it('beyond a list of everything, takes only what is about the file', () => {
    const found = reach('service/src/operations/notes/create-note.ts') ?? [];
    expect(found).toContain('service/src/operations/notes/notes.test.ts');
    expect(found).not.toContain('service/src/operations/coupons/coupons.test.ts');
    expect(found.length).toBeLessThan(20);
  });

  it('takes what starts the file as a process', () => {
    expect(reach('service/src/svc.ts')).toContain('service/src/cli/lost-database.test.ts');
  });

  it('takes what reads the folder of a migration', () => {
    expect(reach('service/migrations/0001_baseline.sql')).toContain(
      'service/src/operations/payments/capture-payment.test.ts',
    );
  });

  it('takes a test that changed itself, and nothing for a page of documentation that no test reads', () => {
    expect(reach('tools/src/quick-tests.test.ts')).toContain('tools/src/quick-tests.test.ts');
    expect(reach('docs/pictures/none.png')).toEqual([]);
  });

  it('names no tests where everything may depend on the file', () => {
    expect(reach('package-lock.json')).toBeUndefined();
    expect(reach('service/package.json', 'docs/guides/speed.md')).toBeUndefined();
    expect(reach('vitest.config.ts')).toBeUndefined();
  });
});
