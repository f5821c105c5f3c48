// Loaded into every process of a start: when the starter is killed, its end of the channel closes, and the
// process stops in order.

if (process.channel) {
  // When the starter is killed, the reader of the log ends first; the process must still stop in order.
  process.stderr.on('error', () => undefined);
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  // The channel alone must not keep the process running.
  process.channel.unref();
}
