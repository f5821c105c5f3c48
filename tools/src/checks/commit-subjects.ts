// Commit subjects: `type(scope): what changed`, at most 72 characters. Checked from the commit that added
// this file.

import { runCommand } from './command.ts';

const form = /^(feat|fix|refactor|perf|test|docs|build|ci|chore|style)(\([a-z0-9-]+\))?!?: \S/;
const longest = 72;
const ownFile = 'tools/src/checks/commit-subjects.ts';

/** Returns a line for each subject that breaks the rule. `commits` are `hash subject`. */
export function judgeSubjects(commits: readonly string[]): string[] {
  return commits.flatMap((commit) => {
    const subject = commit.slice(commit.indexOf(' ') + 1);
    const wrong = [
      ...(form.test(subject) ? [] : ['is not "type(scope): what changed"']),
      ...(subject.length > longest ? [`has ${subject.length} characters, at most ${longest}`] : []),
    ];
    return wrong.map((one) => `${commit}: ${one}`);
  });
}

/**
 * Returns an empty text when the sources are no clone, or when its history does not reach the first checked
 * commit.
 */
export async function checkCommits(root: string): Promise<string> {
  const git = async (...args: string[]): Promise<string[]> => {
    const { code, output } = await runCommand(root, ['git', ...args]);
    return code === 0 ? output.split('\n').filter((line) => line !== '') : [];
  };
  const [first] = await git('log', '--diff-filter=A', '--format=%H', '-1', '--', ownFile);
  if (!first) return '';
  const commits = await git('log', '--no-merges', '--format=%h %s', `${first}..HEAD`);
  return judgeSubjects(commits).join('\n');
}
