// The order of the test files: files that take minutes begin first, so that the end of a run does
// not wait for one long file. The others keep vitest's order, larger files first.

import { relative } from 'node:path';
import { root } from '@svc/tools/start/options';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files or folders that take half a minute or more on two cores, the longest first. */
export const longFiles = [
  'proof/simulation/simulation.test.ts',
  'proof/planted-faults/planted-faults.test.ts',
  'proof/chaos/storms.test.ts',
  'tools/src/start/start.test.ts',
  'proof/chaos/kill-during-capture.test.ts',
  'pages/checkout/states.test.ts',
  'proof/journey/',
  'proof/model/api-model.test.ts',
  'proof/checkout/',
  'proof/chaos/crash-database.test.ts',
  'proof/removal/',
  'proof/merchant/',
  'proof/revocation/',
  'pages/dashboard/developers/webhooks.test.ts',
  'service/src/cli/operator/operations.test.ts',
  'proof/bench/bench.test.ts',
  'libraries/browser/src/challenge.test.ts',
  'service/src/main.test.ts',
  'pages/account/sign-in.test.ts',
  'pages/account/authorize.test.ts',
  'pages/customer/states.test.ts',
];

/** Returns the file's place among the long ones; the last place for any other file. */
export function placeOf(file: string): number {
  const found = longFiles.findIndex((path) => file.startsWith(path));
  return found < 0 ? longFiles.length : found;
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOfFile = ({ moduleId }: TestSpecification) =>
      placeOf(relative(root, moduleId).replaceAll('\\', '/'));
    const rest = await super.sort(files);
    return rest.sort((a, b) => placeOfFile(a) - placeOfFile(b));
  }
}
