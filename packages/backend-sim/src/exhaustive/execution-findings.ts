import {
  buildReport,
  describeWord,
  type CheckReport,
  type FaultReport,
  type Finding,
  type FindingBytes,
  type FindingKind,
  type FindingLabel,
  type MissingIngredient,
  type Proof,
  type ScheduleId,
} from '@nccl-ts/findings';
import { explainPair, type Execution, type RacingPair } from '@nccl-ts/memory-model';
import { ingredientKinds, sentence } from '../check/seen-finding.ts';
import { isShared } from './cta-state.ts';
import { ISSUED } from './explored-network.ts';
import { executionDeadlock } from './execution-deadlock.ts';
import type { ExploredWorld } from './explored-world.ts';

/** Finds out what is wrong in executions, each thing once, however many show it. */
export class ExecutionFindings {
  readonly #found = new Map<string, { readonly finding: Finding; seen: number }>();
  #accesses = 0;
  #executions = 0;

  /** How many executions were looked at. */
  get executions(): number {
    return this.#executions;
  }

  add(world: ExploredWorld, execution: Execution): void {
    this.#executions++;
    const { run, races, blocked } = execution;
    for (const { isMemory, live } of run.graph.events) this.#accesses += Number(isMemory && live);
    for (const race of races.filter(isOfTheKernels))
      this.#keep(`race ${sides(race)}`, () => raceFinding(world, execution, race));
    for (const event of run.graph.events) {
      if (event.kind !== 'read' || event.sources === undefined) continue;
      const blank = isShared(event.at) && event.sources.some(({ write }) => write.kind === 'initial');
      if (blank) {
        this.#keep(`blank ${event.site}`, () => ({
          kind: 'uninitialised',
          message: 'shared memory is read that nobody has written',
          labels: [world.participants.label(run, event)],
          bytes: bytesOf(world, event.at, event.bytes),
        }));
      }
    }
    const waiting = blocked.filter(({ blocked: by }) => by?.kind === 'wait' || by?.kind === 'meet');
    if (waiting.length > 0) {
      const deadlock = executionDeadlock(world, execution);
      const key = deadlock.waiting
        .map(({ rank, cta, place, threads }) => `${rank} ${cta} ${place?.line} ${threads.join()}`)
        .join();
      const message = 'threads wait for what nobody will do any more';
      this.#keep(`deadlock ${key}`, () => ({ kind: 'deadlock', message, labels: [], deadlock }));
    }
  }

  /** Something that a launch ended with. */
  addFault(world: ExploredWorld): void {
    for (const { failure } of world.runner.launches) {
      if (failure === undefined) continue;
      const { report } = failure;
      this.#keep(`fault ${report.kind} ${report.place?.line} ${report.place?.column} ${report.rank}`, () => ({
        kind: kindOfFault(report),
        message: failure.message,
        labels: [],
        fault: report,
      }));
    }
  }

  /** `bound`: what was left out; absent where everything was gone through. */
  report(bound: string | undefined): CheckReport {
    const found = [...this.#found.values()];
    const run = {
      findings: found.map(({ finding }) => finding),
      seen: found.map(({ seen }) => seen),
      accesses: this.#accesses,
    };
    const proves: Proof =
      bound === undefined ? { kind: 'all schedules', count: this.#executions } : { kind: 'nothing', bound };
    return buildReport({ runs: [run], proves });
  }

  #keep(key: string, make: () => Pick<Finding, 'kind' | 'message' | 'labels'> & Partial<Finding>): void {
    const known = this.#found.get(key);
    if (known !== undefined) {
      known.seen++;
      return;
    }
    const finding: Finding = Object.freeze({
      severity: 'error',
      missing: Object.freeze([]),
      certainty: 'this schedule',
      schedule,
      ...make(),
    });
    this.#found.set(key, { finding, seen: 1 });
  }
}

function kindOfFault({ kind, access }: FaultReport): FindingKind {
  if (kind === 'misuse') return 'misuse';
  if (kind === 'fuel') return 'incomplete';
  return access === undefined ? 'fault' : 'out-of-bounds';
}

const schedule: ScheduleId = Object.freeze({ strategy: 'exhaustive', seed: 0 });

/** Requests are counted by the device API itself, which is not what is checked. */
function isOfTheKernels({ first, second }: RacingPair): boolean {
  return first.site !== ISSUED && second.site !== ISSUED;
}

function sides({ first, second }: RacingPair): string {
  return [`${first.site} ${first.kind}`, `${second.site} ${second.kind}`].toSorted().join(' / ');
}

function raceFinding(
  world: ExploredWorld,
  { run, consistent }: Execution,
  { first, second }: RacingPair,
): Pick<Finding, 'kind' | 'message' | 'labels' | 'bytes' | 'missing'> {
  const { now, before, missing } = explainPair(run.graph, consistent.causality, { first, second });
  const [label, other] = [world.participants.label(run, now), world.participants.label(run, before)];
  const labels = [label, other];
  const at = Math.max(first.at, second.at);
  return {
    kind: 'race',
    message: `${labels.map(articled).join(' and ')} of the same bytes are not ordered`,
    labels,
    missing: missing.map(({ reason, at: where }) => {
      const place = where === undefined ? undefined : world.participants.label(run, where);
      return Object.freeze({
        kind: ingredientKinds[reason],
        message: sentence(reason, label, other, place, place),
        ...(place === undefined ? {} : { at: place }),
      } satisfies MissingIngredient);
    }),
    bytes: bytesOf(world, at, Math.min(first.at + first.bytes, second.at + second.bytes) - at),
  };
}

function articled({ does }: FindingLabel): string {
  return `${/^[aeiou]/.test(does) ? 'an' : 'a'} ${does}`;
}

function bytesOf(world: ExploredWorld, address: number, bytes: number): FindingBytes {
  const word = { address, region: 0, space: isShared(address) ? 'shared' : 'global', type: 'u32', value: 0 } as const;
  return Object.freeze({ place: describeWord(word, () => world.memory.byteAt(address)), bytes });
}
