import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { givenSettings } from './given.ts';

describe('givenSettings', () => {
  it('limits, metrics and alerts are passed on, all of them and nothing else', () => {
    const passed = {
      ...{ SVC_LIMITS: 'off', SVC_LIMIT_PROCESS_ADDRESS: '1000', SVC_METRICS_PORT: '9464' },
      ...{ SVC_ALERT_URL: 'http://x', SVC_OPERATOR_EMAIL: 'ops@example.test' },
    };
    const others = { PATH: '/bin', SVC_STARTED_AT: '1', DATABASE_URL: 'postgres://x' };
    expect(givenSettings({ ...passed, ...others })).toEqual({ passed, warning: null });
  });

  it('says nothing of what the entry itself tells', () => {
    const folder = join(import.meta.dirname, '../../entry');
    const told = readdirSync(folder).flatMap((name) => {
      return readFileSync(join(folder, name), 'utf8').match(/\bSVC_[A-Z_]+/g) ?? [];
    });
    expect(told).toContain('SVC_TIED_TO');
    const env = Object.fromEntries(told.map((name) => [name, '1']));
    expect(givenSettings(env)).toEqual({ passed: {}, warning: null });
  });

  it('one line about what is not used, with the limit that was meant', () => {
    const env = { SVC_PORT: '1', SVC_LIMIT_PROCESS_ADRESS: '9' };
    const { passed, warning } = givenSettings(env);
    expect(passed).toEqual({});
    expect(warning).toContain(
      'SVC_PORT, SVC_LIMIT_PROCESS_ADRESS (did you mean SVC_LIMIT_PROCESS_ADDRESS?)',
    );
    expect(warning).not.toContain('\n');
  });
});
