/** The line of the log that tells of a worker's run that failed. `svc doctor` names it to the operator. */
export const workerFailure = 'a run of a worker failed';
