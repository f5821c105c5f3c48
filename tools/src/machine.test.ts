import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { factorOf, factorVariable, machineFactor, scaled } from './machine.ts';

it('the slowest core decides, between 1 and 8', () => {
  expect(factorOf([20, 30])).toBe(1);
  expect(factorOf([68, 136])).toBe(2);
  expect(factorOf([100_000])).toBe(8);
});

it('a run measures once, and its workers and the runs that they start are told', () => {
  expect(Number(process.env[factorVariable])).toBe(machineFactor());
  expect(scaled(1000)).toBe(Math.ceil(1000 * machineFactor()));
});

it('a process that was told nothing measures by itself', () => {
  const code = `
    const { machineFactor, factorVariable } = await import(process.argv[1]);
    console.log(JSON.stringify([machineFactor(), Number(process.env[factorVariable])]));`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', code, join(import.meta.dirname, 'machine.ts')],
    { encoding: 'utf8', env: { ...process.env, [factorVariable]: '' } },
  );
  expect(stderr).toBe('');
  const [factor, told] = JSON.parse(stdout) as [number, number];
  expect(factor).toBeGreaterThanOrEqual(1);
  expect(factor).toBeLessThanOrEqual(8);
  expect(told).toBeCloseTo(factor, 2);
});
