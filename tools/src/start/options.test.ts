import { describe, expect, it } from 'vitest';
import { readOptions } from './options.ts';

describe('who takes the card', () => {
  it.each([
    [[], 'own-vault'],
    [['--driver', 'provider-fields'], 'provider-fields'],
    [['--driver=own-vault'], 'own-vault'],
  ])('%j: %s', (args, driver) => {
    expect(readOptions(args).driver).toBe(driver);
  });

  it.each([[['--driver', 'hosted']], [['--driver', '']]])('%j: nobody', (args) => {
    expect(() => readOptions(args)).toThrow('--driver must be own-vault or provider-fields');
  });
});

describe('thirty days of payments in a new database', () => {
  it.each([
    [[], true],
    [['--no-demo-data'], false],
  ])('%j: %s', (args, hasDemoData) => {
    expect(readOptions(args).hasDemoData).toBe(hasDemoData);
  });
});

describe('the data folder that is named', () => {
  it.each([[['--data', '/tmp/a=b']], [['--data=/tmp/a=b']]])('%j: whole', (args) => {
    expect(readOptions(args).folder).toBe('/tmp/a=b');
  });

  // An empty value comes from a variable that is not set: keys and database would be written among
  // the sources.
  it.each([[['--data', '']], [['--data=']]])('%j: none', (args) => {
    expect(() => readOptions(args)).toThrow('--data names no folder');
  });
});
