// `npm run packages`: every combination in which a merchant's compiler may read the installed
// packages, and the command under each Node of the machine, one line each. The programs themselves run
// in packages.test.ts, the command's in command.test.ts. With `--write` it writes
// docs/reference instead.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileProject, findNodes, openFixture, root } from './fixture.ts';
import { typedProgram } from './programs.ts';
import { describeLibrary } from './reference.ts';

const resolutions = [
  { moduleResolution: 'nodenext', module: 'nodenext', files: ['shop.mts', 'shop.cts'] },
  { moduleResolution: 'node16', module: 'node16', files: ['shop.mts', 'shop.cts'] },
  { moduleResolution: 'bundler', module: 'esnext', files: ['shop.ts'] },
  { moduleResolution: 'bundler', module: 'preserve', files: ['shop.ts'] },
];
const surroundings = [
  { types: ['node'], lib: ['es2022', 'dom', 'dom.iterable'] },
  { types: [], lib: ['es2022', 'dom', 'dom.iterable'] },
];

const fixture = await openFixture();
try {
  if (process.argv.includes('--write')) writeReference();
  else if ((await tryAll()) + tryCommand() > 0) process.exitCode = 1;
} finally {
  fixture.close();
}

function writeReference(): void {
  for (const name of ['browser', 'server'] as const) {
    const file = join(root, `docs/reference/${name}-library.md`);
    writeFileSync(file, describeLibrary(fixture.installed[name]));
  }
}

/** Returns the number of combinations in which a compiler reports an error. */
async function tryAll(): Promise<number> {
  let failures = 0;
  for (const { files, ...resolution } of resolutions) {
    for (const around of surroundings) {
      for (const skipLibCheck of [false, true]) {
        const sources = Object.fromEntries(files.map((name) => [name, typedProgram]));
        const project = fixture.project('types', sources);
        const said = await compileProject(project, { ...resolution, ...around, skipLibCheck });
        const types = around.types.length > 0 ? "Node's types" : 'the web alone';
        const name = `${resolution.module}, ${resolution.moduleResolution}, ${types}`;
        console.log(`${said === '' ? 'ok ' : 'NOT'}  ${name}, skipLibCheck ${skipLibCheck}`);
        if (said === '') continue;
        failures += 1;
        console.log(said);
      }
    }
  }
  return failures;
}

/** Returns the number of Node versions in which the installed command does not start. */
function tryCommand(): number {
  let failures = 0;
  for (const { version, path } of findNodes()) {
    try {
      const file = join(fixture.installed.cli, 'bin/svc.js');
      const said = execFileSync(path, [file, '--version'], { encoding: 'utf8', stdio: 'pipe' });
      console.log(`ok   ${said.trim()}, Node ${version}`);
    } catch (error) {
      failures += 1;
      console.log(`NOT  svc --version, Node ${version}\n${(error as Error).message}`);
    }
  }
  return failures;
}
