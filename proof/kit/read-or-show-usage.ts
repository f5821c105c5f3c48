/**
 * Returns the result of `read`, the options of a command line. `--help` and invalid options print
 * the usage and exit.
 */
export function readOrShowUsage<T>(usage: string, read: () => T): T {
  if (process.argv.includes('--help')) {
    console.log(usage);
    process.exit(0);
  }
  try {
    return read();
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    console.error(said.includes(usage) ? said : `${said}\n\n${usage}`);
    process.exit(2);
  }
}
