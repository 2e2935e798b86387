import { check, type CheckOptions } from '@nccl-ts/checker';
import { getLsaDevicePointer, World } from '@nccl-ts/communicator';
import type { CheckReport } from '@nccl-ts/findings';
import {
  addressPointer,
  builtin,
  compare,
  param,
  pointerOffset,
  printModule,
  type Body,
  type Expression,
  type Module,
  type Span,
  type Statement,
  type ValueType,
} from '@nccl-ts/ir';
import { moduleKernel, u64 as u64Param } from '@nccl-ts/kernel';
import { structureFlow, type WeakSpin } from '../../src/structure/structure-flow.ts';
import { branch, ends, FlowBuilder, number, u32, u64 } from './flow-builder.ts';

const span: Span = { source: 0, start: 0, end: 1 };

/** Word `index` of the memory that all threads share, or of the results if `results` is given. */
export function word(index: number, element: ValueType = u32, results = false): Expression {
  return pointerOffset(addressPointer(element, param(results ? 1 : 0, u64)), number(index));
}

export const stores = (pointer: Expression, value: Expression, order?: 'relaxed' | 'release'): Statement => {
  const access = order === undefined ? {} : { access: { order, scope: 'system' as const } };
  return { kind: 'store', pointer, value, span, ...access };
};

/** The result of running a graph. */
export interface FlowRun {
  /** The words of the results. */
  readonly out: readonly number[];
  readonly report: CheckReport;
  readonly body: Body;
  readonly weakSpins: readonly WeakSpin[];
  /** The module as text. */
  readonly text: string;
}

/** A graph in which CTA 0 runs `writer`, and the others run the added code. */
export class TwoSides extends FlowBuilder {
  constructor(writer: Body) {
    super();
    const isWriter = compare('eq', builtin('blockIdx.x'), number(0));
    this.add([], branch(isWriter, 1, 2));
    this.add(writer, ends);
  }

  override module(body: Body): Module {
    return {
      ...super.module(body),
      params: [
        { name: 'memory', type: u64 },
        { name: 'results', type: u64 },
      ],
    };
  }

  /** Checks the graph's code in runs with two CTAs. */
  async run(
    options: Omit<CheckOptions, 'ranks'> & { readonly block?: number; readonly grid?: number } = {},
  ): Promise<FlowRun> {
    const { block = 1, grid = 2, ...how } = options;
    const structured = structureFlow(this.graph, this);
    if ('irreducible' in structured) throw new Error('the graph is not reducible');
    const module = this.checked(structured.body);
    const kernel = moduleKernel({ name: 'flow', params: { memory: u64Param, results: u64Param } }, () => module);
    // The first run, because time limits may expire in later ones.
    let out: readonly number[] | undefined;
    const report = await check({ ranks: 1, ...how }, async (backend) => {
      await using world = await World.open({ backend });
      const [results = []] = await world.run(async (comm) => {
        const memory = await comm.allocWindow('u32', 64);
        const results = await comm.allocWindow('u32', 64);
        await memory.write(new Uint32Array(64));
        const addresses = [memory, results].map((window) =>
          BigInt(getLsaDevicePointer(window, 0, comm.rank)?.address ?? -1),
        );
        const [at = 0n, to = 0n] = addresses;
        await comm.launch(kernel, { grid, block }, { memory: at, results: to });
        await comm.synchronize();
        return [...(await results.read())];
      });
      out ??= results;
    });
    const text = printModule(module, { spans: false });
    return { out: out ?? [], report, body: structured.body, weakSpins: structured.weakSpins, text };
  }
}

/** The number of statements of a kind in `body` and inner bodies. */
export function count(run: FlowRun, kind: 'wait' | 'loop' | 'load'): number {
  const list = run.text.match(new RegExp(`\\b${kind}\\b`, 'g'));
  return list === null ? 0 : list.length;
}

export const isNot = (left: Expression, right: Expression): Expression => compare('ne', left, right);
export const is = (left: Expression, right: Expression): Expression => compare('eq', left, right);

/** The kinds of a run's findings, each once. */
export function kindsOf(run: FlowRun): readonly string[] {
  return [...new Set(run.report.findings.map(({ kind }) => kind))].toSorted();
}
