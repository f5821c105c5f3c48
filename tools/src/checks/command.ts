import { spawn } from 'node:child_process';

/** `output` is all that was said as it came; `out` its standard output alone. */
export type Ran = { code: number; output: string; out: string };

/** Runs a program to its end and keeps what it said; `live` also shows it as it comes. */
export function runCommand(
  cwd: string,
  [program = '', ...args]: readonly string[],
  options: { live?: boolean; env?: NodeJS.ProcessEnv } = {},
): Promise<Ran> {
  return new Promise((resolve) => {
    const env = { ...process.env, ...options.env };
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    // Whoever stops us stops what we wait for; its end then ends us.
    const pass = (signal: NodeJS.Signals) => child.kill(signal);
    process.on('SIGINT', pass).on('SIGTERM', pass);
    let output = '';
    let out = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk;
        if (stream === child.stdout) out += chunk;
        if (options.live) process.stdout.write(chunk);
      });
    }
    const end = (code: number) => {
      process.off('SIGINT', pass).off('SIGTERM', pass);
      resolve({ code, output, out });
    };
    child.once('error', (error) => {
      output += error.message;
      end(1);
    });
    child.once('close', (code) => end(code ?? 1));
  });
}
