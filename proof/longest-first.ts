// The order of the test files: those that take longest begin first, so that the end of a run does not wait
// for one long file. The others keep vitest's order, larger files first.

import { relative } from 'node:path';
import { readBudget } from '@svc/tools/levels/test-times';
import { root } from '@svc/tools/start/options';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const { files: seconds } = readBudget();

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const secondsOf = ({ moduleId }: TestSpecification): number =>
      seconds[relative(root, moduleId).replaceAll('\\', '/')] ?? 0;
    const rest = await super.sort(files);
    return rest.sort((one, other) => secondsOf(other) - secondsOf(one));
  }
}
