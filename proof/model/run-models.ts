// Runs both layers of the model for the soak, each with a number of runs.

export { runApiModel } from './run-api.ts';
export { runPureModel } from './run-pure.ts';
