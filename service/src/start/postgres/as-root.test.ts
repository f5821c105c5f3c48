import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { packageName } from './binaries.ts';
import {
  cleanUpAfterEach,
  isRoot,
  isRunning,
  newFolder,
  nobody,
  openFixture,
  query,
  shelters,
  startInProcess,
  startServer,
} from './test-fixture.ts';

cleanUpAfterEach();

describe.runIf(isRoot)('startPostgres, as root', () => {
  const native = join(
    createRequire(import.meta.url).resolve(packageName(process.platform, process.arch)),
    '../..',
  );

  it('a project below a folder that others cannot enter: moves out, and says so', async () => {
    const closed = mkdtempSync(join(tmpdir(), 'svc-closed-'));
    shelters.push(closed);
    chmodSync(closed, 0o700);
    const binaries = join(closed, 'native');
    cpSync(join(native, 'native'), binaries, { recursive: true, verbatimSymlinks: true });
    // Removes the links, as after `npm ci --ignore-scripts`.
    for (const name of readdirSync(join(binaries, 'lib'), { withFileTypes: true })) {
      if (name.isSymbolicLink()) rmSync(join(binaries, 'lib', name.name));
    }
    const said: string[] = [];
    const options = {
      dataDir: join(closed, 'data'),
      binaries,
      say: (line: string) => said.push(line),
    };
    const server = await startServer(options);
    shelters.push(server.home);
    expect(server.home).toMatch(/^\/var\/lib\/svc\/[0-9a-f]{12}$/);
    expect(said).toEqual([expect.stringContaining(server.home)]);
    // By this `svc doctor` tells a database whose data folder was removed.
    expect(readFileSync(join(server.home, 'data-folder'), 'utf8')).toBe(`${options.dataDir}\n`);
    await query(server.url('svc_owner'), 'create table kept (n int)');
    await server.stop();

    // When the folder becomes accessible later, the database stays where it is.
    chmodSync(closed, 0o755);
    const again = await startServer(options);
    expect(again.home).toBe(server.home);
    expect(await query(again.url('svc_owner'), 'table kept')).toEqual([]);
  });

  it('an ordinary user: starts as himself', async () => {
    const folder = newFolder();
    mkdirSync(folder);
    chownSync(folder, nobody, nobody);
    const { pid } = await startInProcess(folder, nobody);
    expect(statSync(`/proc/${pid}`).uid).toBe(nobody);
    // Root also finds that server.
    const server = await startServer({ dataDir: folder });
    expect(server).toMatchObject({ reused: true, pid });
    await server.stop();
    expect(isRunning(server)).toBe(false);
  });

  it('an ordinary user whose folder is not his: a clear refusal', async () => {
    const folder = newFolder();
    mkdirSync(folder, { mode: 0o755 });
    expect(await startInProcess(folder, nobody)).toEqual({
      refused: expect.stringMatching(/Cannot write to the data folder .* \(EACCES\)/),
    });
  });

  it('libraries that the user cannot link: a copy is made', async () => {
    const binaries = newFolder();
    cpSync(join(native, 'native'), binaries, { recursive: true, verbatimSymlinks: true });
    rmSync(join(binaries, 'lib/libicuuc.so.60'), { force: true });
    chmodSync(binaries, 0o755);
    const folder = newFolder();
    mkdirSync(folder);
    chownSync(folder, nobody, nobody);
    const project = newFolder();
    const scope = join(project, 'node_modules', packageName(process.platform, process.arch));
    mkdirSync(join(scope, 'dist'), { recursive: true });
    cpSync(join(native, 'package.json'), join(scope, 'package.json'));
    cpSync(join(native, 'dist/index.js'), join(scope, 'dist/index.js'));
    symlinkSync(binaries, join(scope, 'native'));
    const { node, source } = openFixture();
    const code = `
      const { startPostgres } = await import(${JSON.stringify(join(source, 'start/postgres/index.ts'))});
      const server = await startPostgres({ dataDir: process.argv[1], project: process.argv[2] });
      await server.stop();`;
    await promisify(execFile)(node, ['--input-type=module', '-e', code, folder, project], {
      uid: nobody,
      gid: nobody,
      cwd: '/',
    });
    expect(readdirSync(folder).filter((name) => name.startsWith('native-'))).toHaveLength(1);
  });
});
