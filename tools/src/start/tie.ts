// Loaded into every process of a start: when the starter is killed, its end of the channel closes,
// and the process stops in order.

if (process.channel) {
  // Whoever reads the log ends first where the starter is killed; the stop is to be in order all the same.
  process.stderr.on('error', () => undefined);
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  // The tie alone must not keep the process running.
  process.channel.unref();
}
