import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventTypes } from '../../../contract/src/rows/event-types.ts';
import { checkEventPages } from './event-pages.ts';

const project = join(import.meta.dirname, '../../..');
const [guide, reference] = ['docs/guides/webhooks.md', 'docs/reference/events.md'] as const;

it('the guide and the reference of events say what the contract says, of every type', () => {
  expect(checkEventPages(project)).toEqual([]);
  const [, table = ''] =
    /\n\| Type +\|.*\n((?:\|.*\n)+)/.exec(readFileSync(join(project, guide), 'utf8')) ?? [];
  const told = [...table.matchAll(/^\| \[`([^`]+)`\]/gm)].map(([, type]) => type);
  expect(told.toSorted()).toEqual(eventTypes.toSorted());
  const page = readFileSync(join(project, reference), 'utf8');
  for (const type of eventTypes) expect(page).toContain(`\n## \`${type}\`\n`);
});

it('a changed word of either page is seen, and a page that is missing', () => {
  const root = mkdtempSync(join(tmpdir(), 'svc-event-pages-'));
  try {
    for (const path of [guide, reference]) cpSync(join(project, path), join(root, path));
    expect(checkEventPages(root)).toEqual([]);
    const text = readFileSync(join(root, guide), 'utf8');
    writeFileSync(join(root, guide), text.replace('the hold ran out', 'the hold ended'));
    expect(checkEventPages(root)).toEqual([expect.stringContaining(`${guide} is not up to date`)]);
    writeFileSync(join(root, guide), text);
    const page = readFileSync(join(root, reference), 'utf8');
    writeFileSync(join(root, reference), page.replace('"paymentId"', '"payment"'));
    expect(checkEventPages(root)).toEqual([expect.stringContaining(reference)]);
    rmSync(join(root, reference));
    expect(checkEventPages(root)).toEqual([expect.stringContaining(reference)]);
  } finally {
    rmSync(root, { recursive: true });
  }
});
