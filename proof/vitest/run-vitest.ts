// Runs test files in a vitest process of their own, and reads its report.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

export type RanTests = {
  readonly passed: number;
  /** Tests that a pattern of names left out. */
  readonly leftOut: number;
  readonly failures: readonly { readonly file: string; readonly title: string }[];
};

type Report = {
  readonly numTotalTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
};

type Options = {
  readonly env?: Readonly<Record<string, string>>;
  /** Aborts the run, which then throws. */
  readonly signal?: AbortSignal;
};

/** Throws when no test ran. */
export async function runVitest(args: readonly string[], options: Options = {}): Promise<RanTests> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-vitest-'));
  const file = join(folder, 'report.json');
  try {
    const { text } = await runNode(
      [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...args].concat(
        ...['--reporter', 'json', '--outputFile', file],
      ),
      options,
    );
    if (!existsSync(file)) throw new Error(`${args.join(' ')} did not run:\n${text}`);
    return judge(JSON.parse(readFileSync(file, 'utf8')) as Report, text);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function judge({ testResults, numTotalTests }: Report, text: string): RanTests {
  const tests = testResults.flatMap(({ name: file, assertionResults }) =>
    assertionResults.map(({ status, fullName: title }) => ({ file, title, status })),
  );
  if (numTotalTests === 0 || tests.length === 0) {
    throw new Error(`no test was run: ${testResults[0]?.message ?? text}`);
  }
  const failed = tests.filter(({ status }) => status === 'failed');
  // When a set-up fails, no single test fails.
  const broken = testResults
    .filter(({ status }) => status === 'failed')
    .map(({ name: file, message: title }) => ({ file, title }));
  const passed = tests.filter(({ status }) => status === 'passed').length;
  const leftOut = tests.filter(({ status }) => status !== 'passed' && status !== 'failed').length;
  return { passed, leftOut, failures: failed.length > 0 ? failed : broken };
}

/**
 * Runs a script of ours or of a package, with this process's environment without vitest's
 * variables.
 */
export function runNode(
  args: readonly string[],
  { env = {}, signal }: Options = {},
): Promise<{ code: number; text: string }> {
  return new Promise((resolve, reject) => {
    const own = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'));
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...Object.fromEntries(own), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        text += chunk;
      });
    }
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, text }));
  });
}
