import { alignCells } from '@nccl-ts/core';
import type { TriedCommand } from './try-commands.ts';
import { trialNames, type Trial, type TriedPackage } from './try-package.ts';
import type { TypeProblem } from './types-matrix.ts';

export interface CheckedTypes {
  readonly problems: readonly TypeProblem[];
  readonly combinations: number;
}

/** Renders a row for each package and each command, notes for skipped steps, and all errors. */
export function renderTable(
  tried: readonly TriedPackage[],
  commands: readonly TriedCommand[],
  types: CheckedTypes,
): { readonly table: string; readonly problems: readonly string[] } {
  const notes: string[] = [];
  const problems: string[] = [];
  const cell = (who: string, what: string, trial: Trial | undefined): string => {
    if (trial === undefined) return '';
    if (trial.ok === true) return 'ok';
    if (trial.ok === false) {
      problems.push(`${who}: ${what}\n${trial.problem}`);
      return 'FAILED';
    }
    const known = notes.indexOf(trial.because);
    const number = known < 0 ? notes.push(trial.because) : known + 1;
    return `(${number})`;
  };
  const rows = tried.map(({ name, trials, project }) => {
    const cells = trialNames.map((trial) => cell(name, trial, trials.get(trial)));
    const wrong = types.problems.filter(({ folder }) => folder === project.folder);
    const places = new Set(wrong.map(({ where }) => where));
    problems.push(...wrong.map(({ where, message }) => `${name}: types by TypeScript ${where}\n${message}`));
    return [name, ...cells, `${types.combinations - places.size}/${types.combinations}`];
  });
  problems.push(
    ...types.problems
      .filter(({ folder }) => folder === '')
      .map(({ where, message }) => `types by TypeScript ${where}\n${message}`),
  );
  const head = ['package', ...trialNames, 'types'];
  const lines = alignCells([head, ...rows]).map((cells) => cells.join('  ').trimEnd());
  const ofCommands = commands.map(({ command, trial }) => `${cell(command, 'command', trial).padEnd(6)}  ${command}`);
  const ofNotes = notes.map((note, index) => `(${index + 1}) not tried: ${note}`);
  return { table: [...lines, '', ...ofCommands, '', ...ofNotes].join('\n').trimEnd(), problems };
}
