import { spawn } from 'node:child_process';

/** `output` is all output in the order in which it came, `out` only the standard output. */
export type ProgramResult = { code: number; output: string; out: string };

/** Runs a program to its end and returns its output. `live` also prints the output as it comes. */
export function runCommand(
  cwd: string,
  [program = '', ...args]: readonly string[],
  options: { live?: boolean; env?: NodeJS.ProcessEnv } = {},
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const env = { ...process.env, ...options.env };
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
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
