// The sandbox as a process: settings from the environment, one line of JSON on stdout once it listens, or
// one clear line on stderr when it cannot start.
import { type SandboxOptions, startSandbox } from './index.ts';
import { explainFailure, makeFolderOf } from './process.ts';

const names = { port: 'SANDBOX_PORT', file: 'SANDBOX_FILE' };

class BadSetting extends Error {}

const readWhole = (name: string, limit: number): number | undefined => {
  const value = process.env[name];
  if (value === undefined || value === '') return undefined;
  if (/^\d{1,9}$/.test(value) && Number(value) <= limit) return Number(value);
  throw new BadSetting(`${name} must be a whole number from 0 to ${limit}, not "${value}"`);
};

const readMode = (): 'guarded' | 'unguarded' => {
  const mode = process.env.SANDBOX_MODE || 'guarded';
  if (mode === 'guarded' || mode === 'unguarded') return mode;
  throw new BadSetting(`SANDBOX_MODE must be guarded or unguarded, not "${mode}"`);
};

const readLimits = (): { limits?: null } => {
  const given = process.env.SANDBOX_LIMITS || 'on';
  if (given === 'on') return {};
  if (given === 'off') return { limits: null };
  throw new BadSetting(`SANDBOX_LIMITS must be on or off, not "${given}"`);
};

const readListeners = (): { url: string; secret: string }[] => {
  const url = process.env.SANDBOX_CLOCK_LISTENER_URL;
  const secret = process.env.SANDBOX_CLOCK_LISTENER_SECRET;
  if (!url) return [];
  if (!URL.canParse(url)) throw new BadSetting('SANDBOX_CLOCK_LISTENER_URL is not a URL');
  if (!secret) throw new BadSetting('SANDBOX_CLOCK_LISTENER_SECRET is missing');
  return [{ url, secret }];
};

const readOptions = (): SandboxOptions => {
  const port = readWhole('SANDBOX_PORT', 65_535);
  const latencyMs = readWhole('SANDBOX_LATENCY_MS', 60_000);
  const { SANDBOX_HOST: host, SANDBOX_FILE: file, SANDBOX_SEED: seed } = process.env;
  return {
    mode: readMode(),
    clockListeners: readListeners(),
    ...readLimits(),
    ...(port === undefined ? {} : { port }),
    ...(latencyMs === undefined ? {} : { latencyMs }),
    ...(host ? { host } : {}),
    ...(file ? { file } : {}),
    ...(seed ? { seed } : {}),
  };
};

const run = async (): Promise<void> => {
  let options: SandboxOptions | undefined;
  try {
    options = readOptions();
    makeFolderOf(options.file);
    const sandbox = await startSandbox(options);
    console.log(JSON.stringify({ ready: true, url: sandbox.url }));
    let isClosing = false;
    const stopSandbox = () => {
      if (isClosing) return;
      isClosing = true;
      sandbox.close().then(
        () => process.exit(0),
        (error: unknown) => {
          process.stderr.write(`sandbox: ${explainFailure(error, options, names)}\n`);
          process.exit(1);
        },
      );
    };
    process.on('SIGTERM', stopSandbox);
    process.on('SIGINT', stopSandbox);
  } catch (error) {
    process.stderr.write(`sandbox: ${explainFailure(error, options, names)}\n`);
    process.exit(1);
  }
};

await run();
