// What the soak calls: both layers of the model, each with a budget of runs.

export { runApiModel } from './run-api.ts';
export { runPureModel } from './run-pure.ts';
