import { checkCommands } from './check-commands.ts';
import { checkTypes, type Problem } from './check-types.ts';
import { fenceTable } from './fence-table.ts';
import { isProgram } from './fence.ts';
import { allFences } from './markdown-files.ts';
import { otherLanguages } from './other-languages.ts';
import { programsOf, staleRows, type FenceProgram } from './program.ts';
import { runPrograms } from './run-programs.ts';
import { Workshop } from './workshop.ts';

export interface FenceReport {
  readonly programs: readonly FenceProgram[];
  /** The number of blocks of each other language. */
  readonly others: ReadonlyMap<string, number>;
  readonly problems: readonly Problem[];
}

/** Checks every block of code of every Markdown file. The packages must be built. */
export function checkFences(root: string): FenceReport {
  const fences = allFences(root);
  const programs = programsOf(fences, fenceTable);
  const others = new Map<string, number>();
  const problems: Problem[] = [];
  for (const { language, file, line } of fences.filter((fence) => !isProgram(fence))) {
    others.set(language, (others.get(language) ?? 0) + 1);
    if (otherLanguages[language] === undefined)
      problems.push({
        file,
        line,
        message: `the language ${language} has no row in tooling/fences/src/other-languages.ts`,
      });
  }
  for (const { file, begins } of staleRows(fences, fenceTable))
    problems.push({
      file,
      line: 1,
      message: `no program begins with ${JSON.stringify(begins)}: change or remove its row in tooling/fences/src/fence-table.ts`,
    });
  using workshop = new Workshop(programs);
  problems.push(...checkTypes(programs, workshop), ...runPrograms(programs, workshop), ...checkCommands(root, fences));
  return { programs, others, problems };
}
