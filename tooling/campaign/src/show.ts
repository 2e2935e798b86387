import { judge, type JudgeOptions } from './judge.ts';
import { subjectOf, type AnyProgram } from './subject.ts';
import type { Found } from './tally.ts';
import type { CampaignTheme } from './themes.ts';

/** Prints a program and the result of each engine. Returns the number of disagreements. */
export async function show(program: AnyProgram, options: JudgeOptions, print: (line: string) => void): Promise<number> {
  const { text, kinds } = subjectOf(program);
  print(text());
  print(`contains: ${[...kinds].join(', ')}`);
  const { refused, observations, disagreements, notes } = await judge(program, options);
  if (refused !== undefined) print(`it does not compile: ${refused}`);
  for (const { engine, verdict, thrown, claimsAll, severities, errors, outcomes } of observations) {
    const all = claimsAll ? ', of all schedules' : '';
    print(`${engine}: ${thrown ?? verdict}${all}; ${[...errors].join(', ') || 'no error'}; ${outcomes.size} outcomes`);
    for (const [race, severity] of severities) print(`    ${severity}: ${race}`);
    if (outcomes.size <= 12) for (const outcome of outcomes) print(`    read: ${outcome}`);
  }
  for (const { rule, detail } of disagreements) print(`BROKEN ${rule}: ${detail}`);
  for (const { rule, detail } of notes) print(`note ${rule}: ${detail}`);
  return disagreements.length;
}

/** A disagreement with its program, if it was made smaller, and the command that shows it again. */
export function foundText({ seed, rule, detail, program }: Found, theme: CampaignTheme | undefined): string {
  const named = theme === undefined ? '' : ` --theme ${theme}`;
  const text = program === undefined ? '' : `\n${subjectOf(program).text()}`;
  return `seed ${seed} breaks ${rule} (campaign --show ${seed}${named}): ${detail}${text}`;
}
