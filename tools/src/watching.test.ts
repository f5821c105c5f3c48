// The metrics, and what an operator is given to read them: guide, alert rules and dashboard name the same.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const sources = ['service/src/start/metrics.ts', 'vault/src/metrics.ts'].map(read).join('\n');
const defined = [...sources.matchAll(/(?:name: |lateMails = )'(svc_\w+)'/g)].map(
  ([, name]) => name as string,
);

/** The metrics that a text names, without the endings of a histogram's series. */
const namesIn = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(/\bsvc_\w+/g)].map(([name]) => name.replace(/_(bucket|count)$/, '')),
  ),
];

const rules = 'deploy/prometheus/svc-alerts.yml';

it.each([rules, 'deploy/grafana/svc-dashboard.json', 'docs/operating/watching.md'])(
  '%s names only metrics that there are',
  (path) => {
    const names = namesIn(read(path));
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => !defined.includes(name))).toEqual([]);
  },
);

it('the guide names every metric', () => {
  const named = namesIn(read('docs/operating/watching.md'));
  expect(defined.filter((name) => !named.includes(name))).toEqual([]);
});

it('each alert rule has a planted trouble and a case in health', () => {
  const alerts = [...read(rules).matchAll(/- alert: (\w+)/g)].map(([, name]) => name as string);
  const cases = read('deploy/prometheus/svc-alerts.test.yml');
  expect(alerts.length).toBeGreaterThan(10);
  for (const alert of alerts) {
    expect(cases).toContain(`- name: ${alert}\n`);
    expect(cases).toContain(`- name: ${alert}, in health\n`);
  }
});
