// Flags of Node for the processes that serve. A heap that is collected early stays small, and leaving out
// one compiler saves its memory: without both the service uses twice as much under load. One thread to
// collect and compile: four of them would take both cores of a small machine from requests for ten
// milliseconds at a time. And objects of requests stay in the young generation: otherwise the first
// seconds, with little room, teach V8 to allocate them in the old generation, which is then collected as a
// whole about every second. With 16 MB for them a capture under load takes a fifth to a third less CPU than
// with 6, for 10 MB of memory. Without the middle compiler, code would run 3000 calls before it is optimised.
// docs/operating/running.md, Processes.
export const processFlags: readonly string[] = [
  '--disable-proto=delete',
  '--max-semi-space-size=16',
  '--no-parallel-scavenge',
  '--no-maglev',
  '--heap-growing-percent=40',
  '--v8-pool-size=1',
  '--no-allocation-site-pretenuring',
  '--invocation-count-for-turbofan=600',
];
export const processEnv: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: '1' };
