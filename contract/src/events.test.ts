import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventTypes } from './events.ts';

describe('the guide of webhooks', () => {
  it('tells of every event type in its table, and of no other', () => {
    const guide = readFileSync(`${import.meta.dirname}/../../docs/guides/webhooks.md`, 'utf8');
    const [, table = ''] = /\n\| Type +\|.*\n((?:\|.*\n)+)/.exec(guide) ?? [];
    const told = [...table.matchAll(/^\| ([^|]+)\|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, type]) => type),
    );
    expect(told.toSorted()).toEqual(eventTypes.toSorted());
  });
});
