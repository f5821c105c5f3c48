/** What `read` makes of the command line. `--help` and options that make no sense end in the usage. */
export function orUsage<T>(usage: string, read: () => T): T {
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
