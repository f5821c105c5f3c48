import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';

/** `output` is all output in the order in which it came, `out` only the standard output. */
export type ProgramResult = { code: number; output: string; out: string };

/**
 * Runs a program to its end and returns its output. `live` also prints the output as it comes. One that is
 * `isPatient` gives way to the tests, whose bounds on time it must not break.
 */
export function runCommand(
  cwd: string,
  [program = '', ...args]: readonly string[],
  options: { live?: boolean; isPatient?: boolean; env?: NodeJS.ProcessEnv } = {},
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const env = { ...process.env, ...options.env };
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    if (options.isPatient && child.pid) setPriority(child.pid, 10);
    // Signals are passed on to the child: its end then ends this process.
    const passSignal = (signal: NodeJS.Signals) => child.kill(signal);
    process.on('SIGINT', passSignal).on('SIGTERM', passSignal);
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
      process.off('SIGINT', passSignal).off('SIGTERM', passSignal);
      resolve({ code, output, out });
    };
    child.once('error', (error) => {
      output += error.message;
      end(1);
    });
    child.once('close', (code) => end(code ?? 1));
  });
}
