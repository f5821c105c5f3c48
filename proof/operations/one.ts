// One scene of the layer `operations`, or some of its faults: node proof/operations/one.ts SCENE [WORDS]

import { describe, missing, runScene } from './run-operations.ts';
import { scenes } from './scenarios.ts';

const [scene = '', words = ''] = process.argv.slice(2);
const why = scenes[scene] ? missing() : `one of: ${Object.keys(scenes).join('; ')}`;
if (why) {
  console.error(why);
  process.exit(2);
}
const failure = await runScene({
  ...{ scene, words, signal: new AbortController().signal },
  told(said) {
    console.log([describe(said), ...said.problems].join('\n  '));
    if (said.problems.length > 0) process.exitCode = 1;
  },
});
if (failure) {
  console.error(failure);
  process.exitCode = 1;
}
