import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Problem } from '../check-types.ts';
import { guideSteps } from './guide-steps.ts';

/** The output of a command, of stdout and then of stderr, and its exit code. */
export interface GuideOutcome {
  readonly code: number | null;
  readonly output: string;
}

/** A folder in which to follow a guide. */
export interface GuideFolder {
  readonly path: string;
  install(packages: readonly string[]): Promise<GuideOutcome> | GuideOutcome;
  shell(command: string): Promise<GuideOutcome> | GuideOutcome;
}

export interface FollowedGuide {
  readonly problems: readonly Problem[];
  /** The number of commands that ran, including installations. */
  readonly commands: number;
  /** The reasons why the other blocks were skipped. */
  readonly leftOut: readonly string[];
}

/** Follows a guide word for word, and reports each step that does not behave as the page says. */
export async function followGuide(file: string, markdown: string, folder: GuideFolder): Promise<FollowedGuide> {
  const problems: Problem[] = [];
  const leftOut: string[] = [];
  let [commands, output, written] = [0, '', ''];
  const report = (line: number, message: string): void => {
    problems.push({ file, line, message });
  };
  for (const step of guideSteps(file, markdown)) {
    const { line } = step;
    switch (step.kind) {
      case 'leave out':
        leftOut.push(step.because);
        break;
      case 'write':
        written = join(folder.path, step.file);
        mkdirSync(dirname(written), { recursive: true });
        writeFileSync(written, step.text);
        break;
      case 'edit': {
        if (step.file !== undefined) written = join(folder.path, step.file);
        const text = existsSync(written) ? readFileSync(written, 'utf8') : '';
        const { before, after } = step.hunk;
        if (text.split(before).length !== 2)
          report(line, 'the file that it edits has no such lines, or has them several times');
        else
          writeFileSync(
            written,
            text.replace(before, () => after),
          );
        break;
      }
      case 'install': {
        const installed = await folder.install(step.packages);
        commands += 1;
        if (installed.code !== 0) report(line, `cannot install ${step.packages.join(' ')}: ${installed.output}`);
        break;
      }
      case 'run': {
        const outcome = await folder.shell(step.command);
        commands += 1;
        ({ output } = outcome);
        if (outcome.code !== step.exit)
          report(line, `${step.command} exits with ${outcome.code}, not with ${step.exit}: ${output}`);
        break;
      }
      case 'expect':
        if (step.text.trim() === '' || !shows(output, step.text))
          report(line, `the command before it prints:\n${output}`);
        break;
    }
  }
  return { problems, commands, leftOut };
}

/** True if an output has these consecutive lines. A line of three dots matches any lines. */
export function shows(output: string, expected: string): boolean {
  const [parts, all] = [expected.split(/^\s*\.\.\.\n/m), comparable(output)];
  let at = 0;
  return parts.every((part) => {
    const wanted = comparable(part).trimEnd();
    const found = all.indexOf(wanted, at);
    at = found + wanted.length;
    return found >= 0;
  });
}

/** Removes parts that differ between runs: durations, and spaces at the ends of lines. */
function comparable(text: string): string {
  return stripVTControlCharacters(text)
    .split('\n')
    .map((line) => line.trimEnd().replaceAll(/\b\d+(?:\.\d+)? ?(ms|s)\b/g, '(time)'))
    .join('\n');
}
