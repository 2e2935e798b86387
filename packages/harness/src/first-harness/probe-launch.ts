import { NcclError, WARP_SIZE } from '@nccl-ts/core';
import { FaultError } from '@nccl-ts/findings';
import type { Backend } from '@nccl-ts/transport';
import { harnessProgram } from '../harness-program.ts';
import { translate, type Translated } from '../translate.ts';
import { standIns } from './plan-launch.ts';
import { guessResults } from './guess-results.ts';
import type { LaunchPlan } from './launch-plan.ts';
import { plannedProgram, type FinalContents } from './planned-program.ts';

/** The facts that a probe needs beside the plan. */
export interface ProbeOptions {
  /** The name of the entry in the text. */
  readonly entry: string;
  /** The PTX text, and its name for messages. */
  readonly text: string;
  readonly name: string;
  /** Opens a machine with so many ranks, which ends kernels that do not end. */
  readonly backend: (ranks: number) => Backend;
}

/** A bound on the runs of a probe. */
const MOST_RUNS = 32;

/**
 * Tries a planned launch: it runs the kernel on two or more ranks, and lets each allocation grow
 * until every access is inside. The result has those sizes, and the results that follow a known
 * pattern, such as a sum over the ranks. If the kernel does not end, the plan stays as it is, and
 * says so. Equal inputs give equal plans.
 */
export async function probeLaunch(plan: LaunchPlan, options: ProbeOptions): Promise<LaunchPlan> {
  const probe = new Probe(options);
  const fixed = plan.ranks ?? 2;
  const first = await probe.first(plan, fixed);
  if (first.results === undefined) {
    return { ...plan, probe: `A probe run with ${fixed} ranks did not end: ${first.reason}` };
  }
  let { plan: sized, results } = first;
  const { launches } = sized;
  let nRanks = plan.ranks;
  let expect = guessResults(sized, results);
  if (expect.length === 0 && sized.launches > 1) {
    // A kernel that works in place has other results after each launch.
    const once = await probe.settle({ ...sized, launches: 1 }, fixed);
    if (once.results !== undefined) {
      const guessed = guessResults(once.plan, once.results);
      if (guessed.length > 0) {
        sized = once.plan;
        results = once.results;
        expect = guessed;
      }
    }
  }
  const repeated =
    launches < plan.launches ? ` ${plan.launches} launches did not: write into between what the host resets.` : '';
  let note = `A probe run with ${fixed} ranks ended.${repeated}`;
  if (plan.ranks === undefined) {
    const three = await probe.settle(sized, 3);
    const { results: ofThree } = three;
    if (ofThree === undefined) nRanks = 2;
    else {
      sized = three.plan;
      // A pattern that three ranks contradict was a chance.
      const others = guessResults(sized, ofThree);
      expect = expect.filter((one) =>
        others.some(({ memory, values }) => memory === one.memory && values === one.values),
      );
      note = `Probe runs with 2 and 3 ranks ended.${repeated}`;
    }
  }
  return { ...sized, isProbed: true, ...(nRanks === undefined ? {} : { ranks: nRanks }), expect, probe: note };
}

/** The plan with the other values of integers that are not known. */
function alternatives(plan: LaunchPlan): readonly LaunchPlan[] {
  const isOpen = plan.args.some(({ text }) => /todo\('(?!whose)/u.test(text));
  return isOpen ? standIns.filter((one) => one !== plan.standIn).map((standIn) => ({ ...plan, standIn })) : [];
}

interface Settled {
  readonly plan: LaunchPlan;
  /** Absent if the run failed. */
  readonly results: readonly FinalContents[] | undefined;
  readonly reason: string;
}

class Probe {
  readonly #options: ProbeOptions;
  #runs = 0;
  readonly #translated = new Map<number, Translated>();

  constructor(options: ProbeOptions) {
    this.#options = options;
  }

  /**
   * Tries a plan, and then other values of what it leaves open. If all fail, the first reason
   * counts.
   */
  async first(plan: LaunchPlan, ranks: number): Promise<Settled> {
    const failed = await this.settle(plan, ranks);
    if (failed.results !== undefined) return failed;
    // The source says by an assertion which launch it is made for.
    const isAsserted = failed.reason.includes('assertion') && !plan.isBlockRequired && plan.block !== 1;
    const asserted = isAsserted ? { ...plan, grid: 1, block: 1 } : undefined;
    // A kernel for one warp may not run with two.
    const narrow = plan.block === 2 * WARP_SIZE ? [{ ...plan, block: WARP_SIZE }] : [];
    for (const other of [
      ...narrow,
      ...(asserted === undefined ? [] : [asserted, ...alternatives(asserted)]),
      ...alternatives(plan),
    ]) {
      const settled = await this.settle(other, ranks);
      if (settled.results !== undefined) return settled;
    }
    // Counters that one launch leaves may keep the next from ending.
    const once = failed.reason.includes('deadlock') && plan.launches > 1 ? { ...plan, launches: 1 } : undefined;
    const settled = once === undefined ? failed : await this.settle(once, ranks);
    return settled.results === undefined ? failed : settled;
  }

  /** Runs a plan with larger and larger allocations, until it ends or fails. */
  async settle(plan: LaunchPlan, ranks: number): Promise<Settled> {
    let tried = plan;
    for (;;) {
      if (this.#runs++ >= MOST_RUNS) return { plan, results: undefined, reason: `${MOST_RUNS} runs were not enough.` };
      try {
        return { plan: tried, results: await this.#run(tried, ranks), reason: '' };
      } catch (error) {
        if (!(error instanceof NcclError)) throw error;
        const larger = grown(tried, error);
        if (larger === undefined) return { plan, results: undefined, reason: reasonOf(error) };
        tried = larger;
      }
    }
  }

  async #run(plan: LaunchPlan, ranks: number): Promise<readonly FinalContents[]> {
    const { entry, text, name, backend } = this.#options;
    const program = plannedProgram(plan, entry, ranks);
    // The translation depends on the types of arguments, and those are the same in all runs.
    const translated = this.#translated.get(ranks) ?? translate(program.harness, text, { name, ranks });
    this.#translated.set(ranks, translated);
    await harnessProgram(program.harness, translated)(backend(ranks));
    return program.results;
  }
}

/** The plan with more room where an access was outside; `undefined` if that was not the reason. */
function grown(plan: LaunchPlan, error: NcclError): LaunchPlan | undefined {
  if (!(error instanceof FaultError)) return undefined;
  const { access } = error.report;
  const name = access?.window?.name;
  const index = plan.memory.findIndex((one) => `'${one.name}'` === name || one.name === name);
  const memory = plan.memory[index];
  if (access === undefined || memory === undefined || access.offset < 0 || memory.size + 1 >= memory.sizes.length)
    return undefined;
  return { ...plan, memory: plan.memory.with(index, { ...memory, size: memory.size + 1 }) };
}

function reasonOf(error: NcclError): string {
  if (error.code === 'NCCLTS_INCOMPLETE') return 'a loop never ends with these arguments.';
  const [line = ''] = error.message.split('\n');
  return `${line.slice(0, 160).replace(/[.\s]*$/u, '')}.`;
}
