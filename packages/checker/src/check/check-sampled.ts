import { ReportBuilder, type CheckReport, type Proof } from '@nccl-ts/findings';
import { simWith, resolveSimOptions } from '@nccl-ts/backend-sim/internal';
import type { Strategy } from '@nccl-ts/backend-sim';
import type { CheckRequest } from './check-request.ts';
import { uncontrolled } from './portfolio.ts';
import { runJudged, type JudgedProgram } from './run-judged.ts';

/**
 * Runs a program under `count` schedules of one strategy, with consecutive seeds starting at that
 * of the options.
 */
export async function checkSampled(request: CheckRequest, strategy: Strategy, count: number): Promise<CheckReport> {
  const { options, program, deadline, news } = request;
  const seed = options.seed ?? 1;
  const builder = new ReportBuilder(options.strict === undefined ? {} : { strict: options.strict });
  const proves: Proof =
    count === 1 ? { kind: 'this schedule', strategy, seed } : { kind: 'schedules', count, strategy, seed };
  let lines: ReadonlySet<string> | undefined;
  for (let i = 0; i < count; i++) {
    if (deadline.isOver) break;
    const schedule = Object.freeze({ strategy, seed: seed + i });
    const resolved = resolveSimOptions({ ...options, ...schedule, mode: 'check' });
    const run = (): Promise<JudgedProgram> =>
      runJudged((rules) => simWith(resolved, undefined, rules), schedule, program, deadline, lines);
    const { runs, hash, lines: more } = await run();
    for (const one of runs) builder.add(one);
    news.report(builder.report(proves));
    // Behaviour that does not depend on the seed alone cannot be replayed. So the first schedule is
    // run again and must behave the same.
    if (i === 0 && count > 1 && !deadline.isOver && (await run()).hash !== hash && !deadline.isOver)
      builder.add({ findings: [uncontrolled(schedule)], accesses: 0 });
    lines = more ?? lines;
  }
  return builder.report(deadline.isOver ? { kind: 'nothing', bound: deadline.bound } : proves);
}
