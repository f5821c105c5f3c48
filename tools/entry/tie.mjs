// Loaded into the process that an entry becomes: when the entry is killed so that it cannot pass
// anything on, this process stops as well, and stops what it has started.
if (process.env.SVC_TIED_TO === String(process.ppid) && process.channel) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  // The tie alone must not keep the process running.
  process.channel.unref();
}
