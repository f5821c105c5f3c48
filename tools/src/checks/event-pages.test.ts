import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventTypes } from '../../../contract/src/rows/event-types.ts';
import { checkEventPages } from './event-pages.ts';

const project = join(import.meta.dirname, '../../..');
const reference = 'docs/reference/events.md';

it('the reference of events says what the contract says, of every type', () => {
  expect(checkEventPages(project)).toEqual([]);
  const page = readFileSync(join(project, reference), 'utf8');
  for (const type of eventTypes) expect(page).toContain(`\n## \`${type}\`\n`);
});

it('a changed word of the page is seen, and a page that is missing', () => {
  const root = mkdtempSync(join(tmpdir(), 'svc-event-pages-'));
  try {
    cpSync(join(project, reference), join(root, reference));
    expect(checkEventPages(root)).toEqual([]);
    const page = readFileSync(join(root, reference), 'utf8');
    writeFileSync(join(root, reference), page.replace('"paymentId"', '"payment"'));
    expect(checkEventPages(root)).toEqual([expect.stringContaining(reference)]);
    rmSync(join(root, reference));
    expect(checkEventPages(root)).toEqual([expect.stringContaining(reference)]);
  } finally {
    rmSync(root, { recursive: true });
  }
});
