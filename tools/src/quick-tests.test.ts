import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { quickTests } from './quick-tests.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-quick-'));
afterAll(() => rmSync(root, { recursive: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
}

describe('quickTests', () => {
  it('takes what reaches no server, and leaves what does, directly or through other files', () => {
    write({
      'package.json': '{ "name": "all", "workspaces": ["service", "tools", "sandbox"] }',
      'service/package.json': '{ "name": "@svc/service", "exports": { "./*": "./src/*.ts" } }',
      'tools/package.json': '{ "name": "@svc/tools", "exports": { "./*": "./src/*.ts" } }',
      'sandbox/package.json':
        '{ "name": "@svc/sandbox", "exports": { ".": { "import": "./src/index.ts" } } }',
      'service/src/money.ts': "import { isIP } from 'node:net';",
      'service/src/pure.test.ts': "import './money.ts';\nimport type { A } from '@svc/sandbox';",
      'service/test/fixture.ts': "import {\n  clone,\n} from '@svc/tools/test-database/index';",
      'service/src/database.test.ts': "import { world } from '../test/fixture.ts';",
      'service/src/lazy.test.ts': "const world = await import('../test/fixture.ts');",
      'service/src/again.test.ts': "export * from '../test/fixture.ts';",
      'service/src/sandbox.test.ts': "import { start } from '@svc/sandbox';",
      'service/src/page.test.tsx': "import { chromium } from 'playwright-core';",
      'service/src/http.test.ts': "import { createServer } from 'node:http';",
      'service/test/stub.ts': "import { spawn } from 'node:child_process';",
      'service/src/stub.test.ts': "import '../test/stub.ts';",
      'tools/src/test-database/index.ts': '',
      'sandbox/src/index.ts': '',
    });
    expect(quickTests(root)).toEqual(['service/src/pure.test.ts']);
  });

  it('the project has many of them', () => {
    const found = quickTests(join(import.meta.dirname, '../..'));
    expect(found.length).toBeGreaterThan(80);
    expect(found).toContain('service/src/domain/money/money.test.ts');
  });
});

describe('a test of the project "quick"', () => {
  // What no import tells: this very file runs in that project.
  const net = process.getBuiltinModule('node:net');
  const children = process.getBuiltinModule('node:child_process');

  it('opens no server', () => {
    expect(() => net.createServer().listen(0)).toThrow(/"quick" opened a server/);
  });

  it('starts no process', () => {
    expect(() => children.spawn(process.execPath, ['-v'])).toThrow(/"quick" started a process/);
    expect(() => children.execFile(process.execPath, ['-v'])).toThrow(/started a process/);
  });
});
