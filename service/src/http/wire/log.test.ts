import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gatherLines, openLog, redact, redactionCount } from './log.ts';
import { newRequestId } from './request-id.ts';

describe('redact', () => {
  it.each([
    '4242424242424242',
    '4242 4242 4242 4242',
    '4242-4242-4242-4242',
    '378282246310005',
    '4242%204242%204242%204242',
    'Card4242424242424242x',
    '6011000990139424123'.slice(0, 16),
    'svc_0123456789abcdefghij',
    'svc_whsec_abcdefgh12345678==',
    'whsec_abcdefgh12345678',
    'svcm_abcdefghij.k',
    'svct_abcdefghij',
    'sk_test_51abcdef',
    'rk_live_51abcdef',
    'Basic dXNlcjpwYXNzd29yZA==',
    'Bearer abcdefgh.ijk-l~m',
  ])('cuts out %s, and counts', (secret) => {
    const before = redactionCount();
    const line = redact(`{"error":"before ${secret} after"}`);
    expect(line).not.toContain(secret);
    expect(line).toContain('[redacted]');
    expect(redactionCount()).toBeGreaterThan(before);
  });

  it('cuts the password out of a database address', () => {
    expect(redact('postgres://user:hunter2@host/db')).toBe('postgres://user:[redacted]@host/db');
  });

  it('leaves an ordinary line alone', () => {
    const line = `{"time":"2026-01-31T12:00:00.123Z","requestId":"${newRequestId()}","clientId":"018f6e5c-b7a2-7c3e-9d41-a0b2c4d6e8f0","ms":12.5}`;
    expect(redact(line)).toBe(line);
  });

  it('takes linear time', () => {
    const start = process.threadCpuUsage();
    for (const part of ['1 ', '1-', 'a:', '://', 'svc_', 'Basic ', 'x://y'])
      redact(part.repeat(30_000));
    expect(process.threadCpuUsage(start).user / 1000).toBeLessThan(1000);
  });
});

describe('openLog', () => {
  it('a message cannot forge a second line', () => {
    const lines: string[] = [];
    const log = openLog('info', { write: (line) => void lines.push(line) });
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        lines.length = 0;
        log.info(text, { error: text });
        expect(lines).toHaveLength(1);
        expect(lines[0]?.trimEnd()).not.toMatch(/[\n\r]/);
      }),
    );
  });

  it('keeps its level', () => {
    const lines: string[] = [];
    const log = openLog('warn', { write: (line) => void lines.push(line) });
    log.debug('a');
    log.info('b');
    log.warn('c');
    log.error('d');
    expect(lines.map((line) => JSON.parse(line).level)).toEqual(['warn', 'error']);
  });
});

describe('gatherLines', () => {
  it('writes the lines of one turn at once, in order, and those of the next by themselves', async () => {
    const written: string[] = [];
    const sink = gatherLines({ write: (text: string) => written.push(text) });
    const waitOneTurn = () => new Promise((resolve) => setImmediate(resolve));
    sink.write('one\n');
    sink.write('two\n');
    expect(written).toEqual([]);
    await waitOneTurn();
    sink.write('three\n');
    await waitOneTurn();
    expect(written).toEqual(['one\ntwo\n', 'three\n']);
  });

  it('writes what is left when the process exits, whatever ends it', () => {
    const program = `
      const { gatherLines } = await import(${JSON.stringify(import.meta.resolve('./log.ts'))});
      const sink = gatherLines(process.stderr);
      sink.write('last words\\n');
      throw new Error('the end');`;
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program]);
    expect(stderr.toString()).toContain('last words\n');
  });
});

describe('newRequestId', () => {
  it('is req_ and 26 characters, later ones after earlier ones', () => {
    const ids = Array.from({ length: 2000 }, newRequestId);
    for (const id of ids) expect(id).toMatch(/^req_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(new Set(ids).size).toBe(ids.length);
    expect((ids[0] ?? '').slice(0, 14) <= (ids.at(-1) ?? '').slice(0, 14)).toBe(true);
  });
});
