// Loaded into every process of a start: when the starter is killed, its end of the channel closes,
// and the process stops in order.

if (process.channel) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  // The tie alone must not keep the process running.
  process.channel.unref();
}
