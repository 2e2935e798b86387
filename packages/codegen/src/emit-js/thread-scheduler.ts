import { helper } from '../emit-shared/context.ts';
import type { JsContext } from './js-context.ts';
import type { SpinPoint } from './emit-spin.ts';
import { literal } from '../emit-shared/literals.ts';
import { addFunction, type ModuleText } from '../emit-shared/module-text.ts';
import { functionText } from '../emit-shared/scope.ts';

/**
 * The number of sweeps in which some threads poll and others make progress, before other CTAs run.
 */
const SWEEPS_WITH_POLLS = 4;

/** A cut at which single threads stop, with its functions. */
export type ThreadCut =
  | {
      readonly kind: 'wait';
      readonly label: number;
      readonly site: number;
      readonly test: string;
      readonly explain: string;
    }
  | {
      readonly kind: 'sync' | 'collective';
      readonly label: number;
      readonly site: number;
      readonly meet: string;
      readonly others: string;
      /** True if all threads of the CTA synchronize there. */
      readonly isWhole: boolean;
    }
  | {
      readonly kind: 'waitAll';
      readonly label: number;
      readonly site: number;
      readonly meet: string;
      readonly others: string;
      /** `(cta, t)`: true if `meet` could make progress now. */
      readonly could: string;
      readonly explain: string;
    };

/** The points at which threads stop. */
export interface ThreadStopPoints {
  readonly cuts: readonly ThreadCut[];
  /** The program counter of a thread that has ended. */
  readonly exit: number;
  readonly spins: readonly SpinPoint[];
  /** The result of `run` if the host is late. Absent if it never checks. */
  readonly paused: number | undefined;
}

/**
 * Adds the functions that select threads. `resume` sweeps over the threads in order until a sweep
 * makes no progress. Then the CTA is parked. If only polling threads have made progress, or some
 * have polled for long, other CTAs run first. A held thread continues when the others cannot, after
 * some such slices. If the others only wait to synchronize with it, they are not checked meanwhile.
 */
