// The order of the test files. A process that serves several files loads the product once, and vitest ends it as soon
// as the next file of the queue belongs to another project. So the files of a project follow each other. Within a
// project, those that take longest begin first, so that the end of a run does not wait for one long file; the others
// keep vitest's order, larger files first.

import { relative } from 'node:path';
import { readBudget } from '@svc/tools/levels/test-times';
import { root } from '@svc/tools/start/options';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const { files: seconds } = readBudget();

type Placed = Pick<TestSpecification, 'moduleId'> & { readonly project: { readonly name: string } };

/** Sorts by project, in the order of vitest.config.ts, then by seconds. */
export function inOrder<File extends Placed>(
  files: readonly File[],
  projects: readonly string[],
): File[] {
  const placeOf = ({ project }: File): number => projects.indexOf(project.name);
  const secondsOf = ({ moduleId }: File): number =>
    seconds[relative(root, moduleId).replaceAll('\\', '/')] ?? 0;
  return files.toSorted(
    (one, other) => placeOf(one) - placeOf(other) || secondsOf(other) - secondsOf(one),
  );
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const projects = this.ctx.projects.map(({ name }) => name);
    return inOrder(await super.sort(files), projects);
  }
}