export function emitScheduler(context: JsContext, text: ModuleText, stops: ThreadStopPoints): void {
  const { cuts, exit, spins, paused } = stops;
  const { threads } = context;
  const sweep = `for (let t = 0; t < ${threads}; t++) {`;
  const ofKind = (choose: (cut: ThreadCut) => string | undefined, otherwise: string): readonly string[] => [
    'switch (cta.pcs[t]) {',
    ...cuts.flatMap((cut) => {
      const answer = choose(cut);
      return answer === undefined ? [] : [`case ${cut.label}:`, answer];
    }),
    `case ${exit}:`,
    'return false;',
    'default:',
    otherwise,
    '}',
  ];
  addFunction(
    text,
    'isReady',
    ['cta', 't'],
    functionText(),
    ofKind((cut) => (cut.kind === 'wait' ? `return ${cut.test}(cta, t, false);` : 'return false;'), 'return true;'),
  );
  // A thread that returns, or memory that changes, may complete a barrier without a further
  // arrival.
  addFunction(
    text,
    'settle',
    ['cta', 't'],
    functionText(),
    ofKind((cut) => (cut.kind === 'wait' ? undefined : `return ${cut.meet}(cta, t);`), 'return false;'),
  );
  addFunction(
    text,
    'couldSettle',
    ['cta', 't'],
    functionText(),
    ofKind((cut) => (cut.kind === 'waitAll' ? `return ${cut.could}(cta, t);` : undefined), 'return isReady(cta, t);'),
  );
  const where = cuts[0]?.site ?? 0;
  const { interrupts } = context;
  const meetings = cuts.filter((cut) => 'isWhole' in cut);
  const isAt = (label: number): string => `pc === ${label}`;
  const whole = meetings
    .filter(({ isWhole }) => isWhole)
    .map(({ label }) => isAt(label))
    .join(' || ');
  const idle = [...meetings.map(({ label }) => label), exit].map(isAt).join(' || ');
  const held = (...lines: readonly string[]): readonly string[] => (interrupts ? lines : []);
  const gathered = (...lines: readonly string[]): readonly string[] => (context.gathers ? lines : []);
  const polling = (...lines: readonly string[]): readonly string[] => (spins.length === 0 ? [] : lines);
  const skipping = (...lines: readonly string[]): readonly string[] => (whole === '' ? [] : lines);
  const pausing = (...lines: readonly string[]): readonly string[] => (paused === undefined ? [] : lines);
  const swept = ['t', 'fuel', 'moved', 'yielded', ...polling('polls'), ...held('held')];
  const goesOn = paused === undefined ? '' : 'sweep === null && ';
  addFunction(text, 'resume', ['cta'], functionText(), [
    // After a pause, the sweep continues with the same thread, as if it had not paused.
    ...pausing('let sweep = cta.swept;', 'cta.swept = null;'),
    ...held('const { pace } = cta;', 'const { left } = pace;', `if (${goesOn}pace.stays()) return 'stays';`),
    'let fuel = 0;',
    ...polling('let polls = 0;'),
    'for (;;) {',
    `if (${goesOn}++fuel > ${literal(context.fuel)}) ${helper(context, 'fuelFault')}(cta, 0, ${where});`,
    'let moved = false;',
    'let yielded = false;',
    'let live = false;',
    ...held('let held = false;'),
    ...pausing('let first = 0;', `if (sweep !== null) [${swept.join(', ').replace('t,', 'first,')}] = sweep;`),
    ...pausing('sweep = null;'),
    paused === undefined ? sweep : `for (let t = first; t < ${threads}; t++) {`,
    `if (cta.pcs[t] === ${exit}) continue;`,
    'live = true;',
    'if (!isReady(cta, t)) continue;',
    ...held('if (left[t] > 0) { held = true; continue; }'),
    ...pausing(
      'const how = run(cta, t);',
      `if (how === ${paused}) { cta.swept = [${swept.join(', ')}]; return 'paused'; }`,
    ),
    `if (${paused === undefined ? 'run(cta, t)' : 'how'} === 1) yielded = true; else moved = true;`,
    ...held('if (t === pace.straggler) pace.ran(t);'),
    '}',
    "if (!live) return 'done';",
    // Warps that synchronize in each round of a poll progress in turn. Some do in every sweep,
    // although what they wait for depends on other CTAs.
    ...polling(`if (moved && yielded && ++polls >= ${SWEEPS_WITH_POLLS}) return 'yielded';`),
    'if (moved) continue;',
    ...skipping('let missed = -1;'),
    sweep,
    // If one thread finds that not all of the CTA have arrived, the others would too.
    ...skipping('const pc = cta.pcs[t];', 'if (pc === missed) continue;'),
    'if (settle(cta, t)) moved = true;',
    ...skipping(`else if (${whole}) missed = pc;`),
    '}',
    ...gathered(
      'if (!moved) {',
      'const together = pace.regroups();',
      'if (together !== null) {',
      ...(context.watched ? ['for (const { lanes, point } of together) cta.watch.together(lanes, point);'] : []),
      'continue;',
      '}',
      '}',
    ),
    ...held(
      'if (!moved && held) {',
      `pace.lags(cta.pcs.every((pc, t) => left[t] > 0 || ${idle}));`,
      "return 'lags';",
      '}',
    ),
    "if (!moved) return yielded ? 'yielded' : 'parked';",
    '}',
  ]);
  addFunction(text, 'canResume', ['cta'], functionText(), [
    sweep,
    'if (couldSettle(cta, t)) return true;',
    '}',
    `return cta.pcs.every((pc) => pc === ${exit});`,
  ]);
  const entries = cuts.map((cut) => {
    const explain = cut.kind === 'wait' || cut.kind === 'waitAll' ? cut.explain : 'null';
    const others = cut.kind === 'wait' ? 'null' : cut.others;
    return `{ label: ${cut.label}, site: ${cut.site}, kind: '${cut.kind}', explain: ${explain}, others: ${others} },`;
  });
  addFunction(text, 'waiting', ['cta'], functionText(), [
    `return ${helper(context, 'stuckThreads')}(cta, [`,
    ...entries,
    ...spins.map(
      ({ label, site, explain }) =>
        `{ label: ${label}, site: ${site}, kind: 'spin', explain: ${explain}, others: null },`,
    ),
    ']);',
  ]);
}
